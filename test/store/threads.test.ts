import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { Matcher } from '../../src/model/matcher.ts'
import { HeadMemory } from '../../src/store/head/head-memory.ts'
import { compiled } from './compiled.ts'
import { appendBatch, SAMPLES_PER_BATCH, workNowMs } from './workload.ts'
import { HOUR_MS, NOW_MS, TempStore } from './temp-store.ts'

const READER = compiled('reader-thread.ts')
const BATCHES = 200

describe('a reader on another thread', () => {
  test('never sees a torn, lost or repeated sample while the writer appends and flushes', async () => {
    const store = new TempStore({ outOfOrderMs: 10 * 60_000, flushEveryMs: 60_000 }, workNowMs(0))
    const share = store.writer.share()
    const progress = new Int32Array(new SharedArrayBuffer(12))
    const worker = new Worker(READER, {
      workerData: { dir: store.options.dir, share, progress },
      transferList: [share.port],
    })
    const send = async (batch: number): Promise<void> => {
      Atomics.store(progress, 1, batch + 1)
      appendBatch(store.writer.appender, batch)
      await store.writer.appender.commit()
      Atomics.store(progress, 0, batch + 1)
      await store.writer.maintain(workNowMs(batch * SAMPLES_PER_BATCH))
    }
    await send(0)
    await once(worker, 'message')
    for (let batch = 1; batch < BATCHES; batch++) await send(batch)
    const ended = once(worker, 'message')
    Atomics.store(progress, 2, 1)
    const [result] = (await ended) as [{ readonly reads: number; readonly faults: readonly string[] }]
    expect(result.faults).toEqual([])
    expect(result.reads).toBeGreaterThan(10)
    expect(store.writer.stats().flushesDone).toBeGreaterThan(50)
    store.writer.unshare(share.reader)
  }, 120_000)
})

describe('memory that was unlinked', () => {
  test('is not used again while a reader is in the epoch in which it could reach it', async () => {
    const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: HOUR_MS })
    const share = store.writer.share()
    const memory = new HeadMemory(share.head)
    const ref = store.resolve({ __name__: 'up' })
    const fill = (from: number): void => {
      for (let i = 0; i < 1000; i++) store.writer.appender.append(ref, from + i, i)
    }
    fill(NOW_MS)
    const full = store.writer.stats().headBytes
    memory.pin(share.reader)
    await store.writer.maintain(NOW_MS + 2 * HOUR_MS)
    expect(store.writer.stats().headSamples).toBe(0)
    fill(NOW_MS + 2 * HOUR_MS)
    expect(store.writer.stats().headBytes).toBe(2 * full)
    memory.unpin(share.reader)
    await store.writer.maintain(NOW_MS + 2 * HOUR_MS)
    expect(store.writer.stats().headBytes).toBe(full)
    share.port.close()
  })

  test('is held by a read from its beginning to its end', () => {
    const store = new TempStore()
    const memory = new HeadMemory(store.writer.share().head)
    const seen: number[] = []
    const matcher: Matcher = {
      name: '__name__',
      op: '=',
      // Asked for in the middle of the read.
      get value() {
        seen.push(memory.oldestPinnedEpoch())
        return 'up'
      },
    }
    Array.from(store.reader.series([matcher], { fromMs: 0, toMs: NOW_MS }))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.every((epoch) => Number.isFinite(epoch))).toBe(true)
    expect(memory.oldestPinnedEpoch()).toBe(Infinity)
  })

  test('comes back when a reader that died in a read is let go', async () => {
    const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: HOUR_MS })
    const share = store.writer.share()
    new HeadMemory(share.head).pin(share.reader)
    const ref = store.resolve({ __name__: 'up' })
    for (let i = 0; i < 1000; i++) store.writer.appender.append(ref, NOW_MS + i, i)
    await store.writer.maintain(NOW_MS + 2 * HOUR_MS)
    expect(store.writer.stats().headBytes).toBeGreaterThan(0)
    store.writer.unshare(share.reader)
    await store.writer.maintain(NOW_MS + 2 * HOUR_MS)
    expect(store.writer.stats().headBytes).toBe(0)
  })

  test('is bounded in readers: one too many is refused, and a place is free again afterwards', () => {
    const store = new TempStore()
    const shares = Array.from({ length: 14 }, () => store.writer.share())
    expect(() => store.writer.share()).toThrow(expect.objectContaining({ code: 'overloaded' }))
    store.writer.unshare(shares[3]!.reader)
    expect(store.writer.share().reader).toBe(shares[3]!.reader)
  })
})
