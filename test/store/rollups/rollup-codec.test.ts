import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BUCKET_ENDS_STALE, BUCKET_HAS_NEGATIVE, BUCKET_IS_INTEGER } from '../../../src/model/rollup.ts'
import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../../../src/model/sample.ts'
import { BucketList, bucketOf } from '../../../src/store/rollups/bucket-list.ts'
import { highWordOf, lowWordOf, MalformedBytesError } from '../../../src/store/bytes.ts'
import { decodeBuckets } from '../../../src/store/rollups/rollup-codec.ts'
import {
  decodeEdges,
  decodeParts,
  partAt,
  RollupFiller,
  type RollupPack,
} from '../../../src/store/rollups/rollup-pack.ts'
import { RunList } from '../../../src/store/head/run-list.ts'

const WIDTH_MS = 300_000
const BOTH = { extremes: true, sums: true }

type Sample = readonly [timeMs: number, value: number | 'stale']

function runsOf(samples: readonly Sample[]): RunList {
  const runs = new RunList()
  for (const [timeMs, value] of samples) {
    if (value === 'stale') runs.pushSample(timeMs, STALE_LOW_WORD, STALE_HIGH_WORD)
    else runs.pushSample(timeMs, lowWordOf(value), highWordOf(value))
  }
  return runs
}

function listOf(samples: readonly Sample[], widthMs = WIDTH_MS): BucketList {
  const list = new BucketList(widthMs)
  list.pushRuns(runsOf(samples))
  return list
}

interface Bucket {
  readonly number: number
  readonly count: number
  readonly endsStale: boolean
  readonly values: readonly number[]
}

/** What counts of each bucket. */
function bucketsOf(list: BucketList): readonly Bucket[] {
  return Array.from({ length: list.count }, (_, i) => {
    const count = list.counts[i]!
    const columns = [
      list.flags[i]! & BUCKET_IS_INTEGER,
      list.flags[i]! & BUCKET_HAS_NEGATIVE,
      list.firstsMs[i]!,
      list.lastsMs[i]!,
      list.firsts[i]!,
      list.lasts[i]!,
      list.resets[i]!,
      list.resetSums[i]!,
      list.changes[i]!,
      list.mins[i]!,
      list.maxs[i]!,
      list.sums[i]!,
    ]
    const endsStale = (list.flags[i]! & BUCKET_ENDS_STALE) !== 0
    return { number: list.numbers[i]!, count, endsStale, values: count === 0 ? [] : columns }
  })
}

/** The same, sample by sample, as PromQL's functions go through a window. */
function plainBuckets(samples: readonly Sample[]): readonly Bucket[] {
  const byNumber = new Map<number, Sample[]>()
  for (const sample of samples) {
    const number = Math.floor((sample[0] - 1) / WIDTH_MS)
    byNumber.set(number, [...(byNumber.get(number) ?? []), sample])
  }
  return [...byNumber].map(([number, all]) => {
    const kept = all.filter((sample): sample is readonly [number, number] => sample[1] !== 'stale')
    const endsStale = all[all.length - 1]![1] === 'stale'
    if (kept.length === 0) return { number, count: 0, endsStale, values: [] }
    const values = kept.map(([, value]) => value)
    const falls: number[] = []
    let changes = 0
    values.forEach((value, i) => {
      if (i === 0) return
      const before = values[i - 1]!
      if (value < before) falls.push(before)
      if (value !== before && !(Number.isNaN(value) && Number.isNaN(before))) changes++
    })
    return {
      number,
      count: values.length,
      endsStale,
      values: [
        values.every((value) => Number.isInteger(value) && !Object.is(value, -0)) ? BUCKET_IS_INTEGER : 0,
        values.some((value) => value < 0) ? BUCKET_HAS_NEGATIVE : 0,
        kept[0]![0],
        kept[kept.length - 1]![0],
        values[0]!,
        values[values.length - 1]!,
        falls.length,
        falls.length === 0 ? 0 : falls.reduce((sum, value) => sum + value),
        changes,
        values.reduce((least, value) => (value < least || Number.isNaN(least) ? value : least)),
        values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most)),
        values.slice(1).reduce((sum, value) => sum + value, values[0]!),
      ],
    }
  })
}

/** Sums of numbers that are not integers may differ by the error of adding; all else has its bits. */
function expectSame(got: readonly Bucket[], want: readonly Bucket[]): void {
  const RESET_SUM = 7
  const SUM = 11
  const comparable = (buckets: readonly Bucket[]): unknown =>
    buckets.map((bucket) => {
      const [isInteger, , , , , , resets] = bucket.values
      const sum = bucket.values[SUM]
      const isSafe = isInteger === 1 && Math.abs(sum!) < 2 ** 50
      const inexact = new Set([...(isSafe ? [] : [SUM]), ...(isSafe || resets! < 2 ? [] : [RESET_SUM])])
      return { ...bucket, values: bucket.values.filter((_, i) => !inexact.has(i)) }
    })
  expect(comparable(got)).toEqual(comparable(want))
  want.forEach((bucket, i) => {
    const [, , , , , , , , , min, max, sum] = bucket.values
    const error = bucket.count * Math.max(Math.abs(min!), Math.abs(max!)) * 2 ** -40
    const gotSum = got[i]!.values[SUM]!
    if (Number.isFinite(error) && !Number.isNaN(sum)) expect(Math.abs(gotSum - sum!)).toBeLessThanOrEqual(error)
  })
}

function packed(list: BucketList): BucketList {
  const filler = new RollupFiller()
  filler.push(7, list)
  return unpacked(filler.take(), 0)
}

function unpacked(pack: RollupPack, index: number): BucketList {
  const { base, chunks, count } = decodeEdges(pack.edges)
  const into = new BucketList(WIDTH_MS)
  const chunk = {
    edges: partAt(chunks, index),
    extremes: partAt(decodeParts(pack.extremes, count), index),
    sums: partAt(decodeParts(pack.sums, count), index),
  }
  decodeBuckets(chunk, base, BOTH, into)
  return into
}

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<number | 'stale'>(0, 1, 1, 1, 42, 43, 'stale') },
  { weight: 3, arbitrary: fc.integer({ min: -1000, max: 100_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 100_000 }).map((n) => n / 100) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity, -0, Number.MAX_SAFE_INTEGER, 2 ** 60, 1e300) },
)
/** One kind of number at a time, so that each form of a chunk comes often enough. */
const values = fc.oneof(
  fc.array(value, { minLength: 1, maxLength: 80 }),
  fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 80 }),
  fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 80 }).map((steps) => {
    let sum = 0
    return steps.map((step) => (sum = step === 13 ? 0 : sum + step))
  }),
  fc.array(
    fc.integer({ min: 0, max: 500 }).map((n) => n / 10),
    { minLength: 1, maxLength: 80 },
  ),
)
const samples: fc.Arbitrary<readonly Sample[]> = fc
  .tuple(
    values,
    fc.array(fc.constantFrom(15_000, 30_000, 30_000, 30_000, 30_007, 600_000, 4_000_000), {
      minLength: 80,
      maxLength: 80,
    }),
    fc.integer({ min: -10_000_000, max: 10_000_000 }),
  )
  .map(([all, steps, startMs]) => {
    let timeMs = startMs
    return all.map((one, i): Sample => [(timeMs += steps[i]!), one])
  })

describe('rollups', () => {
  test('a list of buckets says what its samples say', () => {
    fc.assert(
      fc.property(samples, (all) => {
        expectSame(bucketsOf(listOf(all)), plainBuckets(all))
      }),
      { numRuns: 300, seed: 20_261_121 },
    )
  })

  test('parts that are joined are the whole, and wide buckets can be made of narrow ones', () => {
    fc.assert(
      fc.property(samples, fc.nat(80), (all, cut) => {
        const parts = [all.slice(0, cut), all.slice(cut)].map((part) => listOf(part))
        const joined = new BucketList(WIDTH_MS)
        for (const part of parts) joined.pushAll(part)
        expectSame(bucketsOf(joined), plainBuckets(all))
        const narrow = listOf(all, WIDTH_MS / 5)
        const wide = new BucketList(WIDTH_MS)
        wide.pushAll(narrow)
        expectSame(bucketsOf(wide), plainBuckets(all))
      }),
      { numRuns: 300, seed: 20_261_121 },
    )
  })

  test('a pack gives back what was put into it, also behind what was there', () => {
    fc.assert(
      fc.property(samples, fc.nat(80), (all, cut) => {
        expectSame(bucketsOf(packed(listOf(all))), plainBuckets(all))
        const filler = new RollupFiller()
        const parts = [all.slice(0, cut), all.slice(cut)].filter((part) => part.length > 0)
        for (const [i, part] of parts.entries()) filler.push(i + 1, listOf(part))
        const pack = filler.take()
        const joined = new BucketList(WIDTH_MS)
        for (const i of parts.keys()) {
          const { base, chunks, count } = decodeEdges(pack.edges)
          const extremes = partAt(decodeParts(pack.extremes, count), i)
          const sums = partAt(decodeParts(pack.sums, count), i)
          decodeBuckets({ edges: partAt(chunks, i), extremes, sums }, base, BOTH, joined)
        }
        expectSame(bucketsOf(joined), plainBuckets(all))
      }),
      { numRuns: 400, seed: 20_261_121 },
    )
  })

  test('what goes on as before costs nothing', () => {
    const sizeOf = (valueAt: (i: number) => number): number => {
      const all = Array.from({ length: 5000 }, (_, i): Sample => [i * 30_000 + 30_000, valueAt(i)])
      const filler = new RollupFiller()
      filler.push(1, listOf(all))
      const { edges, extremes, sums } = filler.take()
      return edges.length + extremes.length + sums.length
    }
    expect(sizeOf(() => 7)).toBeLessThan(70)
    expect(sizeOf((i) => 1000 + i * 3)).toBeLessThan(80)
  })

  test.each([
    [0, -1],
    [1, 0],
    [300_000, 0],
    [300_001, 1],
    [-299_999, -1],
    [-300_000, -2],
    [300_000 * 30_000_000_000, 29_999_999_999],
    [300_000 * 30_000_000_000 + 1, 30_000_000_000],
  ])('%d ms is in bucket %d: buckets are open at their old end', (timeMs, number) => {
    expect(bucketOf(timeMs, WIDTH_MS)).toBe(number)
  })

  test('damaged bytes are refused or read as other numbers, and never read outside', () => {
    const all = Array.from({ length: 60 }, (_, i): Sample => [i * 30_000, i % 7 === 6 ? Math.sin(i) : i % 5])
    const list = listOf(all)
    const filler = new RollupFiller()
    filler.push(1, list)
    const { edges } = filler.take()
    const { base, chunks } = decodeEdges(edges)
    const good = partAt(chunks, 0)
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 }), fc.boolean(), (at, byte, cutsOff) => {
        const damaged = cutsOff ? good.slice(0, at) : good.slice()
        if (!cutsOff) damaged[at] = byte
        const chunk = { edges: damaged, extremes: new Uint8Array(0), sums: new Uint8Array(0) }
        try {
          decodeBuckets(chunk, base, { extremes: false, sums: false }, new BucketList(WIDTH_MS))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
      { numRuns: 1000, seed: 20_261_121 },
    )
    for (const bytes of [new Uint8Array(0), edges.slice(0, 9), Uint8Array.of(1, 2, 3)]) {
      expect(() => decodeEdges(bytes)).toThrow(MalformedBytesError)
      expect(() => decodeParts(bytes, 3)).toThrow(MalformedBytesError)
    }
  })

  test('a number of buckets that no block has is malformed before it takes memory', () => {
    const chunk = { edges: Uint8Array.of(0, 0x80, 0x89, 0x7a), extremes: new Uint8Array(0), sums: new Uint8Array(0) }
    const decode = (): void => {
      decodeBuckets(chunk, 0, { extremes: false, sums: false }, new BucketList(WIDTH_MS))
    }
    expect(decode).toThrow(MalformedBytesError)
    expect(decode).toThrow('rollup of 2000000 buckets')
  })
})
