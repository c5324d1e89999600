import { grown } from '../../base/grown.ts'

/**
 * Samples of one series as runs: `count` samples of one value, `deltaMs` apart. Most series of a fleet do not change
 * for hours, and then a run is all of them. Columns, reused after `clear`; values are two words, so that the bits of
 * a NaN are never touched.
 */
export class RunList {
  count = 0
  startsMs = new Float64Array(64)
  /** 0 while the run has one sample. */
  deltasMs = new Int32Array(64)
  counts = new Int32Array(64)
  lows = new Int32Array(64)
  highs = new Int32Array(64)

  clear(): void {
    this.count = 0
  }

  /** HOT in flush. Adds a complete run without joining it to the last one. */
  pushRun(startMs: number, deltaMs: number, count: number, low: number, high: number): void {
    const at = this.count
    if (at === this.startsMs.length) this.#grow()
    this.startsMs[at] = startMs
    this.deltasMs[at] = deltaMs
    this.counts[at] = count
    this.lows[at] = low
    this.highs[at] = high
    this.count = at + 1
  }

  /** Adds one sample, newer than all others; extends the last run when possible. */
  pushSample(timeMs: number, low: number, high: number): void {
    const last = this.count - 1
    if (last >= 0 && this.lows[last] === low && this.highs[last] === high) {
      const deltaMs = deltaToExtend(timeMs, this.startsMs[last]!, this.deltasMs[last]!, this.counts[last]!)
      if (deltaMs !== 0) {
        this.deltasMs[last] = deltaMs
        this.counts[last]!++
        return
      }
    }
    this.pushRun(timeMs, 0, 1, low, high)
  }

  /** Adds all runs of a newer list; its first run extends the last one here when possible. */
  joinAll(newer: RunList): void {
    for (let run = 0; run < newer.count; run++) {
      const startMs = newer.startsMs[run]!
      const deltaMs = newer.deltasMs[run]!
      const count = newer.counts[run]!
      const low = newer.lows[run]!
      const high = newer.highs[run]!
      if (run > 0 || !this.#join(startMs, deltaMs, count, low, high)) this.pushRun(startMs, deltaMs, count, low, high)
    }
  }

  #join(startMs: number, deltaMs: number, count: number, low: number, high: number): boolean {
    const last = this.count - 1
    if (last < 0 || this.lows[last] !== low || this.highs[last] !== high) return false
    const joinedMs = deltaToExtend(startMs, this.startsMs[last]!, this.deltasMs[last]!, this.counts[last]!)
    if (joinedMs === 0 || (count > 1 && joinedMs !== deltaMs)) return false
    if (this.counts[last]! + count > RUN_WORD_MAX) return false
    this.deltasMs[last] = joinedMs
    this.counts[last]! += count
    return true
  }

  lastMsOf(run: number): number {
    return this.startsMs[run]! + this.deltasMs[run]! * (this.counts[run]! - 1)
  }

  /** How many samples all runs have. */
  get sampleCount(): number {
    let total = 0
    for (let run = 0; run < this.count; run++) total += this.counts[run]!
    return total
  }

  /** Moves the samples up to and including `cutMs` to the end of `older`; the rest stays. */
  splitOlder(cutMs: number, older: RunList): void {
    let kept = 0
    for (let run = 0; run < this.count; run++) {
      const startMs = this.startsMs[run]!
      const deltaMs = this.deltasMs[run]!
      const count = this.counts[run]!
      const low = this.lows[run]!
      const high = this.highs[run]!
      const taken = countUpTo(cutMs, startMs, deltaMs, count)
      if (taken > 0) older.pushRun(startMs, taken === 1 ? 0 : deltaMs, taken, low, high)
      if (taken === count) continue
      this.startsMs[kept] = startMs + deltaMs * taken
      this.deltasMs[kept] = count - taken === 1 ? 0 : deltaMs
      this.counts[kept] = count - taken
      this.lows[kept] = low
      this.highs[kept] = high
      kept++
    }
    this.count = kept
  }

  #grow(): void {
    const size = this.startsMs.length * 2
    this.startsMs = grown(this.startsMs, size)
    this.deltasMs = grown(this.deltasMs, size)
    this.counts = grown(this.counts, size)
    this.lows = grown(this.lows, size)
    this.highs = grown(this.highs, size)
  }
}

/** The largest distance and the largest length of a run: both are 32-bit words. */
const RUN_WORD_MAX = 0x7fffffff

/** HOT. The distance with which a run of the same value can be extended by `timeMs`, or 0 when it cannot. */
export function deltaToExtend(timeMs: number, startMs: number, deltaMs: number, count: number): number {
  if (count === 1) {
    const first = timeMs - startMs
    return first > 0 && first <= RUN_WORD_MAX ? first : 0
  }
  return timeMs === startMs + deltaMs * count && count < RUN_WORD_MAX ? deltaMs : 0
}

/** HOT. How many samples of a run are at or before `timeMs`. */
export function countUpTo(timeMs: number, startMs: number, deltaMs: number, count: number): number {
  if (timeMs < startMs) return 0
  if (count === 1) return 1
  return Math.min(count, Math.floor((timeMs - startMs) / deltaMs) + 1)
}

/** Merges ordered runs and unordered runs into one ordered list. For a time in both, the first list wins. */
export function mergeRuns(inOrder: RunList, late: RunList, into: RunList): void {
  into.clear()
  const lateSamples: { timeMs: number; run: number }[] = []
  for (let run = 0; run < late.count; run++) {
    for (let i = 0; i < late.counts[run]!; i++) {
      lateSamples.push({ timeMs: late.startsMs[run]! + late.deltasMs[run]! * i, run })
    }
  }
  lateSamples.sort((a, b) => a.timeMs - b.timeMs)
  let next = 0
  const takeLateBefore = (timeMs: number): void => {
    while (next < lateSamples.length && lateSamples[next]!.timeMs < timeMs) {
      const { timeMs: lateMs, run } = lateSamples[next++]!
      into.pushSample(lateMs, late.lows[run]!, late.highs[run]!)
    }
    while (next < lateSamples.length && lateSamples[next]!.timeMs === timeMs) next++
  }
  for (let run = 0; run < inOrder.count; run++) {
    for (let i = 0; i < inOrder.counts[run]!; i++) {
      const timeMs = inOrder.startsMs[run]! + inOrder.deltasMs[run]! * i
      takeLateBefore(timeMs)
      into.pushSample(timeMs, inOrder.lows[run]!, inOrder.highs[run]!)
    }
  }
  takeLateBefore(Infinity)
}
