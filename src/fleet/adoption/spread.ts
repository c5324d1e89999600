import { DAY_MS, dayStartMs } from './day.ts'
import type { ShareSeries, Shares } from './share.ts'

/**
 * How a version spreads and fades, by days since it was first seen in the fleet. A share is reached on the first day with
 * that share or a larger one.
 */
export interface Spread {
  readonly version: string
  /** `isStartKnown` false: clusters ran it on the first day with any reported version, so it may be older. */
  readonly firstDay: string
  readonly isStartKnown: boolean
  /** Days from `firstDay` until this share of clusters ran it or a newer version; absent: not yet. */
  readonly to10Days?: number
  readonly to50Days?: number
  readonly to90Days?: number
  readonly peak: { readonly share: number; readonly day: string }
  /** Days from the peak until its own share had halved; absent: not yet. */
  readonly halfLifeDays?: number
  /** Share of clusters that run it or a newer one, by age in days from 0. */
  readonly byAge: readonly number[]
  /** Absent: its start is unknown, and less than a week was counted. */
  readonly stage?: Stage
  /** Of the last counted day. */
  readonly clusters: number
  readonly share: number
}

/**
 * `gone`: no cluster. `replaced`: reached 10 % and is below half of its peak. Otherwise `rising`: grows by 1 % per week, or
 * is new; `adopted`: at least 10 %, steady; `low`: never reached 10 %, and does not grow.
 */
export const STAGES = ['rising', 'adopted', 'low', 'replaced', 'gone'] as const
export type Stage = (typeof STAGES)[number]

const ADOPTED_SHARE = 0.1
const GROWS_BY = 0.01
const TREND_DAYS = 7
const NEW_DAYS = 14

/** In the order of `shares`. @param compare older first */
export function spreadsOf(shares: Shares, compare: (a: string, b: string) => number): readonly Spread[] {
  const firstReported = shares.telling.findIndex((clusters) => clusters > 0)
  return shares.series.map((own) => {
    const atLeast = shares.series.filter(({ value }) => compare(value, own.value) >= 0)
    const reached = shares.days.map((_, day) => atLeast.reduce((sum, { share }) => sum + share[day]!, 0))
    return spreadOf(shares.days, own, reached, firstReported)
  })
}

function spreadOf(
  days: readonly string[],
  own: ShareSeries,
  reached: readonly number[],
  firstReported: number,
): Spread {
  const first = own.clusters.findIndex((count) => count > 0)
  const daysTo = (share: number): number | undefined => {
    const day = reached.findIndex((value, i) => i >= first && value >= share)
    return day === -1 ? undefined : daysApart(days[first]!, days[day]!)
  }
  const peak = own.share.reduce((best, share, day) => (share > own.share[best]! ? day : best), first)
  const halved = own.share.findIndex((share, day) => day > peak && share <= own.share[peak]! / 2)
  const [to10Days, to50Days, to90Days] = [daysTo(0.1), daysTo(0.5), daysTo(0.9)]
  // The present day may not be counted yet.
  const last = own.share.findLastIndex((share) => !Number.isNaN(share))
  return {
    version: own.value,
    firstDay: days[first]!,
    isStartKnown: first > firstReported,
    ...(to10Days === undefined ? {} : { to10Days }),
    ...(to50Days === undefined ? {} : { to50Days }),
    ...(to90Days === undefined ? {} : { to90Days }),
    peak: { share: own.share[peak]!, day: days[peak]! },
    ...(halved === -1 ? {} : { halfLifeDays: daysApart(days[peak]!, days[halved]!) }),
    byAge: reached.slice(first),
    ...stageOf(own, first, peak, last, first > firstReported),
    clusters: own.clusters[last]!,
    share: own.share[last]!,
  }
}

/** By the last day with a reported version, compared with a week before and with the peak. */
function stageOf(
  { clusters, share }: ShareSeries,
  first: number,
  peak: number,
  last: number,
  isStartKnown: boolean,
): { readonly stage?: Stage } {
  if (clusters[last] === 0) return { stage: 'gone' }
  const weekAgo = Math.max(first, last - TREND_DAYS)
  const before = share.findLast((value, day) => day <= weekAgo && !Number.isNaN(value))!
  const isGrowing = share[last]! - before >= GROWS_BY
  // Also when a few late clusters currently pass through it.
  if (share[peak]! >= ADOPTED_SHARE && share[last]! < share[peak]! / 2) return { stage: 'replaced' }
  if (isGrowing || (isStartKnown && last - first < NEW_DAYS && share[last]! >= share[peak]!)) return { stage: 'rising' }
  if (!isStartKnown && last - first < TREND_DAYS) return {}
  return { stage: share[last]! >= ADOPTED_SHARE ? 'adopted' : 'low' }
}

function daysApart(from: string, to: string): number {
  return (dayStartMs(to) - dayStartMs(from)) / DAY_MS
}
