/**
 * How the newest version will spread, from how earlier ones did. Pure.
 *
 * Definition. Take every earlier version whose first day is known and that grew as old as the newest one is now. Of the
 * clusters that were still to come at that age, each of them had won a part by any later age; the quantiles of these parts
 * (a tenth, a half, nine tenths), taken of the clusters that the newest one has still to win, are the fan. It goes as far
 * as three earlier versions tell. What it is worth is said by the same method: for each earlier version, from what was
 * known on the day on which it was as old as the newest one is now.
 */
import { quantileOf } from '../statistics/quantile.ts'
import { DAY_MS, dayStartMs } from './day.ts'
import type { Spread } from './spread.ts'

export const EARLIER_MIN = 3
/** Days after the age at which a forecast of the past is held against what came. */
export const CHECKED_AFTER_DAYS = 28
const AIM = 0.9

export interface Forecast {
  readonly version: string
  /** Age of the last day on which its share is known. */
  readonly ageDays: number
  readonly share: number
  /** Versions it is made from, the newest first. */
  readonly earlier: readonly string[]
  /** By age, from the day after `ageDays` on. */
  readonly fan: readonly FanDay[]
  /** Age at which nine tenths run it; an absent bound lies beyond the fan. */
  readonly to90Days: { readonly low?: number; readonly mid?: number; readonly high?: number }
  /** The same of earlier versions, the newest first. */
  readonly past: readonly PastForecast[]
}

export interface FanDay {
  readonly low: number
  readonly mid: number
  readonly high: number
}

export interface PastForecast {
  readonly version: string
  /** Age at which nine tenths were to run it, and did; absent: beyond its fan, and not yet. */
  readonly saidTo90Days?: number
  readonly tookTo90Days?: number
  /** Share `CHECKED_AFTER_DAYS` later, or at the end of the fan if that is sooner. */
  readonly saidShare: number
  readonly wasShare: number
  readonly isInside: boolean
}

/** `reached`: nine tenths run it already. `few_earlier`: fewer than three earlier versions were as old. */
export type NoForecast = 'no_version' | 'start_unknown' | 'reached' | 'few_earlier'

/** Of the first one. @param spreads the newest version first */
export function forecastOf(spreads: readonly Spread[]): Forecast | NoForecast {
  const [newest] = spreads
  if (newest === undefined) return 'no_version'
  if (!newest.isStartKnown) return 'start_unknown'
  const ageDays = lastAge(newest.byAge)
  const share = newest.byAge[ageDays] ?? NaN
  if (share >= AIM) return 'reached'
  const earlier = earlierThan(spreads, newest, ageDays, Infinity)
  const fan = fanOf(share, ageDays, earlier)
  if (fan.length === 0) return 'few_earlier'
  const past = spreads.slice(1).flatMap((one) => pastForecast(spreads, one, ageDays) ?? [])
  const names = earlier.map(({ version }) => version)
  return { version: newest.version, ageDays, share, earlier: names, fan, to90Days: to90(fan, ageDays), past }
}

/** A curve of an earlier version, as long as it was known. */
interface Curve {
  readonly version: string
  readonly byAge: readonly number[]
}

/** @param knownUntilMs of the days before it */
function earlierThan(
  spreads: readonly Spread[],
  than: Spread,
  ageDays: number,
  knownUntilMs: number,
): readonly Curve[] {
  return spreads.slice(spreads.indexOf(than) + 1).flatMap(({ version, isStartKnown, firstDay, byAge }) => {
    const known = byAge.slice(0, Math.max(0, Math.min(byAge.length, (knownUntilMs - dayStartMs(firstDay)) / DAY_MS)))
    return isStartKnown && lastAge(known) > ageDays && shareAt(known, ageDays) < 1 ? [{ version, byAge: known }] : []
  })
}

function fanOf(share: number, ageDays: number, earlier: readonly Curve[]): readonly FanDay[] {
  const ends = earlier.map(({ byAge }) => lastAge(byAge)).sort((a, b) => b - a)
  const lastDay = ends[EARLIER_MIN - 1] ?? ageDays
  return Array.from({ length: Math.max(0, lastDay - ageDays) }, (_, i) => {
    const age = ageDays + 1 + i
    const won = earlier
      .filter(({ byAge }) => lastAge(byAge) >= age)
      .map(({ byAge }) => wonOf(shareAt(byAge, ageDays), shareAt(byAge, age)))
      .sort((a, b) => a - b)
    const at = (p: number): number => Math.min(1, Math.max(0, share + (1 - share) * quantileOf(won, p)))
    return { low: at(0.1), mid: at(0.5), high: at(0.9) }
  })
}

/** Of what was still to come, the part that came; negative when it was left again. */
function wonOf(before: number, after: number): number {
  return (after - before) / (1 - before)
}

function to90(fan: readonly FanDay[], ageDays: number): Forecast['to90Days'] {
  const first = (of: (day: FanDay) => number): number | undefined => {
    const i = fan.findIndex((day) => of(day) >= AIM)
    return i === -1 ? undefined : ageDays + 1 + i
  }
  // The highest line is there first.
  const [low, mid, high] = [first((day) => day.high), first((day) => day.mid), first((day) => day.low)]
  return {
    ...(low === undefined ? {} : { low }),
    ...(mid === undefined ? {} : { mid }),
    ...(high === undefined ? {} : { high }),
  }
}

/** Nothing that was not known on the day on which it was `ageDays` old is used. */
function pastForecast(spreads: readonly Spread[], one: Spread, ageDays: number): PastForecast | undefined {
  const { version, isStartKnown, firstDay, byAge, to90Days } = one
  const share = shareAt(byAge, ageDays)
  if (!isStartKnown || lastAge(byAge) <= ageDays || !(share < AIM)) return undefined
  const thenMs = dayStartMs(firstDay) + (ageDays + 1) * DAY_MS
  const fan = fanOf(share, ageDays, earlierThan(spreads, one, ageDays, thenMs))
  const checked = Math.min(CHECKED_AFTER_DAYS, fan.length, lastAge(byAge) - ageDays)
  const said = fan[checked - 1]
  if (said === undefined) return undefined
  const wasShare = shareAt(byAge, ageDays + checked)
  const { mid } = to90(fan, ageDays)
  return {
    version,
    ...(mid === undefined ? {} : { saidTo90Days: mid }),
    ...(to90Days === undefined ? {} : { tookTo90Days: to90Days }),
    saidShare: said.mid,
    wasShare,
    isInside: wasShare >= said.low && wasShare <= said.high,
  }
}

/** -1 when no day of it was counted. */
function lastAge(byAge: readonly number[]): number {
  return byAge.findLastIndex((share) => !Number.isNaN(share))
}

/** Of a day that nobody counted, that of the last one before it. */
function shareAt(byAge: readonly number[], ageDays: number): number {
  return byAge.findLast((share, age) => age <= ageDays && !Number.isNaN(share)) ?? NaN
}
