import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { compressSync } from 'snappy'
import { describe, expect, test } from 'vitest'
import { compileWriteDecoder, moduleText } from '../../scripts/build-wasm.ts'
import { Labels } from '../../src/model/labels.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { hashLabels } from '../../src/wire/label-hash.ts'
import { PlainWriteDecoder } from '../../src/wire/plain-write-decoder.ts'
import { encodeWriteRequest, type WriteSeries } from '../../src/wire/remote-write-encode.ts'
import { WriteRequestDecoder } from '../../src/wire/remote-write.ts'
import { SnappyDecoder, encodeSnappy } from '../../src/wire/snappy.ts'
import type { WriteBatch } from '../../src/wire/write-batch.ts'

const LIMITS = { samplesMax: 20_000, seriesMax: 20_000 }
const DECODED_BYTES_MAX = 4 * 1024 * 1024
const KEY = Int32Array.of(0x12345678, -5, 77, 0x0badcafe)

/** Columns cut to their length, as bits; labels by their bytes, wherever those stand. */
function content(batch: WriteBatch) {
  const { seriesCount, sampleCount } = batch
  return {
    seriesCount,
    sampleCount,
    others: [batch.exemplarCount, batch.histogramCount, batch.metadataCount],
    sampleEnd: [...batch.sampleEnd.subarray(0, seriesCount)],
    labels: Array.from({ length: seriesCount }, (_, series) => {
      const { buffer, byteOffset } = batch.labelView(series)
      const bytes = Buffer.from(buffer, byteOffset + batch.labelOffset(series), batch.labelBytes[series])
      return bytes.toString('latin1')
    }),
    hashes: [...batch.hashes.subarray(0, seriesCount * 4)],
    timesMs: [...batch.timesMs.subarray(0, sampleCount)],
    valueBits: [...batch.valueBits.subarray(0, sampleCount * 2)],
  }
}

const snappy = new SnappyDecoder(DECODED_BYTES_MAX)
const careful = new WriteRequestDecoder(LIMITS)

/** What the decoders in TypeScript make of a body; `undefined` when they refuse it. */
function carefully(body: Uint8Array) {
  try {
    const batch = careful.decode(snappy.decode(body), snappy.view)
    hashLabels(batch, KEY)
    return content(batch)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

const decoder = new PlainWriteDecoder(LIMITS, DECODED_BYTES_MAX)

function plainly(body: Uint8Array) {
  const batch = decoder.decode(body, KEY)
  return batch === undefined ? undefined : content(batch)
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
const series: fc.Arbitrary<WriteSeries> = fc.record({
  labels: fc.dictionary(text, text, { maxKeys: 8 }).map((labels) => Labels.of(labels)),
  samples: fc.array(
    fc.record({
      timeMs: fc.oneof(fc.nat(), fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })),
      value: fc.oneof(fc.double(), fc.constant(0), fc.constant(1)),
      isStale: fc.boolean(),
    }),
    { maxLength: 5 },
  ),
})
/** As they are, or as a backlog: the same label sets again and again, now and then one left out. */
const requests = fc
  .tuple(fc.array(series, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), fc.nat())
  .map(([all, times, out]) =>
    Array.from({ length: times }, () => all)
      .flat()
      .filter((_, i) => i !== out),
  )
  .map((all) => encodeWriteRequest(all))
const bodies = fc.oneof(
  requests.map((bytes) => encodeSnappy(bytes)),
  requests.map((bytes) => Uint8Array.from(compressSync(Buffer.from(bytes)))),
)

describe('the fast way through a remote write body', () => {
  test('is taken by all that stock senders write, and gives the same columns', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        expect(plainly(body)).toEqual(carefully(body))
        expect(plainly(body)).toBeDefined()
      }),
    )
  })

  test('never takes what the careful decoder refuses or reads differently, whatever happened to the body', () => {
    const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.nat(40), insert: fc.boolean() })
    let taken = 0
    fc.assert(
      fc.property(bodies, fc.array(change, { minLength: 1, maxLength: 3 }), (body, changes) => {
        let bytes = Buffer.from(body)
        for (const { at, to, cut, insert } of changes) {
          const place = at % (bytes.length + 1)
          if (insert) bytes = Buffer.concat([bytes.subarray(0, place), Buffer.of(to), bytes.subarray(place)])
          else if (cut < 5) bytes = bytes.subarray(0, Math.max(0, bytes.length - cut))
          else if (place < bytes.length) bytes[place] = to
        }
        const fast = plainly(bytes)
        if (fast === undefined) return
        taken++
        expect(fast).toEqual(carefully(bytes))
      }),
      { numRuns: 3000 },
    )
    expect(taken, 'some changes leave a good body').toBeGreaterThan(20)
  })

  test('the same for changes under the compression', () => {
    fc.assert(
      fc.property(requests, fc.nat(), fc.nat(255), (bytes, at, to) => {
        if (bytes.length > 0) bytes[at % bytes.length] = to
        const body = encodeSnappy(bytes)
        const fast = plainly(body)
        if (fast !== undefined) expect(fast).toEqual(carefully(body))
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['every length of labels', 0, 127],
    ['labels of 128 bytes, which are left to the careful decoder', 128, 140],
  ])('hashes %s alike', (_, from, to) => {
    for (let length = from; length <= to; length++) {
      const labels = Uint8Array.of(0x0a, length < 128 ? length : 0x80, ...(length < 128 ? [] : [1]), ...bytesOf(length))
      const body = encodeSnappy(encodeWriteRequest([{ labels, samples: [{ timeMs: 1, value: 2 }] }]))
      const fast = plainly(body)
      if (length < 128) expect(fast, `${length}`).toEqual(carefully(body))
      else expect(fast, `${length}`).toBeUndefined()
    }
  })

  test('grows its columns and its memory as requests do, and goes back to small ones', () => {
    const labels = Labels.of({ __name__: 'up', cluster: 'c1' })
    const large = Array.from({ length: 15_000 }, (_, i) => ({ labels, samples: [{ timeMs: i, value: i }] }))
    for (const all of [
      large.slice(0, 10),
      large,
      large.slice(0, 3),
      [{ labels, samples: large.flatMap((s) => s.samples) }],
    ]) {
      const body = encodeSnappy(encodeWriteRequest(all))
      expect(plainly(body)).toEqual(carefully(body))
      expect(plainly(body)?.sampleCount).toBe(all.flatMap((s) => s.samples).length)
    }
  })

  test('label sets that begin alike, and repeat, stay apart', () => {
    const short = Labels.of({ __name__: 'up' })
    const long = Labels.of({ __name__: 'up', job: 'a' })
    const all = [short, long, short, long, long, short, short, Labels.EMPTY, short, Labels.EMPTY, long]
    const body = encodeSnappy(encodeWriteRequest(all.map((labels) => ({ labels, samples: [{ timeMs: 1, value: 1 }] }))))
    expect(plainly(body)).toEqual(carefully(body))
  })

  test('label sets that repeat in one order, but for one byte, stay apart', () => {
    for (const length of [1, 3, 16, 17, 60]) {
      const value = 'v'.repeat(length)
      const others = Array.from({ length }, (_, at) => `${value.slice(0, at)}w${value.slice(at + 1)}`)
      const all = [value, 'other', ...others.flatMap((other) => [other, 'other', value, 'other', value])]
      const body = encodeSnappy(
        encodeWriteRequest(all.map((a) => ({ labels: Labels.of({ a }), samples: [{ timeMs: 1, value: 1 }] }))),
      )
      const { hashes } = plainly(body)!
      const distinct = new Set(all.map((_, i) => hashes.slice(i * 4, i * 4 + 4).join(' ')))
      expect(distinct.size).toBe(length + 2)
      expect(plainly(body)).toEqual(carefully(body))
    }
  })

  test('leaves requests beyond a limit to the careful decoder', () => {
    const small = new PlainWriteDecoder({ samplesMax: 3, seriesMax: 2 }, 200)
    const one = (samples: number): WriteSeries => ({
      labels: Labels.of({ __name__: 'up' }),
      samples: Array.from({ length: samples }, (_, i) => ({ timeMs: i, value: 1 })),
    })
    const taken = (...all: WriteSeries[]): boolean =>
      small.decode(encodeSnappy(encodeWriteRequest(all)), KEY) !== undefined
    expect(taken(one(1), one(2))).toBe(true)
    expect(taken(one(1), one(3))).toBe(false)
    expect(taken(one(1), one(1), one(1))).toBe(false)
    expect(taken({ labels: Labels.of({ __name__: 'u'.repeat(100), b: 'b'.repeat(100) }), samples: [] })).toBe(false)
  })

  test('bytes of the request before never show in the next one', () => {
    const full = encodeSnappy(encodeWriteRequest([{ labels: bytesOf(90), samples: [] }]))
    expect(plainly(full)).toEqual(carefully(full))
    // Announces more than its elements make.
    expect(plainly(Uint8Array.of(40, 0, 0x0a))).toBeUndefined()
    expect(plainly(Uint8Array.of())).toBeUndefined()
    expect(plainly(Uint8Array.of(0))?.seriesCount).toBe(0)
  })

  test('the module in the tree is what its source compiles to', async () => {
    const kept = readFileSync(join(import.meta.dirname, '../../src/wire/write-decoder-wasm.ts'), 'utf8')
    expect(moduleText(await compileWriteDecoder()), '`npm run build:wasm` writes it').toBe(kept)
  })
})

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7) & 0xff)
}
