import { describe, expect, test } from 'vitest'
import { NOTHING_FORWARDED } from '../../../src/model/forward-progress.ts'
import { openSampleLog } from '../../../src/store/log/sample-log.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore, type TestOptions } from '../temp-store.ts'

const progress = (row: number, releasedRow = row) => ({ ...NOTHING_FORWARDED, row, releasedRow })

/** Rows of the log, and their samples. */
function rowsOf(store: TempStore): { readonly ids: readonly number[]; readonly samples: number } {
  const log = openSampleLog(store.options.dir)
  const ids: number[] = []
  let samples = 0
  for (let row = log.next(0); row !== undefined; row = log.next(row.id)) {
    ids.push(row.id)
    log.eachSample(row, () => samples++)
  }
  log.close()
  return { ids, samples }
}

async function append(store: TempStore, timeMs: number, series = 'a', count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    store.writer.appender.append(store.resolve({ __name__: series, n: String(i) }), timeMs, i)
  }
  await store.writer.commit()
}

const forwarding = (options: TestOptions = {}) =>
  new TempStore({
    forwardBufferBytesMax: 1024 * 1024,
    retention5mMs: 0,
    retention1hMs: 0,
    retention1dMs: 0,
    ...options,
  })

describe('rows that are to be forwarded', () => {
  test('stay in the log until they are released, whatever is flushed', async () => {
    const store = forwarding()
    await append(store, NOW_MS)
    await append(store, NOW_MS + 1)
    await append(store, NOW_MS + 2)
    store.writer.forwarded(progress(3, 2))
    await store.writer.maintain(NOW_MS + 8 * HOUR_MS)
    expect(rowsOf(store).ids).toEqual([3])
    store.writer.forwarded(progress(3))
    await append(store, NOW_MS + 8 * HOUR_MS)
    await store.writer.maintain(NOW_MS + 12 * HOUR_MS)
    expect(rowsOf(store).ids).toEqual([4])
  })

  test('are removed with their flush where nothing is forwarded', async () => {
    const store = forwarding({ forwardBufferBytesMax: undefined })
    await append(store, NOW_MS)
    store.writer.forwarded(progress(0))
    await store.writer.maintain(NOW_MS + 8 * HOUR_MS)
    expect(rowsOf(store).ids).toEqual([])
    expect(store.writer.stats().forwardBuffer).toBeUndefined()
  })

  test('keep their series and histograms past the retention of samples, also after a start', async () => {
    const store = forwarding({ retentionRawMs: HOUR_MS })
    await append(store, NOW_MS, 'old')
    const ref = store.resolve({ __name__: 'histogram' })
    const buckets = { indexes: Int32Array.of(1), counts: Float64Array.of(2) }
    const none = { indexes: new Int32Array(0), counts: new Float64Array(0) }
    store.writer.appender.appendHistogram(ref, NOW_MS, {
      ...{ schema: 0, counterReset: 'unknown', count: 2, sum: 3, zeroThreshold: 0, zeroCount: 0 },
      ...{ positive: buckets, negative: none, customBounds: new Float64Array(0) },
    })
    await store.writer.commit()
    const laterMs = NOW_MS + 30 * HOUR_MS
    const found = () => {
      const log = openSampleLog(store.options.dir)
      const series: string[] = []
      for (let row = log.next(0); row !== undefined; row = log.next(row.id)) {
        log.eachSample(row, (of) => {
          log.eachSeriesNear(of, (near, ids) => {
            if (near === of) series.push(log.pairOf(ids[0]!)![1])
          })
        })
      }
      const histogram = log.histogramOf(ref, NOW_MS)
      log.close()
      return { series, count: histogram?.count }
    }
    for (let i = 0; i < 4; i++) {
      await append(store, laterMs + i * 3 * HOUR_MS, 'new')
      await store.writer.maintain(laterMs + i * 3 * HOUR_MS)
      if (i === 1) await store.reopen(laterMs + i * 3 * HOUR_MS)
    }
    expect(found()).toEqual({ series: ['old', 'histogram', 'new', 'new', 'new', 'new'], count: 2 })
    // Released, they go as others do.
    for (let i = 4; i < 8; i++) {
      await append(store, laterMs + i * 3 * HOUR_MS, 'new')
      store.writer.forwarded(progress(rowsOf(store).ids.at(-1)!))
      await store.writer.maintain(laterMs + i * 3 * HOUR_MS)
    }
    await store.reopen(laterMs + 24 * HOUR_MS)
    expect(found().series.every((name) => name === 'new')).toBe(true)
    expect(found().count).toBeUndefined()
  })

  test('fill a buffer that refuses requests, and has room again when they are released', async () => {
    const store = forwarding({ forwardBufferBytesMax: 100_000 })
    let rows = 0
    while (store.writer.stats().forwardBuffer!.usedBytes < 100_000) {
      store.writer.admit()
      await append(store, NOW_MS + rows++ * 1000, 'a', 2000)
    }
    expect(() => {
      store.writer.admit()
    }).toThrow('100000 bytes of samples wait')
    expect(store.writer.stats().forwardBuffer).toMatchObject({ maxBytes: 100_000, refused: 1 })
    // A start counts what is there.
    const { usedBytes } = store.writer.stats().forwardBuffer!
    await store.reopen()
    expect(store.writer.stats().forwardBuffer!.usedBytes).toBe(usedBytes)
    store.writer.forwarded(progress(rows))
    expect(store.writer.stats().forwardBuffer!.usedBytes).toBe(0)
    store.writer.admit()
  })

  test('have numbers that are not used again, and progress that is durable with the next commit', async () => {
    const store = forwarding()
    await append(store, NOW_MS)
    await append(store, NOW_MS + 1)
    store.writer.forwarded({ ...progress(2), exemplar: 7, metadata: 8, remoteStarts: [1000.5] })
    await store.writer.maintain(NOW_MS + 8 * HOUR_MS)
    expect(rowsOf(store).ids).toEqual([])
    await store.reopen(NOW_MS + 8 * HOUR_MS)
    const log = openSampleLog(store.options.dir)
    expect(log.progress()).toEqual({ row: 2, releasedRow: 2, exemplar: 7, metadata: 8, remoteStarts: [1000.5] })
    log.close()
    await append(store, NOW_MS + 8 * HOUR_MS)
    expect(rowsOf(store).ids).toEqual([3])
  })

  test('late samples hold what they need, for as long as their row is there', async () => {
    const store = forwarding({ retentionRawMs: 2 * HOUR_MS })
    await append(store, NOW_MS, 'a')
    store.writer.forwarded(progress(1))
    await append(store, NOW_MS - MINUTE_MS, 'late')
    await append(store, NOW_MS + 5 * HOUR_MS, 'a')
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    await append(store, NOW_MS + 9 * HOUR_MS, 'a')
    await store.writer.maintain(NOW_MS + 9 * HOUR_MS)
    const log = openSampleLog(store.options.dir)
    let ref = 0
    log.eachSample(log.next(1)!, (of) => (ref = of))
    const near: number[] = []
    log.eachSeriesNear(ref, (of) => near.push(of))
    log.close()
    expect(near).toContain(ref)
  })
})
