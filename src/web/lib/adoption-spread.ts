import type { SpreadItem, ForecastItem } from '../../contract/adoption.ts'
import { countOf, formatShare } from './format-number.ts'
import { shortDay } from './day-ticks.ts'

/** The first sentence of the adoption page: the share of the selected version, compared with the previous version. Pure. */
export interface AdoptionHeadline {
  readonly version: string
  /** `1.20 or newer runs on 18 of 38 clusters that tell (47 %)`. */
  readonly answer: string
  /** `12 days after its first. 1.19 had 61 % at that age.` */
  readonly context: string
}

/** @param spreads newest first. @param telling clusters that reported a version on the last counted day */
export function adoptionHeadline(
  spreads: readonly SpreadItem[],
  version: string,
  telling: number,
): AdoptionHeadline | undefined {
  const at = spreads.findIndex((spread) => spread.version === version)
  const own = spreads[at]
  if (own === undefined) return undefined
  const reached = lastShare(own)
  const clusters = Math.round((reached ?? 0) * telling)
  const isNewest = at === 0
  return {
    version,
    answer: `${version}${isNewest ? '' : ' or newer'} runs on ${clusters} of ${countOf(telling, 'cluster')} that tell (${formatShare(clusters, telling)})`,
    context: contextOf(own, spreads[at + 1]),
  }
}

/** The share of clusters on the version or a newer one, on the last day with a known share. */
export function lastShare({ byAge }: SpreadItem): number | undefined {
  return byAge.findLast((share) => share !== null) ?? undefined
}

/** The age of the version in days, on the last day with a known share. */
export function ageOf({ byAge }: SpreadItem): number {
  return Math.max(
    0,
    byAge.findLastIndex((share) => share !== null),
  )
}

function contextOf(own: SpreadItem, before: SpreadItem | undefined): string {
  if (!own.isStartKnown) {
    return `It was there before ${shortDay(own.firstDay)}, the first day that was counted, so its age is not known.`
  }
  const age = ageOf(own)
  const since = age === 0 ? 'It was first seen on the last day.' : `It is ${countOf(age, 'day')} old here.`
  if (before === undefined) return since
  if (!before.isStartKnown)
    return `${since} When ${before.version} began is not known, so they cannot be compared by age.`
  const then = before.byAge[age]
  if (then === undefined) return `${since} ${before.version} is not yet that old.`
  if (then === null) return `${since} Nobody counted ${before.version} at that age.`
  return `${since} ${before.version} had ${formatShare(then, 1)} at that age.`
}

/** The versions of the chart aligned by age, and its number of days. Pure. */

const COMPARED_MAX = 4
const COMPARED_FIRST = 3
const DAYS_MIN = 28

/**
 * The selected versions; by default the version of the page and the versions before it. A version without a known first day
 * has no age.
 */
export function comparedWith(
  newestFirst: readonly SpreadItem[],
  version: string,
  chosen: readonly string[],
): readonly string[] {
  const known = newestFirst.filter(({ isStartKnown }) => isStartKnown).map((one) => one.version)
  const own = chosen.filter((one) => known.includes(one)).slice(0, COMPARED_MAX)
  if (own.length > 0) return own
  const at = newestFirst.findIndex((one) => one.version === version)
  const after = newestFirst.slice(Math.max(0, at)).map((one) => one.version)
  return known.filter((one) => after.includes(one)).slice(0, COMPARED_FIRST)
}

/** Adds or removes a version, up to the number of distinguishable lines. */
export function withCompared(compared: readonly string[], version: string): readonly string[] {
  if (compared.includes(version)) return compared.filter((one) => one !== version)
  return [...compared, version].slice(-COMPARED_MAX)
}

/** Twice the age of the version of the page: over the year of an old version, its first weeks would not be visible. */
export function alignedDays(lines: readonly SpreadItem[], version: string): number {
  const own = lines.find((line) => line.version === version) ?? lines[0]
  const oldest = Math.max(0, ...lines.map(ageOf)) + 1
  return Math.max(1, Math.min(oldest, Math.max(DAYS_MIN, own === undefined ? 0 : 2 * (ageOf(own) + 1))))
}

/** The stage of a version's rollout, by the share of clusters on that version or a newer one. Pure. */
export const ROLLOUT_STEPS = [
  { name: 'canary', from: 0, says: 'below a tenth of the fleet' },
  { name: 'rolling', from: 0.1, says: 'from a tenth to a half' },
  { name: 'majority', from: 0.5, says: 'from a half to nine tenths' },
  { name: 'tail', from: 0.9, says: 'nine tenths and more: the rest are stragglers' },
] as const

export type RolloutStep = (typeof ROLLOUT_STEPS)[number]['name']

export function rolloutStepOf(share: number): RolloutStep {
  return ROLLOUT_STEPS.findLast(({ from }) => share >= from)?.name ?? 'canary'
}

/** The forecast of a version's spread, and its accuracy, in sentences. Pure. */

const WHY_NOT: Readonly<Record<NonNullable<ForecastItem['reason']>, string>> = {
  no_version: 'No version is told yet.',
  start_unknown: 'No forecast: the newest version was there before counting began, so nobody knows its age.',
  reached: 'No forecast: nine tenths of the clusters run the newest version already.',
  few_earlier: 'No forecast: fewer than three earlier versions were ever as old as the newest one is now.',
}

export function forecastSentence(forecast: ForecastItem): string {
  if (forecast.reason !== null) return WHY_NOT[forecast.reason]
  const { version, ageDays, share, earlier, fan, to90Days } = forecast
  const stands = `${version} is ${countOf(ageDays, 'day')} old, at ${formatShare(share, 1)}.`
  const by = `by how ${countOf(earlier.length, 'earlier version')} went on from that age`
  const { low, mid, high } = to90Days
  if (mid === null) {
    const last = fan.at(-1)?.mid ?? share
    const earliest = low === null ? '' : `, day ${low} at the earliest`
    return `${stands} 90 %: later than day ${ageDays + fan.length}${earliest}, with ${formatShare(last, 1)} there, ${by}.`
  }
  const bounds = `${low ?? mid} to ${high ?? `later than ${ageDays + fan.length}`}`
  return `${stands} 90 % on day ${mid} (${bounds}), in ${countOf(mid - ageDays, 'day')}, ${by}.`
}

/** The accuracy of the same method for earlier versions. */
export function accuracySentence({ past, ageDays, checkedAfterDays }: ForecastItem): string {
  if (past.length === 0) return 'How good that is cannot be told yet: no earlier version had three before it.'
  const inside = past.filter(({ isInside }) => isInside).length
  const offs = past.map(({ saidShare, wasShare }) => Math.abs(saidShare - wasShare)).sort((a, b) => a - b)
  const median = offs[Math.floor((offs.length - 1) / 2)] ?? 0
  return (
    `Said on day ${ageDays} of ${countOf(past.length, 'earlier version')}: ${checkedAfterDays} days later off by ` +
    `${Math.round(100 * median)} points in the median, ${inside} of ${past.length} inside the fan.`
  )
}

/** Days of the chart with the forecast: until the version reaches 90 %, at most twice the days without the forecast. */
export function forecastPlaces({ ageDays, fan, to90Days }: ForecastItem, drawnDays: number): number {
  if (fan.length === 0) return drawnDays
  const aim = to90Days.high ?? to90Days.mid ?? ageDays + fan.length
  return Math.max(drawnDays, Math.min(aim + 8, ageDays + 1 + fan.length, 2 * drawnDays))
}
