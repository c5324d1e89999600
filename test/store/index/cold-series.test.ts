import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { APPENDED, REFUSED_TOO_OLD } from '../../../src/model/appender.ts'
import type { Labels } from '../../../src/model/labels.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import type { Portions } from '../../../src/model/queryable.ts'
import { RunColumns } from '../../../src/model/run-columns.ts'
import { DATABASE_FILE, openDatabaseForReading } from '../../../src/store/database.ts'
import { eachSeries } from '../../../src/store/index/series-rows.ts'
import { examine, repair, withDirectory } from '../../../src/store/doctor/doctor.ts'
import { passOver } from '../../../src/store/integrity/scrub.ts'
import { openReader } from '../../../src/store/reader.ts'
import type { TimeRange } from '../../../src/model/time-range.ts'
import { histogramOf } from '../../support/histograms.ts'
import { listed } from '../../support/portions.ts'
import { breakPage, execute, flipByte } from '../integrity/damaged-store.ts'
import { compiled } from '../compiled.ts'
import { HOUR_MS, MINUTE_MS, tempDir, TempStore, type TestOptions } from '../temp-store.ts'

// A series whose samples are past their retention is on the disk only, and is answered, continued and removed as before.

const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const OPTIONS: TestOptions = {
  outOfOrderMs: 0,
  flushEveryMs: HOUR_MS,
  compactToMs: [6 * HOUR_MS],
  retentionRawMs: DAY_MS,
  retention5mMs: 10 * DAY_MS,
  retention1hMs: 10 * DAY_MS,
  retention1dMs: 10 * DAY_MS,
}
const READER = compiled('cold-reader-thread.ts')
const METRICS = ['a_total', 'b_total']
const PODS = 5

const named = (value: string): Matcher => ({ name: '__name__', op: '=', value })
const texts = (portions: Portions<Labels>): readonly string[] => [...portions].flat().map(String).sort()

/** Two hours of the pods of a cluster, each minute, and then silence; one series of another cluster goes on. */
async function withSilentCluster(options: TestOptions = {}, silentMs = 2 * DAY_MS): Promise<TempStore> {
  const store = new TempStore({ ...OPTIONS, ...options }, START_MS)
  for (let minute = 0; minute < 120; minute++) {
    for (const metric of METRICS) {
      for (let pod = 0; pod < PODS; pod++) appendPod(store, metric, pod, START_MS + minute * MINUTE_MS, minute * pod)
    }
    if (minute % 30 === 0) await goOn(store, START_MS + minute * MINUTE_MS)
  }
  await silence(store, START_MS + 2 * HOUR_MS, START_MS + 2 * HOUR_MS + silentMs)
  return store
}

function appendPod(store: TempStore, metric: string, pod: number, timeMs: number, value: number): number {
  const ref = store.resolve({ __name__: metric, cluster: 'silent', pod: `p${pod}` })
  expect(store.writer.appender.append(ref, timeMs, value)).toBe(APPENDED)
  return ref
}

async function goOn(store: TempStore, timeMs: number): Promise<void> {
  store.writer.appender.append(store.resolve({ __name__: 'up', cluster: 'lively' }), timeMs, 1)
  await store.writer.maintain(timeMs)
}

/** Every six hours, and at the end: a flush each time. */
async function silence(store: TempStore, fromMs: number, toMs: number): Promise<void> {
  for (let timeMs = fromMs; timeMs < toMs; timeMs += 6 * HOUR_MS) await goOn(store, timeMs)
  await goOn(store, toMs)
}

function rowsIn(store: TempStore, table: string): number {
  const db = openDatabaseForReading(store.options.dir)
  try {
    return Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
  } finally {
    db.close()
  }
}

/** Series that a start would load. */
function warmOnDisk(store: TempStore): number {
  const db = openDatabaseForReading(store.options.dir)
  try {
    let count = 0
    eachSeries(db, ({ isEnded }) => {
      if (!isEnded) count++
    })
    return count
  } finally {
    db.close()
  }
}

const FIRST_HOURS = { fromMs: START_MS, toMs: START_MS + 3 * HOUR_MS }

/** All that the first hours have, in texts. */
function past(store: TempStore): unknown {
  const sums = (matchers: readonly Matcher[]): unknown => {
    const selection = store.reader.selectRollup({
      ...{ matchers, fromMs: START_MS, toMs: START_MS + 3 * HOUR_MS, alignMs: HOUR_MS, bucketsMax: 1e6 },
      parts: { extremes: true, sums: true },
    })
    const found: Record<string, unknown> = {}
    selection?.readBuckets(0, selection.rows.length, (row, { count, counts, sums: totals, firsts, maxs, resets }) => {
      const columns = [counts, totals, firsts, maxs, resets].map((column) => [...column.slice(0, count)])
      found[selection.rows.at(row).toString()] = [selection.rows.valueAt(row, 'pod'), ...columns]
    })
    return found
  }
  return {
    sums: [
      sums([]),
      sums([named('a_total')]),
      sums([{ name: 'pod', op: '=~', value: 'p[12]' }]),
      sums([{ name: 'pod', op: '!=', value: 'p1' }, named('b_total')]),
      sums([{ name: 'pod', op: '=', value: '' }]),
      sums([
        { name: '__name__', op: '=~', value: 'a.*|up' },
        { name: 'nothing', op: '=', value: '' },
      ]),
      sums([{ name: 'cluster', op: '=', value: 'none' }]),
    ],
    samples: store.all(FIRST_HOURS.fromMs, FIRST_HOURS.toMs),
    newest: store.newest(FIRST_HOURS.fromMs, FIRST_HOURS.toMs),
    series: texts(store.reader.series([], FIRST_HOURS)),
    ofPod: texts(store.reader.series([{ name: 'pod', op: '=', value: 'p3' }], FIRST_HOURS)),
    names: listed(store.reader.labelNames([], FIRST_HOURS)),
    pods: listed(store.reader.labelValues('pod', [named('a_total')], FIRST_HOURS)),
    later: listed(store.reader.labelNames([], { fromMs: START_MS + 4 * HOUR_MS, toMs: START_MS + 5 * HOUR_MS })),
  }
}

describe('a series without samples', () => {
  test('leaves memory on both threads and is answered as before', async () => {
    const store = await withSilentCluster()
    expect(store.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 10 })
    expect(store.reader.status(10)).toMatchObject({ series: 1, labelPairs: 2 })
    expect(store.reader.seriesCount).toBe(1)
    expect(warmOnDisk(store)).toBe(1)
    expect([rowsIn(store, 'series_ended'), rowsIn(store, 'erased_pair'), rowsIn(store, 'pair')]).toEqual([0, 0, 2])
    const before = past(store)
    // The same life with the samples still there: only what is made of single samples differs.
    const whole = past(await withSilentCluster({ retentionRawMs: 100 * DAY_MS }))
    const exact = ({ sums, series, ofPod, names, pods, later }: Record<string, unknown>): unknown => {
      return { sums, series, ofPod, names, pods, later }
    }
    expect(exact(before as Record<string, unknown>)).toEqual(exact(whole as Record<string, unknown>))
    expect(Object.keys((before as { samples: object }).samples)).toHaveLength(11)
    await store.reopen(START_MS + 2 * DAY_MS + 3 * HOUR_MS)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 10 })
    expect(store.reader.seriesCount).toBe(1)
    expect(past(store)).toEqual(before)
  })

  test('with samples that are not expired stays in memory, to the hour', async () => {
    const store = await withSilentCluster({ compactToMs: [] }, DAY_MS - 2 * HOUR_MS)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 11, coldSeries: 0 })
    await silence(store, START_MS + DAY_MS, START_MS + DAY_MS + 4 * HOUR_MS)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 10 })
  })

  test('is the same series when a sample of it arrives, whether its labels or its ref are at hand', async () => {
    const store = await withSilentCluster()
    const held = openDatabaseForReading(store.options.dir)
    const refs = held.prepare<[], number>('SELECT ref FROM cold_series ORDER BY ref').pluck().all()
    held.close()
    const nowMs = START_MS + 2 * DAY_MS + 3 * HOUR_MS
    expect(appendPod(store, 'a_total', 0, nowMs, 77)).toBe(refs[0])
    expect(store.writer.appender.append(refs[8]!, nowMs, 78)).toBe(APPENDED)
    expect(store.writer.appender.append(refs[7]!, START_MS, 1)).toBe(REFUSED_TOO_OLD)
    await store.writer.appender.commit()
    expect(store.writer.stats()).toMatchObject({ seriesCount: 3, coldSeries: 8 })
    const now = store.all(nowMs, nowMs)
    expect(Object.keys(now).sort()).toEqual([
      'a_total{cluster="silent", pod="p0"}',
      'b_total{cluster="silent", pod="p3"}',
    ])
    expect(store.reader.seriesCount).toBe(3)
    // Old rollups and new samples, of one series each.
    expect(Object.keys(store.all())).toHaveLength(11)
    expect(store.all()['a_total{cluster="silent", pod="p0"}']!.at(-1)![0]).toBe(nowMs)
    expect(store.all()['a_total{cluster="silent", pod="p0"}']![0]![0]).toBe(START_MS)
    const matched = store.reader.selectRuns({ matchers: [named('a_total')], fromMs: nowMs, toMs: nowMs, maxSamples: 9 })
    expect(matched.rows.length).toBe(1)
    expect(warmOnDisk(store)).toBe(3)
    await store.reopen(nowMs)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 3, coldSeries: 8 })
    expect(Object.keys(store.all(nowMs, nowMs))).toHaveLength(2)
    expect(Object.keys(store.all())).toHaveLength(11)
    // Cold for a second time, and warm for a second time.
    await silence(store, nowMs, nowMs + 2 * DAY_MS)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 10 })
    expect(rowsIn(store, 'cold_series')).toBe(10)
    expect(Object.keys(store.all(nowMs, nowMs + MINUTE_MS)).sort()).toHaveLength(3)
    expect(appendPod(store, 'a_total', 0, nowMs + 2 * DAY_MS, 1)).toBe(refs[0])
    await store.writer.appender.commit()
    expect(Object.keys(store.all())).toHaveLength(11)
  })

  test('keeps the number of its metric, although its name had left memory', async () => {
    const store = await withSilentCluster()
    const nowMs = START_MS + 2 * DAY_MS + 3 * HOUR_MS
    // A new series of that metric, and one that was cold.
    store.writer.appender.append(store.resolve({ __name__: 'a_total', cluster: 'new' }), nowMs, 1)
    appendPod(store, 'a_total', 1, nowMs, 2)
    await store.writer.maintain(nowMs)
    await silence(store, nowMs, nowMs + 3 * HOUR_MS)
    const db = openDatabaseForReading(store.options.dir)
    const numbers = db.prepare("SELECT id FROM pair WHERE name = '__name__' AND value = 'a_total'").pluck().all()
    expect(numbers).toEqual(db.prepare("SELECT id FROM cold_metric WHERE name = 'a_total'").pluck().all())
    db.close()
    expect(Object.keys(store.all(FIRST_HOURS.fromMs, FIRST_HOURS.toMs))).toHaveLength(11)
    await store.reopen(nowMs + 3 * HOUR_MS)
    expect(Object.keys(store.all(FIRST_HOURS.fromMs, FIRST_HOURS.toMs))).toHaveLength(11)
  })

  test('that becomes cold during a query is still in its answer', async () => {
    const store = await withSilentCluster({}, DAY_MS - 3 * HOUR_MS)
    const request = { matchers: [named('a_total')], ...FIRST_HOURS, maxSamples: 1e6 }
    const rollups = (): ReturnType<typeof store.reader.selectRollup> =>
      store.reader.selectRollup({
        ...request,
        ...{ fromMs: START_MS, alignMs: HOUR_MS, bucketsMax: 1e6, parts: { extremes: false, sums: true } },
      })
    const selection = rollups()!
    const runs = store.reader.selectRuns(request)
    await silence(store, START_MS + DAY_MS, START_MS + 2 * DAY_MS)
    expect(store.writer.stats().coldSeries).toBe(10)
    store.reader.recordGrowth(0)
    expect(store.reader.seriesCount).toBe(1)
    const read = (of: typeof selection): readonly (readonly [string, string, number])[] => {
      const found: (readonly [string, string, number])[] = []
      of.readBuckets(0, of.rows.length, (row, { count, counts }) => {
        const total = counts.slice(0, count).reduce((sum, one) => sum + one, 0)
        found.push([of.rows.at(row).toString(), of.rows.valueAt(row, 'pod'), total])
      })
      return found
    }
    expect(read(selection)).toHaveLength(5)
    expect(read(selection)).toEqual(read(rollups()!))
    runs.readRuns(0, 5, new RunColumns())
    expect(runs.rows.at(4).toString()).toBe('a_total{cluster="silent", pod="p4"}')
  })

  test('is removed with its last rollup, with all that only it had', async () => {
    const store = await withSilentCluster()
    const endMs = START_MS + 11 * DAY_MS
    await store.reopen(endMs - 2 * DAY_MS)
    await silence(store, endMs - 2 * DAY_MS, endMs - 2 * DAY_MS + 3 * HOUR_MS)
    expect([rowsIn(store, 'cold_series'), rowsIn(store, 'cold_segment'), rowsIn(store, 'cold_metric')]).toEqual([
      10, 2, 2,
    ])
    await silence(store, endMs, endMs + 3 * HOUR_MS)
    expect([rowsIn(store, 'cold_series'), rowsIn(store, 'cold_segment'), rowsIn(store, 'cold_metric')]).toEqual([
      0, 0, 0,
    ])
    expect(store.writer.stats().coldSeries).toBe(0)
    expect(listed(store.reader.labelNames([], { fromMs: -Infinity, toMs: Infinity }))).toEqual(['__name__', 'cluster'])
  })

  test('whose ref a caller may hold leads to its labels until the next start, whatever has expired', async () => {
    const store = await withSilentCluster({ retention5mMs: 2 * DAY_MS, retention1hMs: 0, retention1dMs: 0 })
    const db = openDatabaseForReading(store.options.dir)
    const ref = db.prepare<[], number>('SELECT min(ref) FROM cold_series').pluck().get()!
    db.close()
    const nowMs = START_MS + 6 * DAY_MS
    await silence(store, nowMs, nowMs + 3 * HOUR_MS)
    expect(store.all(FIRST_HOURS.fromMs, FIRST_HOURS.toMs)).toEqual({})
    expect([...store.reader.series([], FIRST_HOURS)].flat()).toEqual([])
    expect(store.writer.appender.append(ref, nowMs + 3 * HOUR_MS, 1)).toBe(APPENDED)
    await store.writer.appender.commit()
    expect(Object.keys(store.all(nowMs + 3 * HOUR_MS))).toContain('a_total{cluster="silent", pod="p0"}')
  })

  test('counts as new for the limit of series', async () => {
    const store = await withSilentCluster({ seriesMax: 11 })
    for (let i = 0; i < 10; i++) store.resolve({ __name__: 'other', i: String(i) })
    expect(() => store.resolve({ __name__: 'a_total', cluster: 'silent', pod: 'p0' })).toThrow('series limit')
  })

  test('had histograms: buckets are declined as before, also when it is warm again', async () => {
    const store = new TempStore(OPTIONS, START_MS)
    const labels = { __name__: 'h', cluster: 'silent' }
    const { appender } = store.writer
    for (let minute = 0; minute < 60; minute++) {
      const timeMs = START_MS + minute * MINUTE_MS
      if (minute % 2 === 0) appender.append(store.resolve(labels), timeMs, minute)
      else appender.appendHistogram(store.resolve(labels), timeMs, histogramOf(3, minute))
    }
    await silence(store, START_MS + HOUR_MS, START_MS + 2 * DAY_MS)
    expect(store.writer.stats().coldSeries).toBe(1)
    expect(rowsIn(store, 'histogram_series')).toBe(0)
    const declined = (): boolean =>
      store.reader.selectRollup({
        ...{ matchers: [named('h')], fromMs: START_MS, toMs: START_MS + HOUR_MS, alignMs: HOUR_MS, bucketsMax: 9 },
        parts: { extremes: false, sums: false },
      }) === undefined
    expect(declined()).toBe(true)
    store.writer.appender.append(store.resolve(labels), START_MS + 2 * DAY_MS, 1)
    await store.writer.appender.commit()
    expect(declined()).toBe(true)
    await store.reopen(START_MS + 2 * DAY_MS)
    expect(declined()).toBe(true)
  })

  test('is found by a reader that is opened while it becomes cold', async () => {
    const store = await withSilentCluster({}, DAY_MS - 3 * HOUR_MS)
    const share = store.writer.share()
    await silence(store, START_MS + DAY_MS, START_MS + 2 * DAY_MS)
    appendPod(store, 'a_total', 2, START_MS + 2 * DAY_MS, 5)
    await store.writer.appender.commit()
    const late = openReader(store.options, share)
    expect(late.seriesCount).toBe(2)
    expect(texts(late.series([], FIRST_HOURS))).toEqual(texts(store.reader.series([], FIRST_HOURS)))
    late.close()
    store.writer.unshare(share.reader)
  })
})

test('limits are exact: to the millisecond, and to the ref', async () => {
  const store = new TempStore({ ...OPTIONS, compactToMs: [] }, START_MS)
  const { appender } = store.writer
  const [early, late] = [START_MS + 10 * MINUTE_MS, START_MS + 3 * HOUR_MS]
  const lone = store.resolve({ __name__: 'lone' })
  appender.append(lone, early, 1)
  appender.append(store.resolve({ __name__: 'beside' }), early + 5 * MINUTE_MS, 1)
  await goOn(store, early + HOUR_MS)
  appender.append(store.resolve({ __name__: 'later' }), late, 1)
  // Its only sample is the oldest of the oldest block, which has samples until its newest is a day old.
  for (const atMs of [late + 10 * MINUTE_MS, early + DAY_MS + 2 * MINUTE_MS]) {
    await store.writer.maintain(atMs)
    expect(store.writer.stats().coldSeries).toBe(0)
  }
  await silence(store, late + DAY_MS, late + DAY_MS + 12 * HOUR_MS)
  expect(store.writer.stats().coldSeries).toBe(3)
  const names = (fromMs: number, toMs: number): readonly string[] =>
    [...store.reader.series([{ name: '__name__', op: '=~', value: 'lone|later' }], { fromMs, toMs })].flat().map(String)
  expect(names(early, early)).toEqual(['lone'])
  expect(names(early + 1, late - 1)).toEqual([])
  expect(names(late, late)).toEqual(['later'])
  expect(names(late + 1, late + HOUR_MS)).toEqual([])
  expect(Object.keys(store.all(early, early))).toEqual(['lone'])
  expect(Object.keys(store.all(late, late))).toEqual(['later'])
  // The oldest of what is stored at all, after a start that releases segments.
  const lastMs = early + 10 * DAY_MS
  await store.reopen(lastMs)
  await silence(store, lastMs, lastMs + 10 * MINUTE_MS)
  expect(store.writer.stats().coldSeries).toBe(3)
  await silence(store, lastMs + HOUR_MS, lastMs + 2 * HOUR_MS)
  expect(store.writer.stats().coldSeries).toBe(1)
})

test('a reader on another thread sees each series once, whatever becomes cold and warm meanwhile', async () => {
  const store = new TempStore({ ...OPTIONS, compactToMs: [] }, START_MS)
  const labelsOf = (i: number): Record<string, string> => ({ __name__: `m${i % 40}`, i: String(i), silent: 'yes' })
  const count = 400
  for (let i = 0; i < count; i++) store.writer.appender.append(store.resolve(labelsOf(i)), START_MS + 1, i)
  await goOn(store, START_MS + HOUR_MS)
  await goOn(store, START_MS + 2 * HOUR_MS)
  await goOn(store, START_MS + 3 * HOUR_MS)
  const share = store.writer.share()
  const progress = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(READER, {
    workerData: { dir: store.options.dir, share, progress, fromMs: START_MS, toMs: START_MS + HOUR_MS },
    transferList: [share.port],
  })
  await once(worker, 'message')
  let nowMs = START_MS + DAY_MS + 4 * HOUR_MS
  for (let round = 0; round < 3; round++) {
    await goOn(store, nowMs)
    await goOn(store, nowMs + HOUR_MS)
    expect(store.writer.stats().coldSeries).toBe(count)
    for (let i = round; i < count; i += 3) {
      store.writer.appender.append(store.resolve(labelsOf(i)), nowMs + HOUR_MS, i)
      if (i % 5 === 0) await store.writer.commit()
    }
    await store.writer.commit()
    nowMs += DAY_MS + 6 * HOUR_MS
  }
  const ended = once(worker, 'message')
  Atomics.store(progress, 0, 1)
  const [seen] = (await ended) as [{ readonly series: number[]; readonly rows: number[]; readonly warm: number[] }]
  expect([seen.series, seen.rows]).toEqual([[count], [count]])
  expect(progress[1]).toBeGreaterThan(2)
  expect(Math.min(...seen.warm)).toBeLessThan(Math.max(...seen.warm))
  store.writer.unshare(share.reader)
}, 120_000)

test('from the file as it is at any step, a start has all series, each once', async () => {
  const store = await withSilentCluster({ compactToMs: [] }, DAY_MS - 3 * HOUR_MS)
  const images: string[] = []
  const pass = { isOver: false }
  const nowMs = START_MS + DAY_MS + 4 * HOUR_MS
  const maintaining = store.writer.maintain(nowMs).finally(() => (pass.isOver = true))
  while (!pass.isOver) {
    const dir = tempDir()
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) {
      const path = join(store.options.dir, name)
      if (existsSync(path)) copyFileSync(path, join(dir, name))
    }
    images.push(dir)
    await setImmediate()
  }
  await maintaining
  expect(store.writer.stats().coldSeries).toBe(10)
  // One page of states, with a series that is still warm.
  expect(rowsIn(store, 'series_state')).toBe(1)
  const expected = past(store)
  const seen = new Set<number>()
  for (const dir of images.filter((_, i) => i % 2 === 0)) {
    const image = new TempStore({ ...store.options, dir }, nowMs)
    const { seriesCount, coldSeries } = image.writer.stats()
    expect(seriesCount + coldSeries).toBe(11)
    seen.add(coldSeries)
    expect(appendPod(image, 'a_total', 4, nowMs, 1)).toBe(5)
    await silence(image, nowMs, nowMs + 3 * HOUR_MS)
    expect(past(image)).toEqual(expected)
    expect(image.writer.stats()).toMatchObject({ seriesCount: 2, coldSeries: 9 })
    await image.close()
  }
  expect(seen).toEqual(new Set([0, 10]))
})

describe('a damaged segment', () => {
  test('is left out of a query, which names the missing times, and is found by the scrub', async () => {
    const store = await withSilentCluster()
    flipByte(store, 'cold_segment', 'series', "metric = (SELECT id FROM cold_metric WHERE name = 'a_total')")
    const missing: TimeRange[] = []
    const found = store.reader.select({
      ...{ matchers: [], ...FIRST_HOURS, maxSamples: 1e6 },
      missing: (times) => missing.push(times),
    })
    expect(found.filter(({ labels }) => labels.metricName === 'b_total')).toHaveLength(5)
    expect(found.filter(({ labels }) => labels.metricName === 'a_total')).toHaveLength(0)
    expect(missing[0]).toEqual({ fromMs: FIRST_HOURS.fromMs, toMs: START_MS + 119 * MINUTE_MS })
    // What is newer than its newest sample is whole.
    missing.length = 0
    const late = { fromMs: START_MS + 2 * HOUR_MS, toMs: START_MS + DAY_MS }
    store.reader.select({ matchers: [], ...late, maxSamples: 1e6, missing: (times) => missing.push(times) })
    expect(missing).toEqual([])
    const db = openDatabaseForReading(store.options.dir)
    expect([...passOver(db)].flat()).toMatchObject([{ kind: 'cold_segment' }])
    db.close()
    // Its series are new ones when they report again, and cold ones of a segment that can be read later.
    const nowMs = START_MS + 2 * DAY_MS + 3 * HOUR_MS
    const ref = appendPod(store, 'a_total', 0, nowMs, 1)
    expect(ref).toBeGreaterThan(11)
    await silence(store, nowMs, nowMs + 2 * DAY_MS)
    expect(texts(store.reader.series([named('a_total')], { fromMs: nowMs, toMs: nowMs + HOUR_MS }))).toHaveLength(1)
    // Erasure cannot see what it has: it goes.
    await store.writer.beginErasure('silent', 'erasure', 'ada', nowMs + 2 * DAY_MS)
    for (const hours of [0, 1, 2, 3]) await store.writer.maintain(nowMs + 2 * DAY_MS + hours * HOUR_MS)
    expect([rowsIn(store, 'cold_segment'), rowsIn(store, 'cold_series'), rowsIn(store, 'cold_metric')]).toEqual([
      0, 0, 0,
    ])
  })

  test('is dropped by a repair, which makes lost places again', async () => {
    const store = await withSilentCluster()
    const before = past(store)
    await store.close()
    execute(
      store,
      'WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) INSERT INTO cold_series SELECT i, i, i FROM n',
    )
    breakPage(store, 'cold_series')
    const { dir } = store.options
    let repairs = 0
    const repairNow = (): ReturnType<typeof repair> =>
      withDirectory(dir, (db) => repair(db, dir, START_MS + repairs++ * HOUR_MS))
    expect(repairNow().restored.join()).toContain('the places of cold series')
    expect(withDirectory(dir, (db) => examine(db, dir))).toEqual([])
    const again = new TempStore(store.options, START_MS + 2 * DAY_MS + 3 * HOUR_MS)
    expect(again.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 10 })
    expect(past(again)).toEqual(before)
    expect(appendPod(again, 'a_total', 0, START_MS + 2 * DAY_MS + 3 * HOUR_MS, 1)).toBeLessThanOrEqual(11)
    await again.close()
    flipByte(store, 'cold_segment', 'series', "metric = (SELECT id FROM cold_metric WHERE name = 'a_total')")
    expect(repairNow().lost).toHaveLength(1)
    const left = new TempStore(store.options, START_MS + 2 * DAY_MS + 3 * HOUR_MS)
    expect(texts(left.reader.series([], FIRST_HOURS)).filter((text) => text.startsWith('b_total'))).toHaveLength(5)
  })
})

test('segments are filled up to their limit, and not searched for refs from after the range', async () => {
  const store = new TempStore(OPTIONS, START_MS)
  for (let i = 0; i < 600; i++) store.writer.appender.append(store.resolve({ __name__: 'm', i: `${i}` }), START_MS, i)
  await silence(store, START_MS + HOUR_MS, START_MS + 2 * DAY_MS)
  const counts = (): unknown => {
    const db = openDatabaseForReading(store.options.dir)
    try {
      return db.prepare('SELECT count FROM cold_segment ORDER BY id').pluck().all()
    } finally {
      db.close()
    }
  }
  expect(counts()).toEqual([256, 256, 88])
  for (let i = 600; i < 900; i++) {
    store.writer.appender.append(store.resolve({ __name__: 'm', i: `${i}` }), START_MS + 2 * DAY_MS, i)
  }
  await silence(store, START_MS + 2 * DAY_MS, START_MS + 4 * DAY_MS)
  expect(counts()).toEqual([256, 256, 256, 132])
  // Refs rise with time: of the later series none can have samples in the first hours.
  expect([...store.reader.series([named('m')], FIRST_HOURS)].flat()).toHaveLength(600)
  expect(store.reader.selectRuns({ matchers: [named('m')], ...FIRST_HOURS, maxSamples: 1e6 }).rows.length).toBeLessThan(
    800,
  )
})
