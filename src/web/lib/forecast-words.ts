import type { ForecastItem } from '../../contract/adoption.ts'
import { countOf, formatShare } from './format-number.ts'

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
