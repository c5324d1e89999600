import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Matcher } from '../../../src/model/matcher.ts'
import type { RunSelection } from '../../../src/model/queryable.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { LookupMiss, openLookups } from '../../../src/store/index/lookup-reader.ts'
import type { FindSeries, FoundSeries, LookupReader } from '../../../src/store/index/lookup-reader.ts'
import { PackReader } from '../../../src/store/packs/pack-reader.ts'
import { columnsOf } from '../../../src/store/rollups/rollup-samples.ts'
import { histogramOf } from '../../support/histograms.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore, samplesOf } from '../temp-store.ts'
import type { TestOptions } from '../temp-store.ts'

const OPTIONS = { outOfOrderMs: 0, flushEveryMs: 10 * MINUTE_MS, compactToMs: [HOUR_MS] }
/** Series and their samples go after a day, and nothing stands for them. */
const SHORT = { ...OPTIONS, retentionRawMs: 24 * HOUR_MS, retention5mMs: 0, retention1hMs: 0, retention1dMs: 0 }
const UP: readonly Matcher[] = [named('up')]

function named(value: string): Matcher {
  return { name: '__name__', op: '=', value }
}

function ofCluster(cluster: string): readonly Matcher[] {
  return [named('up'), { name: 'cluster', op: '=', value: cluster }]
}

/** A store, and a reader of look-ups beside its reader. */
function opened(options: TestOptions = OPTIONS): {
  readonly store: TempStore
  readonly lookups: LookupReader
  readonly find: FindSeries
} {
  const store = new TempStore(options)
  const lookups = openLookups(store.options, store.writer.watch())
  return { store, lookups, find: (matchers) => Promise.resolve(store.reader.find(matchers, 16)) }
}

async function append(store: TempStore, clusters: readonly string[], timeMs: number, name = 'up'): Promise<void> {
  for (const cluster of clusters) {
    store.writer.appender.append(store.resolve({ __name__: name, cluster }), timeMs, timeMs % 7)
  }
  await store.writer.appender.commit()
}

interface Asked {
  readonly fromMs: number
  readonly toMs: number
  readonly maxSamples: number
}

const ALL: Asked = { fromMs: -Infinity, toMs: Infinity, maxSamples: 1_000_000 }

/** All that a selection says, by series. */
function told(selection: RunSelection): Record<string, unknown> {
  const { rows } = selection
  const [timesMs, values] = [new Float64Array(rows.length), new Float64Array(rows.length)]
  selection.readNewest(timesMs, values)
  const newest = Array.from(timesMs, (timeMs, row) => [rows.at(row).toString(), timeMs, values[row]])
  const columns = columnsOf(selection, selection.refs!, false)
  return {
    newest,
    resolutionMs: selection.resolutionMs,
    samples: Object.fromEntries(columns.map((one) => [one.labels.toString(), samplesOf(one)])),
  }
}

describe('a reader of look-ups', () => {
  test('knows nothing by itself, and what it learnt it reads like the whole reader', async () => {
    const { store, lookups, find } = opened()
    await append(store, ['a', 'b'], NOW_MS)
    expect(lookups.knows([ofCluster('a')])).toBe(false)
    expect(() => lookups.selectRuns({ matchers: ofCluster('a'), ...ALL })).toThrow(LookupMiss)
    expect(await lookups.learn(ofCluster('a'), find)).toBe('known')
    expect(lookups.knows([ofCluster('a')])).toBe(true)
    expect(lookups.knows([ofCluster('a'), ofCluster('b')])).toBe(false)
    await append(store, ['a', 'b'], NOW_MS + MINUTE_MS)
    const request = { matchers: ofCluster('a'), ...ALL }
    expect(told(lookups.selectRuns(request))).toEqual(told(store.reader.selectRuns(request)))
    expect(lookups.select(request).map(samplesOf)).toEqual(store.reader.select(request).map(samplesOf))
    lookups.close()
  })

  test('whatever is sent, flushed, compacted and removed between', async () => {
    const clusters = ['a', 'b', 'c', 'd']
    const some: Matcher = { name: 'cluster', op: '=~', value: 'a|c' }
    const selectors = [UP, ...clusters.map(ofCluster), [named('down')], [...UP, some]]
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 90 }),
      clusters: fc.subarray(clusters),
      name: fc.constantFrom('up', 'up', 'down'),
      hasUpkeep: fc.boolean(),
      fromMinutes: fc.integer({ min: 0, max: 3000 }),
      forMinutes: fc.integer({ min: 0, max: 600 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.integer(), async (steps, seed) => {
        const { store, lookups, find } = opened(seed % 2 === 0 ? OPTIONS : SHORT)
        let nowMs = NOW_MS
        let misses = 0
        for (const { minutes, clusters: sending, name, hasUpkeep, fromMinutes, forMinutes } of steps) {
          nowMs += minutes * MINUTE_MS
          await append(store, sending, nowMs, name)
          if (hasUpkeep) await store.writer.maintain(nowMs)
          const fromMs = nowMs - fromMinutes * MINUTE_MS
          const range = { fromMs, toMs: fromMs + forMinutes * MINUTE_MS, maxSamples: 1_000_000 }
          for (const matchers of selectors) {
            if (!lookups.knows([matchers])) {
              misses++
              expect(await lookups.learn(matchers, find)).toBe('known')
            }
            const request = { matchers, ...range }
            expect(told(lookups.selectRuns(request))).toEqual(told(store.reader.selectRuns(request)))
          }
        }
        // It does not learn all anew each time: only what new or removed series touch.
        expect(misses).toBeLessThan(selectors.length * steps.length)
        lookups.close()
        await store.close()
      }),
      { numRuns: 12 },
    )
  })

  test('forgets what a new series of the metric may belong to, and nothing else', async () => {
    const { store, lookups, find } = opened()
    await append(store, ['a'], NOW_MS)
    await append(store, ['a'], NOW_MS, 'down')
    for (const matchers of [UP, [named('down')], [named('absent')]]) await lookups.learn(matchers, find)
    await append(store, ['b'], NOW_MS)
    expect([UP, [named('down')], [named('absent')]].map((one) => lookups.knows([one]))).toEqual([false, true, true])
    await append(store, ['b'], NOW_MS, 'absent')
    expect(lookups.knows([[named('absent')]])).toBe(false)
    lookups.close()
  })

  test('does not take what was found before something new came', async () => {
    const { store, lookups } = opened()
    await append(store, ['a'], NOW_MS)
    const late: FindSeries = async (matchers) => {
      const found = store.reader.find(matchers, 16)
      await append(store, ['b'], NOW_MS)
      return found
    }
    expect(await lookups.learn(UP, late)).toBe('changed')
    expect(lookups.knows([UP])).toBe(false)
    lookups.close()
  })

  test('learns no selector of many series, and none with native histograms, neither of before nor of later', async () => {
    const { store, lookups, find } = opened()
    await append(store, ['a', 'b', 'c'], NOW_MS)
    const few: FindSeries = (matchers) => Promise.resolve(store.reader.find(matchers, 2))
    expect(await lookups.learn(UP, few)).toBe('unfit')
    expect(await lookups.learn(UP, find)).toBe('known')
    const request = { matchers: UP, ...ALL }
    const open = lookups.selectRuns(request)
    store.writer.appender.appendHistogram(store.resolve({ __name__: 'up', cluster: 'b' }), NOW_MS + 1, histogramOf(2))
    await store.writer.appender.commit()
    expect(lookups.selectRuns(request).hasHistograms).toBe(true)
    expect(open.rows.length).toBe(3)
    expect(() => lookups.select(request)).toThrow(LookupMiss)
    await append(store, ['d'], NOW_MS)
    expect(await lookups.learn(UP, find)).toBe('unfit')
    lookups.close()
  })

  test('of series that are removed while somebody has them it reads nothing, nor of who has their slots', async () => {
    const { store, lookups, find } = opened(SHORT)
    await append(store, ['a'], NOW_MS)
    await lookups.learn(UP, find)
    const before = lookups.selectRuns({ matchers: UP, ...ALL })
    expect(Object.keys(told(before)['samples'] as object)).toEqual(['up{cluster="a"}'])
    for (let hour = 1; hour <= 60; hour++) {
      await append(store, ['b'], NOW_MS + hour * HOUR_MS, 'other')
      await store.writer.maintain(NOW_MS + hour * HOUR_MS)
      lookups.receive()
    }
    expect(lookups.knows([UP])).toBe(false)
    await append(store, ['new', 'newer'], NOW_MS + 60 * HOUR_MS, 'other')
    expect(before.rows.at(0).toObject()).toEqual({ __name__: 'up', cluster: 'a' })
    expect(told(before)['samples']).toEqual({})
    lookups.close()
  })

  test('leaves buckets to the reader', async () => {
    const { store, lookups, find } = opened({ outOfOrderMs: 0, flushEveryMs: HOUR_MS })
    for (let hour = 0; hour <= 72; hour++) {
      await append(store, ['a'], NOW_MS + hour * HOUR_MS)
      await store.writer.maintain(NOW_MS + hour * HOUR_MS)
    }
    await lookups.learn(UP, find)
    const range = { matchers: UP, fromMs: NOW_MS, toMs: NOW_MS + 24 * HOUR_MS }
    const request = { ...range, alignMs: HOUR_MS, bucketsMax: 1e6, parts: { extremes: false, sums: false } }
    expect(store.reader.selectRollup(request)).toBeDefined()
    expect(() => {
      lookups.selectRollup(request)
    }).toThrow(LookupMiss)
    expect(() => {
      lookups.selectRollup({ ...request, alignMs: MINUTE_MS })
    }).not.toThrow()
    lookups.close()
  })
})

test('a pack that is too large for somebody is refused, before it is inflated', async () => {
  const store = new TempStore(OPTIONS)
  for (let minute = 0; minute <= 60; minute++) await append(store, ['a'], NOW_MS + minute * MINUTE_MS)
  await store.writer.maintain(NOW_MS + HOUR_MS)
  const { refs, metrics } = store.reader.find(UP, 16) as FoundSeries
  const db = openDatabaseForReading(store.options.dir)
  const chunks = (packs: PackReader): number => packs.chunksOf(refs, () => metrics[0]!, NOW_MS, NOW_MS + HOUR_MS).length
  expect(chunks(new PackReader(db, { packBytesMax: 1000 }))).toBeGreaterThan(0)
  expect(() => chunks(new PackReader(db, { packBytesMax: 1 }))).toThrow(
    expect.objectContaining({ code: 'query_limit' }),
  )
  db.close()
})
