/**
 * Stretches of a series that is computed from facts, and its samples: one at the start of each stretch, then one each minute,
 * on the minute, and a stale marker where the series ends. So the newest sample at any time has the value of that time, and
 * a fact that changes is visible at its own time. Pure.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
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
export function pushStretches(stretches: readonly Stretch[], range: TimeRange, into: RunColumns): void {
  for (let i = 0; i < stretches.length; i++) {
    const { fromMs, untilMs, value, isAge = false } = stretches[i]!
    if (fromMs > range.toMs) return
    pushStretch(fromMs, untilMs, value, isAge, stretches[i + 1]?.fromMs === untilMs, range, into)
  }
}

/** HOT. The samples of one stretch. @param isFollowed another one starts where it ends: there is no stale marker */
export function pushStretch(
  startMs: number,
  untilMs: number,
  value: number,
  isAge: boolean,
  isFollowed: boolean,
  { fromMs, toMs }: TimeRange,
  into: RunColumns,
): void {
  if (startMs > toMs || untilMs < fromMs) return
  const lastMs = Math.min(untilMs - 1, toMs)
  if (isAge) pushAges(startMs, value, Math.max(fromMs, startMs), lastMs, into)
  else {
    word[0] = value
    const low = words[0]!
    const high = words[1]!
    const nextMs = nextMinuteMs(startMs)
    const more = Math.floor((lastMs - nextMs) / SAMPLES_EVERY_MS) + 1
    if (nextMs - startMs === SAMPLES_EVERY_MS) {
      into.pushCut(startMs, SAMPLES_EVERY_MS, Math.max(0, more) + 1, low, high, fromMs, toMs)
    } else {
      into.pushCut(startMs, SAMPLES_EVERY_MS, 1, low, high, fromMs, toMs)
      if (more > 0) into.pushCut(nextMs, SAMPLES_EVERY_MS, more, low, high, fromMs, toMs)
    }
  }
  if (!isFollowed && untilMs <= toMs) into.pushCut(untilMs, 0, 1, STALE_LOW_WORD, STALE_HIGH_WORD, fromMs, toMs)
}

function pushAges(startMs: number, sinceMs: number, fromMs: number, toMs: number, into: RunColumns): void {
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

/** The newest of all stretches, of which most often only the last ones have to be computed. */
export function lastStretchOf(stretchesIn: (range: TimeRange) => readonly Stretch[]): Stretch | undefined {
  return stretchesIn(AT_LAST).at(-1) ?? stretchesIn(AT_ANY_TIME).at(-1)
}

const AT_LAST = { fromMs: Infinity, toMs: Infinity }
const AT_ANY_TIME = { fromMs: -Infinity, toMs: Infinity }

/** -1: all are later. */
function lastAtOrBefore(timesMs: ArrayLike<number>, timeMs: number): number {
  return firstIndexWhere(timesMs, (ms) => ms > timeMs) - 1
}

/** The parts of a stretch within some periods. */
export function within(stretch: Stretch, periods: readonly Period[]): readonly Stretch[] {
  const [whole] = periods
  // Nearly always: a cluster is there from its first report on.
  if (periods.length === 1 && whole!.fromMs <= stretch.fromMs && stretch.untilMs <= whole!.untilMs) {
    return stretch.fromMs < stretch.untilMs ? [stretch] : []
  }
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
