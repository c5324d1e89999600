import { hashOf } from '../random.ts'
import { openshiftMinorOf, type Release } from '../release.ts'
import { HOUR_MS, MINUTE_MS, type Window } from '../scenarios/window.ts'
import { CALENDAR, offerAt } from './calendar.ts'
import type { ClusterHistory, HcoUpgrade } from './cluster-history.ts'

type Resting = Pick<ClusterHistory, 'profile' | 'installedMs' | 'firstCsv' | 'upgrades' | 'platform'>

/** A catalog is looked at anew by then. */
const POLLED_WITHIN_MS = 6 * HOUR_MS
/** After an upgrade OLM says first that it is at the latest. */
const LOOKS_AGAIN_MS = MINUTE_MS
/** Of so many clusters one has a mirror that nobody fills but for an upgrade. */
const STALE_ONE_IN = 25

/** Its catalog has nothing but what the next upgrade takes, and has it only then: OLM calls that the latest known. */
export function isMirrorStale({ profile }: Pick<ClusterHistory, 'profile'>): boolean {
  return hashOf(profile.seed, 'mirror') % STALE_ONE_IN === 0
}

/**
 * When the catalog of a cluster had something newer and nobody let it in yet: most clusters are behind because somebody
 * decides when they upgrade, not because they are offered nothing.
 */
export function unusedOffers(history: Resting, calendarShiftMs: number): readonly Window[] {
  if (isMirrorStale(history)) return []
  const { profile, platform } = history
  const polledMs = Math.floor((hashOf(profile.seed, 'catalog poll') % POLLED_WITHIN_MS) / 1000) * 1000
  const changesMs = [
    ...CALENDAR.map(({ releasedMs }) => releasedMs + calendarShiftMs),
    ...(platform?.upgrades ?? []).map(({ endMs }) => endMs),
  ].map((atMs) => atMs + polledMs)
  const isOffered = (release: Release, atMs: number): boolean => {
    const offer = offerAt(release, atMs - polledMs - calendarShiftMs)?.release
    if (offer === undefined) return false
    // OpenShift's catalogs belong to one of its minors.
    return platform === undefined || openshiftMinorOf(offer) <= platformMinorAt(platform, atMs - polledMs)
  }
  return restsOf(history).flatMap(({ release, fromMs, untilMs }) => {
    const looksMs = fromMs + LOOKS_AGAIN_MS
    const momentsMs = [looksMs, ...changesMs.filter((atMs) => atMs > looksMs)].sort((a, b) => a - b)
    const sinceMs = momentsMs.find((atMs) => isOffered(release, atMs))
    return sinceMs === undefined || sinceMs >= untilMs ? [] : [{ fromMs: sinceMs, untilMs }]
  })
}

interface Rest extends Window {
  readonly release: Release
}

/** Between upgrades; the last one has no end. */
function restsOf({ installedMs, firstCsv, upgrades }: Resting): readonly Rest[] {
  const nextMs = (index: number): number => upgrades[index]?.offeredMs ?? Infinity
  return [
    { release: firstCsv.release, fromMs: installedMs, untilMs: nextMs(0) },
    ...upgrades.map((upgrade, i) => ({ ...standsAfter(upgrade), untilMs: nextMs(i + 1) })),
  ].filter(({ fromMs, untilMs }) => fromMs < untilMs)
}

function standsAfter({ from, to, returned, abortedMs, csvSucceededMs }: HcoUpgrade): Pick<Rest, 'release' | 'fromMs'> {
  return returned === undefined ? { release: to, fromMs: csvSucceededMs } : { release: from, fromMs: abortedMs }
}

function platformMinorAt(platform: NonNullable<ClusterHistory['platform']>, atMs: number): number {
  const last = platform.upgrades.findLast(({ endMs }) => endMs <= atMs)
  return Number((last?.to ?? platform.firstVersion).split('.')[1])
}
