import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CUSTOM_BOUNDS, NO_BUCKETS } from '../../src/model/histogram.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { mergedDown, readHistogram, type DecodedHistogram } from '../../src/wire/histogram-field.ts'
import { ProtobufReader } from '../../src/wire/protobuf.ts'
import { anyHistogram, bucketsOf, histogramBytes, sentOf, type SentHistogram } from '../support/histograms.ts'

const TIME_MS = 1_787_220_000_000

function read(bytes: Uint8Array, bucketsMax = 100): DecodedHistogram {
  const reader = new ProtobufReader(bytes)
  const decoded = readHistogram(reader, bytes.length, bucketsMax)
  expect(reader.position).toBe(bytes.length)
  return decoded
}

/** Buckets 0: 1, 1: 2, 3: 1, 4: 1, and 0: 2, 1: 3 on the other side; 2 at zero. */
const GOOD: SentHistogram = {
  countInteger: 12,
  sum: 18.4,
  schema: 1,
  zeroThreshold: 0.001,
  zeroCountInteger: 2,
  positiveSpans: [
    { offset: 0, length: 2 },
    { offset: 1, length: 2 },
  ],
  positiveDeltas: [1, 1, -1, 0],
  negativeSpans: [{ offset: 0, length: 2 }],
  negativeDeltas: [2, 1],
  timeMs: TIME_MS,
}

const CUSTOM: SentHistogram = {
  countInteger: 6,
  sum: 2,
  schema: CUSTOM_BOUNDS,
  bounds: [0.1, 0.5],
  positiveSpans: [{ offset: 0, length: 3 }],
  positiveDeltas: [1, 1, 1],
  timeMs: TIME_MS,
}

describe('a Histogram message', () => {
  test('in the integer form has differences, and no empty buckets are kept', () => {
    const sent = { ...GOOD, positiveDeltas: [1, -1, 2, -1], countInteger: 11 }
    expect(read(histogramBytes(sent))).toEqual({
      kind: 'histogram',
      timeMs: TIME_MS,
      histogram: {
        schema: 1,
        counterReset: 'unknown',
        count: 11,
        sum: 18.4,
        zeroThreshold: 0.001,
        zeroCount: 2,
        positive: bucketsOf({ 0: 1, 3: 2, 4: 1 }),
        negative: bucketsOf({ 0: 2, 1: 3 }),
        customBounds: new Float64Array(0),
      },
    })
  })

  test('in the float form has counts, and need not add up', () => {
    const sent: SentHistogram = {
      countFloat: 7.75,
      sum: -1,
      schema: -4,
      zeroCountFloat: 0.5,
      positiveSpans: [{ offset: -3, length: 1 }],
      positiveCounts: [2.5],
      reset: 3,
      timeMs: -5,
    }
    expect(read(histogramBytes(sent))).toMatchObject({
      kind: 'histogram',
      timeMs: -5,
      histogram: { count: 7.75, zeroCount: 0.5, counterReset: 'gauge', positive: bucketsOf({ [-3]: 2.5 }) },
    })
  })

  test('with custom bounds has them, and one bucket beyond', () => {
    expect(read(histogramBytes(CUSTOM))).toMatchObject({
      histogram: {
        schema: CUSTOM_BOUNDS,
        positive: bucketsOf({ 0: 1, 1: 2, 2: 3 }),
        customBounds: Float64Array.of(0.1, 0.5),
      },
    })
  })

  test('whose sum is a stale marker ends its series, whatever else it says', () => {
    expect(read(histogramBytes({ ...GOOD, sum: 'stale', schema: 99 }))).toEqual({ kind: 'stale', timeMs: TIME_MS })
  })

  test('without anything is a histogram of nothing', () => {
    expect(read(new Uint8Array(0))).toMatchObject({
      kind: 'histogram',
      timeMs: 0,
      histogram: { schema: 0, count: 0, positive: NO_BUCKETS },
    })
  })

  test('with NaN observations counts them in no bucket', () => {
    expect(read(histogramBytes({ ...GOOD, sum: NaN, countInteger: 13 }))).toMatchObject({
      kind: 'histogram',
      histogram: { count: 13 },
    })
  })

  test.each([
    [9, { [-1]: 5, 0: 1, 1: 2, 2: 4, 3: 8 }, { 0: 6, 1: 6, 2: 8 }],
    [10, { [-4]: 1, [-3]: 2, 0: 4, 1: 8, 4: 16, 5: 32 }, { [-1]: 1, 0: 6, 1: 24, 2: 32 }],
    [52, { [-2000]: 1, 0: 2, 1: 4, 2000: 8 }, { 0: 3, 1: 12 }],
  ] as const)('of schema %i is merged down to 8', (schema, sent, kept) => {
    expect(mergedDown(bucketsOf(sent), schema - 8)).toEqual(bucketsOf(kept))
    const indexes = Object.keys(sent)
      .map(Number)
      .sort((a, b) => a - b)
    const counts = indexes.map((one) => (sent as Readonly<Record<number, number>>)[one]!)
    let next = 0
    const positiveSpans = indexes.map((one) => {
      const span = { offset: one - next, length: 1 }
      next = one + 1
      return span
    })
    const countFloat = counts.reduce((sum, count) => sum + count, 0)
    const decoded = read(histogramBytes({ schema, countFloat, positiveSpans, positiveCounts: counts }))
    expect(decoded).toMatchObject({ histogram: { schema: 8, positive: bucketsOf(kept) } })
  })

  test.each<[string, SentHistogram, string]>([
    ['an unknown schema', { ...GOOD, schema: 53 }, 'got schema 53, want -4 to 52, or -53'],
    ['a schema too coarse', { ...GOOD, schema: -5 }, 'got schema -5, want'],
    ['too few observations', { ...GOOD, countInteger: 11 }, 'got 12 in buckets, want the count, 11'],
    ['too many observations', { ...GOOD, countInteger: 13 }, 'got 12 in buckets, want the count, 13'],
    ['fewer than its buckets, with NaN', { ...GOOD, sum: NaN, countInteger: 11 }, 'want at most the count, 11'],
    ['a bucket below 0', { ...GOOD, positiveDeltas: [1, -2, 0, 0] }, 'got -1 in positive bucket 1, want 0 or more'],
    ['a negative one below 0', { ...GOOD, negativeDeltas: [-2, 9] }, 'got -2 in negative bucket 0'],
    ['fewer buckets than spans', { ...GOOD, positiveDeltas: [1] }, 'got 1 positive buckets for spans of 4'],
    ['more buckets than spans', { ...GOOD, negativeSpans: [] }, 'got 2 negative buckets for spans of 0'],
    [
      'spans that overlap',
      {
        ...GOOD,
        positiveSpans: [
          { offset: 5, length: 2 },
          { offset: -1, length: 2 },
        ],
      },
      'got a positive span 1 buckets back',
    ],
    [
      'an index of more than 32 bits',
      { ...GOOD, positiveSpans: [{ offset: 2 ** 31 - 1, length: 4 }] },
      'want an index of 32 bits',
    ],
    ['a negative zero threshold', { ...GOOD, zeroThreshold: -1 }, 'got a zero threshold of -1'],
    ['a zero threshold of NaN', { ...GOOD, zeroThreshold: NaN }, 'got a zero threshold of NaN'],
    ['bounds with exponential buckets', { ...GOOD, bounds: [1] }, 'got 1 custom bounds with exponential buckets'],
    ['a float count below 0', { countFloat: -1 }, 'got a count of -1'],
    ['a float count of NaN', { countFloat: NaN }, 'got a count of NaN'],
    ['a float zero count below 0', { countFloat: 1, zeroCountFloat: -0.5 }, 'got a zero count of -0.5'],
    [
      'a float bucket of NaN',
      { countFloat: 1, positiveSpans: [{ offset: 0, length: 1 }], positiveCounts: [NaN] },
      'got NaN in positive bucket 0',
    ],
    ['bounds that fall', { ...CUSTOM, bounds: [0.5, 0.1] }, 'got custom bounds that do not rise'],
    ['equal bounds', { ...CUSTOM, bounds: [0.5, 0.5] }, 'got custom bounds that do not rise'],
    ['an infinite bound', { ...CUSTOM, bounds: [0.5, Infinity] }, 'or are not finite numbers'],
    ['too few bounds', { ...CUSTOM, bounds: [0.5] }, 'got 1 custom bounds for buckets up to number 3, want at least 2'],
    ['a bucket before the first bound', { ...CUSTOM, positiveSpans: [{ offset: -1, length: 3 }] }, 'offset -1'],
    ['bounds and a zero bucket', { ...CUSTOM, zeroCountInteger: 1 }, 'got custom bounds and a zero bucket'],
    ['bounds and a zero threshold', { ...CUSTOM, zeroThreshold: 1 }, 'got custom bounds and a zero bucket'],
    ['bounds and negative buckets', { ...CUSTOM, negativeSpans: [{ offset: 0, length: 0 }] }, 'and negative buckets'],
  ])('with %s is a fault of its own', (_what, sent, text) => {
    const decoded = read(histogramBytes(sent))
    expect(decoded.kind === 'fault' ? decoded.fault.reason : decoded).toBe('bad_histogram')
    expect(decoded.kind === 'fault' ? decoded.fault.text : '').toContain(text)
  })

  test.each<[string, SentHistogram]>([
    ['buckets', { ...GOOD, positiveSpans: [{ offset: 0, length: 6 }], positiveDeltas: [1, 0, 0, 0, 0, 0] }],
    ['spans', { ...GOOD, negativeSpans: Array.from({ length: 6 }, () => ({ offset: 0, length: 0 })) }],
    ['bounds', { ...CUSTOM, bounds: [1, 2, 3, 4, 5, 6] }],
  ])('with more %s than the limit says which limit', (_what, sent) => {
    const decoded = read(histogramBytes(sent), 5)
    expect(decoded).toMatchObject({ kind: 'fault', fault: { reason: 'histogram_too_large' } })
    expect(decoded.kind === 'fault' ? decoded.fault.text : '').toContain('ingest.histogram-buckets-max, 5')
  })

  test('comes out as it went in, packed or not', () => {
    fc.assert(
      fc.property(anyHistogram, fc.boolean(), (histogram, isPacked) => {
        const decoded = read(histogramBytes(sentOf(histogram, TIME_MS), isPacked))
        expect(decoded).toEqual({ kind: 'histogram', timeMs: TIME_MS, histogram })
      }),
    )
  })

  test('cut or changed anywhere is read, a fault, or an error of decoding', () => {
    fc.assert(
      fc.property(anyHistogram, fc.nat(), fc.nat(255), fc.boolean(), (histogram, place, byte, isCut) => {
        const bytes = histogramBytes(sentOf(histogram, TIME_MS))
        const at = place % bytes.length
        const changed = isCut ? bytes.slice(0, at) : bytes.with(at, byte)
        try {
          const decoded = readHistogram(new ProtobufReader(changed), changed.length, 100)
          if (decoded.kind === 'histogram') expect(decoded.histogram.count).toBeGreaterThanOrEqual(0)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(DecodeError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
