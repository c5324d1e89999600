import { describe, expect, test } from 'vitest'
import { APPENDED, REFUSED_TOO_OLD } from '../../../src/model/appender.ts'
import { Labels } from '../../../src/model/labels.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { eachSeries } from '../../../src/store/index/series-rows.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'
import { listed } from '../../support/portions.ts'

const DAY_MS = 24 * HOUR_MS
const NO_ROLLUPS = { retention5mMs: 0, retention1hMs: 0, retention1dMs: 0 }
const OPTIONS = { retentionRawMs: DAY_MS, ...NO_ROLLUPS, outOfOrderMs: 0, flushEveryMs: HOUR_MS }

/** Rows of a table, counted past the store. */
function rowsIn(store: TempStore, table: string): number {
  const db = openDatabaseForReading(store.options.dir)
  try {
    return Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
  } finally {
    db.close()
  }
}

/** Series that are written down. */
function refsIn(store: TempStore): number[] {
  const db = openDatabaseForReading(store.options.dir)
  const refs: number[] = []
  eachSeries(db, ({ ref }) => refs.push(ref))
  db.close()
  return refs
}

describe('retention', () => {
  test('samples live at least as long as promised, and go by whole blocks', async () => {
    const store = new TempStore(OPTIONS)
    const ref = store.resolve({ __name__: 'up' })
    for (let hour = 0; hour < 72; hour++) {
      for (let minute = 0; minute < 60; minute += 10) {
        const timeMs = NOW_MS + hour * HOUR_MS + minute * MINUTE_MS
        expect(store.writer.appender.append(ref, timeMs, minute)).toBe(APPENDED)
      }
      await store.writer.maintain(NOW_MS + hour * HOUR_MS + 50 * MINUTE_MS)
    }
    const nowMs = NOW_MS + 71 * HOUR_MS + 50 * MINUTE_MS
    const times = store.all()['up']!.map(([timeMs]) => timeMs)
    expect(times[0]).toBeLessThanOrEqual(nowMs - DAY_MS)
    expect(times[0]).toBeGreaterThanOrEqual(nowMs - DAY_MS - 2 * HOUR_MS)
    expect(times).toHaveLength((times.at(-1)! - times[0]!) / (10 * MINUTE_MS) + 1)
    expect(rowsIn(store, 'block')).toBeLessThanOrEqual(27)
  })

  test('a sample before the edge is refused, and the edge moves with time', async () => {
    const store = new TempStore(OPTIONS)
    const ref = store.resolve({ __name__: 'up' })
    const { appender } = store.writer
    expect(appender.append(ref, NOW_MS - DAY_MS - 1, 1)).toBe(REFUSED_TOO_OLD)
    expect(appender.append(ref, NOW_MS - DAY_MS, 1)).toBe(APPENDED)
    await store.writer.maintain(NOW_MS + HOUR_MS)
    expect(appender.append(store.resolve({ __name__: 'other' }), NOW_MS - DAY_MS + HOUR_MS - 1, 1)).toBe(
      REFUSED_TOO_OLD,
    )
  })

  test('a series goes when nothing of it is left, and its labels with it at the next start', async () => {
    const store = new TempStore(OPTIONS)
    store.writer.appender.append(store.resolve({ __name__: 'gone', pod: 'p1' }), NOW_MS, 1)
    const keeps = store.resolve({ __name__: 'stays' })
    for (let hour = 0; hour < 30; hour++) {
      store.writer.appender.append(keeps, NOW_MS + hour * HOUR_MS, hour)
      await store.writer.maintain(NOW_MS + hour * HOUR_MS)
      if (hour === 20) expect(Object.keys(store.all())).toEqual(['gone{pod="p1"}', 'stays'])
    }
    expect(Object.keys(store.all())).toEqual(['stays'])
    expect(store.writer.stats().seriesCount).toBe(1)
    expect(store.reader.seriesCount).toBe(1)
    expect(listed(store.reader.labelNames([], { fromMs: -Infinity, toMs: Infinity }))).toEqual(['__name__'])
    await store.reopen(NOW_MS + 30 * HOUR_MS)
    expect(refsIn(store)).toEqual([keeps])
    expect(rowsIn(store, 'pair')).toBe(1)
    expect(store.resolve({ __name__: 'new' })).toBeGreaterThan(keeps)
  })

  test('a ref that is held over the end of its series leads to the series that has its labels now', async () => {
    const store = new TempStore(OPTIONS)
    const held = store.resolve({ __name__: 'sleeper', pod: 'p1' })
    store.writer.appender.append(held, NOW_MS, 1)
    const keeps = store.resolve({ __name__: 'stays' })
    let nowMs = NOW_MS
    const sleep = async (): Promise<void> => {
      for (let hour = 0; hour < 30; hour++) {
        nowMs += HOUR_MS
        store.writer.appender.append(keeps, nowMs, 1)
        await store.writer.maintain(nowMs)
      }
      expect(store.writer.stats().seriesCount).toBe(1)
    }
    await sleep()
    expect(store.writer.appender.append(held, nowMs, 2)).toBe(APPENDED)
    const again = store.resolve({ __name__: 'sleeper', pod: 'p1' })
    expect(again).toBeGreaterThan(held)
    expect(store.writer.appender.append(again, nowMs + 1, 3)).toBe(APPENDED)
    await store.writer.appender.commit()
    expect(store.all()['sleeper{pod="p1"}']!.map(([timeMs]) => timeMs)).toEqual([nowMs, nowMs + 1])
    // Both refs are held over a second end.
    await sleep()
    for (const [i, ref] of [again, held].entries()) {
      expect(store.writer.appender.append(ref, nowMs + i, 4)).toBe(APPENDED)
    }
    await store.writer.appender.commit()
    expect(store.all()['sleeper{pod="p1"}']!).toHaveLength(2)
    expect(store.writer.stats().seriesCount).toBe(2)
    await store.reopen(nowMs)
    expect(store.all()['sleeper{pod="p1"}']!).toHaveLength(2)
  })

  test('churn reuses memory: slots and pages do not grow with the series that ever were', async () => {
    const store = new TempStore(OPTIONS)
    let bytesMax = 0
    for (let hour = 0; hour < 100; hour++) {
      const nowMs = NOW_MS + hour * HOUR_MS
      for (let i = 0; i < 50; i++) {
        const ref = store.resolve({ __name__: 'churn', pod: `p${hour}-${i}` })
        for (let k = 0; k < 20; k++) store.writer.appender.append(ref, nowMs + k, k)
      }
      await store.writer.maintain(nowMs)
      bytesMax = Math.max(bytesMax, store.writer.stats().headBytes)
    }
    expect(store.writer.stats().seriesCount).toBeLessThan(28 * 50)
    expect(bytesMax).toBeLessThan(3 * 50 * 20 * 32)
    expect(Object.keys(store.all()).length).toBe(store.writer.stats().seriesCount)
  })

  test('at the series limit no new series is made, and known ones go on', () => {
    const store = new TempStore({ seriesMax: 2 })
    const a = store.resolve({ __name__: 'a' })
    store.resolve({ __name__: 'b' })
    expect(store.writer.appender.resolve(Labels.of({ __name__: 'c' }))).toBeUndefined()
    expect(store.resolve({ __name__: 'a' })).toBe(a)
    expect(store.writer.appender.append(a, NOW_MS, 1)).toBe(APPENDED)
  })

  test('a head over its limit is flushed before time, and says that it is overloaded', async () => {
    const store = new TempStore({ headBytesMax: 64 * 1024, outOfOrderMs: 0, flushEveryMs: 24 * HOUR_MS })
    const ref = store.resolve({ __name__: 'busy' })
    for (let i = 0; i < 4000; i++) store.writer.appender.append(ref, NOW_MS + i * 1000, i)
    expect(store.writer.isOverloaded).toBe(true)
    await store.writer.maintain(NOW_MS + 4000 * 1000)
    expect(store.writer.isOverloaded).toBe(false)
    expect(store.all()['busy']).toHaveLength(4000)
    expect(store.writer.stats()).toMatchObject({ flushesDone: 1 })
    expect(store.writer.stats().headSamples).toBeLessThan(800)
  })
})
