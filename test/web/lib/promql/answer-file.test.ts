import { expect, test } from 'vitest'
import type { QueryAnswer } from '../../../../src/contract/prometheus.ts'
import { csvOf, fileNameOf } from '../../../../src/web/lib/promql/answer-file.ts'

const HISTOGRAM = { count: '3', sum: '4.5' }

test.each<[string, QueryAnswer['data'], readonly string[]]>([
  ['scalar', { resultType: 'scalar', result: [1.5, '2'] }, ['time,value', '1970-01-01T00:00:01.500Z,2']],
  ['nothing', { resultType: 'vector', result: [] }, ['time,value']],
  [
    'labels of some series, and signs that mean something in CSV',
    {
      resultType: 'vector',
      result: [
        { metric: { a: 'x,"y"', __name__: 'm' }, value: [0, 'NaN'] },
        { metric: { b: 'two\nlines' }, value: [60, '-Inf'] },
      ],
    },
    [
      '__name__,a,b,time,value',
      'm,"x,""y""",,1970-01-01T00:00:00.000Z,NaN',
      ',,"two\nlines",1970-01-01T00:01:00.000Z,-Inf',
    ],
  ],
  [
    'a label that a spreadsheet would run',
    { resultType: 'vector', result: [{ metric: { a: '=1+2', b: '+cmd' }, value: [0, '-1'] }] },
    ['a,b,time,value', "'=1+2,'+cmd,1970-01-01T00:00:00.000Z,-1"],
  ],
  [
    'a matrix with histograms',
    {
      resultType: 'matrix',
      result: [{ metric: { a: 'x' }, values: [[0, '1']], histograms: [[60, HISTOGRAM]] }],
    },
    ['a,time,value,count,sum', 'x,1970-01-01T00:00:00.000Z,1,,', 'x,1970-01-01T00:01:00.000Z,,3,4.5'],
  ],
])('%s as CSV', (_what, data, lines) => {
  expect(csvOf(data)).toBe(lines.map((line) => `${line}\r\n`).join(''))
})

test.each([
  [[], 'query.csv'],
  [['up'], 'up.csv'],
  [['a:b', 'c', 'd'], 'a_b-c.csv'],
])('a file about %j is called %s', (metrics, name) => {
  expect(fileNameOf(metrics, 'csv')).toBe(name)
})
