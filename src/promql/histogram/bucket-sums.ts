import { NO_BUCKETS, type BucketCounts } from '../../model/histogram.ts'
import type { Accumulator } from '../evaluate/kahan.ts'

/** Buckets of a running sum, each with its compensation. They may be empty. Indexes ascend strictly. */
export interface BucketSums {
  readonly indexes: Int32Array
  readonly sums: Float64Array
  readonly corrections: Float64Array
}

/** Adds a number, with or without compensation. */
export type AddNumber = (to: Accumulator, value: number) => void

export function sumsOf({ indexes, counts }: BucketCounts): BucketSums {
  return { indexes, sums: counts, corrections: new Float64Array(counts.length) }
}

/** The buckets that are not empty, with compensation added. */
export function countsOf({ indexes, sums, corrections }: BucketSums): BucketCounts {
  return nonEmpty(
    indexes,
    sums.map((sum, i) => sum + corrections[i]!),
  )
}

/** Buckets without those that have no observations. */
export function nonEmpty(indexes: Int32Array, counts: Float64Array): BucketCounts {
  if (!counts.includes(0)) return counts.length === 0 ? NO_BUCKETS : { indexes, counts }
  return { indexes: indexes.filter((_, i) => counts[i] !== 0), counts: counts.filter((count) => count !== 0) }
}

/** HOT: once per added histogram. Merges the buckets of both; `sign` -1 subtracts the second. */
export function mergeSums(a: BucketSums, b: BucketSums, sign: 1 | -1, add: AddNumber): BucketSums {
  if (b.indexes.length === 0) return a
  const length = unionLength(a.indexes, b.indexes)
  const merged = emptySums(length)
  let i = 0
  let j = 0
  for (let at = 0; at < length; at++) {
    const left = i < a.indexes.length ? a.indexes[i]! : Infinity
    const right = j < b.indexes.length ? b.indexes[j]! : Infinity
    merged.indexes[at] = Math.min(left, right)
    cell.sum = 0
    cell.correction = 0
    if (left <= right) {
      cell.sum = a.sums[i]!
      cell.correction = a.corrections[i++]!
    }
    if (right <= left) {
      if (right < left) {
        cell.sum = sign * b.sums[j]!
        cell.correction = sign * b.corrections[j]!
      } else {
        add(cell, sign * b.sums[j]!)
        if (b.corrections[j] !== 0) add(cell, sign * b.corrections[j]!)
      }
      j++
    }
    merged.sums[at] = cell.sum
    merged.corrections[at] = cell.correction
  }
  return merged
}

function unionLength(a: Int32Array, b: Int32Array): number {
  let length = a.length
  let i = 0
  for (const index of b) {
    while (i < a.length && a[i]! < index) i++
    if (a[i] !== index) length++
  }
  return length
}

/** Buckets moved to other indexes, in ascending order; buckets of one index are added. */
export function movedSums(from: BucketSums, placeOf: (index: number) => number, add: AddNumber): BucketSums {
  const moved = emptySums(from.indexes.length)
  let last = -1
  from.indexes.forEach((index, i) => {
    const place = placeOf(index)
    if (last < 0 || moved.indexes[last] !== place) {
      last++
      moved.indexes[last] = place
      moved.sums[last] = from.sums[i]!
      moved.corrections[last] = from.corrections[i]!
      return
    }
    cell.sum = moved.sums[last]!
    cell.correction = moved.corrections[last]!
    add(cell, from.sums[i]!)
    if (from.corrections[i] !== 0) add(cell, from.corrections[i]!)
    moved.sums[last] = cell.sum
    moved.corrections[last] = cell.correction
  })
  return slicedSums(moved, 0, last + 1)
}

export function slicedSums({ indexes, sums, corrections }: BucketSums, from: number, to: number): BucketSums {
  return {
    indexes: indexes.subarray(from, to),
    sums: sums.subarray(from, to),
    corrections: corrections.subarray(from, to),
  }
}

function emptySums(length: number): BucketSums {
  return { indexes: new Int32Array(length), sums: new Float64Array(length), corrections: new Float64Array(length) }
}

/** Shared by all calls: not used after its bucket. */
const cell: Accumulator = { sum: 0, correction: 0 }
