import {
  CUSTOM_BOUNDS,
  NO_BUCKETS,
  SCHEMA_MAX,
  SCHEMA_MIN,
  type BucketCounts,
  type CounterReset,
  type Histogram,
} from '../model/histogram.ts'
import { isStaleWords } from '../model/sample.ts'
import { FIXED64, LENGTH_DELIMITED, VARINT, tagOf, truncated, type ProtobufReader } from './protobuf.ts'

/**
 * Decodes a Histogram message, which is common to remote write 1.0 (prompb types.proto) and 2.0. Integer histograms
 * contain the difference of each bucket from the one before, float histograms the counts; the field of the count
 * distinguishes them. Cold: bodies with histograms are few.
 *
 * ```
 * spans      (offset 0, length 2) (offset 1, length 2)      the first offset is an index, the others are gaps
 * deltas      1  1                -1  0
 * buckets     0: 1, 1: 2          3: 1, 4: 1
 * ```
 */

/** One decoded message. A fault, as got and want, prevents only this histogram from being stored. */
export type DecodedHistogram =
  | { readonly kind: 'histogram'; readonly timeMs: number; readonly histogram: Histogram }
  | { readonly kind: 'stale'; readonly timeMs: number }
  | { readonly kind: 'fault'; readonly timeMs: number; readonly fault: HistogramFault }

interface HistogramFault {
  readonly reason: 'bad_histogram' | 'histogram_too_large'
  readonly text: string
}

/** Schemas that Prometheus defines but merges down to `SCHEMA_MAX` before storing them. */
const SCHEMA_RESERVED_MAX = 52

const COUNT_INTEGER = tagOf(1, VARINT)
const COUNT_FLOAT = tagOf(2, FIXED64)
const SUM = tagOf(3, FIXED64)
const SCHEMA = tagOf(4, VARINT)
const ZERO_THRESHOLD = tagOf(5, FIXED64)
const ZERO_COUNT_INTEGER = tagOf(6, VARINT)
const ZERO_COUNT_FLOAT = tagOf(7, FIXED64)
const NEGATIVE_SPAN = tagOf(8, LENGTH_DELIMITED)
const NEGATIVE_DELTAS = tagOf(9, LENGTH_DELIMITED)
const NEGATIVE_DELTA = tagOf(9, VARINT)
const NEGATIVE_COUNTS = tagOf(10, LENGTH_DELIMITED)
const NEGATIVE_COUNT = tagOf(10, FIXED64)
const POSITIVE_SPAN = tagOf(11, LENGTH_DELIMITED)
const POSITIVE_DELTAS = tagOf(12, LENGTH_DELIMITED)
const POSITIVE_DELTA = tagOf(12, VARINT)
const POSITIVE_COUNTS = tagOf(13, LENGTH_DELIMITED)
const POSITIVE_COUNT = tagOf(13, FIXED64)
const RESET_HINT = tagOf(14, VARINT)
const TIMESTAMP = tagOf(15, VARINT)
const CUSTOM_VALUES = tagOf(16, LENGTH_DELIMITED)
const CUSTOM_VALUE = tagOf(16, FIXED64)
/** 1 to 16; the start time of 2.0 is an unknown field here. */
const HISTOGRAM_FIELDS = 0x1fffe

const SPAN_OFFSET = tagOf(1, VARINT)
const SPAN_LENGTH = tagOf(2, VARINT)
const SPAN_FIELDS = 0b110

const RESETS: readonly CounterReset[] = ['unknown', 'reset', 'continued', 'gauge']

/** One side of the buckets, as sent. */
interface Side {
  readonly offsets: number[]
  readonly lengths: number[]
  readonly deltas: number[]
  readonly counts: number[]
}

interface Message {
  isFloat: boolean
  /** In the form of the count field; the other form is ignored. */
  count: number
  zeroCountInteger: number
  zeroCountFloat: number
  sum: number
  isStale: boolean
  schema: number
  zeroThreshold: number
  readonly positive: Side
  readonly negative: Side
  reset: CounterReset
  timeMs: number
  readonly bounds: number[]
  /** One of its lists exceeds its limit. */
  isTooLarge: boolean
}

/**
 * Reads the message from the reader's position to `end`.
 * @param bucketsMax limit for buckets and spans per side, and for bounds; further ones are skipped
 * @throws DecodeError when it is not a Histogram
 */
export function readHistogram(reader: ProtobufReader, end: number, bucketsMax: number): DecodedHistogram {
  const message = readMessage(reader, end, bucketsMax)
  const { timeMs } = message
  if (message.isStale) return { kind: 'stale', timeMs }
  const histogram = histogramOf(message, bucketsMax)
  return 'reason' in histogram ? { kind: 'fault', timeMs, fault: histogram } : { kind: 'histogram', timeMs, histogram }
}

function readMessage(reader: ProtobufReader, end: number, bucketsMax: number): Message {
  const side = (): Side => ({ offsets: [], lengths: [], deltas: [], counts: [] })
  const message: Message = {
    isFloat: false,
    count: 0,
    zeroCountInteger: 0,
    zeroCountFloat: 0,
    sum: 0,
    isStale: false,
    schema: 0,
    zeroThreshold: 0,
    positive: side(),
    negative: side(),
    reset: 'unknown',
    timeMs: 0,
    bounds: [],
    isTooLarge: false,
  }
  const push = (list: number[], value: number): void => {
    if (list.length < bucketsMax) list.push(value)
    else message.isTooLarge = true
  }
  const doubles = (list: number[]): void => {
    const listEnd = reader.lengthDelimitedEnd(end)
    while (reader.position < listEnd) push(list, reader.double(listEnd))
  }
  const deltas = (list: number[]): void => {
    const listEnd = reader.lengthDelimitedEnd(end)
    while (reader.position < listEnd) push(list, reader.sint64(listEnd))
  }
  const { positive, negative } = message
  while (reader.position < end) {
    const tag = reader.tag(end)
    switch (tag) {
      case COUNT_INTEGER:
        message.isFloat = false
        message.count = reader.uint64(end)
        break
      case COUNT_FLOAT:
        message.isFloat = true
        message.count = reader.double(end)
        break
      case SUM:
        readSum(reader, end, message)
        break
      case SCHEMA:
        message.schema = reader.sint32(end)
        break
      case ZERO_THRESHOLD:
        message.zeroThreshold = reader.double(end)
        break
      case ZERO_COUNT_INTEGER:
        message.zeroCountInteger = reader.uint64(end)
        break
      case ZERO_COUNT_FLOAT:
        message.zeroCountFloat = reader.double(end)
        break
      case NEGATIVE_SPAN:
        readSpan(reader, reader.lengthDelimitedEnd(end), negative, push)
        break
      case NEGATIVE_DELTAS:
        deltas(negative.deltas)
        break
      case NEGATIVE_DELTA:
        push(negative.deltas, reader.sint64(end))
        break
      case NEGATIVE_COUNTS:
        doubles(negative.counts)
        break
      case NEGATIVE_COUNT:
        push(negative.counts, reader.double(end))
        break
      case POSITIVE_SPAN:
        readSpan(reader, reader.lengthDelimitedEnd(end), positive, push)
        break
      case POSITIVE_DELTAS:
        deltas(positive.deltas)
        break
      case POSITIVE_DELTA:
        push(positive.deltas, reader.sint64(end))
        break
      case POSITIVE_COUNTS:
        doubles(positive.counts)
        break
      case POSITIVE_COUNT:
        push(positive.counts, reader.double(end))
        break
      case RESET_HINT:
        message.reset = RESETS[reader.int64(end)] ?? 'unknown'
        break
      case TIMESTAMP:
        message.timeMs = reader.int64(end)
        break
      case CUSTOM_VALUES:
        doubles(message.bounds)
        break
      case CUSTOM_VALUE:
        push(message.bounds, reader.double(end))
        break
      default:
        reader.skipUnknown(tag, end, HISTOGRAM_FIELDS)
    }
  }
  return message
}

function readSum(reader: ProtobufReader, end: number, message: Message): void {
  const at = reader.position
  if (at + 8 > end) throw truncated('a sum', at)
  // By its words: a float that passes through a register may lose the payload that makes it a stale marker.
  message.isStale = isStaleWords(reader.view.getInt32(at + 4, true), reader.view.getInt32(at, true))
  message.sum = reader.double(end)
}

function readSpan(
  reader: ProtobufReader,
  end: number,
  side: Side,
  push: (list: number[], value: number) => void,
): void {
  let offset = 0
  let length = 0
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === SPAN_OFFSET) offset = reader.sint32(end)
    else if (tag === SPAN_LENGTH) length = reader.varint32(end)
    else reader.skipUnknown(tag, end, SPAN_FIELDS)
  }
  push(side.offsets, offset)
  push(side.lengths, length)
}

function bad(text: string): HistogramFault {
  return { reason: 'bad_histogram', text }
}

function histogramOf(message: Message, bucketsMax: number): Histogram | HistogramFault {
  const { isFloat, schema, count, sum, zeroThreshold } = message
  if (message.isTooLarge) {
    const text = `got more than ${bucketsMax} buckets, want at most ingest.histogram-buckets-max, ${bucketsMax}`
    return { reason: 'histogram_too_large', text }
  }
  const isCustom = schema === CUSTOM_BOUNDS
  if (!isCustom && (schema < SCHEMA_MIN || schema > SCHEMA_RESERVED_MAX)) {
    return bad(`got schema ${schema}, want ${SCHEMA_MIN} to ${SCHEMA_RESERVED_MAX}, or ${CUSTOM_BOUNDS}`)
  }
  const zeroCount = isFloat ? message.zeroCountFloat : message.zeroCountInteger
  const fault = isCustom ? faultOfCustom(message, zeroCount) : faultOfExponential(message)
  if (fault !== undefined) return bad(fault)
  const positive = bucketsOf('positive', message.positive, isFloat)
  if (typeof positive === 'string') return bad(positive)
  const negative = bucketsOf('negative', message.negative, isFloat)
  if (typeof negative === 'string') return bad(negative)
  const countFault = faultOfCounts({ isFloat, count, sum, zeroCount, positive, negative })
  if (countFault !== undefined) return bad(countFault)
  const merging = isCustom ? 0 : Math.max(0, schema - SCHEMA_MAX)
  return {
    schema: schema - merging,
    counterReset: message.reset,
    count,
    sum,
    zeroThreshold,
    zeroCount,
    positive: mergedDown(positive, merging),
    negative: mergedDown(negative, merging),
    customBounds: Float64Array.from(message.bounds),
  }
}

/** The conditions for the counts of any histogram; NaN observations are counted but in no bucket. */
export function faultOfCounts(counts: {
  /** Sums of floats are not exact: their count may be another than that of the buckets. */
  readonly isFloat: boolean
  readonly count: number
  readonly sum: number
  readonly zeroCount: number
  readonly positive: BucketCounts
  readonly negative: BucketCounts
}): string | undefined {
  const { isFloat, count, sum, zeroCount, positive, negative } = counts
  if (!(count >= 0)) return `got a count of ${count}, want 0 or more`
  if (!(zeroCount >= 0)) return `got a zero count of ${zeroCount}, want 0 or more`
  if (isFloat) return undefined
  const inBuckets = totalOf(positive) + totalOf(negative) + zeroCount
  // Beyond 2^53 numbers are rounded, and would differ where the sender's do not.
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(inBuckets) || inBuckets === count) return undefined
  if (Number.isNaN(sum)) {
    return inBuckets < count ? undefined : `got ${inBuckets} in buckets, want at most the count, ${count}`
  }
  return `got ${inBuckets} in buckets, want the count, ${count}`
}

function totalOf({ counts }: BucketCounts): number {
  let total = 0
  for (let i = 0; i < counts.length; i++) total += counts[i]!
  return total
}

function faultOfCustom({ bounds, positive, negative, zeroThreshold }: Message, zeroCount: number): string | undefined {
  if (zeroCount !== 0 || zeroThreshold !== 0) return 'got custom bounds and a zero bucket, want one of the two'
  if (negative.lengths.length + negative.deltas.length + negative.counts.length > 0) {
    return 'got custom bounds and negative buckets, want positive ones'
  }
  const areRising = bounds.every((bound, i) => Number.isFinite(bound) && (i === 0 || bound > bounds[i - 1]!))
  if (!areRising) return 'got custom bounds that do not rise, or are not finite numbers'
  let places = 0
  for (let i = 0; i < positive.lengths.length; i++) {
    // The first span's offset is the index of its first bucket.
    if (positive.offsets[i]! < 0) return `got a span with offset ${positive.offsets[i]}, want 0 or more`
    places += positive.offsets[i]! + positive.lengths[i]!
  }
  if (places > bounds.length + 1) {
    return `got ${bounds.length} custom bounds for buckets up to number ${places}, want at least ${places - 1}`
  }
  return undefined
}

function faultOfExponential({ bounds, zeroThreshold }: Message): string | undefined {
  if (bounds.length > 0) return `got ${bounds.length} custom bounds with exponential buckets, want none`
  return zeroThreshold >= 0 ? undefined : `got a zero threshold of ${zeroThreshold}, want 0 or more`
}

/** Buckets with observations; a text when spans and counts do not match. */
function bucketsOf(side: string, { offsets, lengths, deltas, counts }: Side, isFloat: boolean): BucketCounts | string {
  const sent = isFloat ? counts : deltas
  const wanted = lengths.reduce((sum, length) => sum + length, 0)
  if (wanted !== sent.length) return `got ${sent.length} ${side} buckets for spans of ${wanted}, want as many`
  const indexes = new Int32Array(wanted)
  const kept = new Float64Array(wanted)
  let size = 0
  let next = 0
  let index = 0
  let count = 0
  for (let span = 0; span < lengths.length; span++) {
    if (span > 0 && offsets[span]! < 0) return `got a ${side} span ${-offsets[span]!} buckets back, want them to rise`
    index += offsets[span]!
    for (let i = 0; i < lengths[span]!; i++, index++, next++) {
      count = isFloat ? sent[next]! : count + sent[next]!
      if (!(count >= 0)) return `got ${count} in ${side} bucket ${index}, want 0 or more`
      if ((index | 0) !== index) return `got ${side} bucket ${index}, want an index of 32 bits`
      if (count === 0) continue
      indexes[size] = index
      kept[size++] = count
    }
  }
  return size === 0 ? NO_BUCKETS : { indexes: indexes.slice(0, size), counts: kept.slice(0, size) }
}

/** Buckets of a schema that is coarser by `merging`: each is 2^merging of these. */
export function mergedDown({ indexes, counts }: BucketCounts, merging: number): BucketCounts {
  if (merging === 0 || indexes.length === 0) return { indexes, counts }
  const merged = new Map<number, number>()
  for (let i = 0; i < indexes.length; i++) {
    // Bucket i ends at base^i, so a wider bucket merges the ones up to its end.
    const index = Math.ceil(indexes[i]! / 2 ** merging)
    merged.set(index, (merged.get(index) ?? 0) + counts[i]!)
  }
  return { indexes: Int32Array.from(merged.keys()), counts: Float64Array.from(merged.values()) }
}
