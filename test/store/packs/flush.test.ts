import { describe, expect, test } from 'vitest'
import { RETRY_WINDOW_MS } from '../../../src/store/options.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'

describe('a flush', () => {
  const CUT_MS = Math.floor((NOW_MS - Math.max(HOUR_MS, RETRY_WINDOW_MS)) / MINUTE_MS) * MINUTE_MS
  const options = { flushEveryMs: MINUTE_MS, outOfOrderMs: HOUR_MS }

  test('has the sample at its cut, whose row of the log goes', async () => {
    const store = new TempStore(options)
    store.writer.appender.append(store.resolve({ __name__: 'at_the_cut' }), CUT_MS, 7)
    await store.writer.appender.commit()
    await store.writer.maintain(NOW_MS)
    expect(store.writer.stats()).toMatchObject({ headSamples: 0, logBytes: 0 })
    await store.reopen()
    expect(Object.values(store.all())[0]).toHaveLength(1)
  })

  test('leaves what is newer, and takes late samples with it that arrived after newer ones', async () => {
    const store = new TempStore(options)
    const { appender } = store.writer
    const [newer, both] = ['newer', 'both'].map((name) => store.resolve({ __name__: name })) as [number, number]
    for (const ref of [newer, both]) appender.append(ref, CUT_MS + 1, 1)
    appender.append(both, CUT_MS - MINUTE_MS, 2)
    await appender.commit()
    await store.writer.maintain(NOW_MS)
    expect(store.writer.stats().headSamples).toBe(2)
    await store.reopen()
    expect(Object.values(store.all()).map((samples) => samples.length)).toEqual([1, 2])
  })
})
