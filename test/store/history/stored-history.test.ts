import { afterEach, describe, expect, test } from 'vitest'
import { LabelBytes } from '../../../src/forward/label-bytes.ts'
import { Labels } from '../../../src/model/labels.ts'
import { openDatabase } from '../../../src/store/database.ts'
import {
  NOTHING_COPIED,
  openStoredHistory,
  WINDOW_START,
  type CopiedBlocks,
  type StoredHistory,
} from '../../../src/store/history/stored-history.ts'
import { histogramOf } from '../../support/histograms.ts'
import { HOUR_MS, MINUTE_MS, TempStore, type TestOptions } from '../temp-store.ts'

const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const OPTIONS: TestOptions = { flushEveryMs: 6 * HOUR_MS, outOfOrderMs: 0, compactToMs: [DAY_MS] }
const WINDOW_MS = 5 * HOUR_MS

const opened: StoredHistory[] = []
afterEach(() => {
  for (const history of opened.splice(0)) history.close()
})

function open(store: TempStore): StoredHistory {
  const history = openStoredHistory(store.options.dir)
  opened.push(history)
  return history
}

type Samples = Record<string, (readonly [timeMs: number, bits: string])[]>

class Copy {
  readonly samples: Samples = {}
  readonly #labels: LabelBytes

  constructor(history: StoredHistory) {
    this.#labels = new LabelBytes(history)
  }

  readonly add = (ref: number, timeMs: number, low: number, high: number): void => {
    const name = Labels.fromFlat([...this.#labels.flatOf(ref)]).toString()
    const bits = [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    ;(this.samples[name] ??= []).push([timeMs, bits])
  }
}

/** Reads all blocks that are not copied, window by window. */
function readBlocks(history: StoredHistory, copy: Copy, copied: CopiedBlocks, isStill = false): CopiedBlocks {
  const uncopied = history.uncopied(copied, isStill)
  if (uncopied === undefined) return copied
  const { range, after } = uncopied
  for (let fromMs = range.fromMs; fromMs <= range.toMs; fromMs += WINDOW_MS) {
    history.open({ fromMs, toMs: fromMs + WINDOW_MS - 1 }, copied, isStill)
    for (let place = WINDOW_START, next; (next = history.read(place, copy.add)) !== undefined;) place = next
  }
  return after
}

function readLog(history: StoredHistory, copy: Copy): number {
  let rows = 0
  for (let row = 0, next; (next = history.readLog(row, copy.add)) !== undefined; row = next.id) rows++
  return rows
}

async function fill(store: TempStore, days: number): Promise<void> {
  const { appender } = store.writer
  for (let timeMs = START_MS + 2 * MINUTE_MS; timeMs <= START_MS + days * DAY_MS; timeMs += 2 * MINUTE_MS) {
    const i = (timeMs - START_MS) / (2 * MINUTE_MS)
    appender.append(store.resolve({ __name__: 'x_total', cluster: 'a' }), timeMs, (i * 7) % 5000)
    appender.append(store.resolve({ __name__: 'x_total', cluster: 'b' }), timeMs, i / 3)
    appender.append(store.resolve({ __name__: 'up' }), timeMs, 1)
    if (timeMs < START_MS + 1.3 * DAY_MS) appender.append(store.resolve({ __name__: 'gone' }), timeMs, i % 9)
    if (timeMs === START_MS + 1.3 * DAY_MS) appender.appendStale(store.resolve({ __name__: 'gone' }), timeMs)
    if (timeMs % (6 * HOUR_MS) === 0) await store.writer.maintain(timeMs + 11 * MINUTE_MS)
  }
  await appender.commit()
}

describe('stored samples', () => {
  test('of blocks and of the log are all samples, each series in order, also where only rollups are left', async () => {
    const store = new TempStore(
      { ...OPTIONS, retentionRawMs: DAY_MS, retention5mMs: 2 * DAY_MS, retention1hMs: 50 * DAY_MS },
      START_MS,
    )
    await fill(store, 4.1)
    const expected = store.all()
    expect(expected['gone']!.length).toBeGreaterThan(10)
    const history = open(store)
    const copy = new Copy(history)
    readBlocks(history, copy, NOTHING_COPIED)
    const flushed = Object.values(copy.samples).flat().length
    expect(readLog(history, copy)).toBeGreaterThan(0)
    expect(Object.values(copy.samples).flat().length).toBeGreaterThan(flushed)
    expect(copy.samples).toEqual(expected)
    expect(history.damagedCount).toBe(0)
  }, 60_000)

  test('that are new since a copy are in the next one, also late ones, and compaction does not hide any', async () => {
    const store = new TempStore({ ...OPTIONS, retentionRawMs: 100 * DAY_MS }, START_MS)
    await fill(store, 1)
    const history = open(store)
    const copy = new Copy(history)
    let copied = readBlocks(history, copy, NOTHING_COPIED)
    expect(history.uncopied(copied, false)).toBeUndefined()
    // A cluster that was away sends its past; then a day of blocks is compacted.
    const { appender } = store.writer
    const late = store.resolve({ __name__: 'late' })
    for (let i = 0; i < 100; i++) appender.append(late, START_MS + i * MINUTE_MS, i)
    await appender.commit()
    await store.writer.maintain(START_MS + 1.3 * DAY_MS)
    await store.writer.maintain(START_MS + 2.3 * DAY_MS)
    copied = readBlocks(history, copy, copied)
    expect(copy.samples['late']!.map(([timeMs]) => timeMs)).toEqual(
      Array.from({ length: 100 }, (_, i) => START_MS + i * MINUTE_MS),
    )
    readLog(history, copy)
    const distinct = Object.entries(copy.samples).map(([name, samples]) => {
      return [name, [...new Map(samples.map((one) => [one[0], one])).values()].sort((a, b) => a[0] - b[0])]
    })
    expect(Object.fromEntries(distinct)).toEqual(store.all())
    expect(history.uncopied(copied, false)).toBeUndefined()
  }, 60_000)

  test('a flush is not copied before it has ended, unless no server continues it', async () => {
    const store = new TempStore({ ...OPTIONS, compactToMs: [], retentionRawMs: 100 * DAY_MS }, START_MS)
    await fill(store, 1)
    await store.close()
    const db = openDatabase(store.options.dir)
    db.exec('UPDATE block SET is_open = 1 WHERE id = (SELECT max(id) FROM block WHERE level = 0)')
    db.close()
    const history = open(store)
    const live = history.uncopied(NOTHING_COPIED, false)!
    const still = history.uncopied(NOTHING_COPIED, true)!
    expect(still.after.flushed).toBe(live.after.flushed + 1)
    expect(history.uncopied(live.after, false)).toBeUndefined()
    expect(history.uncopied(live.after, true)).toBeDefined()
  })

  test('a compacted block is read when it is new and has no older cut: a flush may have the cut of one that is copied', async () => {
    const store = new TempStore({ ...OPTIONS, compactToMs: [], retentionRawMs: 100 * DAY_MS }, START_MS)
    await fill(store, 1)
    const history = open(store)
    const { after } = history.uncopied(NOTHING_COPIED, false)!
    const db = openDatabase(store.options.dir)
    const add = db.prepare(
      'INSERT INTO block (id, level, position, cut_ms, from_ms, to_ms, is_open) VALUES (?, 1, 99, ?, 5, 6, 0)',
    )
    add.run(after.any + 1, after.cutMs - 1)
    expect(history.uncopied(after, false)).toBeUndefined()
    add.run(after.any + 2, after.cutMs)
    expect(history.uncopied(after, false)).toMatchObject({
      range: { fromMs: 5, toMs: 6 },
      after: { flushed: after.flushed, any: after.any + 2, cutMs: after.cutMs },
    })
    expect(history.oldestMs(6, after, false)).toBe(6)
    expect(history.oldestMs(7, after, false)).toBeUndefined()
    db.close()
  })

  test('native histograms are read with their series, from packs and from the log', async () => {
    const store = new TempStore({ ...OPTIONS, retentionRawMs: 100 * DAY_MS }, START_MS)
    const { appender } = store.writer
    const ref = store.resolve({ __name__: 'latency' })
    const at = (i: number): number => START_MS + i * 10 * MINUTE_MS
    for (let i = 0; i < 100; i++) appender.appendHistogram(ref, at(i), histogramOf(3, i))
    await store.writer.maintain(at(60) + 6 * HOUR_MS)
    const history = open(store)
    const seen: number[] = []
    const check = (of: number, timeMs: number, _: number, high: number): void => {
      expect(high).toBe(history.histogramHighWord)
      expect(history.histogramOf(of, timeMs)).toEqual(histogramOf(3, seen.length))
      seen.push(timeMs)
    }
    const { range } = history.uncopied(NOTHING_COPIED, false)!
    history.open(range, NOTHING_COPIED, false)
    for (let place = WINDOW_START, next; (next = history.read(place, check)) !== undefined;) place = next
    const flushed = seen.length
    for (let row = 0, next; (next = history.readLog(row, check)) !== undefined;) row = next.id
    expect(flushed).toBeGreaterThan(10)
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => at(i)))
  })

  test('a damaged pack is left out and counted', async () => {
    const store = new TempStore({ ...OPTIONS, retentionRawMs: 100 * DAY_MS }, START_MS)
    await fill(store, 1)
    await store.close()
    const db = openDatabase(store.options.dir)
    const { changes } = db.prepare("UPDATE pack SET payload = x'0001' WHERE id = (SELECT min(id) FROM pack)").run()
    db.close()
    expect(changes).toBe(1)
    const history = open(store)
    const copy = new Copy(history)
    readBlocks(history, copy, NOTHING_COPIED)
    expect(history.damagedCount).toBeGreaterThan(0)
    expect(Object.keys(copy.samples).length).toBeGreaterThan(0)
  })
})
