import { expect, test } from 'vitest'
import {
  BUCKET_ROWS_MAX,
  bucketSeries,
  bucketsOf,
  meanOf,
  type SampleHistogram,
} from '../../../../src/web/lib/promql/native-buckets.ts'

const histogram = (...buckets: readonly (readonly [string, string, string])[]): SampleHistogram => ({
  count: '4',
  sum: '10',
  buckets: buckets.map(([lower, upper, count]) => [0, lower, upper, count]),
})
const SPAN = { startSeconds: 0, endSeconds: 20, stepSeconds: 10 }

test('a histogram has buckets and a mean', () => {
  expect(bucketsOf(histogram(['-Inf', '1', '3'], ['1', '2', '1']))).toEqual([
    { lower: -Infinity, upper: 1, count: 3 },
    { lower: 1, upper: 2, count: 1 },
  ])
  expect(meanOf(histogram())).toBe(2.5)
  expect(bucketsOf({ count: '0', sum: '0' })).toEqual([])
  expect(meanOf({ count: '0', sum: '0' })).toBeNaN()
})

test('the rows are the buckets of all steps, the highest first; a missing step is a gap, a missing bucket zero', () => {
  const rows = bucketSeries(
    {
      metric: { a: 'x' },
      histograms: [
        [0, histogram(['1', '2', '3'])],
        [20, histogram(['1', '2', '1'], ['2', '4', '5'])],
        [99, histogram(['8', '16', '7'])],
      ],
    },
    SPAN,
    String,
  )
  expect(rows.map(({ name, values }) => [name, values])).toEqual([
    ['2 – 4', [0, null, 5]],
    ['1 – 2', [3, null, 1]],
  ])
})

test('more buckets than can be read are put together with their neighbours, and none is lost', () => {
  const many = Array.from({ length: 100 }, (_, i): [string, string, string] => [String(i), String(i + 1), '1'])
  const rows = bucketSeries({ metric: {}, histograms: [[0, histogram(...many)]] }, SPAN, String)
  expect(rows.length).toBeLessThanOrEqual(BUCKET_ROWS_MAX)
  expect(rows[0]?.name).toBe('96 – 100')
  expect(rows.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)).toBe(100)
  expect(bucketSeries({ metric: {} }, SPAN, String)).toEqual([])
})
