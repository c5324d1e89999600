/**
 * Clusters of one place that fell silent together. Pure.
 *
 * A window holds the silences of a place whose last reports are at most `TOGETHER_MS` apart; of clusters that send objects
 * alone the start is known to half an hour, so they join the windows of others. The denominator has the clusters of the place
 * that were seen after the window, and those in it: a cluster whose next report is not due yet is in neither number.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import type { SilenceShare } from '../../model/cluster-silence.ts'
import type { ObservedCluster } from '../clusters/fleet-coverage.ts'
import { CADENCE, type SilentCluster } from './silent-cluster.ts'

/** Two telemetry pushes, 4 min 30 s apart, and a margin. */
export const TOGETHER_MS = 10 * 60_000
/** Two clusters may fall silent at the same time by chance. */
export const GROUP_MIN = 3
/** At least this share of the clusters of a place. */
export const GROUP_SHARE_MIN = 0.5
/** Of the share of the place, clusters elsewhere have at most this part: else the whole fleet has the same problem. */
const ELSEWHERE_MAX = 0.5
/** Windows of one place: a fleet with more has silences at all times. */
const WINDOWS_MAX = 50

export interface SilenceGroup {
  /** Absent: the whole fleet. */
  readonly place?: string
  readonly members: readonly SilentCluster[]
  /** First and last of the last reports of members whose start is known to a scrape. */
  readonly fromMs: number
  readonly untilMs: number
  readonly share: SilenceShare
  readonly elsewhere: SilenceShare
}

/** The groups of total silences that are large enough, by member. @param active clusters that are not gone, also reporting ones */
export function silenceGroups(
  active: readonly ObservedCluster[],
  silent: readonly SilentCluster[],
): ReadonlyMap<string, SilenceGroup> {
  const groups = new Map<string, SilenceGroup>()
  const total = silent.filter(({ isTotal, gone }) => isTotal && gone === undefined)
  if (total.length < GROUP_MIN) return groups
  const all = new Place(active, total)
  const places = placesOf(active, total)
  for (const [place, own] of places) {
    for (const window of own.windows()) {
      const share = own.share(window)
      const everywhere = all.share(window)
      const elsewhere = { silent: everywhere.silent - share.silent, of: everywhere.of - share.of }
      if (!isGroup(share, elsewhere)) continue
      const group = { place, ...window, share, elsewhere }
      for (const { cluster } of window.members) {
        const known = groups.get(cluster)
        if (known === undefined || ratio(share) > ratio(known.share)) groups.set(cluster, group)
      }
    }
  }
  for (const window of all.windows()) {
    const share = all.share(window)
    if (share.silent < GROUP_MIN || ratio(share) < GROUP_SHARE_MIN) continue
    const group = { ...window, share, elsewhere: { silent: 0, of: 0 } }
    for (const { cluster } of window.members) if (!groups.has(cluster)) groups.set(cluster, group)
  }
  return groups
}

function isGroup(share: SilenceShare, elsewhere: SilenceShare): boolean {
  if (share.silent < GROUP_MIN || ratio(share) < GROUP_SHARE_MIN) return false
  return ratio(elsewhere) <= ELSEWHERE_MAX * ratio(share)
}

function ratio({ silent, of }: SilenceShare): number {
  return of === 0 ? 0 : silent / of
}

/** By region, and by provider within a region. Clusters without a region are in no place. */
function placesOf(
  active: readonly ObservedCluster[],
  total: readonly SilentCluster[],
): readonly (readonly [place: string, of: Place])[] {
  const silentOf = groupBy(
    total.flatMap((one) => namesOf(one).map((place) => ({ place, one }))),
    ({ place }) => place,
  )
  const activeOf = groupBy(
    active.flatMap((one) => namesOf(one).flatMap((place) => (silentOf.has(place) ? [{ place, one }] : []))),
    ({ place }) => place,
  )
  return Array.from(silentOf, ([place, silent]) => {
    const members = (activeOf.get(place) ?? []).map(({ one }) => one)
    return [
      place,
      new Place(
        members,
        silent.map(({ one }) => one),
      ),
    ]
  })
}

function namesOf({ record }: Pick<ObservedCluster, 'record'>): readonly string[] {
  const { region, provider } = record ?? {}
  if (region === undefined) return []
  return provider === undefined ? [region] : [region, `${region} (${provider})`]
}

interface Window {
  readonly members: readonly SilentCluster[]
  readonly fromMs: number
  readonly untilMs: number
}

class Place {
  /** When each cluster was last seen, rising. */
  readonly #lastMs: Float64Array
  /** By last report, rising; those whose start is known to a scrape, and the others. */
  readonly #sharp: readonly SilentCluster[]
  readonly #blunt: readonly SilentCluster[]

  constructor(active: readonly ObservedCluster[], silent: readonly SilentCluster[]) {
    this.#lastMs = Float64Array.from(active, ({ lastMs = -Infinity }) => lastMs).sort()
    const ordered = silent.toSorted((a, b) => a.sinceMs - b.sinceMs)
    this.#sharp = ordered.filter(isSharp)
    this.#blunt = ordered.filter((one) => !isSharp(one))
  }

  /** The largest window first; no cluster is in two. */
  windows(): readonly Window[] {
    const sharp = this.#windowsOf(this.#sharp, TOGETHER_MS)
    if (sharp.length > 0 || this.#sharp.length >= GROUP_MIN) return sharp
    return this.#windowsOf(
      [...this.#sharp, ...this.#blunt].sort((a, b) => a.sinceMs - b.sinceMs),
      CADENCE.objectsMs,
    )
  }

  /** Silent ones in the window, of them and of all that were seen after it. */
  share({ fromMs, untilMs }: Window): SilenceShare {
    const silent = this.#during(fromMs, untilMs).length
    return { silent, of: silent + this.#lastMs.length - countUntil(this.#lastMs, untilMs) }
  }

  #during(fromMs: number, untilMs: number): readonly SilentCluster[] {
    const isIn = (one: SilentCluster): boolean => one.sinceMs <= untilMs && one.sinceMs >= fromMs
    const couldBe = (one: SilentCluster): boolean => one.sinceMs <= untilMs && one.untilMs >= fromMs
    return [...this.#sharp.filter(isIn), ...this.#blunt.filter(couldBe)]
  }

  #windowsOf(ordered: readonly SilentCluster[], widthMs: number): readonly Window[] {
    const found: Window[] = []
    let rest = ordered
    while (rest.length > 0 && found.length < WINDOWS_MAX) {
      const [from, count] = densest(rest, widthMs)
      if (count < GROUP_MIN && count + this.#blunt.length < GROUP_MIN) break
      const own = rest.slice(from, from + count)
      const [fromMs, untilMs] = [own[0]!.sinceMs, own.at(-1)!.sinceMs]
      found.push({ members: this.#during(fromMs, untilMs), fromMs, untilMs })
      rest = [...rest.slice(0, from), ...rest.slice(from + count)]
    }
    return found
  }
}

/** The last report of a cluster that sends metrics shows its end to a scrape. */
function isSharp({ untilMs, sinceMs }: SilentCluster): boolean {
  return untilMs - sinceMs <= CADENCE.metricsMs
}

/** Where the window with the most silences starts, and how many it has; the earliest of equals. */
function densest(ordered: readonly SilentCluster[], widthMs: number): readonly [from: number, count: number] {
  let best: readonly [number, number] = [0, 0]
  for (let from = 0, end = 0; from < ordered.length; from++) {
    while (end < ordered.length && ordered[end]!.sinceMs - ordered[from]!.sinceMs <= widthMs) end++
    if (end - from > best[1]) best = [from, end - from]
  }
  return best
}

/** How many of rising times are at most `ms`. */
function countUntil(timesMs: Float64Array, ms: number): number {
  return firstIndexWhere(timesMs, (timeMs) => timeMs > ms)
}
