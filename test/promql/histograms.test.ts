import { expect, test } from 'vitest'
import type { Histogram } from '../../src/model/histogram.ts'
import { LabelList } from '../../src/model/label-rows.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable, RunSelection, SelectRequest } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryEngine } from '../../src/promql/query-engine.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { counts, exponential } from './histogram/make.ts'

const LABELS = Labels.fromPairs([
  ['__name__', 'wait'],
  ['pod', 'a'],
])
const growing = (times: number): Histogram =>
  exponential({ count: 3 * times, sum: 4 * times, positive: counts([0, times], [1, 2 * times]) })

/** A float, two histograms and a float, each minute. */
function filled(): MemoryQueryable {
  const store = new MemoryQueryable()
  store.append(LABELS, 0, 7)
  store.appendHistogram(LABELS, 60_000, growing(1))
  store.appendHistogram(LABELS, 120_000, growing(2))
  store.append(LABELS, 180_000, 9)
  return store
}

function engineOver(queryable: Queryable, samplesMax = 1000): QueryEngine {
  return createLocalEngine({ queryable, options: { ...DEFAULT_ENGINE_OPTIONS, samplesMax }, nowMs: () => 0 })
}

/** A store that keeps runs, and says that they do not have all. */
function withRuns(store: MemoryQueryable): Queryable {
  const selection: RunSelection = {
    rows: new LabelList([LABELS]),
    hasHistograms: true,
    readRuns: () => {
      throw new Error('runs were read')
    },
    readNewest: () => {
      throw new Error('runs were read')
    },
  }
  return {
    select: (request: SelectRequest) => store.select(request),
    selectRuns: () => selection,
    series: (matchers, range) => store.series(matchers, range),
    labelNames: (matchers, range) => store.labelNames(matchers, range),
    labelValues: (name, matchers, range) => store.labelValues(name, matchers, range),
  }
}

test('an instant vector has the histogram itself', async () => {
  const { value } = await engineOver(filled()).instant({ expr: 'wait', timeMs: 130_000 })
  expect(value).toEqual({
    type: 'vector',
    timeMs: 130_000,
    samples: [{ labels: LABELS, value: 0, histogram: growing(2), timeMs: 130_000 }],
  })
})

test.each(['wait', 'last_over_time(wait[1m])', '(wait or wait)'])(
  'histograms of %s stand apart from its floats',
  async (expr) => {
    const { value } = await engineOver(filled()).range({ expr, startMs: 0, endMs: 180_000, stepMs: 60_000 })
    expect(value).toEqual({
      type: 'matrix',
      series: [
        {
          labels: LABELS,
          timesMs: Float64Array.of(0, 180_000),
          values: Float64Array.of(7, 9),
          histogramTimesMs: Float64Array.of(60_000, 120_000),
          histograms: [growing(1), growing(2)],
        },
      ],
    })
  },
)

test('so they do in a range vector', async () => {
  const { value } = await engineOver(filled()).instant({ expr: 'wait[2m]', timeMs: 120_000 })
  expect(value).toEqual({
    type: 'matrix',
    series: [
      {
        labels: LABELS,
        timesMs: new Float64Array(0),
        values: new Float64Array(0),
        histogramTimesMs: Float64Array.of(60_000, 120_000),
        histograms: [growing(1), growing(2)],
      },
    ],
  })
})

test.each([
  'wait',
  'timestamp(wait)',
  'rate(wait[2m])',
  'histogram_quantile(0.5, wait)',
  'count_over_time(wait[5m])',
  'absent_over_time(wait[5m])',
  'sum(increase(wait[2m:30s]))',
])('%s is the same over a store that keeps runs', async (expr) => {
  const store = filled()
  const range = { expr, startMs: 0, endMs: 180_000, stepMs: 60_000 }
  const instant = { expr, timeMs: 120_000 }
  expect((await engineOver(withRuns(store)).range(range)).value).toEqual((await engineOver(store).range(range)).value)
  expect((await engineOver(withRuns(store)).instant(instant)).value).toEqual(
    (await engineOver(store).instant(instant)).value,
  )
})

test('a histogram counts as several samples', async () => {
  const query = { expr: 'count_over_time(wait[1h])', timeMs: 200_000 }
  expect((await engineOver(filled(), 26).instant(query)).stats.samplesRead).toBe(26)
  await expect(engineOver(filled(), 25).instant(query)).rejects.toMatchObject({ code: 'query_limit' })
})

test.each([
  ['count_over_time(wait[2m])', [13, 24, 13]],
  ['rate(wait[2m])', [13, 24, 13]],
  ['count_over_time(wait[2m:1m])', [13, 24, 13]],
  ['wait', [12, 12, 1]],
])('a histogram counts as several samples of each step of %s', async (expr, want) => {
  const query = { expr, startMs: 60_000, endMs: 180_000, stepMs: 60_000, countsSteps: true }
  for (const queryable of [filled(), withRuns(filled())]) {
    const { stats } = await engineOver(queryable).range(query)
    expect(stats.samplesByStep!.map(({ samples }) => samples)).toEqual(want)
  }
})

test('a vector without histograms makes grids without them', async () => {
  const store = filled()
  const engine = engineOver(store)
  const { value } = await engine.range({ expr: 'abs(wait)', startMs: 0, endMs: 180_000, stepMs: 60_000 })
  expect(value).toMatchObject({ series: [{ timesMs: Float64Array.of(0, 180_000), values: Float64Array.of(7, 9) }] })
  expect(value.type === 'matrix' && value.series[0]!.histograms).toBeUndefined()
})

test('the first sample of a window has a hint too: it is compared with the one before the window', async () => {
  const store = new MemoryQueryable()
  for (const [minute, times] of [3, 4, 5, 1].entries()) store.appendHistogram(LABELS, minute * 60_000, growing(times))
  const other = Labels.fromPairs([
    ['__name__', 'wait'],
    ['pod', 'b'],
  ])
  store.appendHistogram(other, 0, growing(1))
  store.appendHistogram(other, 350_000, growing(2))
  const warning = 'PromQL warning: conflicting counter resets during histogram aggregation'
  const engine = engineOver(store)
  // Of the two samples in the window the first goes on from the one before it, and the second is reset.
  for (const func of ['sum_over_time', 'avg_over_time']) {
    const expr = `histogram_count(${func}(wait{pod="a"}[2m]))`
    const { warnings } = await engine.instant({ expr, timeMs: 180_000 })
    expect(warnings).toEqual([`${warning} (1:${expr.indexOf('wait') + 1})`])
  }
  // In a lookback of 5 m there is one sample of each: one is reset, the other goes on.
  const { warnings } = await engine.instant({ expr: 'histogram_count(sum(wait))', timeMs: 470_000 })
  expect(warnings).toEqual([`${warning} (1:21)`])
})
