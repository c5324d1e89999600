import { grown } from '../../base/grown.ts'
import { isStaleWords } from '../../model/sample.ts'
import { BUCKET_ENDS_STALE, BUCKET_HAS_NEGATIVE, BUCKET_IS_INTEGER, type RollupColumns } from '../../model/rollup.ts'
import { floatOf } from '../bytes.ts'
import { HISTOGRAM_HIGH_WORD } from '../head/histogram-codec.ts'
import type { RunList } from '../head/run-list.ts'

/** The columns of floats of a list. */
const COLUMNS = [
  ...(['numbers', 'counts', 'firstsMs', 'lastsMs', 'firsts', 'lasts'] as const),
  ...(['resets', 'resetSums', 'changes', 'mins', 'maxs', 'sums'] as const),
]

/**
 * Buckets of one series, oldest first, as columns that are reused after `clear`. Samples and buckets are only appended;
 * those that fall into the last bucket are joined with it. Joining is exact: a bucket made in parts equals a bucket
 * made at once, except `sums` and `resetSums` of numbers that are not integers.
 */
export class BucketList implements RollupColumns {
  count = 0
  widthMs: number
  numbers = new Float64Array(64)
  counts = new Float64Array(64)
  flags = new Uint8Array(64)
  firstsMs = new Float64Array(64)
  lastsMs = new Float64Array(64)
  firsts = new Float64Array(64)
  lasts = new Float64Array(64)
  resets = new Float64Array(64)
  resetSums = new Float64Array(64)
  changes = new Float64Array(64)
  mins = new Float64Array(64)
  maxs = new Float64Array(64)
  sums = new Float64Array(64)

  constructor(widthMs: number) {
    this.widthMs = widthMs
  }

  clear(): void {
    this.count = 0
  }

  /** The samples of all runs. */
  pushRuns(runs: RunList): void {
    const { startsMs, deltasMs, counts, lows, highs } = runs
    for (let run = 0; run < runs.count; run++) {
      this.pushRun(startsMs[run]!, deltasMs[run]!, counts[run]!, lows[run]!, highs[run]!)
    }
  }

  /**
   * HOT in rolling up. `count` samples of one value, `deltaMs` apart: one step per bucket that they touch. Native
   * histograms are in no bucket.
   */
  pushRun(startMs: number, deltaMs: number, count: number, low: number, high: number): void {
    if (high === HISTOGRAM_HIGH_WORD) return
    const { widthMs } = this
    const isStale = isStaleWords(high, low)
    const value = floatOf(low, high)
    for (let i = 0; i < count;) {
      const timeMs = startMs + deltaMs * i
      const number = bucketOf(timeMs, widthMs)
      const left = count - i
      const inside = left === 1 ? 1 : Math.min(left, Math.floor(((number + 1) * widthMs - timeMs) / deltaMs) + 1)
      const at = this.#open(number)
      if (isStale) this.flags[at]! |= BUCKET_ENDS_STALE
      else this.#add(at, timeMs, timeMs + deltaMs * (inside - 1), inside, value)
      i += inside
    }
  }

  /** All buckets of another list of the same width or of one that divides ours. None is older than our last. */
  pushAll(other: BucketList): void {
    const scale = this.widthMs / other.widthMs
    for (let i = 0; i < other.count; i++) this.#join(this.#open(Math.floor(other.numbers[i]! / scale)), other, i)
  }

  /** HOT in reading. Makes room for `more` buckets behind the last; the caller fills them in and then calls `added`. */
  reserve(more: number): void {
    const needed = this.count + more
    if (needed <= this.numbers.length) return
    let size = this.numbers.length
    while (size < needed) size *= 2
    this.#grow(size)
  }

  /** Accounts for `more` buckets written behind the last one; the first of them may continue it. */
  added(more: number): void {
    const at = this.count
    if (more === 0) return
    if (at === 0 || this.numbers[at] !== this.numbers[at - 1]) {
      this.count = at + more
      return
    }
    this.#join(at - 1, this, at)
    const end = at + more
    for (const column of COLUMNS) this[column].copyWithin(at, at + 1, end)
    this.flags.copyWithin(at, at + 1, end)
    this.count = end - 1
  }

  /** The place of a bucket, which is the last one or a new one behind it. */
  #open(number: number): number {
    const last = this.count - 1
    if (last >= 0 && this.numbers[last] === number) return last
    if (this.count === this.numbers.length) this.#grow(this.count * 2)
    const at = this.count++
    this.numbers[at] = number
    this.counts[at] = 0
    this.flags[at] = 0
    this.resets[at] = 0
    this.resetSums[at] = 0
    this.changes[at] = 0
    return at
  }

  /** `count` samples of one value. */
  #add(at: number, firstMs: number, lastMs: number, count: number, value: number): void {
    const isInteger = Number.isInteger(value) && !Object.is(value, -0) ? BUCKET_IS_INTEGER : 0
    const isNegative = value < 0 ? BUCKET_HAS_NEGATIVE : 0
    this.lastsMs[at] = lastMs
    if (this.counts[at] === 0) {
      this.counts[at] = count
      this.flags[at] = isInteger | isNegative
      this.firstsMs[at] = firstMs
      this.firsts[at] = value
      this.lasts[at] = value
      this.mins[at] = value
      this.maxs[at] = value
      this.sums[at] = value * count
      return
    }
    this.counts[at]! += count
    this.flags[at] = (this.flags[at]! & (isInteger | BUCKET_HAS_NEGATIVE)) | isNegative
    this.#step(at, value)
    this.lasts[at] = value
    this.sums[at]! += value * count
    const min = this.mins[at]!
    if (value < min || min !== min) this.mins[at] = value
    const max = this.maxs[at]!
    if (value > max || max !== max) this.maxs[at] = value
  }

  /** From the last value of a bucket to the one after it. */
  #step(at: number, value: number): void {
    const last = this.lasts[at]!
    if (value < last) {
      this.#fell(at, 1, last)
    }
    if (value !== last && !(value !== value && last !== last)) this.changes[at]!++
  }

  /** Stores the first fall bit by bit, including the sign of a zero. */
  #fell(at: number, resets: number, sum: number): void {
    this.resetSums[at] = this.resets[at] === 0 ? sum : this.resetSums[at]! + sum
    this.resets[at]! += resets
  }

  /** Joins bucket `i` of `other`, which is newer, into bucket `at`. */
  #join(at: number, other: BucketList, i: number): void {
    const count = other.counts[i]!
    if (count === 0) {
      this.flags[at]! |= other.flags[i]! & BUCKET_ENDS_STALE
      return
    }
    if (this.counts[at] === 0) {
      this.counts[at] = count
      this.flags[at] = other.flags[i]!
      this.firstsMs[at] = other.firstsMs[i]!
      this.firsts[at] = other.firsts[i]!
      this.mins[at] = other.mins[i]!
      this.maxs[at] = other.maxs[i]!
      this.sums[at] = other.sums[i]!
      this.resets[at] = other.resets[i]!
      this.resetSums[at] = other.resetSums[i]!
      this.changes[at] = other.changes[i]!
    } else {
      this.counts[at]! += count
      const before = this.flags[at]!
      const after = other.flags[i]!
      this.flags[at] =
        (before & after & BUCKET_IS_INTEGER) | (after & BUCKET_ENDS_STALE) | ((before | after) & BUCKET_HAS_NEGATIVE)
      this.#step(at, other.firsts[i]!)
      if (other.resets[i]! > 0) this.#fell(at, other.resets[i]!, other.resetSums[i]!)
      this.changes[at]! += other.changes[i]!
      this.sums[at]! += other.sums[i]!
      const min = this.mins[at]!
      if (other.mins[i]! < min || min !== min) this.mins[at] = other.mins[i]!
      const max = this.maxs[at]!
      if (other.maxs[i]! > max || max !== max) this.maxs[at] = other.maxs[i]!
    }
    this.lastsMs[at] = other.lastsMs[i]!
    this.lasts[at] = other.lasts[i]!
  }

  #grow(size: number): void {
    for (const column of COLUMNS) this[column] = grown(this[column], size)
    this.flags = grown(this.flags, size)
  }
}

/** HOT. The bucket of a time. The division may round up to an edge at times far beyond any calendar. */
export function bucketOf(timeMs: number, widthMs: number): number {
  const number = Math.ceil(timeMs / widthMs) - 1
  if (number * widthMs >= timeMs) return number - 1
  return (number + 1) * widthMs < timeMs ? number + 1 : number
}
