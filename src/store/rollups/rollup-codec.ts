import type { RollupParts } from '../../model/rollup.ts'
import type { BucketList } from './bucket-list.ts'
import { ByteWriter, MalformedBytesError } from '../bytes.ts'
import { ResidualReader, ResidualWriter } from './residuals.ts'

/**
 * The buckets of one series as three payloads, so that a reader inflates only those it needs: the edges (counts, times
 * and values of the first and the last sample, resets, changes), the extremes, the sums. Each column is stored as the
 * difference from its prediction (`residuals.ts`): a column that continues as before takes almost no bytes. Values of
 * few decimals are stored as integers, others as the bits that differ from the value before. Drawn in README.md.
 */
export interface RollupChunk {
  readonly edges: Uint8Array
  /** Empty when they were not read. */
  readonly extremes: Uint8Array
  readonly sums: Uint8Array
}

/** Powers that are exact floats. The mode byte of the edges holds the place of one, or these. */
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const
const MODE_BITS = 32
/** The values never fall: the prediction repeats the last growth. */
const MODE_RISES = 16
/** The mode byte of the other columns of values. */
const AS_EDGES = 1
const AS_BITS = 2

/** Limit of scaled values, so that the prediction from four of them is exact. */
const SCALED_MAX = 2 ** 50
/** Ten years of five minutes, more than any block has; a damaged number of them takes some 100 MB. */
const BUCKETS_MAX = 2 ** 20

const bytes = new ByteWriter()
const residuals = new ResidualWriter(bytes)
/** First and last values as integers; filled by both directions for the payloads that follow the edges. */
let scaledFirsts = new Float64Array(256)
let scaledLasts = new Float64Array(256)
let column = new Float64Array(256)
let wordColumn = new Int32Array(512)

/** Encodes a non-empty list. `base` is a bucket number near its first. */
export function encodeBuckets(list: BucketList, base: number): RollupChunk {
  makeRoom(list.count)
  const power = powerOf(list)
  return { edges: encodeEdges(list, base, power), extremes: encodeExtremes(list, power), sums: encodeSums(list, power) }
}

function encodeEdges(list: BucketList, base: number, power: number | undefined): Uint8Array {
  const { count, numbers, counts, flags, firstsMs, lastsMs, resets, resetSums, changes, widthMs } = list
  bytes.clear()
  bytes.reserve(16)
  const rises = power !== undefined && isRising(list)
  bytes.byte(power === undefined ? MODE_BITS : POWERS.indexOf(power as 1) | (rises ? MODE_RISES : 0))
  bytes.unsigned(count)
  for (let i = 0; i < count; i++) residuals.put(i === 0 ? numbers[0]! - base : numbers[i]! - numbers[i - 1]! - 1)
  residuals.end()
  putDifferences(counts, count)
  putDifferences(flags, count)
  putOffsets(counts, count, (i) => firstsMs[i]! - numbers[i]! * widthMs)
  putOffsets(counts, count, (i) => (numbers[i]! + 1) * widthMs - lastsMs[i]!)
  if (power === undefined) putBitEdges(list)
  else putScaledEdges(list, power, rises)
  for (let i = 0; i < count; i++) residuals.put(resets[i]!)
  residuals.end()
  putDifferences(changes, count)
  let fallen = 0
  for (let i = 0; i < count; i++) if (resets[i]! > 0) column[fallen++] = i
  if (fallen === 0) return bytes.take()
  const places = column
  let isScaled = power !== undefined
  for (let k = 0; k < fallen && isScaled; k++) isScaled = isExact(resetSums[places[k]!]!, power!)
  bytes.reserve(1)
  bytes.byte(isScaled ? AS_EDGES : AS_BITS)
  if (isScaled) {
    for (let k = 0; k < fallen; k++) {
      const i = places[k]!
      residuals.put(Math.round(resetSums[i]! * power!) - scaledFirsts[i]!)
    }
  } else {
    const words = wordsOf(resetSums)
    let at = -1
    for (let k = 0; k < fallen; k++) {
      const i = places[k]!
      residuals.putBits(words[i * 2]! ^ wordAt(words, at, 0), words[i * 2 + 1]! ^ wordAt(words, at, 1))
      at = i
    }
  }
  residuals.end()
  return bytes.take()
}

function putDifferences(values: Float64Array | Uint8Array, count: number): void {
  for (let i = 0; i < count; i++) residuals.put(i === 0 ? values[0]! : values[i]! - values[i - 1]!)
  residuals.end()
}

/** Offsets in time, as differences; a bucket without samples has the one before. */
function putOffsets(counts: Float64Array, count: number, offsetMs: (i: number) => number): void {
  let before = 0
  for (let i = 0; i < count; i++) {
    const offMs = counts[i] === 0 ? before : offsetMs(i)
    residuals.put(offMs - before)
    before = offMs
  }
  residuals.end()
}

/**
 * A bucket without samples is encoded as if the last value had stayed: predictions cannot diverge over many buckets.
 */
function putScaledEdges(list: BucketList, power: number, rises: boolean): void {
  const { count, counts, firsts, lasts } = list
  let last = 0
  let step = 0
  let growth = 0
  for (let i = 0; i < count; i++) {
    const expectedFirst = last + step
    const first = counts[i] === 0 ? last : Math.round(firsts[i]! * power)
    const expectedLast = first + growth
    const lastHere = counts[i] === 0 ? last : Math.round(lasts[i]! * power)
    residuals.put(first - expectedFirst)
    column[i] = lastHere - expectedLast
    scaledFirsts[i] = first
    scaledLasts[i] = lastHere
    if (rises) {
      if (i > 0) step = first - last
      growth = lastHere - first
    }
    last = lastHere
  }
  residuals.end()
  for (let i = 0; i < count; i++) residuals.put(column[i]!)
  residuals.end()
}

function putBitEdges({ count, firsts, lasts }: BucketList): void {
  const firstWords = wordsOf(firsts)
  const lastWords = wordsOf(lasts)
  for (let i = 0; i < count; i++) {
    residuals.putBits(
      firstWords[i * 2]! ^ wordAt(lastWords, i - 1, 0),
      firstWords[i * 2 + 1]! ^ wordAt(lastWords, i - 1, 1),
    )
  }
  residuals.end()
  for (let i = 0; i < count; i++) {
    residuals.putBits(lastWords[i * 2]! ^ firstWords[i * 2]!, lastWords[i * 2 + 1]! ^ firstWords[i * 2 + 1]!)
  }
  residuals.end()
}

function encodeExtremes(list: BucketList, power: number | undefined): Uint8Array {
  const { count, counts, firsts, lasts, mins, maxs } = list
  let isScaled = power !== undefined
  for (let i = 0; i < count && isScaled; i++) {
    isScaled = counts[i] === 0 || (isExact(mins[i]!, power!) && isExact(maxs[i]!, power!))
  }
  bytes.clear()
  bytes.reserve(1)
  bytes.byte(isScaled ? AS_EDGES : AS_BITS)
  if (isScaled) {
    for (let i = 0; i < count; i++) {
      const least = Math.min(scaledFirsts[i]!, scaledLasts[i]!)
      residuals.put(counts[i] === 0 ? 0 : least - Math.round(mins[i]! * power!))
    }
    residuals.end()
    for (let i = 0; i < count; i++) {
      const most = Math.max(scaledFirsts[i]!, scaledLasts[i]!)
      residuals.put(counts[i] === 0 ? 0 : Math.round(maxs[i]! * power!) - most)
    }
    residuals.end()
  } else {
    putBitsAgainst(mins, list, (i) => firsts[i]! < lasts[i]!)
    putBitsAgainst(maxs, list, (i) => firsts[i]! > lasts[i]!)
  }
  return bytes.take()
}

/** A column against the first value where `isFirst`, and the last one elsewhere. */
function putBitsAgainst(values: Float64Array, list: BucketList, isFirst: (i: number) => boolean): void {
  const words = wordsOf(values)
  const firstWords = wordsOf(list.firsts)
  const lastWords = wordsOf(list.lasts)
  for (let i = 0; i < list.count; i++) {
    const expected = isFirst(i) ? firstWords : lastWords
    if (list.counts[i] === 0) residuals.putBits(0, 0)
    else residuals.putBits(words[i * 2]! ^ expected[i * 2]!, words[i * 2 + 1]! ^ expected[i * 2 + 1]!)
  }
  residuals.end()
}

function encodeSums(list: BucketList, power: number | undefined): Uint8Array {
  const { count, counts, sums } = list
  let isScaled = power !== undefined
  for (let i = 0; i < count && isScaled; i++) isScaled = counts[i] === 0 || isScaledSum(list, i, power!)
  bytes.clear()
  bytes.reserve(1)
  bytes.byte(isScaled ? AS_EDGES : AS_BITS)
  if (isScaled) {
    for (let i = 0; i < count; i++) {
      residuals.put(counts[i] === 0 ? 0 : Math.round(sums[i]! * power!) - expectedSum(counts[i]!, i))
    }
  } else {
    const words = wordsOf(sums)
    for (let i = 0; i < count; i++) {
      residuals.putBits(words[i * 2]! ^ wordAt(words, i - 1, 0), words[i * 2 + 1]! ^ wordAt(words, i - 1, 1))
    }
  }
  residuals.end()
  return bytes.take()
}

/** Predicts a straight line from the first value to the last. */
function expectedSum(count: number, i: number): number {
  return Math.round((count * (scaledFirsts[i]! + scaledLasts[i]!)) / 2)
}

/**
 * Whether a sum may be written as an integer: the sum of numbers of few decimals has no more of them, and what a float
 * has beyond is the error of adding, which a reader does better without.
 */
function isScaledSum({ counts, mins, maxs, sums }: BucketList, i: number, power: number): boolean {
  const sum = sums[i]!
  const scaled = Math.round(sum * power)
  if (!(Math.abs(scaled) < SCALED_MAX) || !(Math.abs(expectedSum(counts[i]!, i)) < SCALED_MAX)) return false
  const error = counts[i]! * Math.max(Math.abs(mins[i]!), Math.abs(maxs[i]!)) * 2 ** -50
  return Math.abs(scaled / power - sum) <= error
}

/** Adds the buckets of a chunk to `into`. Throws `MalformedBytesError`. */
export function decodeBuckets(chunk: RollupChunk, base: number, parts: RollupParts, into: BucketList): void {
  const reader = new ResidualReader(chunk.edges)
  const mode = reader.byte()
  const power = mode === MODE_BITS ? undefined : POWERS[mode & ~MODE_RISES]
  if (power === undefined && mode !== MODE_BITS) throw new MalformedBytesError(`unknown mode ${mode} of a rollup`)
  const count = reader.unsigned()
  if (count > BUCKETS_MAX) throw new MalformedBytesError(`rollup of ${count} buckets`)
  makeRoom(count)
  into.reserve(count)
  readPlaces(reader, count, base, into)
  if (power === undefined) readBitEdges(reader, count, into)
  else readScaledEdges(reader, count, power, (mode & MODE_RISES) !== 0, into)
  readFalls(reader, count, power, into)
  if (!reader.isAtEnd) throw new MalformedBytesError('bytes after the bounds of a rollup')
  if (parts.extremes) readExtremes(new ResidualReader(chunk.extremes), count, power, into)
  if (parts.sums) readSums(new ResidualReader(chunk.sums), count, power, into)
  into.added(count)
}

/** HOT. Decodes bucket numbers, counts, flags and times. */
function readPlaces(reader: ResidualReader, count: number, base: number, into: BucketList): void {
  const at = into.count
  const end = at + count
  const { numbers, counts, flags, firstsMs, lastsMs, widthMs } = into
  const read = column
  let written = reader.column(count, read)
  let number = base - 1
  for (let i = 0; i < count; i++) {
    if (i < written) {
      if (i > 0 && read[i]! < 0) throw new MalformedBytesError('numbers of a rollup do not rise')
      number += read[i]!
    }
    numbers[at + i] = ++number
  }
  written = reader.column(count, read)
  let sum = 0
  for (let i = 0; i < written; i++) counts[at + i] = sum += read[i]!
  counts.fill(sum, at + written, end)
  written = reader.column(count, read)
  sum = 0
  for (let i = 0; i < written; i++) flags[at + i] = sum += read[i]!
  flags.fill(sum, at + written, end)
  written = reader.column(count, read)
  sum = 0
  for (let i = 0; i < count; i++) {
    if (i < written) sum += read[i]!
    firstsMs[at + i] = numbers[at + i]! * widthMs + sum
  }
  written = reader.column(count, read)
  sum = 0
  for (let i = 0; i < count; i++) {
    if (i < written) sum += read[i]!
    lastsMs[at + i] = (numbers[at + i]! + 1) * widthMs - sum
  }
}

/** HOT. */
function readScaledEdges(reader: ResidualReader, count: number, power: number, rises: boolean, into: BucketList): void {
  const at = into.count
  const { firsts, lasts } = into
  readWhole(reader, count, scaledFirsts)
  readWhole(reader, count, scaledLasts)
  let last = 0
  let step = 0
  let growth = 0
  for (let i = 0; i < count; i++) {
    const first = last + step + scaledFirsts[i]!
    const lastHere = first + growth + scaledLasts[i]!
    scaledFirsts[i] = first
    scaledLasts[i] = lastHere
    if (rises) {
      if (i > 0) step = first - last
      growth = lastHere - first
    }
    last = lastHere
    firsts[at + i] = power === 1 ? first : first / power
    lasts[at + i] = power === 1 ? lastHere : lastHere / power
  }
}

/** A column with the zeros at its end. */
function readWhole(reader: ResidualReader, count: number, into: Float64Array): void {
  into.fill(0, reader.column(count, into), count)
}

function readBitEdges(reader: ResidualReader, count: number, into: BucketList): void {
  const firstWords = wordsOf(into.firsts)
  const lastWords = wordsOf(into.lasts)
  const at = into.count * 2
  const end = at + count * 2
  reader.bits(count, wordColumn)
  for (let i = at; i < end; i++) firstWords[i] = wordColumn[i - at]!
  reader.bits(count, wordColumn)
  for (let i = at; i < end; i++) {
    if (i >= at + 2) firstWords[i]! ^= lastWords[i - 2]!
    lastWords[i] = firstWords[i]! ^ wordColumn[i - at]!
  }
}

function readFalls(reader: ResidualReader, count: number, power: number | undefined, into: BucketList): void {
  const at = into.count
  const { resets, resetSums, changes } = into
  let written = reader.column(count, column)
  let fallen = 0
  for (let i = 0; i < written; i++) {
    resets[at + i] = column[i]!
    if (column[i]! > 0) fallen++
  }
  resets.fill(0, at + written, at + count)
  resetSums.fill(0, at, at + count)
  written = reader.column(count, column)
  let sum = 0
  for (let i = 0; i < written; i++) changes[at + i] = sum += column[i]!
  changes.fill(sum, at + written, at + count)
  if (fallen === 0) return
  if (reader.byte() === AS_EDGES) {
    if (power === undefined) throw new MalformedBytesError('resets as integers beside values that are none')
    readWhole(reader, fallen, column)
    let k = 0
    for (let i = 0; i < count; i++) {
      if (resets[at + i]! > 0) resetSums[at + i] = (scaledFirsts[i]! + column[k++]!) / power
    }
    return
  }
  reader.bits(fallen, wordColumn)
  const words = wordsOf(resetSums)
  let low = 0
  let high = 0
  let k = 0
  for (let i = 0; i < count; i++) {
    if (resets[at + i]! <= 0) continue
    words[(at + i) * 2] = low ^= wordColumn[k * 2]!
    words[(at + i) * 2 + 1] = high ^= wordColumn[k * 2 + 1]!
    k++
  }
}

function readExtremes(reader: ResidualReader, count: number, power: number | undefined, into: BucketList): void {
  const at = into.count
  const { mins, maxs, firsts, lasts } = into
  if (reader.byte() === AS_EDGES) {
    if (power === undefined) throw new MalformedBytesError('extremes as integers beside values that are none')
    readWhole(reader, count, column)
    for (let i = 0; i < count; i++) {
      mins[at + i] = (Math.min(scaledFirsts[i]!, scaledLasts[i]!) - column[i]!) / power
    }
    readWhole(reader, count, column)
    for (let i = 0; i < count; i++) {
      maxs[at + i] = (Math.max(scaledFirsts[i]!, scaledLasts[i]!) + column[i]!) / power
    }
    return
  }
  readBitsAgainst(reader, count, mins, into, (i) => firsts[i]! < lasts[i]!)
  readBitsAgainst(reader, count, maxs, into, (i) => firsts[i]! > lasts[i]!)
}

function readBitsAgainst(
  reader: ResidualReader,
  count: number,
  values: Float64Array,
  into: BucketList,
  isFirst: (i: number) => boolean,
): void {
  reader.bits(count, wordColumn)
  const words = wordsOf(values)
  const firstWords = wordsOf(into.firsts)
  const lastWords = wordsOf(into.lasts)
  for (let k = 0; k < count; k++) {
    const i = into.count + k
    const expected = isFirst(i) ? firstWords : lastWords
    words[i * 2] = expected[i * 2]! ^ wordColumn[k * 2]!
    words[i * 2 + 1] = expected[i * 2 + 1]! ^ wordColumn[k * 2 + 1]!
  }
}

function readSums(reader: ResidualReader, count: number, power: number | undefined, into: BucketList): void {
  const at = into.count
  const { counts, sums } = into
  if (reader.byte() === AS_EDGES) {
    if (power === undefined) throw new MalformedBytesError('sums as integers beside values that are none')
    readWhole(reader, count, column)
    for (let i = 0; i < count; i++) sums[at + i] = (expectedSum(counts[at + i]!, i) + column[i]!) / power
    return
  }
  reader.bits(count, wordColumn)
  const words = wordsOf(sums)
  let low = 0
  let high = 0
  for (let i = 0; i < count; i++) {
    words[(at + i) * 2] = low ^= wordColumn[i * 2]!
    words[(at + i) * 2 + 1] = high ^= wordColumn[i * 2 + 1]!
  }
}

/** The power of ten by which all first and last values become integers; undefined: none does. */
function powerOf({ count, counts, firsts, lasts }: BucketList): number | undefined {
  let decimals = 0
  for (let i = 0; i < count; i++) {
    if (counts[i] === 0) continue
    while (decimals < POWERS.length && !isExact(firsts[i]!, POWERS[decimals]!)) decimals++
    while (decimals < POWERS.length && !isExact(lasts[i]!, POWERS[decimals]!)) decimals++
    if (decimals === POWERS.length) return undefined
  }
  return POWERS[decimals]
}

/** Whether `value` can be restored bit by bit from its scaled form. */
function isExact(value: number, power: number): boolean {
  const scaled = Math.round(value * power)
  return Math.abs(scaled) < SCALED_MAX && scaled / power === value && !Object.is(value, -0)
}

function isRising({ count, counts, firsts, lasts, resets }: BucketList): boolean {
  let last = -Infinity
  for (let i = 0; i < count; i++) {
    if (counts[i] === 0) continue
    if (resets[i]! > 0 || firsts[i]! < last) return false
    last = lasts[i]!
  }
  return true
}

function makeRoom(count: number): void {
  if (count <= column.length) return
  const size = Math.max(count, column.length * 2)
  column = new Float64Array(size)
  scaledFirsts = new Float64Array(size)
  scaledLasts = new Float64Array(size)
  wordColumn = new Int32Array(size * 2)
}

function wordsOf(values: Float64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

function wordAt(words: Int32Array, index: number, word: 0 | 1): number {
  return index < 0 ? 0 : words[index * 2 + word]!
}
