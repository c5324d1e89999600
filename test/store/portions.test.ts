import { expect, test } from 'vitest'
import type { Labels } from '../../src/model/labels.ts'
import type { Matcher } from '../../src/model/matcher.ts'
import { listed } from '../support/portions.ts'
import { HOUR_MS, NOW_MS, TempStore } from './temp-store.ts'

// What is stored is listed in portions: between two of them other work runs, and the store may change.

const SERIES = 5000
const BY_NAME: readonly Matcher[] = [{ name: '__name__', op: '=~', value: 'm_.*' }]
const RECENT = { fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS }

/** Half of the series has a recent sample, and the other half one of five hours ago, which is flushed. */
async function filled(): Promise<TempStore> {
  const store = new TempStore()
  const { appender } = store.writer
  for (let i = 0; i < SERIES; i++) {
    const ref = store.resolve({ __name__: `m_${i % 3}`, cluster: `c-${Math.floor(i / 100)}`, pod: `p-${i}` })
    appender.append(ref, i % 2 === 0 ? NOW_MS : NOW_MS - 5 * HOUR_MS, i)
  }
  await appender.commit()
  await store.writer.maintain(NOW_MS)
  return store
}

test('series, names and values are the same as in one piece, in portions of 2,048 at most', async () => {
  const { reader } = await filled()
  const all = { fromMs: -Infinity, toMs: Infinity }
  for (const [range, count] of [
    [RECENT, SERIES / 2],
    [{ fromMs: NOW_MS - 6 * HOUR_MS, toMs: NOW_MS - 4 * HOUR_MS }, SERIES / 2],
    [all, SERIES],
    [{ fromMs: NOW_MS + 1, toMs: NOW_MS + 2 }, 0],
  ] as const) {
    const portions = [...reader.series(BY_NAME, range)]
    expect(new Set(portions.flat().map((labels) => labels.key)).size).toBe(count)
    expect(portions.flat()).toHaveLength(count)
    expect(Math.max(...portions.map(({ length }) => length))).toBeLessThanOrEqual(2048)
    expect(portions.length).toBeGreaterThanOrEqual(3)
    expect(listed(reader.labelValues('pod', BY_NAME, range))).toHaveLength(count)
    expect(listed(reader.labelNames(BY_NAME, range))).toEqual(count === 0 ? [] : ['__name__', 'cluster', 'pod'])
  }
})

test('the newest samples are those of one piece, in portions of 1,024', async () => {
  const { reader } = await filled()
  const request = {
    matchers: BY_NAME,
    fromMs: -Infinity,
    toMs: NOW_MS,
    maxSamples: 1e6,
    hint: { isNewestOnly: true, rangeMs: 0 },
  }
  const portions = [...reader.selectNewest(request)]
  expect(portions.map(({ length }) => length)).toEqual([1024, 1024, 1024, 1024, 904])
  expect(portions.flat()).toEqual(reader.select(request))
  expect(portions.flat().map(({ values, count }) => [count, values[0]])).toEqual(
    Array.from({ length: SERIES }, (_, i) => [1, i]),
  )
})

test('a series that is removed between two portions is left out, and others stay', async () => {
  const store = await filled()
  const portions = store.reader.series(BY_NAME, RECENT)[Symbol.iterator]()
  const first = portions.next().value as readonly Labels[]
  // Long after the retention of all samples but those of one cluster that goes on.
  const laterMs = NOW_MS + 500 * 24 * HOUR_MS
  const kept = store.resolve({ __name__: 'm_0', cluster: 'kept', pod: 'p' })
  store.writer.appender.append(kept, laterMs, 1)
  await store.writer.appender.commit()
  for (let hour = 0; hour < 40 && store.writer.stats().seriesCount > 1; hour++) {
    await store.writer.maintain(laterMs + hour * HOUR_MS)
  }
  const rest = [...{ [Symbol.iterator]: () => portions }].flat()
  const left = new Set(
    [...store.reader.series(BY_NAME, { fromMs: -Infinity, toMs: Infinity })].flat().map(({ key }) => key),
  )
  expect(first.length).toBeGreaterThan(0)
  for (const { key } of rest) expect(left.has(key)).toBe(true)
})
