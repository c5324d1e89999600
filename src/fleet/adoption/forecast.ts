/**
 * How the newest version will spread, from how earlier ones did. Pure.
 *
 * Definition. Take every earlier version whose first day is known and that reached the present age of the newest one. Of the
 * clusters that did not run it at that age, a part did at any later age; the p10, p50 and p90 of these parts, applied to the
 * clusters that do not run the newest version yet, are the fan. It ends where fewer than three earlier versions have data.
 * Past forecasts show its quality: the same method for each earlier version, with the data of the day on which it had the
 * present age of the newest one.
 */
import { quantileOf } from '../statistics/quantile.ts'
import { DAY_MS, dayStartMs } from './day.ts'
import type { Spread } from './spread.ts'

export const EARLIER_MIN = 3
/** Days after which a past forecast is compared with the outcome. */
export const CHECKED_AFTER_DAYS = 28
const AIM = 0.9

export interface Forecast {
  readonly version: string
  /** The age on the last day with a known share. */
  readonly ageDays: number
  readonly share: number
  /** The versions on which the forecast is based, the newest first. */
  readonly earlier: readonly string[]
  /** By age, from the day after `ageDays` on. */
  readonly fan: readonly FanDay[]
  /** The age at which 90 % run it; an absent bound is beyond the fan. */
  readonly to90Days: { readonly low?: number; readonly mid?: number; readonly high?: number }
  /** Forecasts of earlier versions, the newest first. */
  readonly past: readonly PastForecast[]
}

export interface FanDay {
  readonly low: number
  readonly mid: number
  readonly high: number
}

export interface PastForecast {
  readonly version: string
  /** The age at which 90 % run it, forecast and actual; absent: beyond the fan, and not yet. */
  readonly saidTo90Days?: number
  readonly tookTo90Days?: number
  /** Share `CHECKED_AFTER_DAYS` later, or at the end of the fan if that is sooner. */
  readonly saidShare: number
  readonly wasShare: number
  readonly isInside: boolean
}

/** `reached`: 90 % run it already. `few_earlier`: fewer than three earlier versions reached the age. */
export type NoForecast = 'no_version' | 'start_unknown' | 'reached' | 'few_earlier'

/** Forecasts the first version. @param spreads the newest version first */
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

/** The shares of an earlier version by age, up to the moment of the forecast. */
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

/** The part of the remaining clusters that adopted the version; negative when clusters left it. */
function wonOf(before: number, after: number): number {
  return (after - before) / (1 - before)
}

function to90(fan: readonly FanDay[], ageDays: number): Forecast['to90Days'] {
  const first = (of: (day: FanDay) => number): number | undefined => {
    const i = fan.findIndex((day) => of(day) >= AIM)
    return i === -1 ? undefined : ageDays + 1 + i
  }
  // The highest line reaches it first.
  const [low, mid, high] = [first((day) => day.high), first((day) => day.mid), first((day) => day.low)]
  return {
    ...(low === undefined ? {} : { low }),
    ...(mid === undefined ? {} : { mid }),
    ...(high === undefined ? {} : { high }),
  }
}

/** Uses only data of the day on which the version was `ageDays` old. */
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

/** -1: no day was counted. */
function lastAge(byAge: readonly number[]): number {
  return byAge.findLastIndex((share) => !Number.isNaN(share))
}

/** If the day was not counted, the share of the last counted day before it. */
function shareAt(byAge: readonly number[], ageDays: number): number {
  return byAge.findLast((share, age) => age <= ageDays && !Number.isNaN(share)) ?? NaN
}
