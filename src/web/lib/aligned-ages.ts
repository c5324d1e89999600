import type { SpreadItem } from '../../contract/adoption.ts'
import { ageOf } from './adoption-headline.ts'

/** Which versions are drawn from their own first day on, and over how many days. Pure. */

const COMPARED_MAX = 4
const COMPARED_FIRST = 3
const DAYS_MIN = 28

/**
 * Those that were chosen; else the version the page is about and those before it. Without a first day that is known there
 * is no age, and nothing to align by.
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

/** One more or one fewer, as many as lines can be told apart. */
export function withCompared(compared: readonly string[], version: string): readonly string[] {
  if (compared.includes(version)) return compared.filter((one) => one !== version)
  return [...compared, version].slice(-COMPARED_MAX)
}

/** Twice the age of the version the page is about: an old one's year would press its weeks into nothing. */
export function alignedDays(lines: readonly SpreadItem[], version: string): number {
  const own = lines.find((line) => line.version === version) ?? lines[0]
  const oldest = Math.max(0, ...lines.map(ageOf)) + 1
  return Math.max(1, Math.min(oldest, Math.max(DAYS_MIN, own === undefined ? 0 : 2 * (ageOf(own) + 1))))
}
