import fc from 'fast-check'
import {
  CUSTOM_BOUNDS,
  NO_BUCKETS,
  type BucketCounts,
  type CounterReset,
  type Histogram,
} from '../../src/model/histogram.ts'
import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../../src/model/sample.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'

/** Native histograms for tests: some that are easy to read, any that are right, and their bytes in remote write. */

/** Buckets by index. */
export function bucketsOf(counts: Readonly<Record<number, number>>): BucketCounts {
  const pairs = Object.entries(counts).map(([index, count]) => [Number(index), count] as const)
  pairs.sort(([a], [b]) => a - b)
  if (pairs.length === 0) return NO_BUCKETS
  return {
    indexes: Int32Array.from(pairs, ([index]) => index),
    counts: Float64Array.from(pairs, ([, count]) => count),
  }
}

/** One observation in each bucket of 1 to `buckets`, and `more` in the first; of schema 0. */
export function histogramOf(buckets: number, more = 0, change: Partial<Histogram> = {}): Histogram {
  const positive = bucketsOf(
    Object.fromEntries(Array.from({ length: buckets }, (_, i) => [i + 1, i === 0 ? 1 + more : 1])),
  )
  return {
    schema: 0,
    counterReset: 'unknown',
    count: buckets + more,
    sum: buckets * 1.5,
    zeroThreshold: 0.001,
    zeroCount: 0,
    positive,
    negative: NO_BUCKETS,
    customBounds: new Float64Array(0),
    ...change,
  }
}

/** A span as it is sent. */
export interface SentSpan {
  readonly offset: number
  readonly length: number
}

/** A Histogram message, field by field; what is absent is not written. */
export interface SentHistogram {
  readonly countInteger?: number
  readonly countFloat?: number
  readonly sum?: number | 'stale'
  readonly schema?: number
  readonly zeroThreshold?: number
  readonly zeroCountInteger?: number
  readonly zeroCountFloat?: number
  readonly negativeSpans?: readonly SentSpan[]
  readonly negativeDeltas?: readonly number[]
  readonly negativeCounts?: readonly number[]
  readonly positiveSpans?: readonly SentSpan[]
  readonly positiveDeltas?: readonly number[]
  readonly positiveCounts?: readonly number[]
  readonly reset?: number
  readonly timeMs?: number
  readonly bounds?: readonly number[]
}

/** The bytes of a Histogram message. @param isPacked lists of numbers in one field each, as stock senders write them */
export function histogramBytes(sent: SentHistogram, isPacked = true): Uint8Array {
  const writer = new ProtobufWriter()
  const varint = (field: number, value: number | undefined, write: (value: number) => void): void => {
    if (value === undefined) return
    writer.tag(field, VARINT)
    write(value)
  }
  const unsigned = (value: number): void => {
    writer.varint(value)
  }
  const zigzag = (value: number): void => {
    writer.zigzag(value)
  }
  const double = (field: number, value: number | undefined): void => {
    if (value === undefined) return
    writer.tag(field, FIXED64)
    writer.double(value)
  }
  const spans = (field: number, list: readonly SentSpan[] = []): void => {
    for (const { offset, length } of list) {
      const span = new ProtobufWriter()
      span.tag(1, VARINT)
      span.zigzag(offset)
      span.tag(2, VARINT)
      span.varint(length)
      writer.bytes(field, span.finish())
    }
  }
  const numbers = (field: number, type: number, list: readonly number[] | undefined, isZigzag: boolean): void => {
    if (list === undefined) return
    const packed = new ProtobufWriter()
    for (const value of list) {
      if (!isPacked) writer.tag(field, type)
      const into = isPacked ? packed : writer
      if (isZigzag) into.zigzag(value)
      else into.double(value)
    }
    if (isPacked) writer.bytes(field, packed.finish())
  }
  varint(1, sent.countInteger, unsigned)
  double(2, sent.countFloat)
  if (sent.sum === 'stale') {
    writer.tag(3, FIXED64)
    writer.fixed64(STALE_HIGH_WORD, STALE_LOW_WORD)
  } else double(3, sent.sum)
  varint(4, sent.schema, zigzag)
  double(5, sent.zeroThreshold)
  varint(6, sent.zeroCountInteger, unsigned)
  double(7, sent.zeroCountFloat)
  spans(8, sent.negativeSpans)
  numbers(9, VARINT, sent.negativeDeltas, true)
  numbers(10, FIXED64, sent.negativeCounts, false)
  spans(11, sent.positiveSpans)
  numbers(12, VARINT, sent.positiveDeltas, true)
  numbers(13, FIXED64, sent.positiveCounts, false)
  varint(14, sent.reset, unsigned)
  if (sent.timeMs !== undefined) {
    writer.tag(15, VARINT)
    writer.int64(sent.timeMs)
  }
  numbers(16, FIXED64, sent.bounds, false)
  return writer.finish()
}

const RESETS: readonly CounterReset[] = ['unknown', 'reset', 'continued', 'gauge']

/** A histogram as a stock sender would send it: with whole counts in the integer form, else in the float form. */
export function sentOf(histogram: Histogram, timeMs: number): SentHistogram {
  const { count, sum, schema, zeroThreshold, zeroCount, positive, negative, counterReset, customBounds } = histogram
  const all = [count, zeroCount, ...positive.counts, ...negative.counts]
  const isInteger = all.every((one) => Number.isSafeInteger(one))
  const common = {
    sum,
    schema,
    zeroThreshold,
    positiveSpans: spansOf(positive.indexes),
    negativeSpans: spansOf(negative.indexes),
    reset: RESETS.indexOf(counterReset),
    timeMs,
    bounds: [...customBounds],
  }
  if (!isInteger) {
    const counts = { countFloat: count, zeroCountFloat: zeroCount }
    return { ...common, ...counts, positiveCounts: [...positive.counts], negativeCounts: [...negative.counts] }
  }
  return {
    ...common,
    countInteger: count,
    zeroCountInteger: zeroCount,
    positiveDeltas: deltasOf(positive.counts),
    negativeDeltas: deltasOf(negative.counts),
  }
}

function spansOf(indexes: Int32Array): SentSpan[] {
  const spans: { offset: number; length: number }[] = []
  let next = 0
  indexes.forEach((index, i) => {
    if (i > 0 && index === next) spans.at(-1)!.length++
    else spans.push({ offset: index - next, length: 1 })
    next = index + 1
  })
  return spans
}

function deltasOf(counts: Float64Array): number[] {
  return Array.from(counts, (count, i) => count - (i === 0 ? 0 : counts[i - 1]!))
}

const index = fc.integer({ min: -2000, max: 2000 })
const wholeCount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 40 }))
const floatCount = fc.double({ min: 0.001, max: 1e12, noNaN: true })

function buckets(count: fc.Arbitrary<number>, at: fc.Arbitrary<number>): fc.Arbitrary<BucketCounts> {
  return fc
    .uniqueArray(at, { maxLength: 12 })
    .chain((indexes) =>
      fc
        .array(count, { minLength: indexes.length, maxLength: indexes.length })
        .map((counts) => bucketsOf(Object.fromEntries(indexes.map((one, i) => [one, counts[i]!])))),
    )
}

function total({ counts }: BucketCounts): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

const sum = fc.double({ noNaN: true, noDefaultInfinity: true })
const reset = fc.constantFrom(...RESETS)

function exponential(count: fc.Arbitrary<number>): fc.Arbitrary<Histogram> {
  return fc
    .record({
      schema: fc.integer({ min: -4, max: 8 }),
      counterReset: reset,
      sum,
      zeroThreshold: fc.double({ min: 0, max: 1, noNaN: true }),
      zeroCount: fc.oneof(fc.constant(0), count),
      positive: buckets(count, index),
      negative: buckets(count, index),
    })
    .map((parts) => ({
      ...parts,
      count: parts.zeroCount + total(parts.positive) + total(parts.negative),
      customBounds: new Float64Array(0),
    }))
}

const custom: fc.Arbitrary<Histogram> = fc
  .uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 10 })
  .chain((bounds) =>
    fc.record({
      counterReset: reset,
      sum,
      positive: buckets(wholeCount, fc.integer({ min: 0, max: bounds.length })),
      customBounds: fc.constant(Float64Array.from(new Set(bounds.map((bound) => bound + 0))).sort()),
    }),
  )
  .map(({ positive, ...parts }) => {
    // Bounds that were 0 and -0 are one: what lies beyond the last is left out.
    const kept = [...positive.indexes].filter((at) => at <= parts.customBounds.length)
    const inside = bucketsOf(Object.fromEntries(kept.map((at, i) => [at, positive.counts[i]!])))
    return {
      ...parts,
      schema: CUSTOM_BOUNDS,
      count: total(inside),
      zeroThreshold: 0,
      zeroCount: 0,
      positive: inside,
      negative: NO_BUCKETS,
    }
  })

/** Any histogram that is right, whole or not, with exponential buckets or custom bounds. */
export const anyHistogram: fc.Arbitrary<Histogram> = fc.oneof(exponential(wholeCount), exponential(floatCount), custom)

/** The length-delimited field of a series or a request. */
export function messageField(field: number, message: Uint8Array): Uint8Array {
  const writer = new ProtobufWriter()
  writer.tag(field, LENGTH_DELIMITED)
  writer.varint(message.length)
  writer.raw(message)
  return writer.finish()
}
