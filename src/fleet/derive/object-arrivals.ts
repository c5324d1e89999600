/** When a cluster came to run a version, as its objects tell: HyperConverged, the operands, ClusterVersion. */
import type { ObjectFacts } from '../../model/object-facts.ts'
import type { ClusterObservations } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { Arrival } from './intervals.ts'
import { isSeenFromCreation, objectHistories } from './object-histories.ts'
import type { ObjectHistory } from './object-histories.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'

/** By operator, oldest first. Operators whose objects tell no version are absent. */
export function objectArrivals(
  observations: ClusterObservations,
  upgrades: readonly UpgradeRecord[],
): ReadonlyMap<string, readonly Arrival[]> {
  const arrivals = new Map<string, readonly Arrival[]>()
  const put = (operator: string, found: readonly Arrival[]): void => {
    if (found.some(({ version }) => version !== undefined)) arrivals.set(operator, found)
  }
  const ends = (operator: string): readonly End[] =>
    upgrades
      .filter(({ upgrade }) => upgrade.operator === operator && upgrade.state === 'succeeded')
      .map(({ upgrade }) => ({ version: upgrade.to, endedMs: upgrade.endedMs }))
  const hyperConverged = objectHistories(observations, 'hyperconvergeds')
  put(
    'kubevirt-hyperconverged',
    versionArrivals(hyperConverged, ({ operatorVersion }) => operatorVersion, ends('kubevirt-hyperconverged')),
  )
  for (const kind of OPERAND_KINDS) {
    const name = OPERAND_NAMES[kind]
    const components = upgrades
      .flatMap(({ detail }) => detail.components)
      .filter((component) => component.name === name && component.state === 'succeeded' && component.to !== undefined)
      .map(({ to, endedMs }) => ({ version: to!, endedMs }))
    const histories = objectHistories(observations, kind)
    put(
      name,
      versionArrivals(histories, ({ observedVersion }) => observedVersion, [...components, ...ends(name)]),
    )
  }
  put('openshift', platformArrivals(observations))
  return arrivals
}

/** An upgrade to a version ended then; absent: nobody knows when. */
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
  for (const history of histories) {
    let version: string | undefined
    let lastSeenMs: number | undefined
    history.states.forEach(({ facts, seenMs, isWatched }, i) => {
      // An object that says no version says nothing: HCO writes its own when the first installation is done.
      const told = versionOf(facts)
      if (told !== undefined && told !== '' && told !== version) {
        const endedMs = nearestEnd(ends, told, seenMs, arrivals.at(-1)?.atMs ?? -Infinity)
        arrivals.push({
          version: told,
          atMs: endedMs ?? seenMs,
          isKnown: endedMs !== undefined || i > 0 || isSeenFromCreation(history),
          // Found rather than watched: it was so at some time since the look before.
          resolutionSeconds: endedMs !== undefined || isWatched ? 1 : gapSeconds(lastSeenMs, seenMs),
        })
        version = told
      }
      lastSeenMs = seenMs
    })
    const { goneMs } = history
    if (goneMs !== undefined && version !== undefined) {
      arrivals.push({ version: undefined, atMs: goneMs, isKnown: true, resolutionSeconds: 1 })
    }
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

/** The end of an upgrade to this version, after the version before it came, that is nearest to when it was seen. */
function nearestEnd(ends: readonly End[], version: string, seenMs: number, afterMs: number): number | undefined {
  let nearest: number | undefined
  for (const { version: to, endedMs } of ends) {
    if (to !== version || endedMs === undefined || endedMs <= afterMs) continue
    if (nearest === undefined || Math.abs(endedMs - seenMs) < Math.abs(nearest - seenMs)) nearest = endedMs
  }
  return nearest
}

function gapSeconds(beforeMs: number | undefined, seenMs: number): number {
  return beforeMs === undefined ? 1 : Math.max(1, Math.round((seenMs - beforeMs) / 1000))
}

/** ClusterVersion remembers what it completed, and when. */
function platformArrivals(observations: ClusterObservations): readonly Arrival[] {
  const completed = new Map<number, string>()
  for (const { states } of objectHistories(observations, 'clusterversions')) {
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
