import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Queryable } from '../../src/model/queryable.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import type { QueryEngine, QueryResult } from '../../src/promql/query-engine.ts'
import { bitsOfValue, HOUR_MS, MINUTE_MS, TempStore } from '../store/temp-store.ts'

// The engine over a store answers the same with rollups and without them, to the last bit, whatever the samples are and
// wherever flushes, rollups and compactions fall.

const DAY_MS = 24 * HOUR_MS
/** Midnight: buckets are counted from the epoch. */
const START_MS = 20_376 * DAY_MS
const SERIES = 7
const OUT_OF_ORDER_MS = 20 * MINUTE_MS

const FUNCTIONS = [
  'increase',
  'rate',
  'delta',
  'changes',
  'resets',
  'count_over_time',
  'sum_over_time',
  'avg_over_time',
  'min_over_time',
  'max_over_time',
  'first_over_time',
  'last_over_time',
  'present_over_time',
] as const

function engineOver(queryable: Queryable): QueryEngine {
  // Rollups wherever there are any, whatever samples would cost.
  const options = { ...DEFAULT_ENGINE_OPTIONS, rollupRunsMin: 0 }
  return createLocalEngine({ queryable, options, nowMs: () => 0 })
}

interface Engines {
  readonly withRollups: QueryEngine
  readonly without: QueryEngine
  /** How many selections the rollups answered. */
  readonly rollups: () => number
}

function enginesOver({ reader }: TempStore): Engines {
  let rollups = 0
  const plain: Queryable = {
    select: (request) => reader.select(request),
    selectRuns: (request) => reader.selectRuns(request),
    series: (matchers, range) => reader.series(matchers, range),
    labelNames: (matchers, range) => reader.labelNames(matchers, range),
    labelValues: (name, matchers, range) => reader.labelValues(name, matchers, range),
  }
  const counted: Queryable = {
    ...plain,
    selectRollup: (request) => {
      const selection = reader.selectRollup(request)
      if (selection !== undefined) rollups++
      return selection
    },
  }
  return { withRollups: engineOver(counted), without: engineOver(plain), rollups: () => rollups }
}

/** Labels, times and bits; a NaN is a NaN. */
function textOf({ value, warnings, infos }: QueryResult): unknown {
  if (value.type !== 'matrix') throw new Error(`a ${value.type}, want a matrix`)
  const series = value.series.map(({ labels, timesMs, values }) => [
    labels.toString(),
    Array.from(timesMs, (timeMs, i) => `${timeMs} ${Number.isNaN(values[i]) ? 'NaN' : bitsOfValue(values[i]!)}`),
  ])
  return { series, warnings, infos }
}

type Step =
  | { readonly kind: 'scrapes'; readonly count: number; readonly everyMs: number; readonly present: number }
  | { readonly kind: 'late'; readonly series: number; readonly agoMs: number; readonly value: number }
  | { readonly kind: 'stale'; readonly series: number }
  | { readonly kind: 'gap'; readonly ms: number }
  | { readonly kind: 'maintain' }
  | { readonly kind: 'reopen' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('scrapes'),
      count: fc.integer({ min: 1, max: 40 }),
      everyMs: fc.constantFrom(15_000, 30_000, 30_011, 60_000, 300_000, 1_200_000),
      present: fc.integer({ min: 0, max: 2 ** SERIES - 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('late'),
      series: fc.nat(SERIES - 1),
      agoMs: fc.integer({ min: 1, max: OUT_OF_ORDER_MS }),
      value: fc.integer({ min: 0, max: 50 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stale'), series: fc.nat(SERIES - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('gap'),
      ms: fc.constantFrom(MINUTE_MS, 20 * MINUTE_MS, HOUR_MS + 7, 9 * HOUR_MS, DAY_MS),
    }),
  },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'maintain' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'reopen' }) },
)

const query = fc.record({
  func: fc.constantFrom(...FUNCTIONS, undefined),
  rangeMs: fc.constantFrom(5 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, HOUR_MS, 3 * HOUR_MS, DAY_MS, 7 * MINUTE_MS),
  stepMs: fc.constantFrom(5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, MINUTE_MS * 7),
  offset: fc.constantFrom('', '', '', '', ' offset 5m', ' offset 1h', ' offset 1d', ' offset 13s'),
  lookbackMs: fc.constantFrom(undefined, MINUTE_MS, HOUR_MS, 90 * MINUTE_MS),
  isShifted: fc.constantFrom(false, false, false, true),
  isFromStart: fc.boolean(),
  /** Some kinds of series are often inexact, and would have all others read as samples. */
  which: fc.constantFrom('', '{series=~"[0-2]"}', '{series=~"[0-3]"}', '{series=~"[0124]"}', '{series=~"[3-6]"}'),
  wraps: fc.constantFrom('', '', '', 'sum by (kind) ', 'timestamp', 'absent'),
})

/** Values by series, after so many scrapes. */
function valueOf(series: number, i: number, random: number): number {
  switch (series) {
    case 0:
      return 1
    case 1:
      return i * 3 + (random % 3)
    case 2:
      // Restarts, sometimes soon after each other.
      return (i * 5) % (random % 40 === 0 ? 7 : 100)
    case 3:
      return (i % 50) * 0.1 + random / 1000
    case 4:
      return (random % 100) - 50
    case 5:
      return random % 9 === 0 ? NaN : random % 11 === 0 ? Infinity : Math.sin(random)
    default:
      return random % 5 === 0 ? -0 : random % 7 === 0 ? 2 ** 52 + random : random / 4
  }
}

async function fill(store: TempStore, steps: readonly Step[], seed: number): Promise<number> {
  let nowMs = START_MS
  let scrapes = 0
  let random = seed
  const next = (): number => (random = (random * 48_271 + 11) % 2_147_483_647)
  const refOf = (series: number): number =>
    store.resolve({ __name__: 'x_total', series: String(series), kind: series % 2 === 0 ? 'a' : 'b' })
  for (const one of steps) {
    switch (one.kind) {
      case 'scrapes':
        for (let i = 0; i < one.count; i++) {
          nowMs += one.everyMs
          scrapes++
          for (let series = 0; series < SERIES; series++) {
            if (((one.present >> series) & 1) === 0 && series > 0) continue
            store.writer.appender.append(refOf(series), nowMs, valueOf(series, scrapes, next()))
          }
        }
        break
      case 'late':
        store.writer.appender.append(refOf(one.series), nowMs - one.agoMs, one.value)
        break
      case 'stale':
        nowMs += 1
        store.writer.appender.appendStale(refOf(one.series), nowMs)
        break
      case 'gap':
        nowMs += one.ms
        break
      case 'maintain':
        await store.writer.maintain(nowMs)
        break
      case 'reopen':
        await store.reopen(nowMs)
        break
    }
  }
  await store.writer.appender.commit()
  return nowMs
}

const OPTIONS = {
  outOfOrderMs: OUT_OF_ORDER_MS,
  flushEveryMs: 20 * MINUTE_MS,
  compactToMs: [6 * HOUR_MS, DAY_MS],
  retentionRawMs: 400 * DAY_MS,
  retention5mMs: 400 * DAY_MS,
}

describe('a query over rollups', () => {
  test('answers what samples answer', async () => {
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 15, maxLength: 60, size: 'max' }),
        fc.array(query, { minLength: 12, maxLength: 12 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        async (steps, queries, seed) => {
          const store = new TempStore(OPTIONS, START_MS)
          const endMs = await fill(store, steps, seed)
          const { withRollups, without, rollups } = enginesOver(store)
          for (const { func, rangeMs, stepMs, offset, lookbackMs, isShifted, isFromStart, which, wraps } of queries) {
            const series = `x_total${which}`
            const selected = func === undefined ? `${series}${offset}` : `${func}(${series}[${rangeMs}ms]${offset})`
            const expr = wraps === '' ? selected : `${wraps}(${selected})`
            const alignedMs = START_MS + (isFromStart ? 0 : Math.floor((endMs - START_MS) / 2 / DAY_MS) * DAY_MS)
            const startMs = isShifted ? alignedMs + 97_000 : alignedMs
            const range = { expr, startMs, endMs: Math.max(startMs, endMs + rangeMs), stepMs }
            const full = lookbackMs === undefined ? range : { ...range, lookbackMs }
            const [got, want] = await Promise.all([withRollups.range(full), without.range(full)])
            expect(textOf(got), expr).toEqual(textOf(want))
          }
          answered += rollups()
          await store.close()
        },
      ),
      { numRuns: 20, seed: 20_261_121 },
    )
    expect(answered).toBeGreaterThan(100)
  }, 120_000)
})
