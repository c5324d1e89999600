import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RunColumns } from '../../../src/model/run-columns.ts'
import { highWordOf, lowWordOf, MalformedBytesError } from '../../../src/store/bytes.ts'
import { encodeChunk } from '../../../src/store/packs/chunk-codec.ts'
import { readRuns } from '../../../src/store/packs/chunk-reader.ts'
import { RunList } from '../../../src/store/head/run-list.ts'

const NOW_MS = 1_760_000_000_000

/** Runs as a scrape makes them: mostly on time, values that repeat, count, or are anything. */
const runs = fc.array(
  fc.record({
    gapMs: fc.constantFrom(30_000, 30_000, 30_000, 60_000, 1, 3_600_000),
    count: fc.constantFrom(1, 1, 1, 1, 2, 50),
    value: fc.oneof(
      fc.integer({ min: -70, max: 70 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.constantFrom(0.25, 1e9, -0, NaN, Infinity, 2 ** 53, Math.PI),
      fc.double(),
    ),
  }),
  { minLength: 1, maxLength: 60 },
)

function listOf(parts: readonly { gapMs: number; count: number; value: number }[]): RunList {
  const list = new RunList()
  let timeMs = NOW_MS
  for (const { gapMs, count, value } of parts) {
    list.pushRun(timeMs, count > 1 ? gapMs : 0, count, lowWordOf(value), highWordOf(value))
    timeMs += gapMs * count
  }
  return list
}

/** Times with the words of their values, those of the range only. */
function samplesOf(
  columns: { count: number; startsMs: Float64Array; deltasMs: Int32Array; counts: Int32Array },
  wordsAt: (run: number) => readonly [number, number],
  fromMs: number,
  toMs: number,
): unknown[] {
  const samples: unknown[] = []
  for (let run = 0; run < columns.count; run++) {
    for (let i = 0; i < columns.counts[run]!; i++) {
      const timeMs = columns.startsMs[run]! + (i === 0 ? 0 : i * columns.deltasMs[run]!)
      if (timeMs >= fromMs && timeMs <= toMs) samples.push([timeMs, ...wordsAt(run)])
    }
  }
  return samples
}

describe('reading a chunk for a query', () => {
  test('gives the samples of the range, bit by bit, wherever the chunk stands', () => {
    fc.assert(
      fc.property(runs, fc.nat(3_000_000), fc.nat(3_000_000), fc.nat(20), (parts, from, length, before) => {
        const list = listOf(parts)
        const chunk = encodeChunk(list)
        const bytes = new Uint8Array(before + chunk.length + 7).fill(0xff)
        bytes.set(chunk, before)
        const fromMs = NOW_MS + from - 100_000
        const toMs = fromMs + length
        const columns = new RunColumns()
        readRuns(bytes, before, before + chunk.length, NOW_MS, fromMs, toMs, columns)
        const got = samplesOf(
          columns,
          (run) => [columns.words[run * 2]!, columns.words[run * 2 + 1]!],
          -Infinity,
          Infinity,
        )
        expect(got).toEqual(samplesOf(list, (run) => [list.lows[run]!, list.highs[run]!], fromMs, toMs))
      }),
      { numRuns: 300 },
    )
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
    ['a difference cut off', [0, 1, 1 | 8, 0x80]],
    ['changed bytes beyond the eighth', [0, 1, 2 | 8, 0x08, 0]],
    ['changed bytes that end before they begin', [0, 1, 2 | 8, 0x32, 0]],
    ['bytes after the last run', [0, 1, 8, 1]],
  ])('refuses %s', (_name, bytes) => {
    expect(() => {
      readRuns(Uint8Array.from(bytes), 0, bytes.length, 0, -Infinity, Infinity, new RunColumns())
    }).toThrow(MalformedBytesError)
  })

  test('of random bytes reads a chunk, or refuses it', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.uint8Array({ maxLength: 40 }), (decimals, tail) => {
        const bytes = Uint8Array.from([decimals, ...tail])
        const columns = new RunColumns()
        try {
          readRuns(bytes, 0, bytes.length, NOW_MS, -Infinity, Infinity, columns)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
