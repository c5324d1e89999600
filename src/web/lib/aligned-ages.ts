import type { SpreadItem } from '../../contract/adoption.ts'
import { ageOf } from './adoption-headline.ts'

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
