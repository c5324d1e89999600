import { describe, expect, test } from 'vitest'
import {
  APPENDED,
  APPENDED_BEFORE,
  REFUSED_DUPLICATE,
  REFUSED_OUT_OF_ORDER,
  REFUSED_TOO_OLD,
  type AppendOutcome,
} from '../../src/model/appender.ts'
import { bitsOfValue, HOUR_MS, MINUTE_MS, NOW_MS, samplesOf, STALE_BITS, TempStore, valueOfBits } from './temp-store.ts'

/** `stale` or a value, at minutes from the start. */
type Sample = readonly [minute: number, value: number | 'stale']

function append(store: TempStore, ref: number, [minute, value]: Sample): AppendOutcome {
  const timeMs = NOW_MS + minute * MINUTE_MS
  const { appender } = store.writer
  return value === 'stale' ? appender.appendStale(ref, timeMs) : appender.append(ref, timeMs, value)
}

interface OrderCase {
  readonly name: string
  readonly outOfOrderMs: number
  readonly given: readonly Sample[]
  readonly then: Sample
  readonly outcome: AppendOutcome
}

const CASES: readonly OrderCase[] = [
  { name: 'a newer sample is taken', outOfOrderMs: 0, given: [[0, 1]], then: [1, 1], outcome: APPENDED },
  {
    name: 'the same sample again is a success',
    outOfOrderMs: 0,
    given: [[0, 1]],
    then: [0, 1],
    outcome: APPENDED_BEFORE,
  },
  {
    name: 'another value at its time is a duplicate',
    outOfOrderMs: 0,
    given: [[0, 1]],
    then: [0, 2],
    outcome: REFUSED_DUPLICATE,
  },
  {
    name: 'minus zero is another value than zero',
    outOfOrderMs: 0,
    given: [[0, 0]],
    then: [0, -0],
    outcome: REFUSED_DUPLICATE,
  },
  { name: 'NaN is the same as NaN', outOfOrderMs: 0, given: [[0, NaN]], then: [0, NaN], outcome: APPENDED_BEFORE },
  {
    name: 'NaN is not a stale marker',
    outOfOrderMs: 0,
    given: [[0, NaN]],
    then: [0, 'stale'],
    outcome: REFUSED_DUPLICATE,
  },
  {
    name: 'a stale marker again is a success',
    outOfOrderMs: 0,
    given: [[0, 'stale']],
    then: [0, 'stale'],
    outcome: APPENDED_BEFORE,
  },
  {
    name: 'without a window an older sample is out of order',
    outOfOrderMs: 0,
    given: [
      [0, 1],
      [2, 1],
    ],
    then: [1, 1],
    outcome: REFUSED_OUT_OF_ORDER,
  },
  {
    name: 'without a window an older repeat is a success',
    outOfOrderMs: 0,
    given: [
      [0, 1],
      [2, 1],
    ],
    then: [0, 1],
    outcome: APPENDED_BEFORE,
  },
  {
    name: 'an older time with another value is a duplicate',
    outOfOrderMs: 0,
    given: [
      [0, 1],
      [2, 1],
    ],
    then: [0, 5],
    outcome: REFUSED_DUPLICATE,
  },
  {
    name: 'within the window an older sample is taken',
    outOfOrderMs: HOUR_MS,
    given: [
      [0, 1],
      [60, 1],
    ],
    then: [30, 7],
    outcome: APPENDED,
  },
  {
    name: 'the edge of the window is inside',
    outOfOrderMs: HOUR_MS,
    given: [[60, 1]],
    then: [0, 7],
    outcome: APPENDED,
  },
  {
    name: 'beyond the edge is out of order',
    outOfOrderMs: HOUR_MS,
    given: [[60, 1]],
    then: [-1, 7],
    outcome: REFUSED_OUT_OF_ORDER,
  },
  {
    name: 'a late sample again is a success',
    outOfOrderMs: HOUR_MS,
    given: [
      [60, 1],
      [30, 7],
    ],
    then: [30, 7],
    outcome: APPENDED_BEFORE,
  },
  {
    name: 'a late sample with another value is a duplicate',
    outOfOrderMs: HOUR_MS,
    given: [
      [60, 1],
      [30, 7],
    ],
    then: [30, 8],
    outcome: REFUSED_DUPLICATE,
  },
  {
    name: 'a time between the samples of a run is free',
    outOfOrderMs: HOUR_MS,
    given: [
      [0, 1],
      [2, 1],
      [4, 1],
    ],
    then: [3, 1],
    outcome: APPENDED,
  },
  {
    name: 'a time inside a run is known',
    outOfOrderMs: HOUR_MS,
    given: [
      [0, 1],
      [2, 1],
      [4, 1],
    ],
    then: [2, 1],
    outcome: APPENDED_BEFORE,
  },
  {
    name: 'before the retention is too old',
    outOfOrderMs: HOUR_MS,
    given: [],
    then: [-31 * 24 * 60, 1],
    outcome: REFUSED_TOO_OLD,
  },
  {
    name: 'the first sample of a series may be old',
    outOfOrderMs: 0,
    given: [],
    then: [-29 * 24 * 60, 1],
    outcome: APPENDED,
  },
]

describe('order', () => {
  test.each(CASES)('$name', async ({ outOfOrderMs, given, then, outcome }) => {
    const store = new TempStore({ outOfOrderMs })
    const ref = store.resolve({ __name__: 'up' })
    for (const sample of given) expect(append(store, ref, sample)).toBe(APPENDED)
    const before = store.writer.stats()
    expect(append(store, ref, then)).toBe(outcome)
    expect(store.writer.stats().headSamples - before.headSamples).toBe(outcome === APPENDED ? 1 : 0)
    await store.writer.appender.commit()
    // The same answer after a restart, but for what is now there.
    await store.reopen()
    expect(append(store, ref, then)).toBe(outcome === APPENDED ? APPENDED_BEFORE : outcome)
  })

  test('late samples are read in their place', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    for (const minute of [0, 10, 20, 5, 15, 1, 30, 2]) append(store, ref, [minute, minute])
    await store.writer.appender.commit()
    const expected = [0, 1, 2, 5, 10, 15, 20, 30].map((minute) => [NOW_MS + minute * MINUTE_MS, bitsOfValue(minute)])
    expect(store.all()['up']).toEqual(expected)
    await store.reopen()
    expect(store.all()['up']).toEqual(expected)
  })

  test('many late samples are merged and stay exact', async () => {
    const store = new TempStore({ outOfOrderMs: 2 * HOUR_MS })
    const ref = store.resolve({ __name__: 'up' })
    append(store, ref, [100, 0])
    for (let i = 0; i < 500; i++) expect(append(store, ref, [((i * 37) % 500) / 10, i])).toBe(APPENDED)
    for (let i = 0; i < 500; i++) expect(append(store, ref, [((i * 37) % 500) / 10, i])).toBe(APPENDED_BEFORE)
    await store.writer.appender.commit()
    const samples = store.all()['up']!
    expect(samples).toHaveLength(501)
    expect(samples.map(([timeMs]) => timeMs)).toEqual(samples.map(([timeMs]) => timeMs).sort((a, b) => a - b))
    expect(samples[37]).toEqual([NOW_MS + 3.7 * MINUTE_MS, bitsOfValue(1)])
  })

  test('epoch and negative times are times like others when the retention is long', async () => {
    const store = new TempStore({ retentionRawMs: 1e15 })
    const ref = store.resolve({ __name__: 'up' })
    for (const timeMs of [-1000, 0, 1000]) expect(store.writer.appender.append(ref, timeMs, 1)).toBe(APPENDED)
    await store.writer.appender.commit()
    await store.writer.maintain(NOW_MS)
    expect(store.writer.stats().headSamples).toBe(0)
    await store.reopen()
    expect(store.all()['up']!.map(([timeMs]) => timeMs)).toEqual([-1000, 0, 1000])
  })

  test('bits of any NaN, and of a stale marker, survive head, log, chunk and restart', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    const bits = [0x7ff8000000000001n, 0x7ff80000deadbeefn, 0xfff8000000000000n, 0xfff800000000beefn]
    bits.forEach((word, i) => store.writer.appender.append(ref, NOW_MS + i, valueOfBits(word)))
    store.writer.appender.appendStale(ref, NOW_MS + 10)
    await store.writer.appender.commit()
    const expected = [...bits.map((word) => word.toString(16)), STALE_BITS]
    const got = (): string[] => store.all()['up']!.map(([, word]) => word)
    expect(got()).toEqual(expected)
    await store.reopen()
    expect(got()).toEqual(expected)
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    expect(store.writer.stats()).toMatchObject({ headSamples: 0, logBytes: 0 })
    expect(got()).toEqual(expected)
    await store.reopen()
    expect(got()).toEqual(expected)
  })

  test('a repeat of the newest flushed sample is still recognised', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    append(store, ref, [0, 1])
    append(store, ref, [1, 2])
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    await store.reopen(NOW_MS + 5 * HOUR_MS)
    expect(append(store, ref, [1, 2])).toBe(APPENDED_BEFORE)
    expect(append(store, ref, [1, 3])).toBe(REFUSED_DUPLICATE)
    expect(append(store, ref, [0, 1])).toBe(REFUSED_OUT_OF_ORDER)
    expect(append(store, ref, [2, 1])).toBe(APPENDED)
    append(store, ref, [300, 1])
    expect(append(store, ref, [1, 3])).toBe(REFUSED_DUPLICATE)
  })

  test('a column holds its samples and no more', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    append(store, ref, [0, 1])
    await store.writer.appender.commit()
    const [series] = store.reader.select({ matchers: [], fromMs: NOW_MS, toMs: NOW_MS, maxSamples: 1 })
    expect(series).toMatchObject({ ref, count: 1 })
    expect(samplesOf(series!)).toEqual([[NOW_MS, bitsOfValue(1)]])
  })
})
