import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteReader, ByteWriter, highWordOf, lowWordOf, MalformedBytesError } from '../../src/store/bytes.ts'
import { encodeChunk } from '../../src/store/packs/chunk-codec.ts'
import { decodeChunk } from '../../src/store/packs/chunk-reader.ts'
import { LogBuffer, readLogPayload } from '../../src/store/log/log-codec.ts'
import {
  chunkAt,
  decodeDirectory,
  encodePack,
  inflatePayload,
  PACK_SERIES,
  PackFiller,
  type Chunk,
} from '../../src/store/packs/pack-codec.ts'
import { mergeRuns, RunList } from '../../src/store/head/run-list.ts'

const timeMs = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.maxSafeInteger())
const value = fc.oneof(fc.constantFrom(0, -0, 1, NaN, Infinity, -1, 2 ** 53, -(2 ** 53)), fc.integer(), fc.double())

interface Sample {
  readonly timeMs: number
  readonly low: number
  readonly high: number
}

function sampleOf(time: number, number: number): Sample {
  return { timeMs: time, low: lowWordOf(number), high: highWordOf(number) }
}

function samplesOf(runs: RunList): Sample[] {
  return Array.from({ length: runs.count }, (_, run) =>
    Array.from({ length: runs.counts[run]! }, (_unused, i) => ({
      timeMs: runs.startsMs[run]! + runs.deltasMs[run]! * i,
      low: runs.lows[run]!,
      high: runs.highs[run]!,
    })),
  ).flat()
}

/** Rising times, many of them evenly spaced, few values. */
const column = fc
  .array(fc.record({ time: timeMs, value, repeats: fc.nat(5), deltaMs: fc.integer({ min: 1, max: 60_000 }) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((runs) => {
    const byTime = new Map<number, number>()
    for (const run of runs) {
      for (let i = 0; i <= run.repeats; i++) byTime.set(run.time + i * run.deltaMs, run.value)
    }
    return [...byTime]
      .filter(([time]) => Number.isSafeInteger(time))
      .sort(([a], [b]) => a - b)
      .map(([time, number]) => sampleOf(time, number))
  })

function runsOf(samples: readonly Sample[]): RunList {
  const runs = new RunList()
  for (const { timeMs: time, low, high } of samples) runs.pushSample(time, low, high)
  return runs
}

describe('numbers', () => {
  test('come back exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger()), (numbers) => {
        const writer = new ByteWriter(1)
        for (const number of numbers) {
          writer.reserve(20)
          writer.signed(number)
          writer.unsigned(Math.abs(number))
        }
        const reader = new ByteReader(writer.take())
        for (const number of numbers) {
          expect(reader.signed()).toBe(number)
          expect(reader.unsigned()).toBe(Math.abs(number))
        }
        expect(reader.isAtEnd).toBe(true)
      }),
    )
  })

  test.each([
    ['nothing', []],
    ['a number that stops in the middle', [0x80]],
    ['a number without an end', Array.from({ length: 20 }, () => 0xff)],
    ['a number above the safe integers', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
  ])('%s is malformed', (_name, bytes) => {
    expect(() => new ByteReader(Uint8Array.from(bytes)).unsigned()).toThrow(MalformedBytesError)
    expect(() => new ByteReader(Uint8Array.from(bytes)).signed()).toThrow(MalformedBytesError)
  })
})

describe('a list of runs', () => {
  test('keeps its samples, in as few runs as fit', () => {
    fc.assert(
      fc.property(column, (samples) => {
        expect(samplesOf(runsOf(samples))).toEqual(samples)
      }),
    )
    expect(runsOf([0, 10, 20, 30].map((time) => sampleOf(time, 7))).count).toBe(1)
  })

  test('splits at a time, the time itself on the older side', () => {
    fc.assert(
      fc.property(column, timeMs, (samples, cutMs) => {
        const runs = runsOf(samples)
        const older = new RunList()
        runs.splitOlder(cutMs, older)
        expect(samplesOf(older)).toEqual(samples.filter((sample) => sample.timeMs <= cutMs))
        expect(samplesOf(runs)).toEqual(samples.filter((sample) => sample.timeMs > cutMs))
      }),
    )
  })

  test('merges late samples, each time once, the one in order first', () => {
    fc.assert(
      fc.property(column, column, (inOrder, late) => {
        const merged = new RunList()
        mergeRuns(runsOf(inOrder), runsOf(late), merged)
        const times = new Set(inOrder.map((sample) => sample.timeMs))
        const expected = [...inOrder, ...late.filter((sample) => !times.has(sample.timeMs))]
        expect(samplesOf(merged)).toEqual(expected.sort((a, b) => a.timeMs - b.timeMs))
      }),
    )
  })
})

describe('a chunk', () => {
  test('comes back with its bits', () => {
    fc.assert(
      fc.property(
        column.filter((samples) => samples.length > 0),
        (samples) => {
          const decoded = new RunList()
          decodeChunk(encodeChunk(runsOf(samples)), samples[0]!.timeMs, decoded)
          expect(samplesOf(decoded)).toEqual(samples)
        },
      ),
      { numRuns: 300 },
    )
  })

  const times = Array.from({ length: 240 }, (_, i) => 1_760_000_000_000 + i * 30_000)
  test.each([
    ['constant', () => 1, 10],
    ['a counter', (i: number) => 1000 + i * 7, 2.1 * 240],
    ['a gauge of two decimals', (i: number) => 20 + (i % 17) / 100, 2.1 * 240],
    ['nine decimals', (i: number) => 1 + (i % 5) * 1e-9, 2.1 * 240],
    ['a float whose lower half changes', (i: number) => 1 / 3 + i * 2 ** -52, 4 * 240],
    ['floats without an end', (i: number) => Math.sin(i), 10.1 * 240],
  ])('of %s is as short as it can be', (_name, valueAt, bytesMax) => {
    const samples = times.map((time, i) => sampleOf(time, valueAt(i)))
    const payload = encodeChunk(runsOf(samples))
    expect(payload.length).toBeLessThan(bytesMax)
    const decoded = new RunList()
    decodeChunk(payload, times[0]!, decoded)
    expect(samplesOf(decoded)).toEqual(samples)
  })

  test.each([
    ['nothing', []],
    ['more decimals than there are', [10, 1, 8 | 1, 0]],
    ['runs without an end', [0, 0x80]],
    ['fewer heads than runs', [0, 3, 8]],
    ['an unknown head', [0, 1, 0xff]],
    ['an unknown kind of value', [0, 1, 3 | 8]],
    ['a run of one that says it is long', [0, 1, 4 | 8 | 16, 1]],
    ['a value cut off', [0, 1, 2 | 8, 0x07, 0, 0]],
    ['changed bytes beyond the eighth', [0, 1, 2 | 8, 0x08, 0]],
    ['changed bytes that end before they begin', [0, 1, 2 | 8, 0x32, 0]],
    ['bytes after the last run', [0, 1, 8, 1]],
  ])('with %s is malformed', (_name, bytes) => {
    expect(() => {
      decodeChunk(Uint8Array.from(bytes), 0, new RunList())
    }).toThrow(MalformedBytesError)
  })

  test('of random bytes is decoded or malformed, and nothing else', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.uint8Array({ maxLength: 60 }), (decimals, bytes) => {
        try {
          decodeChunk(Uint8Array.from([decimals, ...bytes]), 0, new RunList())
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
    )
  })
})

describe('a pack', () => {
  const time = fc.oneof(fc.integer({ min: 1_760_000_000_000, max: 1_760_100_000_000 }), fc.maxSafeInteger())
  const chunk = fc.record({ a: time, b: time, runs: fc.nat(), payload: fc.uint8Array({ maxLength: 40 }) })
  const chunks = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 0xffffffff }), { minLength: 1, maxLength: PACK_SERIES }),
      fc.array(chunk, { minLength: PACK_SERIES, maxLength: PACK_SERIES }),
    )
    .map(([refs, columns]): Chunk[] =>
      refs
        .sort((a, b) => a - b)
        .map((ref, i) => {
          const { a, b, runs, payload } = columns[i]!
          return { ref, fromMs: Math.min(a, b), toMs: Math.max(a, b), runs, payload }
        }),
    )

  test('gives back which series it has, from when to when, and their chunks', () => {
    fc.assert(
      fc.property(chunks, (given) => {
        const pack = encodePack(given)
        const directory = decodeDirectory(pack.directory, pack.fromMs, pack.toMs)
        const payload = inflatePayload(pack.payload, directory)
        const got = given.map((_, i) => ({
          ref: directory.refs[i]!,
          fromMs: directory.fromsMs[i]!,
          toMs: directory.tosMs[i]!,
          runs: directory.runs[i]!,
          payload: Uint8Array.from(chunkAt(payload, directory, i)),
        }))
        expect(got).toEqual(given)
        expect([directory.count, pack.firstRef, pack.lastRef]).toEqual([given.length, given[0]!.ref, given.at(-1)!.ref])
      }),
      { numRuns: 50 },
    )
  })

  test('is full at its number of series, or at its bytes', () => {
    const small = new PackFiller()
    for (let ref = 1; !small.isFull; ref++)
      small.push({ ref, fromMs: 0, toMs: 0, runs: 1, payload: new Uint8Array(10) })
    expect(small.chunks).toHaveLength(PACK_SERIES)
    const large = new PackFiller()
    for (let ref = 1; !large.isFull; ref++)
      large.push({ ref, fromMs: 0, toMs: 0, runs: 1, payload: new Uint8Array(300_000) })
    expect(large.chunks).toHaveLength(2)
  })

  const good = encodePack([{ ref: 7, fromMs: 0, toMs: 10, runs: 2, payload: Uint8Array.of(1, 2, 3) }])
  test.each([
    ['nothing', []],
    ['another version', [9, 1, 7, 0, 0, 3]],
    ['no series', [2, 0]],
    ['too many series', [2, 0xff, 0x01]],
    ['refs that do not rise', [2, 2, 7, 0, 0, 0, 0, 0, 3, 3, 1, 1]],
    ['an end in the middle', [2, 1, 7, 0]],
    ['an end before the runs', [2, 1, 7, 0, 0, 3]],
    ['bytes after the end', [2, 1, 7, 0, 0, 3, 2, 3]],
    ['a size that no pack has', [2, 1, 7, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f, 2]],
  ])('with a directory of %s is malformed', (_name, bytes) => {
    const directory = deflateRawSync(Uint8Array.from(bytes))
    expect(() => decodeDirectory(directory, 0, 10)).toThrow(MalformedBytesError)
  })

  test('has the number of runs of each chunk', () => {
    expect([...decodeDirectory(good.directory, 0, 10).runs]).toEqual([2])
  })

  test('that does not inflate, or to another size, is malformed', () => {
    expect(() => decodeDirectory(Uint8Array.of(0xff, 0xff), 0, 10)).toThrow(MalformedBytesError)
    const directory = decodeDirectory(good.directory, 0, 10)
    expect([...inflatePayload(good.payload, directory)]).toEqual([1, 2, 3])
    for (const bytes of [
      [1, 2],
      [1, 2, 3, 4],
    ]) {
      expect(() => inflatePayload(deflateRawSync(Uint8Array.from(bytes)), directory)).toThrow(MalformedBytesError)
    }
    expect(() => inflatePayload(Uint8Array.of(0xff), directory)).toThrow(MalformedBytesError)
  })
})

describe('a log row', () => {
  const entry = fc.record({
    ref: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 0xffffffff })),
    time: fc.oneof(
      timeMs,
      fc.nat(6).map((step) => step * 30_000),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
    ),
    value: fc.oneof(value, fc.integer({ min: 1000, max: 1010 })),
  })

  test('is about a byte a sample for constant series, in whatever order they come, and two for slow counters', () => {
    const bytesOf = (samples: readonly (readonly [ref: number, time: number, value: number])[]): number => {
      const buffer = new LogBuffer()
      for (const [ref, time, number] of samples) buffer.append(ref, time, number, lowWordOf(number), highWordOf(number))
      return buffer.byteLength / samples.length
    }
    const grid = Array.from({ length: 60 * 60 }, (_, i) => [Math.floor(i / 60), i % 60] as const)
    const nowMs = 1_760_000_000_000
    expect(bytesOf(grid.map(([series, scrape]) => [7000 + series, nowMs + scrape * 30_000, 1]))).toBeLessThan(1.2)
    expect(bytesOf(grid.map(([scrape, series]) => [7000 + series, nowMs + scrape * 30_000, 1]))).toBeLessThan(1.2)
    expect(
      bytesOf(grid.map(([series, scrape]) => [7000 + series, nowMs + scrape * 30_000, 1e6 + scrape * 40])),
    ).toBeLessThan(2.2)
  })

  test('gives its samples back in order', () => {
    const buffer = new LogBuffer()
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        buffer.clear()
        for (const { ref, time, value: number } of entries) {
          buffer.append(ref, time, number, lowWordOf(number), highWordOf(number))
        }
        const got: unknown[] = []
        readLogPayload(buffer.payload, (ref, time, low, high) => got.push({ ref, ...{ timeMs: time, low, high } }))
        expect(got).toEqual(entries.map(({ ref, time, value: number }) => ({ ref, ...sampleOf(time, number) })))
        expect(buffer.maxMs).toBe(Math.max(...entries.map(({ time }) => time)))
        expect(buffer.sampleCount).toBe(entries.length)
      }),
    )
  })

  test.each([
    ['no version', []],
    ['another version', [9]],
    ['the version before', [1, 16 | 4]],
    ['an unknown head', [2, 0x80]],
    ['the same ref and the next one', [2, 4 | 8 | 16]],
    ['the same time and a step', [2, 4 | 8 | 32]],
    ['a step and a whole time', [2, 8 | 32 | 64]],
    ['a time cut off', [2, 1 | 8]],
  ])('with %s is malformed', (_name, bytes) => {
    expect(() => {
      readLogPayload(Uint8Array.from(bytes), () => undefined)
    }).toThrow(MalformedBytesError)
  })
})
