import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  APPENDED,
  APPENDED_BEFORE,
  REFUSED_DUPLICATE,
  REFUSED_OUT_OF_ORDER,
  REFUSED_TOO_OLD,
} from '../../../src/model/appender.ts'
import type { Histogram } from '../../../src/model/histogram.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import { RunColumns } from '../../../src/model/run-columns.ts'
import { isStaleAt, bitsOf } from '../../../src/model/sample.ts'
import { ByteReader, ByteWriter, MalformedBytesError } from '../../../src/store/bytes.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { hashOf, readHistogram, writeHistogram } from '../../../src/store/head/histogram-codec.ts'
import { decodeHistogramPack, encodeHistogramPack } from '../../../src/store/packs/histogram-pack.ts'
import { anyHistogram, histogramOf } from '../../support/histograms.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'
import { listed } from '../../support/portions.ts'

const LABELS = { __name__: 'latency_seconds', cluster: 'a' }
const BY_NAME: readonly Matcher[] = [{ name: '__name__', op: '=', value: 'latency_seconds' }]

/** What is read of one series: floats as numbers, histograms as they are, stale markers as a word. */
type Read = readonly (readonly [offsetMs: number, value: number | Histogram | 'stale'])[]

function read(store: TempStore, { newest = false, fromMs = -Infinity, toMs = Infinity } = {}): Read {
  const hint = newest ? { hint: { isNewestOnly: true } } : {}
  return store.reader.select({ matchers: BY_NAME, fromMs, toMs, maxSamples: 1e6, ...hint }).flatMap((series) => {
    const bits = bitsOf(series.values)
    return Array.from({ length: series.count }, (_, i) => {
      const value = series.histograms?.[i] ?? (isStaleAt(bits, i) ? ('stale' as const) : series.values[i]!)
      return [series.timesMs[i]! - NOW_MS, value] as const
    })
  })
}

/** Everything that was taken is flushed, packed and rolled up. */
async function flushAll(store: TempStore): Promise<void> {
  await store.writer.maintain(NOW_MS + 6 * HOUR_MS)
}

function rowsOf(store: TempStore): Record<string, number> {
  const db = openDatabaseForReading(store.options.dir)
  try {
    const tables = ['histogram', 'histogram_pack', 'histogram_series', 'log']
    return Object.fromEntries(
      tables.map((table) => [table, Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())]),
    )
  } finally {
    db.close()
  }
}

describe('native histograms', () => {
  test('are read among floats and stale markers, in order, once they are committed', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const ref = store.resolve(LABELS)
    const [first, second] = [histogramOf(2), histogramOf(3)]
    expect(appender.append(ref, NOW_MS, 1)).toBe(APPENDED)
    expect(appender.appendHistogram(ref, NOW_MS + 1, first)).toBe(APPENDED)
    await appender.commit()
    expect(appender.appendHistogram(ref, NOW_MS + 2, second)).toBe(APPENDED)
    const committed: Read = [
      [0, 1],
      [1, first],
    ]
    expect(read(store)).toEqual(committed)
    expect(read(store, { newest: true })).toEqual([[1, first]])
    expect(appender.appendStale(ref, NOW_MS + 3)).toBe(APPENDED)
    await appender.commit()
    const all: Read = [...committed, [2, second], [3, 'stale']]
    expect(read(store)).toEqual(all)
    expect(read(store, { newest: true })).toEqual([[3, 'stale']])
    expect(read(store, { fromMs: NOW_MS + 2, toMs: NOW_MS + 2 })).toEqual([[2, second]])
    await flushAll(store)
    expect(read(store)).toEqual(all)
    expect(read(store, { newest: true, toMs: NOW_MS + 2 })).toEqual([[2, second]])
    await store.reopen()
    expect(read(store)).toEqual(all)
  })

  test('are there after a restart that reads the log', async () => {
    const store = new TempStore()
    const ref = store.resolve(LABELS)
    store.writer.appender.appendHistogram(ref, NOW_MS, histogramOf(2))
    await store.writer.appender.commit()
    await store.reopen()
    expect(read(store)).toEqual([[0, histogramOf(2)]])
    expect(store.writer.appender.appendHistogram(ref, NOW_MS, histogramOf(2))).toBe(APPENDED_BEFORE)
    expect(store.writer.appender.appendHistogram(ref, NOW_MS, histogramOf(3))).toBe(REFUSED_DUPLICATE)
  })

  test('of one time are taken once, and no float takes their place, nor they a float’s', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const ref = store.resolve(LABELS)
    const one = histogramOf(2)
    expect(appender.appendHistogram(ref, NOW_MS, one)).toBe(APPENDED)
    // What is known of a reset is not what it says.
    expect(appender.appendHistogram(ref, NOW_MS, { ...one, counterReset: 'reset' })).toBe(APPENDED_BEFORE)
    expect(appender.appendHistogram(ref, NOW_MS, { ...one, sum: 7 })).toBe(REFUSED_DUPLICATE)
    expect(appender.append(ref, NOW_MS, 1)).toBe(REFUSED_DUPLICATE)
    expect(appender.appendStale(ref, NOW_MS)).toBe(REFUSED_DUPLICATE)
    expect(appender.append(ref, NOW_MS + 1, 1)).toBe(APPENDED)
    expect(appender.appendHistogram(ref, NOW_MS + 1, one)).toBe(REFUSED_DUPLICATE)
    await appender.commit()
    await flushAll(store)
    expect(appender.appendHistogram(ref, NOW_MS + 1, one)).toBe(REFUSED_DUPLICATE)
    expect(read(store)).toEqual([
      [0, one],
      [1, 1],
    ])
  })

  test('that come late are taken in the window of their series, packed or not', async () => {
    const store = new TempStore({ outOfOrderMs: 10 * MINUTE_MS })
    const { appender } = store.writer
    const ref = store.resolve(LABELS)
    const at = (minutes: number, buckets: number) =>
      appender.appendHistogram(ref, NOW_MS + minutes * MINUTE_MS, histogramOf(buckets))
    expect([at(0, 1), at(20, 2), at(12, 3), at(9, 4), at(20, 2), at(12, 9)]).toEqual([
      ...[APPENDED, APPENDED, APPENDED, REFUSED_OUT_OF_ORDER, APPENDED_BEFORE, REFUSED_DUPLICATE],
    ])
    await appender.commit()
    const all: Read = [
      [0, histogramOf(1)],
      [12 * MINUTE_MS, histogramOf(3)],
      [20 * MINUTE_MS, histogramOf(2)],
    ]
    expect(read(store)).toEqual(all)
    await flushAll(store)
    expect(read(store)).toEqual(all)
    expect(rowsOf(store)).toMatchObject({ histogram: 0, histogram_pack: 1 })
    expect(at(13, 5)).toBe(REFUSED_OUT_OF_ORDER)
    store.writer.appender.appendHistogram(ref, NOW_MS - 40 * 24 * HOUR_MS, histogramOf(1))
    expect(appender.appendHistogram(ref, NOW_MS - 40 * 24 * HOUR_MS, histogramOf(1))).toBe(REFUSED_TOO_OLD)
  })

  test('any of them comes back as it went in', async () => {
    const store = new TempStore()
    const ref = store.resolve(LABELS)
    const histograms = fc.sample(anyHistogram, { numRuns: 60, seed: 7 })
    histograms.forEach((histogram, i) => {
      expect(store.writer.appender.appendHistogram(ref, NOW_MS + i * 15_000, histogram)).toBe(APPENDED)
    })
    await store.writer.appender.commit()
    const all = histograms.map((histogram, i) => [i * 15_000, histogram])
    expect(read(store)).toEqual(all)
    await flushAll(store)
    expect(read(store)).toEqual(all)
  })

  test('no NaN of a sender is taken for one', async () => {
    const store = new TempStore()
    const ref = store.resolve(LABELS)
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, 0xfffa000000000001n)
    store.writer.appender.append(ref, NOW_MS, view.getFloat64(0))
    await store.writer.appender.commit()
    expect(read(store)).toEqual([[0, NaN]])
  })

  test('say in a selection of runs that they are there, and runs have the floats alone', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const ref = store.resolve(LABELS)
    const plain = store.resolve({ ...LABELS, cluster: 'b' })
    const request = { matchers: BY_NAME, fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS + HOUR_MS, maxSamples: 1000 }
    appender.append(ref, NOW_MS, 1)
    appender.append(plain, NOW_MS, 2)
    await appender.commit()
    const before = store.reader.selectRuns(request)
    expect(before.hasHistograms).toBe(false)
    appender.appendHistogram(ref, NOW_MS + 1, histogramOf(2))
    // Begun before: it goes on, and sees no histogram.
    const runs = new RunColumns()
    before.readRuns(0, 2, runs)
    expect([runs.rows, runs.count, ...runs.values.subarray(0, 2)]).toEqual([2, 2, 1, 2])
    const timesMs = new Float64Array(2)
    const values = new Float64Array(2)
    before.readNewest(timesMs, values)
    expect([[...timesMs], [...values]]).toEqual([
      [NOW_MS, NOW_MS],
      [1, 2],
    ])
    await appender.commit()
    expect(store.reader.selectRuns(request).hasHistograms).toBe(true)
    const others = [...BY_NAME, { name: 'cluster', op: '=' as const, value: 'b' }]
    expect(store.reader.selectRuns({ ...request, matchers: others }).hasHistograms).toBe(false)
    await store.reopen()
    expect(store.reader.selectRuns(request).hasHistograms).toBe(true)
    await flushAll(store)
    const flushed = store.reader.selectRuns(request)
    flushed.readRuns(0, 2, runs)
    expect([runs.rows, runs.count, ...runs.values.subarray(0, 2)]).toEqual([2, 2, 1, 2])
  })

  test('have no rollups: who asks for buckets is told to read samples', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const refs = ['a', 'b'].map((cluster) => store.resolve({ ...LABELS, cluster }))
    for (let i = 0; i < 60; i++) for (const ref of refs) appender.append(ref, NOW_MS + i * MINUTE_MS, i)
    appender.appendHistogram(refs[0]!, NOW_MS + 61 * MINUTE_MS, histogramOf(2))
    await appender.commit()
    await flushAll(store)
    const rollup = (matchers: readonly Matcher[]) =>
      store.reader.selectRollup({
        matchers,
        fromMs: NOW_MS,
        toMs: NOW_MS + HOUR_MS,
        alignMs: 300_000,
        parts: { extremes: false, sums: false },
        bucketsMax: 1000,
      })
    expect(rollup(BY_NAME)).toBeUndefined()
    const plain = rollup([...BY_NAME, { name: 'cluster', op: '=', value: 'b' }])
    expect(plain).toBeDefined()
    let buckets = 0
    plain!.readBuckets(0, 1, (_, { count }) => (buckets += count))
    expect(buckets).toBeGreaterThan(10)
  })

  test('count as samples of their series', async () => {
    const store = new TempStore()
    store.writer.appender.appendHistogram(store.resolve(LABELS), NOW_MS, histogramOf(2))
    await store.writer.appender.commit()
    const range = { fromMs: NOW_MS, toMs: NOW_MS }
    for (let pass = 0; pass < 2; pass++) {
      expect([...store.reader.series(BY_NAME, range)].flat()).toHaveLength(1)
      expect(listed(store.reader.labelValues('cluster', [], range))).toEqual(['a'])
      expect([...store.reader.series(BY_NAME, { fromMs: NOW_MS + 1, toMs: NOW_MS + 2 })].flat()).toEqual([])
      await flushAll(store)
    }
    expect(store.writer.stats().seriesCount).toBe(1)
  })
})

describe('packs of histograms', () => {
  test('are filled up, begun anew after a day, and go with the retention', async () => {
    const options = { retentionRawMs: 3 * 24 * HOUR_MS, flushEveryMs: HOUR_MS, outOfOrderMs: 0 }
    const store = new TempStore({ ...options, retention5mMs: 0, retention1hMs: 0, retention1dMs: 0 })
    const { appender } = store.writer
    const ref = store.resolve(LABELS)
    const steps = 60
    for (let i = 0; i < steps; i++) {
      const timeMs = NOW_MS + i * HOUR_MS
      appender.appendHistogram(ref, timeMs, histogramOf(4, i))
      await appender.commit()
      await store.writer.maintain(timeMs)
    }
    const { histogram, histogram_pack: packs } = rowsOf(store)
    expect(histogram).toBeLessThan(3)
    expect(packs).toBe(3)
    expect(read(store)).toEqual(Array.from({ length: steps }, (_, i) => [i * HOUR_MS, histogramOf(4, i)]))
    await store.writer.maintain(NOW_MS + 4 * 24 * HOUR_MS + HOUR_MS)
    const kept = read(store)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(steps)
    await store.writer.maintain(NOW_MS + 30 * 24 * HOUR_MS)
    expect(read(store)).toEqual([])
    expect(rowsOf(store)).toEqual({ histogram: 0, histogram_pack: 0, histogram_series: 0, log: 0 })
    expect([...store.reader.series(BY_NAME, { fromMs: -Infinity, toMs: Infinity })].flat()).toEqual([])
  })

  test('take few bytes of a histogram that changes little', () => {
    const timed = Array.from({ length: 480 }, (_, i) => ({
      timeMs: NOW_MS + i * 15_000,
      histogram: histogramOf(60, i),
    }))
    expect(encodeHistogramPack(timed).length / timed.length).toBeLessThan(20)
  })

  test('come back as they went in', () => {
    const timed = fc.array(fc.record({ stepMs: fc.integer({ min: 1, max: 1e6 }), histogram: anyHistogram }), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(timed, fc.integer({ min: -8.64e15, max: 8.63e15 }), (steps, startMs) => {
        let timeMs = startMs
        const histograms = steps.map(({ stepMs, histogram }) => ({ timeMs: (timeMs += stepMs), histogram }))
        expect(decodeHistogramPack(encodeHistogramPack(histograms))).toEqual(histograms)
      }),
    )
  })
})

describe('bytes of a histogram', () => {
  const bytesOf = (histogram: Histogram): Uint8Array => {
    const bytes = new ByteWriter()
    writeHistogram(bytes, histogram)
    return bytes.take()
  }

  test('cut or changed are read, or said to be malformed', () => {
    fc.assert(
      fc.property(anyHistogram, fc.nat(), fc.nat(255), fc.boolean(), (histogram, place, byte, isCut) => {
        const bytes = bytesOf(histogram)
        const at = place % bytes.length
        try {
          readHistogram(new ByteReader(isCut ? bytes.slice(0, at) : bytes.with(at, byte)))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('have another hash when something else is said', () => {
    const changes: Partial<Histogram>[] = [
      { sum: 1 },
      { sum: -0 },
      { count: 9 },
      { schema: 1 },
      { zeroCount: 1 },
      { zeroThreshold: 0 },
      { negative: histogramOf(2).positive },
      { positive: histogramOf(3).positive },
    ]
    const hashes = [{}, ...changes].map((change) => hashOf(bytesOf(histogramOf(2, 0, { sum: 0, ...change }))))
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashOf(bytesOf(histogramOf(2, 0, { counterReset: 'gauge' })))).toBe(hashOf(bytesOf(histogramOf(2))))
  })
})
