import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderHistogram } from '../../../src/api/prometheus/answer-json.ts'
import { QueryAnswer } from '../../../src/contract/prometheus.ts'
import { CUSTOM_BOUNDS, type Histogram } from '../../../src/model/histogram.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { QueryResult } from '../../../src/promql/query-engine.ts'
import { toColumn } from '../../../src/web/lib/chart-columns.ts'
import { toPromqlView } from '../../../src/web/lib/promql-table.ts'
import { exponential } from '../../promql/histogram/make.ts'
import { bucketsOf } from '../../support/histograms.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const EMPTY = exponential()
const BOTH_SIDES: Histogram = {
  ...EMPTY,
  count: 12,
  sum: -3.5,
  zeroThreshold: 0.001,
  zeroCount: 2,
  positive: bucketsOf({ 0: 1, 1: 3.5, 3: 0.5 }),
  negative: bucketsOf({ 0: 4, 1: 1 }),
}
const CUSTOM: Histogram = {
  ...EMPTY,
  schema: CUSTOM_BOUNDS,
  count: 6,
  sum: Infinity,
  positive: bucketsOf({ 0: 1, 1: 2, 2: 3 }),
  customBounds: Float64Array.from([5, 10]),
}

/** The forms of Prometheus' own JSON: open at the lower end above zero, at the upper end below, the zero bucket closed. */
test.each([
  ['without observations', EMPTY, { count: '0', sum: '0' }],
  [
    'with both sides and a zero bucket',
    BOTH_SIDES,
    {
      count: '12',
      sum: '-3.5',
      buckets: [
        [1, '-2', '-1', '1'],
        [1, '-1', '-0.5', '4'],
        [3, '-0.001', '0.001', '2'],
        [0, '0.5', '1', '1'],
        [0, '1', '2', '3.5'],
        [0, '4', '8', '0.5'],
      ],
    },
  ],
  [
    'with custom bounds',
    CUSTOM,
    {
      count: '6',
      sum: '+Inf',
      buckets: [
        [3, '-Inf', '5', '1'],
        [0, '5', '10', '2'],
        [0, '10', '+Inf', '3'],
      ],
    },
  ],
])('a histogram %s', (_name, histogram, want) => {
  expect(JSON.parse(renderHistogram(histogram))).toEqual(want)
})

let server: TestServer
beforeAll(async () => {
  server = await makeServer()
})
afterAll(() => server.app.close())

const ask = async (path: string, value: QueryResult['value']) => {
  server.engine.result = { ...server.engine.result, value }
  const body = (await server.app.inject(`/api/v1/${path}`)).json<QueryAnswer>()
  expect([...Value.Errors(QueryAnswer, body)]).toEqual([])
  return body.data
}
const shown = JSON.parse(renderHistogram(BOTH_SIDES)) as unknown

test('a vector has floats and histograms, each under its own name', async () => {
  const data = await ask('query?query=x', {
    type: 'vector',
    timeMs: NOW_MS,
    samples: [
      { labels: Labels.of({ a: '1' }), timeMs: NOW_MS, value: 1 },
      { labels: Labels.of({ a: '2' }), timeMs: NOW_MS, value: NaN, histogram: BOTH_SIDES },
    ],
  })
  expect(data.result).toEqual([
    { metric: { a: '1' }, value: [NOW_MS / 1000, '1'] },
    { metric: { a: '2' }, histogram: [NOW_MS / 1000, shown] },
  ])
  expect(toPromqlView(data)).toMatchObject({
    rows: [
      { cells: ['1'], value: '1' },
      { cells: ['2'], value: 'count 12, sum -3.5' },
    ],
  })
})

test('a matrix keeps them apart, and leaves out what a series has none of', async () => {
  const series = { labels: Labels.EMPTY, timesMs: new Float64Array(0), values: new Float64Array(0) }
  const histogramTimesMs = Float64Array.from([1000, 2500])
  const data = await ask('query_range?query=x&start=0&end=3&step=1', {
    type: 'matrix',
    series: [
      { ...series, timesMs: Float64Array.of(0), values: Float64Array.of(7) },
      { ...series, histogramTimesMs, histograms: [BOTH_SIDES, EMPTY] },
      {
        ...series,
        timesMs: Float64Array.of(500),
        values: Float64Array.of(8),
        histogramTimesMs,
        histograms: [EMPTY, EMPTY],
      },
    ],
  })
  const empty = { count: '0', sum: '0' }
  expect(data.result).toEqual([
    { metric: {}, values: [[0, '7']] },
    {
      metric: {},
      histograms: [
        [1, shown],
        [2.5, empty],
      ],
    },
    {
      metric: {},
      values: [[0.5, '8']],
      histograms: [
        [1, empty],
        [2.5, empty],
      ],
    },
  ])
  if (data.resultType !== 'matrix') throw new Error('a range is a matrix')
  const range = { startSeconds: 0, endSeconds: 2, stepSeconds: 1 }
  expect(data.result.map(({ values = [] }) => toColumn(values, range, 3))).toEqual([
    [7, null, null],
    [null, null, null],
    [null, 8, null],
  ])
})
