import { RELEASES, releaseOf, type Release } from '../release.ts'

/**
 * When releases came out, and what a catalog offers at a time. Order by date is not order by version: 1.17.2 and 1.17.3
 * are younger than 1.18.0, and two patches of one day are common.
 */
export interface DatedRelease {
  readonly release: Release
  readonly releasedMs: number
}

// 1.17.2 bundles what 1.17.3 bundles; who looked in those two days went there.
const RELEASE_1_17_2: Release = { ...releaseOf('1.17.3')!, hco: '1.17.2', patch: 2 }

const DATES: Readonly<Record<string, string>> = {
  '1.10.7': '2024-02-09',
  '1.11.1': '2024-06-10',
  '1.12.0': '2024-08-07',
  '1.13.0': '2024-11-18',
  '1.14.0': '2025-03-03',
  '1.15.0': '2025-06-19',
  '1.15.2': '2025-06-22',
  '1.16.0': '2025-11-11',
  '1.17.0': '2026-03-04',
  '1.17.1': '2026-03-16',
  '1.17.2': '2026-06-26',
  '1.17.3': '2026-06-28',
  '1.18.0': '2026-06-24',
  '1.18.1': '2026-06-28',
}

/** Oldest version first. */
export const CALENDAR: readonly DatedRelease[] = [...RELEASES, RELEASE_1_17_2]
  .map((release) => ({ release, releasedMs: Date.parse(`${DATES[release.hco]!}T09:00:00Z`) }))
  .toSorted((a, b) => a.release.minor - b.release.minor || a.release.patch - b.release.patch)

/**
 * What a catalog of that time offers to whoever runs `from`: the newest patch of its minor, else the newest patch of the
 * next minor, as semver mode builds its edges. `undefined`: nothing newer yet.
 */
export function offerAt(from: Release, timeMs: number): DatedRelease | undefined {
  const out = CALENDAR.filter(({ releasedMs }) => releasedMs <= timeMs)
  const newestOf = (minor: number): DatedRelease | undefined => out.findLast(({ release }) => release.minor === minor)
  const sameMinor = newestOf(from.minor)
  return sameMinor !== undefined && sameMinor.release.patch > from.patch ? sameMinor : newestOf(from.minor + 1)
}

/** The next moment after `afterMs` at which any release comes out; infinity when there is none. */
export function nextReleaseDayMs(afterMs: number): number {
  return Math.min(
    ...CALENDAR.map(({ releasedMs }) => releasedMs).filter((releasedMs) => releasedMs > afterMs),
    Infinity,
  )
}
