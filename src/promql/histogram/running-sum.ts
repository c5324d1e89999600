import { CUSTOM_BOUNDS, type CounterReset, type Histogram } from '../../model/histogram.ts'
import { exponentialBound } from './bounds.ts'
import type { Accumulator } from '../evaluate/kahan.ts'
import { countsOf, mergeSums, movedSums, slicedSums, sumsOf, type AddNumber, type BucketSums } from './bucket-sums.ts'
import { areSameBounds, bucketsIn, sharedBounds } from './custom-bounds.ts'

/** A running sum of histograms. Steps create new objects, so that a step can be discarded. */
export interface RunningSum {
  readonly schema: number
  readonly counterReset: CounterReset
  readonly count: Readonly<Accumulator>
  readonly sum: Readonly<Accumulator>
  readonly zeroThreshold: number
  readonly zeroCount: Readonly<Accumulator>
  readonly positive: BucketSums
  readonly negative: BucketSums
  readonly customBounds: Float64Array
}

export interface Step {
  readonly running: RunningSum
  /** One of the two has the hint `reset` and the other `continued`. */
  readonly isCollision: boolean
  /** Their custom bounds differed, and only the common ones remain. */
  readonly isReconciled: boolean
}

export function beginSum(histogram: Histogram): RunningSum {
  return {
    schema: histogram.schema,
    counterReset: histogram.counterReset,
    count: { sum: histogram.count, correction: 0 },
    sum: { sum: histogram.sum, correction: 0 },
    zeroThreshold: histogram.zeroThreshold,
    zeroCount: { sum: histogram.zeroCount, correction: 0 },
    positive: sumsOf(histogram.positive),
    negative: sumsOf(histogram.negative),
    customBounds: histogram.customBounds,
  }
}

export function endSum(running: RunningSum): Histogram {
  return {
    schema: running.schema,
    counterReset: running.counterReset,
    count: running.count.sum + running.count.correction,
    sum: running.sum.sum + running.sum.correction,
    zeroThreshold: running.zeroThreshold,
    zeroCount: running.zeroCount.sum + running.zeroCount.correction,
    positive: countsOf(running.positive),
    negative: countsOf(running.negative),
    customBounds: running.customBounds,
  }
}

/**
 * Adds or subtracts a histogram. The result has the coarser schema, the wider zero bucket and the common custom bounds.
 * `undefined`: one has exponential buckets and the other has custom ones.
 */
export function stepSum(running: RunningSum, histogram: Histogram, sign: 1 | -1, add: AddNumber): Step | undefined {
  const isCustom = running.schema === CUSTOM_BOUNDS
  if (isCustom !== (histogram.schema === CUSTOM_BOUNDS)) return undefined
  const counterReset = joinedReset(running.counterReset, histogram.counterReset)
  const isCollision = isColliding(running.counterReset, histogram.counterReset)
  const isReconciled = isCustom && !areSameBounds(running.customBounds, histogram.customBounds)
  const [left, right] = isCustom
    ? overSharedBounds(running, beginSum(histogram), isReconciled, add)
    : overOneSchema(...overOneZeroBucket(running, beginSum(histogram), add), add)
  const summed: RunningSum = {
    schema: left.schema,
    counterReset,
    count: added(left.count, right.count, sign, add),
    sum: added(left.sum, right.sum, sign, add),
    zeroThreshold: left.zeroThreshold,
    zeroCount: added(left.zeroCount, right.zeroCount, sign, add),
    positive: mergeSums(left.positive, right.positive, sign, add),
    negative: mergeSums(left.negative, right.negative, sign, add),
    customBounds: left.customBounds,
  }
  return { running: summed, isCollision, isReconciled }
}

/** Changes all numbers by a factor or divisor. */
export function mapSum(running: RunningSum, change: (value: number) => number): RunningSum {
  const both = ({ sum, correction }: Accumulator): Accumulator => ({ sum: change(sum), correction: change(correction) })
  const buckets = ({ indexes, sums, corrections }: BucketSums): BucketSums => ({
    indexes,
    sums: sums.map(change),
    corrections: corrections.map(change),
  })
  return {
    ...running,
    count: both(running.count),
    sum: both(running.sum),
    zeroCount: both(running.zeroCount),
    positive: buckets(running.positive),
    negative: buckets(running.negative),
  }
}

/** Whether some number is infinite: a mean must then be computed in another way. */
export function isOverflown({ count, sum, zeroCount, positive, negative }: RunningSum): boolean {
  const isInfinite = (value: number): boolean => value === Infinity || value === -Infinity
  return (
    [count.sum, sum.sum, zeroCount.sum].some(isInfinite) ||
    positive.sums.some(isInfinite) ||
    negative.sums.some(isInfinite)
  )
}

function added(to: Accumulator, value: Accumulator, sign: 1 | -1, add: AddNumber): Accumulator {
  const sum = { ...to }
  add(sum, sign * value.sum)
  if (value.correction !== 0) add(sum, sign * value.correction)
  return sum
}

/** The counter reset hint of a sum. */
function joinedReset(a: CounterReset, b: CounterReset): CounterReset {
  if (a === b) return a
  return a === 'gauge' || b === 'gauge' ? 'gauge' : 'unknown'
}

function isColliding(a: CounterReset, b: CounterReset): boolean {
  return (a === 'reset' && b === 'continued') || (a === 'continued' && b === 'reset')
}

function overSharedBounds(
  a: RunningSum,
  b: RunningSum,
  isReconciled: boolean,
  add: AddNumber,
): [RunningSum, RunningSum] {
  if (!isReconciled) return [a, b]
  const customBounds = sharedBounds(a.customBounds, b.customBounds)
  return [withCustomBounds(a, customBounds, add), withCustomBounds(b, customBounds, add)]
}

/** Reduces to fewer custom bounds, all of which it has. */
export function withCustomBounds(running: RunningSum, customBounds: Float64Array, add: AddNumber): RunningSum {
  const places = bucketsIn(running.customBounds, customBounds)
  return { ...running, positive: movedSums(running.positive, (index) => places[index]!, add), customBounds }
}

function overOneSchema(a: RunningSum, b: RunningSum, add: AddNumber): [RunningSum, RunningSum] {
  const schema = Math.min(a.schema, b.schema)
  return [withSchema(a, schema, add), withSchema(b, schema, add)]
}

/** Reduces to a schema that is not finer: each bucket combines 2, 4, 8, ... of the finer one. */
export function withSchema(running: RunningSum, schema: number, add: AddNumber): RunningSum {
  if (running.schema === schema) return running
  const shift = running.schema - schema
  const coarser = (sums: BucketSums): BucketSums => movedSums(sums, (index) => ((index - 1) >> shift) + 1, add)
  return { ...running, schema, positive: coarser(running.positive), negative: coarser(running.negative) }
}

/** Widens the zero buckets until both have one width that cuts no populated bucket of either. */
function overOneZeroBucket(a: RunningSum, b: RunningSum, add: AddNumber): [RunningSum, RunningSum] {
  let [left, right] = [a, b]
  while (!Object.is(left.zeroThreshold, right.zeroThreshold)) {
    if (left.zeroThreshold > right.zeroThreshold) right = withZeroThreshold(right, left.zeroThreshold, add)
    else left = withZeroThreshold(left, right.zeroThreshold, add)
  }
  return [left, right]
}

/**
 * Widens the zero bucket to at least `threshold`, and further when that is inside a populated bucket. Its counts move
 * into the zero bucket.
 */
export function withZeroThreshold(running: RunningSum, threshold: number, add: AddNumber): RunningSum {
  const { schema, positive, negative } = running
  if (threshold === running.zeroThreshold) return running
  let zeroThreshold = threshold
  let above = 0
  let below = 0
  for (let isMoving = true; isMoving;) {
    above = bucketsBelow(positive, schema, zeroThreshold)
    below = bucketsBelow(negative, schema, zeroThreshold)
    const reached = Math.max(endOf(positive, above, schema), endOf(negative, below, schema))
    isMoving = reached > zeroThreshold
    if (isMoving) zeroThreshold = reached
  }
  const zeroCount = { ...running.zeroCount }
  for (const [side, end] of [[positive, above] as const, [negative, below] as const]) {
    for (let i = 0; i < end; i++) {
      add(zeroCount, side.sums[i]!)
      if (side.corrections[i] !== 0) add(zeroCount, side.corrections[i]!)
    }
  }
  return {
    ...running,
    zeroThreshold,
    zeroCount,
    positive: slicedSums(positive, above, positive.indexes.length),
    negative: slicedSums(negative, below, negative.indexes.length),
  }
}

/** The number of buckets that start below a threshold. */
function bucketsBelow({ indexes }: BucketSums, schema: number, threshold: number): number {
  let count = 0
  while (count < indexes.length && exponentialBound(indexes[count]! - 1, schema) < threshold) count++
  return count
}

/** The end of the last populated of the first `count` buckets. */
function endOf({ indexes, sums }: BucketSums, count: number, schema: number): number {
  let last = count - 1
  while (last >= 0 && sums[last] === 0) last--
  return last < 0 ? 0 : exponentialBound(indexes[last]!, schema)
}
