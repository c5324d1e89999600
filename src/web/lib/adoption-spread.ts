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
    answer: `${version}${isNewest ? '' : ' or newer'} runs on ${clusters} of ${countOf(telling, 'reporting cluster')} (${formatShare(clusters, telling)})`,
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
    return `Installed before ${shortDay(own.firstDay)}, the first counted day, so the age of ${own.version} is not known.`
  }
  const age = ageOf(own)
  const since =
    age === 0 ? 'First installed on the last counted day.' : `First installed ${countOf(age, 'day')} earlier.`
  if (before === undefined) return since
  if (!before.isStartKnown)
    return `${since} The first install of ${before.version} is not known, so the two cannot be compared by age.`
  const then = before.byAge[age]
  if (then === undefined) return `${since} ${before.version} has not reached the same age.`
  if (then === null) return `${since} No count of ${before.version} exists at the same age.`
  return `${since} At the same age, ${before.version} was at ${formatShare(then, 1)}.`
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
  { name: 'canary', from: 0, says: 'less than 10 % of the fleet' },
  { name: 'rolling', from: 0.1, says: '10 % to 50 %' },
  { name: 'majority', from: 0.5, says: '50 % to 90 %' },
  { name: 'tail', from: 0.9, says: '90 % or more' },
] as const

export type RolloutStep = (typeof ROLLOUT_STEPS)[number]['name']

export function rolloutStepOf(share: number): RolloutStep {
  return ROLLOUT_STEPS.findLast(({ from }) => share >= from)?.name ?? 'canary'
}

/** The forecast of a version's spread, and its accuracy, in sentences. Pure. */

const WHY_NOT: Readonly<Record<NonNullable<ForecastItem['reason']>, string>> = {
  no_version: 'No cluster has reported a version.',
  start_unknown: 'No forecast: the newest version was installed before counting started, so its age is not known.',
  reached: 'No forecast: 90 % of the clusters already run the newest version.',
  few_earlier: 'No forecast: fewer than three earlier versions have reached the age of the newest version.',
}

export function forecastSentence(forecast: ForecastItem): string {
  if (forecast.reason !== null) return WHY_NOT[forecast.reason]
  const { version, ageDays, share, earlier, fan, to90Days } = forecast
  const current = `${version} is ${countOf(ageDays, 'day')} old, at ${formatShare(share, 1)}.`
  const by = `based on ${countOf(earlier.length, 'earlier version')} from the same age`
  const { low, mid, high } = to90Days
  if (mid === null) {
    const last = fan.at(-1)?.mid ?? share
    const earliest = low === null ? '' : `, day ${low} at the earliest`
    return `${current} 90 % expected after day ${ageDays + fan.length}${earliest}, with ${formatShare(last, 1)} on that day, ${by}.`
  }
  const bounds = `${low ?? mid} to ${high ?? `later than ${ageDays + fan.length}`}`
  return `${current} 90 % expected on day ${mid} (${bounds}), in ${countOf(mid - ageDays, 'day')}, ${by}.`
}

/** The accuracy of the same method for earlier versions. */
export function accuracySentence({ past, ageDays, checkedAfterDays }: ForecastItem): string {
  if (past.length === 0) return 'Accuracy not known: no earlier version had three predecessors.'
  const inside = past.filter(({ isInside }) => isInside).length
  const offs = past.map(({ saidShare, wasShare }) => Math.abs(saidShare - wasShare)).sort((a, b) => a - b)
  const median = offs[Math.floor((offs.length - 1) / 2)] ?? 0
  return (
    `Forecasts of ${countOf(past.length, 'earlier version')} on day ${ageDays}, compared ${checkedAfterDays} days later: ` +
    `median error ${Math.round(100 * median)} points, ${inside} of ${past.length} within the forecast range.`
  )
}

/** Days of the chart with the forecast: until the version reaches 90 %, at most twice the days without the forecast. */
export function forecastPlaces({ ageDays, fan, to90Days }: ForecastItem, drawnDays: number): number {
  if (fan.length === 0) return drawnDays
  const aim = to90Days.high ?? to90Days.mid ?? ageDays + fan.length
  return Math.max(drawnDays, Math.min(aim + 8, ageDays + 1 + fan.length, 2 * drawnDays))
}
