/**
 * Stretches of a series that is computed from facts, and its samples: one at the start of each stretch, then one each minute,
 * on the minute, and a stale marker where the series ends. So the newest sample at any time has the value of that time, and
 * a fact that changes is visible at its own time. Pure.
 */
import type { RunColumns } from '../../model/run-columns.ts'
import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'

/** Stretches of one series are in order and do not overlap. */
export interface Stretch {
  readonly fromMs: number
  /** Exclusive. `Infinity`: it lasts. */
  readonly untilMs: number
  /** The value, or if `isAge` the moment from which the seconds count, in ms. */
  readonly value: number
  readonly isAge?: boolean
}

/** Within PromQL's lookback of five minutes. */
export const SAMPLES_EVERY_MS = 60_000

const word = new Float64Array(1)
const words = new Int32Array(word.buffer)

/** Pushes the samples in the range, of which `toMs` is finite. */
export function pushStretches(stretches: readonly Stretch[], { fromMs, toMs }: TimeRange, into: RunColumns): void {
  for (let i = 0; i < stretches.length; i++) {
    const stretch = stretches[i]!
    if (stretch.fromMs > toMs) return
    if (stretch.untilMs < fromMs) continue
    const lastMs = Math.min(stretch.untilMs - 1, toMs)
    const nextMs = nextMinuteMs(stretch.fromMs)
    if (stretch.isAge === true) pushAges(stretch, Math.max(fromMs, stretch.fromMs), lastMs, into)
    else {
      word[0] = stretch.value
      const [low, high] = [words[0]!, words[1]!]
      const push = (startMs: number, count: number): void => {
        into.pushCut(startMs, SAMPLES_EVERY_MS, count, low, high, fromMs, toMs)
      }
      const more = Math.floor((lastMs - nextMs) / SAMPLES_EVERY_MS) + 1
      if (nextMs - stretch.fromMs === SAMPLES_EVERY_MS) push(stretch.fromMs, Math.max(0, more) + 1)
      else {
        push(stretch.fromMs, 1)
        if (more > 0) push(nextMs, more)
      }
    }
    const { untilMs } = stretch
    if (untilMs <= toMs && untilMs >= fromMs && stretches[i + 1]?.fromMs !== untilMs) {
      into.pushCut(untilMs, 0, 1, STALE_LOW_WORD, STALE_HIGH_WORD, fromMs, toMs)
    }
  }
}

function pushAges({ fromMs: startMs, value: sinceMs }: Stretch, fromMs: number, toMs: number, into: RunColumns): void {
  let timeMs = fromMs === startMs ? fromMs : nextMinuteMs(fromMs - 1)
  for (; timeMs <= toMs; timeMs = nextMinuteMs(timeMs)) {
    word[0] = (timeMs - sinceMs) / 1000
    into.pushCut(timeMs, 0, 1, words[0]!, words[1]!, timeMs, timeMs)
  }
}

/** The first minute after a time. */
function nextMinuteMs(timeMs: number): number {
  return (Math.floor(timeMs / SAMPLES_EVERY_MS) + 1) * SAMPLES_EVERY_MS
}

export interface NewestSample {
  readonly timeMs: number
  readonly value: number
  readonly isStale: boolean
}

/** The newest sample in the range, of which `toMs` is finite; `undefined`: there is none. */
export function newestIn(stretches: readonly Stretch[], { fromMs, toMs }: TimeRange): NewestSample | undefined {
  for (let i = stretches.length - 1; i >= 0; i--) {
    const { fromMs: startMs, untilMs, value, isAge } = stretches[i]!
    if (startMs > toMs) continue
    if (untilMs <= toMs) return untilMs < fromMs ? undefined : { timeMs: untilMs, value: NaN, isStale: true }
    const timeMs = Math.max(startMs, Math.floor(toMs / SAMPLES_EVERY_MS) * SAMPLES_EVERY_MS)
    if (timeMs < fromMs) return undefined
    return { timeMs, value: isAge === true ? (timeMs - value) / 1000 : value, isStale: false }
  }
  return undefined
}

/** A value that changes at some times, which rise: value `i` holds from time `i` until the next one. `NaN`: no sample. */
export interface Changes {
  readonly timesMs: ArrayLike<number>
  readonly valueAt: (i: number) => number
}

/** The stretches in the range; of several changes at one time the last one counts. */
export function stretchesOf({ timesMs, valueAt }: Changes, { fromMs, toMs }: TimeRange): readonly Stretch[] {
  const stretches: Stretch[] = []
  const first = lastAtOrBefore(timesMs, fromMs)
  // The one before, too: its end may be in the range.
  for (let i = Math.max(0, first - 1); i < timesMs.length && timesMs[i]! <= toMs; i++) {
    const [startMs, untilMs] = [timesMs[i]!, i + 1 < timesMs.length ? timesMs[i + 1]! : Infinity]
    const value = valueAt(i)
    if (untilMs > startMs && !Number.isNaN(value)) stretches.push({ fromMs: startMs, untilMs, value })
  }
  return stretches
}

/** -1: all are later. */
function lastAtOrBefore(timesMs: ArrayLike<number>, timeMs: number): number {
  let [low, high] = [0, timesMs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timesMs[middle]! <= timeMs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The parts of a stretch within some periods. */
export function within(stretch: Stretch, periods: readonly Period[]): readonly Stretch[] {
  return periods.flatMap((period) => {
    const [fromMs, untilMs] = [Math.max(stretch.fromMs, period.fromMs), Math.min(stretch.untilMs, period.untilMs)]
    return fromMs < untilMs ? [{ ...stretch, fromMs, untilMs }] : []
  })
}

/** `untilMs` is exclusive. */
export interface Period {
  readonly fromMs: number
  readonly untilMs: number
}
