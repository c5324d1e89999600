/** When a cluster started to run a version, according to objects: HyperConverged, the operands, ClusterVersion. */
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { type ClusterHistory, type ObjectHistory, hcoCsvs, versionOf as csvVersion } from './cluster-history.ts'
import { isSeenFromCreation } from './present.ts'
import { reachedBy, upgradesByTarget, type Arrival } from './arrival.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'

/** By operator, oldest first. Operators whose objects report no version are absent. */
export function objectArrivals(
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
): ReadonlyMap<string, readonly Arrival[]> {
  const arrivals = new Map<string, readonly Arrival[]>()
  const put = (operator: string, found: readonly Arrival[]): void => {
    if (!found.some(({ version }) => version !== undefined)) return
    const doubted = found.map((arrival) => {
      const doubtSeconds = history.clockDoubtSeconds(arrival.atMs)
      return { ...arrival, resolutionSeconds: Math.max(arrival.resolutionSeconds, doubtSeconds) }
    })
    arrivals.set(operator, doubted)
  }
  const succeeded = upgrades.filter(({ upgrade }) => upgrade.state === 'succeeded')
  const endsOf = groupBy(
    succeeded.map(({ upgrade: { operator, to, endedMs } }) => ({ operator, version: to, endedMs })),
    ({ operator }) => operator as string,
  )
  const componentEnds = groupBy(
    upgrades.flatMap(({ detail }) =>
      detail.components.flatMap(({ name, state, to: version, endedMs }) =>
        state === 'succeeded' && version !== undefined ? [{ name, version, endedMs }] : [],
      ),
    ),
    ({ name }) => name,
  )
  const reached = versionArrivals(
    history.of('hyperconvergeds'),
    ({ operatorVersion }) => operatorVersion,
    endsOf.get('kubevirt-hyperconverged') ?? [],
  )
  put('kubevirt-hyperconverged', reached.length > 0 ? reached : csvArrivals(history, upgrades))
  for (const kind of OPERAND_KINDS) {
    const name = OPERAND_NAMES[kind]
    const ends = [...(componentEnds.get(name) ?? []), ...(endsOf.get(name) ?? [])]
    put(
      name,
      versionArrivals(history.of(kind), ({ observedVersion }) => observedVersion, ends),
    )
  }
  put('openshift', platformArrivals(history))
  return arrivals
}

/** The end of an upgrade to a version; absent: unknown. */
interface End {
  readonly version: string
  readonly endedMs: number | undefined
}

function versionArrivals<F extends ObjectFacts>(
  histories: readonly ObjectHistory<F>[],
  versionOf: (facts: F) => string | undefined,
  ends: readonly End[],
): readonly Arrival[] {
  const arrivals: Arrival[] = []
  const endsOf = endsByVersion(ends)
  for (const history of histories) {
    let version: string | undefined
    let lastSeenMs: number | undefined
    history.states.forEach(({ facts, atMs, isWatched }, i) => {
      // HCO reports no version before the first installation is done.
      const reported = versionOf(facts)
      if (reported !== undefined && reported !== '' && reported !== version) {
        const endedMs = nearestEnd(endsOf.get(reported) ?? [], atMs, arrivals.at(-1)?.atMs ?? -Infinity)
        arrivals.push({
          version: reported,
          atMs: endedMs ?? atMs,
          isKnown: endedMs !== undefined || i > 0 || isSeenFromCreation(history),
          // Found by a list: the change was at some time since the previous observation.
          resolutionSeconds: endedMs !== undefined || isWatched ? 1 : gapSeconds(lastSeenMs, atMs),
        })
        version = reported
      }
      lastSeenMs = atMs
    })
    const { gone } = history
    if (gone !== undefined && version !== undefined) {
      const resolutionSeconds = gapSeconds(gone.sinceMs, gone.atMs)
      arrivals.push({ version: undefined, atMs: gone.atMs, isKnown: true, resolutionSeconds })
    }
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

interface RankedEnd {
  readonly atMs: number
  /** Of two that are as near the one that is named first counts. */
  readonly rank: number
}

/** By version, each in the order of time. */
function endsByVersion(ends: readonly End[]): ReadonlyMap<string, readonly RankedEnd[]> {
  return new Map(
    [...groupBy(ends, ({ version }) => version)].map(([version, own]) => {
      const times = new Set(own.flatMap(({ endedMs }) => endedMs ?? []))
      return [version, [...times].map((atMs, rank) => ({ atMs, rank })).sort((a, b) => a.atMs - b.atMs)]
    }),
  )
}

/** The end of an upgrade that is nearest to the first observation of its version, after the previous arrival. */
function nearestEnd(ends: readonly RankedEnd[], atMs: number, afterMs: number): number | undefined {
  const next = firstIndexWhere(ends, (end) => end.atMs > Math.max(atMs, afterMs))
  const near = ends.slice(Math.max(0, next - 1), next + 1).filter((end) => end.atMs > afterMs)
  const distanceMs = (end: RankedEnd): number => Math.abs(end.atMs - atMs)
  return near.sort((a, b) => distanceMs(a) - distanceMs(b) || a.rank - b.rank)[0]?.atMs
}

function gapSeconds(beforeMs: number | undefined, atMs: number): number {
  return beforeMs === undefined ? 1 : Math.max(1, Math.round((atMs - beforeMs) / 1000))
}

/** Without HyperConverged: a succeeded CSV, if the upgrade to it allows. */
function csvArrivals(history: ClusterHistory, upgrades: readonly UpgradeRecord[]): readonly Arrival[] {
  const byTarget = upgradesByTarget(upgrades)
  return hcoCsvs(history)
    .flatMap((csv) => {
      const i = csv.states.findIndex(({ facts }) => facts.phase === 'Succeeded')
      if (i === -1) return []
      const { facts, atMs } = csv.states[i]!
      const isKnown = i > 0 || isSeenFromCreation(csv)
      const seen = { version: csvVersion(csv), atMs: facts.lastTransitionMs ?? atMs, isKnown, resolutionSeconds: 1 }
      return reachedBy(seen, byTarget) ?? []
    })
    .sort((a, b) => a.atMs - b.atMs)
}

/** From the history of ClusterVersion. */
function platformArrivals(history: ClusterHistory): readonly Arrival[] {
  const completed = new Map<number, string>()
  for (const { states } of history.of('clusterversions')) {
    for (const { facts } of states) {
      for (const { state, version, completedMs } of facts.history) {
        if (state === 'Completed' && completedMs !== undefined) completed.set(completedMs, version)
      }
    }
  }
  return [...completed]
    .sort(([a], [b]) => a - b)
    .map(([atMs, version]) => ({ version, atMs, isKnown: true, resolutionSeconds: 1 }))
}
