import { BUCKET_HAS_NEGATIVE, BUCKET_IS_INTEGER, type RollupColumns, type RollupParts } from '../../model/rollup.ts'
import { isChange } from './over-time.ts'
import { extrapolated, rangeSeconds } from './rate.ts'

/**
 * Range functions over buckets of rollups: exactly the results of the functions over samples (`rate.ts`,
 * `over-time.ts`), or a result that marks that this cannot be guaranteed. Sums are exact when all samples are
 * sufficiently small integers; a gain is also exact when no bucket has more than one reset, because then the same
 * numbers are added in the same order.
 */

/** One window of one series, reused for all windows: the buckets `[first, last]`, both of which have samples. */
interface BucketWindow {
  buckets: RollupColumns
  first: number
  last: number
  samples: number
  startMs: number
  endMs: number
  result: number
}

/** No value at this step; an exact value; a value whose last digits may differ from that of the samples. */
type BucketOutcome = 0 | 1 | 2
const NOTHING = 0
const EXACT = 1
const INEXACT = 2

interface BucketKernel {
  readonly parts: RollupParts
  /** HOT: once per series and step. Writes `result` except for outcome 0. */
  readonly of: (window: BucketWindow) => BucketOutcome
}

/**
 * Half of the largest exact integer of a float, because a gain includes a difference of two samples. Sums of integers
 * whose magnitudes add up to at most this are exact, in any order.
 */
const EXACT_MAX = 2 ** 52

function hasFlags({ buckets, first, last }: BucketWindow, mask: number, wanted: number): boolean {
  const { counts, flags } = buckets
  for (let i = first; i <= last; i++) if (counts[i]! > 0 && (flags[i]! & mask) !== wanted) return false
  return true
}

/** The gain, into `result`. The values before resets are added in the order of time, as for samples. */
function gain(window: BucketWindow, isCounter: boolean): BucketOutcome {
  const { buckets, first, last } = window
  const { counts, firsts, lasts, resets, resetSums } = buckets
  let gained = lasts[last]! - firsts[first]!
  window.result = gained
  if (!isCounter || (first === last && resets[first] === 0)) return EXACT
  let isInOrder = true
  let fallen = 0
  let previous = firsts[first]!
  for (let i = first; i <= last; i++) {
    if (counts[i] === 0) continue
    if (firsts[i]! < previous) {
      gained += previous
      fallen += previous
    }
    if (resets[i]! > 0) {
      gained += resetSums[i]!
      fallen += resetSums[i]!
      // Several resets in one bucket were added to each other before.
      if (resets[i]! > 1) isInOrder = false
    }
    previous = lasts[i]!
  }
  window.result = gained
  if (isInOrder) return EXACT
  const isWhole = hasFlags(window, BUCKET_IS_INTEGER | BUCKET_HAS_NEGATIVE, BUCKET_IS_INTEGER)
  return isWhole && fallen + lasts[last]! + firsts[first]! <= EXACT_MAX ? EXACT : INEXACT
}

function extrapolate(window: BucketWindow, isCounter: boolean, seconds = 1): BucketOutcome {
  const { buckets, first, last, samples, startMs, endMs } = window
  if (samples < 2) return NOTHING
  const outcome = gain(window, isCounter)
  const firstMs = buckets.firstsMs[first]!
  const lastMs = buckets.lastsMs[last]!
  window.result = extrapolated(
    window.result,
    buckets.firsts[first]!,
    firstMs,
    lastMs,
    samples,
    startMs,
    endMs,
    isCounter,
    seconds,
  )
  return outcome
}

/** The sum, into `result`. The extremes bound its magnitude. */
function sum(window: BucketWindow): BucketOutcome {
  const { buckets, first, last, samples } = window
  const { counts, sums, mins, maxs } = buckets
  let total = 0
  let size = 0
  for (let i = first; i <= last; i++) {
    if (counts[i] === 0) continue
    total += sums[i]!
    size = Math.max(size, Math.abs(mins[i]!), Math.abs(maxs[i]!))
  }
  window.result = total
  return hasFlags(window, BUCKET_IS_INTEGER, BUCKET_IS_INTEGER) && size * samples <= EXACT_MAX ? EXACT : INEXACT
}

/** The minimum (of `mins`, `sign` 1) or the maximum (of `maxs`, -1); NaN only when all are NaN. */
function extreme({ buckets, first, last }: BucketWindow, column: Float64Array, sign: 1 | -1): number {
  const { counts } = buckets
  let best = NaN
  for (let i = first; i <= last; i++) {
    if (counts[i]! > 0 && (column[i]! * sign < best * sign || Number.isNaN(best))) best = column[i]!
  }
  return best
}

/** What each bucket counted, and the transitions between two buckets that count. */
function countOf(
  { buckets, first, last }: BucketWindow,
  inside: ArrayLike<number>,
  counts: (before: number, now: number) => boolean,
): number {
  const { firsts, lasts } = buckets
  let found = 0
  let previous = firsts[first]!
  for (let i = first; i <= last; i++) {
    if (buckets.counts[i] === 0) continue
    if (counts(previous, firsts[i]!)) found++
    found += inside[i]!
    previous = lasts[i]!
  }
  return found
}

function isReset(before: number, now: number): boolean {
  return now < before
}

/** The parts that functions of the first and last samples of buckets need. */
export const EDGES: RollupParts = { extremes: false, sums: false }
const EXTREMES: RollupParts = { extremes: true, sums: false }
const SUMS: RollupParts = { extremes: true, sums: true }

function exact(parts: RollupParts, resultOf: (window: BucketWindow) => number): BucketKernel {
  const of = (window: BucketWindow): BucketOutcome => {
    window.result = resultOf(window)
    return EXACT
  }
  return { parts, of }
}

export const BUCKET_KERNELS: Readonly<Record<string, BucketKernel>> = {
  increase: { parts: EDGES, of: (window) => extrapolate(window, true) },
  rate: {
    parts: EDGES,
    of: (window) => extrapolate(window, true, rangeSeconds(window.endMs - window.startMs)),
  },
  delta: { parts: EDGES, of: (window) => extrapolate(window, false) },
  resets: exact(EDGES, (window) => countOf(window, window.buckets.resets, isReset)),
  changes: exact(EDGES, (window) => countOf(window, window.buckets.changes, isChange)),
  count_over_time: exact(EDGES, ({ samples }) => samples),
  present_over_time: exact(EDGES, () => 1),
  first_over_time: exact(EDGES, ({ buckets, first }) => buckets.firsts[first]!),
  last_over_time: exact(EDGES, ({ buckets, last }) => buckets.lasts[last]!),
  min_over_time: exact(EXTREMES, (window) => extreme(window, window.buckets.mins, 1)),
  max_over_time: exact(EXTREMES, (window) => extreme(window, window.buckets.maxs, -1)),
  sum_over_time: { parts: SUMS, of: sum },
  avg_over_time: {
    parts: SUMS,
    of: (window) => {
      const outcome = sum(window)
      window.result /= window.samples
      return outcome
    },
  },
}

/** Shared by all calls: a row is processed without yielding. */
const shared: BucketWindow = {
  buckets: {} as RollupColumns,
  first: 0,
  last: 0,
  samples: 0,
  startMs: 0,
  endMs: 0,
  result: 0,
}

/**
 * HOT. Moves a window over the buckets of one series; both ends only move forward. Results go to `values[cell + step]`.
 * `endNumbers`: the number of the first bucket after each window. False when one of the results may be inexact.
 */
export function slideOverBuckets(
  { of }: BucketKernel,
  buckets: RollupColumns,
  endsMs: Float64Array,
  endNumbers: Float64Array,
  rangeMs: number,
  rangeBuckets: number,
  cell: number,
  values: Float64Array,
  present: Uint8Array,
): boolean {
  const window = shared
  window.buckets = buckets
  const { numbers, counts, count } = buckets
  let isExact = true
  let from = 0
  let to = 0
  for (let s = 0; s < endsMs.length; s++) {
    const endMs = endsMs[s]!
    const endNumber = endNumbers[s]!
    const firstNumber = endNumber - rangeBuckets
    while (from < count && numbers[from]! < firstNumber) from++
    while (to < count && numbers[to]! < endNumber) to++
    let first = from
    let last = to - 1
    while (first <= last && counts[first] === 0) first++
    while (last > first && counts[last] === 0) last--
    if (first > last) continue
    let samples = 0
    for (let i = first; i <= last; i++) samples += counts[i]!
    window.first = first
    window.last = last
    window.samples = samples
    window.startMs = endMs - rangeMs
    window.endMs = endMs
    const outcome = of(window)
    if (outcome === NOTHING) continue
    if (outcome === INEXACT) isExact = false
    values[cell + s] = window.result
    present[cell + s] = 1
  }
  return isExact
}
