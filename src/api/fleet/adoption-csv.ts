import { createHash } from 'node:crypto'
import type { BehindAnswer, ShareAnswer, SpreadAnswer, UsageAnswer, WorkloadsAnswer } from '../../contract/adoption.ts'
import { csvOf, type Cell } from './csv.ts'

/**
 * Adoption answers as CSV (RFC 4180). A table contains neither the time of the request nor of the count, so its digest
 * changes only with its numbers: `sha256sum` of a saved file shows whether a citation is still valid.
 */

export function shareCsv({
  days,
  known,
  telling,
  series,
}: Pick<ShareAnswer, 'days' | 'known' | 'telling' | 'series'>): string {
  return csvOf(
    ['day', 'value', 'clusters', 'share', 'telling', 'known'],
    series.flatMap(({ value, clusters, share }) =>
      days.map((day, i) => [day, value, clusters[i], share[i], telling[i], known[i]]),
    ),
  )
}

export function spreadCsv(versions: SpreadAnswer['versions']): string {
  return csvOf(
    ['version', 'age_days', 'share', 'first_day', 'start_known', 'to_10_days', 'to_50_days', 'to_90_days'],
    versions.flatMap((one) =>
      one.byAge.map((share, age) => [
        one.version,
        age,
        share,
        one.firstDay,
        String(one.isStartKnown),
        one.to10Days,
        one.to50Days,
        one.to90Days,
      ]),
    ),
  )
}

export function behindCsv({ byMinors, byReleases }: Pick<BehindAnswer, 'byMinors' | 'byReleases'>): string {
  const rows = (unit: string, counts: readonly number[]): Cell[][] =>
    counts.map((count, behind) => [unit, behind, count])
  return csvOf(['unit', 'behind', 'clusters'], [...rows('minor', byMinors), ...rows('release', byReleases)])
}

export function workloadsCsv({ days, versions }: Pick<WorkloadsAnswer, 'days' | 'versions'>): string {
  return csvOf(
    ['day', 'version', 'clusters', 'machines', 'outdated', 'share'],
    versions.flatMap(({ version, clusters, machines, outdated, share }) =>
      days.map((day, i) => [day, version, clusters[i], machines[i], outdated[i], share[i]]),
    ),
  )
}

export function usageCsv({ days, known, items }: Pick<UsageAnswer, 'days' | 'known' | 'items'>): string {
  return csvOf(
    ['day', 'subject', 'name', 'clusters', 'count', 'known'],
    items.flatMap(({ subject, name, clusters, count }) =>
      days.map((day, i) => [day, subject, name, clusters[i], count[i], known[i]]),
    ),
  )
}

/** As `digest` of the answers is documented. */
export function digestOf(csv: string): string {
  return createHash('sha256').update(csv).digest('hex').slice(0, 16)
}
