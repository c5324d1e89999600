import { describe, expect, test } from 'vitest'
import { APPENDED } from '../../src/model/appender.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from './temp-store.ts'

/** Some hours of the past of many series, all at one moment of the clock. */
async function sendBacklog(store: TempStore, hours: number, maintained: () => void = () => undefined): Promise<number> {
  const { appender } = store.writer
  const refs = Array.from({ length: 40 }, (_, i) => store.resolve({ __name__: 'backlog', series: String(i) }))
  let samples = 0
  for (let hour = 0; hour < hours; hour++) {
    for (const [i, ref] of refs.entries()) {
      for (let minute = 0; minute < 60; minute++) {
        const timeMs = NOW_MS - 72 * HOUR_MS + hour * HOUR_MS + minute * MINUTE_MS
        expect(appender.append(ref, timeMs, Math.sin(samples++ * (i + 1)))).toBe(APPENDED)
      }
    }
    await appender.commit()
    await store.writer.maintain(NOW_MS)
    maintained()
  }
  return samples
}

describe('a backlog', () => {
  test('does not wait for the clock: it is flushed as soon as it makes the log long', async () => {
    const store = new TempStore({ flushLogBytes: 100_000, flushEveryMs: 2 * HOUR_MS, outOfOrderMs: HOUR_MS })
    await store.writer.maintain(NOW_MS)
    const samples = await sendBacklog(store, 20)
    expect(store.writer.stats().flushesDone).toBeGreaterThan(2)
    expect(store.writer.stats().logBytes).toBeLessThan(200_000)
    expect(store.writer.stats().headSamples).toBeLessThan(samples / 4)
    expect(Object.values(store.all()).flat()).toHaveLength(samples)
    await store.reopen(NOW_MS)
    expect(Object.values(store.all()).flat()).toHaveLength(samples)
  })

  test('fresh samples that make the log long are not flushed before their time: a flush would find nothing', async () => {
    const store = new TempStore({ flushLogBytes: 1000, flushEveryMs: MINUTE_MS, outOfOrderMs: HOUR_MS })
    await store.writer.maintain(NOW_MS)
    const { appender } = store.writer
    const { flushesDone } = store.writer.stats()
    const ref = store.resolve({ __name__: 'fresh' })
    const send = async (fromMs: number): Promise<number> => {
      for (let i = 0; i < 1000; i++) appender.append(ref, fromMs + i, Math.sin(i))
      await appender.commit()
      await store.writer.maintain(NOW_MS)
      return store.writer.stats().flushesDone - flushesDone
    }
    expect(await send(NOW_MS)).toBe(0)
    expect(store.writer.stats().logBytes).toBeGreaterThan(1000)
    // One sample of the time before the cut is reason enough.
    appender.append(store.resolve({ __name__: 'old' }), NOW_MS - 72 * HOUR_MS, 1)
    expect(await send(NOW_MS + 1000)).toBe(1)
    expect(await send(NOW_MS + 2000)).toBe(1)
  })

  test('is rolled up when it is over, and at once when many blocks of it wait', async () => {
    const store = new TempStore({ flushLogBytes: 100_000, flushEveryMs: 2 * HOUR_MS, outOfOrderMs: HOUR_MS })
    const waiting: number[] = []
    await sendBacklog(store, 60, () => waiting.push(store.writer.stats().rollups.backlogBlocks))
    expect(waiting).toContain(1)
    // Eight are too many.
    expect(Math.max(...waiting)).toBe(7)
    await store.writer.maintain(NOW_MS)
    expect(store.writer.stats().rollups).toMatchObject({ backlogBlocks: 0, lastProgressMs: NOW_MS })
  })
})
