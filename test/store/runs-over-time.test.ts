import { describe, expect, test } from 'vitest'
import type { LabelRows } from '../../src/model/label-rows.ts'
import type { RunSelection } from '../../src/model/queryable.ts'
import { RunColumns } from '../../src/model/run-columns.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from './temp-store.ts'

// What a selection of runs holds on to while the store goes on.

const MATCHERS = [{ name: '__name__', op: '=', value: 'up' }] as const

function selectionOf(store: TempStore, fromMs = NOW_MS - HOUR_MS, toMs = NOW_MS + 100 * HOUR_MS): RunSelection {
  return store.reader.selectRuns({ matchers: MATCHERS, fromMs, toMs, maxSamples: 1000 })
}

async function append(store: TempStore, clusters: readonly string[], timeMs: number): Promise<void> {
  for (const cluster of clusters) store.writer.appender.append(store.resolve({ __name__: 'up', cluster }), timeMs, 1)
  await store.writer.appender.commit()
}

function clustersOf(rows: LabelRows): string[] {
  return Array.from({ length: rows.length }, (_, row) => rows.valueAt(row, 'cluster'))
}

function samplesIn(selection: RunSelection): number[] {
  const runs = new RunColumns()
  selection.readRuns(0, selection.rows.length, runs)
  const counts: number[] = []
  for (let row = 0, run = 0; row < runs.rows; row++) {
    counts[row] = 0
    for (; run < runs.ends[row]!; run++) counts[row]! += runs.counts[run]!
  }
  return counts
}

describe('a selection of runs', () => {
  test('has the rows it had, and one made later has the new series after them, in the same lineage', async () => {
    const store = new TempStore()
    await append(store, ['a', 'b'], NOW_MS)
    const before = selectionOf(store)
    await append(store, ['c'], NOW_MS)
    const after = selectionOf(store)
    expect(clustersOf(before.rows)).toEqual(['a', 'b'])
    expect(clustersOf(after.rows)).toEqual(['a', 'b', 'c'])
    expect(after.rows.lineage).toBe(before.rows.lineage)
    expect(samplesIn(before)).toEqual([1, 1])
    expect(samplesIn(after)).toEqual([1, 1, 1])
  })

  test('of a few series asks the disk for nothing where all of them is in the head', async () => {
    const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: HOUR_MS })
    await append(store, ['a'], NOW_MS)
    for (let hour = 1; hour <= 4; hour++) await store.writer.maintain(NOW_MS + hour * HOUR_MS)
    const lateMs = NOW_MS + 4 * HOUR_MS
    await append(store, ['a', 'b'], lateMs)
    expect(samplesIn(selectionOf(store))).toEqual([2, 1])
    store.reader.close()
    expect(samplesIn(selectionOf(store, lateMs - 5 * MINUTE_MS))).toEqual([1, 1])
    expect(() => samplesIn(selectionOf(store))).toThrow('not open')
  })

  test('keeps the labels of series that are removed meanwhile, and reads nothing of them, nor of who has their slots', async () => {
    const options = { retentionRawMs: 24 * HOUR_MS, retention5mMs: 0, retention1hMs: 0, retention1dMs: 0 }
    const store = new TempStore({ ...options, outOfOrderMs: 0, flushEveryMs: HOUR_MS })
    await append(store, ['a', 'b'], NOW_MS)
    const before = selectionOf(store)
    const lineage = before.rows.lineage
    for (let hour = 1; hour <= 60; hour++) {
      await append(store, ['b'], NOW_MS + hour * HOUR_MS)
      await store.writer.maintain(NOW_MS + hour * HOUR_MS)
      // So that the reader takes in what was removed.
      selectionOf(store)
    }
    await append(store, ['new', 'newer'], NOW_MS + 60 * HOUR_MS)
    const after = selectionOf(store)
    expect(clustersOf(after.rows)).toEqual(['b', 'new', 'newer'])
    expect(after.rows.lineage).not.toBe(lineage)
    expect(clustersOf(before.rows)).toEqual(['a', 'b'])
    expect(before.rows.at(0).toObject()).toEqual({ __name__: 'up', cluster: 'a' })
    expect(samplesIn(before)[0]).toBe(0)
    const timesMs = new Float64Array(2)
    before.readNewest(timesMs, new Float64Array(2))
    expect(Array.from(timesMs)).toEqual([NaN, NOW_MS + 60 * HOUR_MS])
  })

  test('reads on while a flush moves samples and compaction joins packs, each sample once', async () => {
    const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: 10 * MINUTE_MS, compactToMs: [HOUR_MS] })
    const selection = ((): RunSelection => {
      store.resolve({ __name__: 'up', cluster: 'a' })
      return selectionOf(store)
    })()
    await append(store, ['a'], NOW_MS)
    const later = selectionOf(store)
    for (let minute = 1; minute <= 300; minute++) {
      await append(store, ['a'], NOW_MS + minute * MINUTE_MS)
      if (minute % 20 === 0) await store.writer.maintain(NOW_MS + minute * MINUTE_MS)
      if (minute % 25 === 0) expect(samplesIn(later)).toEqual([minute + 1])
    }
    expect(selection.rows.length).toBe(0)
  })
})
