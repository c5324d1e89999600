import { describe, expect, test } from 'vitest'
import type { QueryData } from '../../../src/contract/prometheus.ts'
import { stepFor, stepTimes, toColumn } from '../../../src/web/lib/chart-columns.ts'
import {
  seriesName,
  shortName,
  splitLabels,
  distinguishingLabels,
  toPromqlView,
} from '../../../src/web/lib/promql-table.ts'

const vector = (...samples: [Record<string, string>, string][]): QueryData => ({
  resultType: 'vector',
  result: samples.map(([metric, value]) => ({ metric, value: [0, value] })),
})

describe('an answer for reading', () => {
  test('nothing', () => {
    expect(toPromqlView(vector())).toEqual({ kind: 'none' })
  })
  test('one series is a value with its labels', () => {
    expect(toPromqlView(vector([{ cluster: 'c' }, '3']))).toEqual({
      kind: 'value',
      text: '3',
      labels: [['cluster', 'c']],
    })
  })
  test('a number and a text', () => {
    expect(toPromqlView({ resultType: 'scalar', result: [0, '2'] })).toEqual({ kind: 'value', text: '2', labels: [] })
    expect(toPromqlView({ resultType: 'string', result: [0, 'x'] })).toEqual({ kind: 'value', text: 'x', labels: [] })
  })
  test('shared labels stand apart, the biggest number is first and NaN last', () => {
    const view = toPromqlView(
      vector(
        [{ job: 'j', a: '1' }, '2'],
        [{ job: 'j', a: '2' }, 'NaN'],
        [{ job: 'j', b: 'x' }, '+Inf'],
        [{ job: 'j' }, '-1'],
      ),
    )
    expect(view).toMatchObject({
      kind: 'table',
      columns: ['a', 'b'],
      shared: [['job', 'j']],
      rows: [
        { cells: ['', 'x'], value: '+Inf' },
        { cells: ['1', ''], value: '2' },
        { cells: ['', ''], value: '-1' },
        { cells: ['2', ''], value: 'NaN' },
      ],
    })
  })
  test('of a range, the last value', () => {
    expect(
      toPromqlView({
        resultType: 'matrix',
        result: [
          {
            metric: {},
            values: [
              [0, '1'],
              [1, '2'],
            ],
          },
        ],
      }),
    ).toMatchObject({
      kind: 'value',
      text: '2',
    })
  })
})

test.each([
  [{ __name__: 'up' }, 'up'],
  [{ __name__: 'up', job: 'j' }, 'up{job="j"}'],
  [{ b: '2', a: '1' }, '{a="1", b="2"}'],
  [{}, '{}'],
])('a series is named as a person writes it', (metric, name) => {
  expect(seriesName(metric)).toBe(name)
})

describe('a chart', () => {
  const range = { startSeconds: 100, endSeconds: 130, stepSeconds: 10 }
  test('has one time axis, and gaps where a series has no sample', () => {
    const times = [...stepTimes(range)]
    expect(times).toEqual([100, 110, 120, 130])
    const columnOf = (values: [number, string][]): (number | null)[] => toColumn(values, range, times.length)
    expect(
      columnOf([
        [100, '1'],
        [130, '4'],
      ]),
    ).toEqual([1, null, null, 4])
    expect(
      columnOf([
        [110, 'NaN'],
        [120, '+Inf'],
        [999, '1'],
      ]),
    ).toEqual([null, null, null, null])
  })
  test.each([900, 3600, 21_600, 86_400, 604_800, 31_536_000])('%d seconds have at most 400 points', (rangeSeconds) => {
    expect(rangeSeconds / stepFor(rangeSeconds)).toBeLessThanOrEqual(400)
  })
})

describe('labels of many series', () => {
  const metrics = [
    { __name__: 'up', cluster: 'a', instance: '1', job: 'x', zone: 'n' },
    { __name__: 'up', cluster: 'b', instance: '2', job: 'x', zone: 'n' },
    { __name__: 'up', cluster: 'b', instance: '3', job: 'x' },
  ]

  test('are those that all have, and those they differ in', () => {
    expect(splitLabels(metrics)).toEqual({
      columns: ['cluster', 'instance', 'zone'],
      shared: [
        ['__name__', 'up'],
        ['job', 'x'],
      ],
    })
    expect(splitLabels([])).toEqual({ columns: [], shared: [] })
  })

  test.each([
    [metrics, ['cluster', 'instance']],
    [metrics.slice(0, 2), ['cluster']],
    [metrics.slice(1), ['instance']],
    [metrics.slice(0, 1), []],
    // Equal series cannot be told apart, and are not told at length.
    [[{ cluster: 'a' }, { cluster: 'a' }], []],
    [
      [
        { a: '1', b: '1', c: '1' },
        { a: '1', b: '2', c: '3' },
        { a: '2', b: '1', c: '1' },
      ],
      ['a', 'b'],
    ],
  ])('%#: as few as tell them apart stand in a name', (series, labels) => {
    expect(distinguishingLabels(series, splitLabels(series).columns)).toEqual(labels)
  })

  test('name a series', () => {
    expect(shortName(metrics[0]!, ['cluster', 'instance'])).toBe('{cluster="a", instance="1"}')
    expect(shortName(metrics[0]!, ['__name__'])).toBe('up')
    expect(shortName(metrics[0]!, [])).toBe('value')
  })
})
