import fc from 'fast-check'
import { expect, test } from 'vitest'
import { APPENDED } from '../../../src/model/appender.ts'
import type { Labels } from '../../../src/model/labels.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import type { Portions } from '../../../src/model/queryable.ts'
import { HOUR_MS, MINUTE_MS, TempStore, type TestOptions } from '../temp-store.ts'
import { listed } from '../../support/portions.ts'

// Random lives of series: they are appended to, idle past the retention of samples, warm again, erased and restarted, in a
// store that makes them cold and in one that retains all samples, where none is ever cold. Both give the same answers.

const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const OPTIONS: TestOptions = {
  outOfOrderMs: 0,
  flushEveryMs: HOUR_MS,
  compactToMs: [4 * HOUR_MS],
  retention5mMs: 1000 * DAY_MS,
  retention1hMs: 1000 * DAY_MS,
  retention1dMs: 0,
}
const CLUSTERS = 3
const PODS = 3

const pickSeries = fc.record({ metric: fc.nat(1), cluster: fc.nat(CLUSTERS - 1), pod: fc.nat(PODS - 1) })
type Picked = typeof pickSeries extends fc.Arbitrary<infer T> ? T : never

const matcher: fc.Arbitrary<Matcher> = fc.oneof(
  fc.constantFrom<Matcher>({ name: '__name__', op: '=', value: 'm0' }, { name: '__name__', op: '=~', value: 'm.' }),
  fc.nat(PODS).map((pod): Matcher => ({ name: 'pod', op: '=', value: `p${pod}` })),
  fc.nat(PODS - 1).map((pod): Matcher => ({ name: 'pod', op: '!=', value: `p${pod}` })),
  fc.constantFrom<Matcher>(
    { name: 'cluster', op: '=~', value: 'c[01]' },
    { name: 'cluster', op: '!~', value: 'c1|c2' },
  ),
  fc.constantFrom<Matcher>({ name: 'once', op: '=', value: '' }, { name: 'once', op: '!=', value: '' }),
)

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('append' as const), of: fc.array(pickSeries, { maxLength: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('idle' as const), hours: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('long idle' as const), hours: fc.integer({ min: 9, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), cluster: fc.constantFrom(0, 0, 0, 1) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      matchers: fc.array(matcher, { maxLength: 2 }),
      fromHour: fc.nat(120),
      hours: fc.integer({ min: 1, max: 30 }),
    }),
  },
)

/** Both stores, with one time. */
class Life {
  readonly #stores: readonly [cold: TempStore, whole: TempStore]
  readonly #erased = new Set<number>()
  /** Refs of the first store that a caller may hold, by series. */
  readonly #held = new Map<string, number>()
  #nowMs = START_MS + 30 * MINUTE_MS
  coldMax = 0
  warmAgain = 0
  coldFound = 0

  constructor() {
    this.#stores = [
      new TempStore({ ...OPTIONS, retentionRawMs: 6 * HOUR_MS }, this.#nowMs),
      new TempStore({ ...OPTIONS, retentionRawMs: 1000 * DAY_MS }, this.#nowMs),
    ]
  }

  async apply(one: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    switch (one.kind) {
      case 'append':
        for (const series of one.of) this.#append(series)
        // A series that was cold is readable from its first commit on, as a new one is.
        for (const store of this.#stores) await store.writer.commit()
        break
      case 'idle':
      case 'long idle':
        this.#nowMs += one.hours * HOUR_MS
        await this.#maintain()
        break
      case 'restart':
        for (const store of this.#stores) await store.reopen(this.#nowMs)
        this.#held.clear()
        break
      case 'erase':
        await this.#erase(one.cluster)
        break
      case 'read':
        this.#compare(one.matchers, this.#nowMs - one.fromHour * HOUR_MS, one.hours * HOUR_MS)
        break
    }
  }

  async end(): Promise<void> {
    await this.#maintain()
    this.#compare([], START_MS, this.#nowMs - START_MS)
    const [cold, whole] = this.#stores
    const stats = cold.writer.stats()
    expect(stats.seriesCount + stats.coldSeries).toBe(whole.writer.stats().seriesCount)
    for (const store of this.#stores) await store.close()
  }

  #append(series: Picked): void {
    if (this.#erased.has(series.cluster)) return
    const { metric, cluster, pod } = series
    // Some label pairs belong to one series only.
    const once: Record<string, string> = pod === 0 ? { once: `${metric}-${cluster}` } : {}
    const labels = { __name__: `m${metric}`, cluster: `c${cluster}`, pod: `p${pod}`, ...once }
    const key = JSON.stringify(labels)
    const coldBefore = this.#stores[0].writer.stats().coldSeries
    this.#stores.forEach((store, i) => {
      const held = i === 0 ? this.#held.get(key) : undefined
      const ref = held ?? store.resolve(labels)
      if (i === 0) this.#held.set(key, ref)
      expect(store.writer.appender.append(ref, this.#nowMs, (this.#nowMs / MINUTE_MS) % 97)).toBe(APPENDED)
    })
    if (this.#stores[0].writer.stats().coldSeries < coldBefore) this.warmAgain++
    this.#nowMs += MINUTE_MS
  }

  async #maintain(): Promise<void> {
    for (const store of this.#stores) {
      await store.writer.maintain(this.#nowMs)
      await store.writer.commit()
    }
    this.coldMax = Math.max(this.coldMax, this.#stores[0].writer.stats().coldSeries)
  }

  async #erase(cluster: number): Promise<void> {
    await this.#maintain()
    for (const store of this.#stores) {
      await store.writer.beginErasure(`c${cluster}`, `erasure-${this.#nowMs}`, 'ada', this.#nowMs)
      for (const minutes of [0, 1, 61, 62]) await store.writer.maintain(this.#nowMs + minutes * MINUTE_MS)
      expect(store.writer.listErasures().every(({ doneMs }) => doneMs !== undefined)).toBe(true)
    }
    this.#nowMs += 63 * MINUTE_MS
    this.#erased.add(cluster)
  }

  #compare(matchers: readonly Matcher[], fromMs: number, lengthMs: number): void {
    const startMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS
    const range = { fromMs: startMs + 1, toMs: startMs + lengthMs }
    const [cold, whole] = this.#stores.map((store) => answersOf(store, matchers, range))
    expect(cold).toEqual(whole)
    if (range.fromMs < this.#nowMs - DAY_MS) this.coldFound += (cold as { series: unknown[] }).series.length
  }
}

function answersOf(store: TempStore, matchers: readonly Matcher[], range: { fromMs: number; toMs: number }): unknown {
  const texts = (portions: Portions<Labels>): readonly string[] => [...portions].flat().map(String).sort()
  const request = { matchers, fromMs: range.fromMs - 1, toMs: range.toMs, alignMs: HOUR_MS, bucketsMax: 1e6 }
  const selection = store.reader.selectRollup({ ...request, parts: { extremes: true, sums: true } })
  const buckets: Record<string, unknown> = {}
  selection?.readBuckets(0, selection.rows.length, (row, { count, numbers, counts, sums, lastsMs, maxs }) => {
    const all = [numbers, counts, sums, lastsMs, maxs].map((column) => [...column.slice(0, count)])
    const isIn = all[0]!.map((bucket) => bucket * HOUR_MS >= range.fromMs - 1 && bucket * HOUR_MS < range.toMs)
    const inRange = all.map((column) => column.filter((_, i) => isIn[i]))
    if (inRange[0]!.length > 0) buckets[selection.rows.at(row).toString()] = inRange
  })
  return {
    series: texts(store.reader.series(matchers, range)),
    names: listed(store.reader.labelNames(matchers, range)),
    pods: listed(store.reader.labelValues('pod', matchers, range)),
    // Without rollups in the range, both read the samples.
    buckets: selection === undefined ? Object.keys(store.all(range.fromMs, range.toMs)).length >= 0 : buckets,
  }
}

test('a store that makes series cold answers as one that retains everything', async () => {
  const totals = { coldMax: 0, warmAgain: 0, coldFound: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      const life = new Life()
      for (const one of steps) await life.apply(one)
      await life.end()
      totals.coldMax = Math.max(totals.coldMax, life.coldMax)
      totals.warmAgain += life.warmAgain
      totals.coldFound += life.coldFound
    }),
    { numRuns: Number(process.env['DAYTWO_LIFE_RUNS'] ?? 8), seed: 20_261_127 },
  )
  // The lives were not dull.
  expect(totals.coldMax).toBeGreaterThan(5)
  expect(totals.warmAgain).toBeGreaterThan(5)
  expect(totals.coldFound).toBeGreaterThan(5)
}, 600_000)
