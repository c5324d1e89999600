import {
  CUSTOM_BOUNDS,
  NO_BUCKETS,
  type BucketCounts,
  type CounterReset,
  type Histogram,
} from '../../model/histogram.ts'
import { floatOf, highWordOf, lowWordOf, MalformedBytesError, type ByteReader, type ByteWriter } from '../bytes.ts'

/**
 * Native histograms as bytes, and their marker in a sample. In the head, the log and the packs a histogram sample is a
 * float of two words: `HISTOGRAM_HIGH_WORD`, a NaN that no float sample has, and a hash of the histogram. The histogram
 * itself is in a separate row, by series and time. Drawn in README.md.
 */

/** The high word of a sample that is a histogram; the low word is `hashOf` its bytes. A quiet NaN: nothing changes it. */
export const HISTOGRAM_HIGH_WORD = 0xfffa0000 | 0

const RESETS: readonly CounterReset[] = ['unknown', 'reset', 'continued', 'gauge']
const RESET_MASK = 3
/** Schema, zero threshold, bounds and indexes equal those of the histogram before. */
const IS_SAME_LAYOUT = 4
/**
 * Counts are integers: numbers, or, in the same layout, the difference from the count before. Otherwise eight bytes
 * each.
 */
const ARE_WHOLE = 8
const HEAD_MAX = 15

/** Maximum bytes of one bucket, and of the fields other than buckets. */
const BYTES_PER_BUCKET = 20
const BYTES_BESIDE = 80

/** @param before the histogram that was written last into the same bytes, if any */
export function writeHistogram(bytes: ByteWriter, histogram: Histogram, before?: Histogram): void {
  const { positive, negative, customBounds, counterReset, sum } = histogram
  const buckets = positive.indexes.length + negative.indexes.length
  bytes.reserve(BYTES_BESIDE + BYTES_PER_BUCKET * (buckets + customBounds.length))
  const counts = countsOf(histogram)
  const last = before !== undefined && isSameLayout(histogram, before) ? countsOf(before) : undefined
  const differences = last?.map((count, i) => counts[i]! - count)
  const areWhole = areWholeNumbers(counts) && (last === undefined || areWholeNumbers(last))
  const isSame = differences !== undefined && (!areWhole || differences.every(Number.isSafeInteger))
  bytes.byte(RESETS.indexOf(counterReset) | (isSame ? IS_SAME_LAYOUT : 0) | (areWhole ? ARE_WHOLE : 0))
  if (!isSame) writeLayout(bytes, histogram)
  bytes.words(lowWordOf(sum), highWordOf(sum))
  for (const [i, count] of counts.entries()) {
    if (areWhole) bytes.signed(isSame ? differences[i]! : count)
    else bytes.words(lowWordOf(count), highWordOf(count))
  }
}

/** @param before the histogram that was read last from the same bytes, if any. Throws `MalformedBytesError`. */
export function readHistogram(bytes: ByteReader, before?: Histogram): Histogram {
  const head = bytes.byte()
  if (head > HEAD_MAX) throw new MalformedBytesError(`unknown head byte ${head} of a histogram`)
  if ((head & IS_SAME_LAYOUT) !== 0 && before === undefined) {
    throw new MalformedBytesError('a first histogram with the layout of the one before')
  }
  const isSame = (head & IS_SAME_LAYOUT) !== 0
  const layout: Layout = isSame ? before! : readLayout(bytes)
  const sum = readFloat(bytes)
  const last = isSame ? countsOf(before!) : undefined
  const areWhole = (head & ARE_WHOLE) !== 0
  const counts = new Float64Array(2 + layout.positive.indexes.length + layout.negative.indexes.length)
  for (let i = 0; i < counts.length; i++) {
    counts[i] = areWhole ? bytes.signed() + (last?.[i] ?? 0) : readFloat(bytes)
  }
  const positiveEnd = 2 + layout.positive.indexes.length
  return {
    schema: layout.schema,
    counterReset: RESETS[head & RESET_MASK]!,
    count: counts[0]!,
    sum,
    zeroThreshold: layout.zeroThreshold,
    zeroCount: counts[1]!,
    positive: { indexes: layout.positive.indexes, counts: counts.slice(2, positiveEnd) },
    negative: { indexes: layout.negative.indexes, counts: counts.slice(positiveEnd) },
    customBounds: layout.customBounds,
  }
}

/**
 * A 32-bit hash of a histogram, from its bytes as `writeHistogram` makes them for a first one. Excludes the counter
 * reset hint: a sender that repeats a histogram may have changed the hint.
 */
export function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5 ^ (bytes[0]! & ~RESET_MASK)
  for (let i = 1; i < bytes.length; i++) {
    hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

type Layout = Pick<Histogram, 'schema' | 'zeroThreshold' | 'positive' | 'negative' | 'customBounds'>

function writeLayout(bytes: ByteWriter, { schema, zeroThreshold, positive, negative, customBounds }: Layout): void {
  bytes.signed(schema)
  if (schema === CUSTOM_BOUNDS) {
    bytes.unsigned(customBounds.length)
    for (const bound of customBounds) bytes.words(lowWordOf(bound), highWordOf(bound))
  } else bytes.words(lowWordOf(zeroThreshold), highWordOf(zeroThreshold))
  for (const { indexes } of [positive, negative]) {
    bytes.unsigned(indexes.length)
    indexes.forEach((index, i) => {
      if (i === 0) bytes.signed(index)
      else bytes.unsigned(index - indexes[i - 1]!)
    })
  }
}

function readLayout(bytes: ByteReader): Layout {
  const schema = bytes.signed()
  const isCustom = schema === CUSTOM_BOUNDS
  const customBounds = new Float64Array(isCustom ? lengthOf(bytes) : 0)
  for (let i = 0; i < customBounds.length; i++) customBounds[i] = readFloat(bytes)
  const zeroThreshold = isCustom ? 0 : readFloat(bytes)
  return { schema, zeroThreshold, positive: readIndexes(bytes), negative: readIndexes(bytes), customBounds }
}

function readIndexes(bytes: ByteReader): BucketCounts {
  const indexes = new Int32Array(lengthOf(bytes))
  if (indexes.length === 0) return NO_BUCKETS
  let index = 0
  for (let i = 0; i < indexes.length; i++) {
    const step = i === 0 ? bytes.signed() : bytes.unsigned()
    index += step
    if ((i > 0 && step === 0) || (index | 0) !== index) {
      throw new MalformedBytesError(`bucket ${index} of a histogram is out of place`)
    }
    indexes[i] = index
  }
  return { indexes, counts: NO_BUCKETS.counts }
}

/** Each item takes at least a byte: a damaged length must not exhaust memory. */
function lengthOf(bytes: ByteReader): number {
  const length = bytes.unsigned()
  if (length > bytes.bytesLeft) throw new MalformedBytesError(`a list of ${length} in ${bytes.bytesLeft} bytes`)
  return length
}

function readFloat(bytes: ByteReader): number {
  const low = bytes.word()
  return floatOf(low, bytes.word())
}

/** All counts in the order of the encoding. */
function countsOf({ count, zeroCount, positive, negative }: Histogram): number[] {
  return [count, zeroCount, ...positive.counts, ...negative.counts]
}

/** Minus zero does not count as an integer: its sign would be lost. */
function areWholeNumbers(counts: readonly number[]): boolean {
  return counts.every((count) => Number.isSafeInteger(count) && !Object.is(count, -0))
}

function isSameLayout(a: Layout, b: Layout): boolean {
  return (
    a.schema === b.schema &&
    Object.is(a.zeroThreshold, b.zeroThreshold) &&
    areEqual(a.positive.indexes, b.positive.indexes) &&
    areEqual(a.negative.indexes, b.negative.indexes) &&
    areEqual(a.customBounds, b.customBounds)
  )
}

function areEqual(a: Int32Array | Float64Array, b: Int32Array | Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]))
}
