import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteReader, ByteWriter, highWordOf, lowWordOf, MalformedBytesError } from '../../src/store/bytes.ts'
import { decodeChunk, encodeChunk } from '../../src/store/chunk-codec.ts'
import { LogBuffer, readLogPayload } from '../../src/store/log-codec.ts'
import { mergeRuns, RunList } from '../../src/store/run-list.ts'

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
      fc.property(column, (samples) => {
        const decoded = new RunList()
        decodeChunk(encodeChunk(runsOf(samples)), decoded)
        expect(samplesOf(decoded)).toEqual(samples)
      }),
      { numRuns: 300 },
    )
  })

  test('of a constant series is a few bytes, of a counter about two a sample', () => {
    const times = Array.from({ length: 240 }, (_, i) => 1_760_000_000_000 + i * 30_000)
    expect(encodeChunk(runsOf(times.map((time) => sampleOf(time, 1)))).length).toBeLessThan(20)
    const counter = encodeChunk(runsOf(times.map((time, i) => sampleOf(time, 1000 + i * 7))))
    expect(counter.length).toBeLessThan(2.2 * times.length)
  })

  test.each([
    ['no version', []],
    ['another version', [9]],
    ['an unknown head', [1, 0xff]],
    ['an unknown kind of value', [1, 3 | 8]],
    ['a run of one that says it is long', [1, 4 | 8 | 16, 1]],
    ['a value cut off', [1, 2 | 8, 0, 0, 0]],
  ])('with %s is malformed', (_name, bytes) => {
    expect(() => {
      decodeChunk(Uint8Array.from(bytes), new RunList())
    }).toThrow(MalformedBytesError)
  })

  test('of random bytes is decoded or malformed, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeChunk(Uint8Array.from([1, ...bytes]), new RunList())
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
    )
  })
})

describe('a log row', () => {
  const entry = fc.record({ ref: fc.integer({ min: 1, max: 0xffffffff }), time: timeMs, value })

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
    ['an unknown head', [1, 0x80]],
    ['an unknown kind of value', [1, 3 | 4 | 8]],
    ['a time cut off', [1, 1 | 8]],
  ])('with %s is malformed', (_name, bytes) => {
    expect(() => {
      readLogPayload(Uint8Array.from(bytes), () => undefined)
    }).toThrow(MalformedBytesError)
  })
})
