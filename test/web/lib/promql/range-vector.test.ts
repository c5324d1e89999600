import { expect, test } from 'vitest'
import { rawSamples, unseenInLines } from '../../../../src/web/lib/promql/range-vector.ts'

test('samples stand in the order of their times, each with how long after the one before', () => {
  expect(
    rawSamples({
      metric: {},
      values: [
        [100.5, '1'],
        [160.5, 'NaN'],
      ],
      histograms: [[130.5, { count: '4', sum: '6' }]],
    }),
  ).toEqual([
    { timeSeconds: 100.5, text: '1', afterSeconds: undefined },
    { timeSeconds: 130.5, text: 'count 4, sum 6', afterSeconds: 30 },
    { timeSeconds: 160.5, text: 'NaN', afterSeconds: 30 },
  ])
  expect(rawSamples({ metric: {} })).toEqual([])
})

test('what no line can show is counted by series', () => {
  const at = (...texts: string[]): { metric: Record<string, string>; values: [number, string][] } => ({
    metric: {},
    values: texts.map((text, i) => [i, text]),
  })
  expect(unseenInLines([at('1', 'NaN', 'NaN'), at('+Inf', '-Inf'), at('2')])).toEqual({
    series: 2,
    words: ['+Inf', '-Inf', 'NaN'],
  })
  expect(unseenInLines([])).toEqual({ series: 0, words: [] })
})
