import type { ObjectFacts, ObjectKind } from '../../src/model/object-facts.ts'
import type { ObjectObservation } from '../../src/model/observation.ts'
import { HOUR_MS } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { HazardPlan } from './hazard-plan.ts'
import { uidOf } from './uid.ts'

/**
 * Hazards of the present condition: they begin in the last hour of a history, as another state of an object that was observed
 * before. All the time they would be another history.
 */
export function lateObjects(
  objects: readonly ObjectObservation[],
  history: ClusterHistory,
  { planted }: HazardPlan,
): readonly ObjectObservation[] {
  const { profile, untilMs, delivery } = history
  const observedMs = untilMs - HOUR_MS + delivery.skewMs
  const changed = (
    kind: ObjectKind,
    isIt: (one: ObjectObservation) => boolean,
    change: (facts: ObjectFacts) => ObjectFacts,
  ): readonly ObjectObservation[] => {
    const last = objects
      .filter((one) => one.facts.kind === kind && one.change !== 'deleted' && one.observedMs < observedMs && isIt(one))
      .toSorted((a, b) => a.observedMs - b.observedMs)
      .at(-1)
    if (last === undefined) return []
    const resourceVersion = String(Number(last.resourceVersion) + 1)
    return [{ ...last, change: 'modified', resourceVersion, observedMs, facts: change(last.facts) }]
  }
  const late: ObjectObservation[] = []
  if (planted.has('operator_unhealthy')) {
    const degraded = { type: 'Degraded', status: 'True', reason: 'VirtHandlerNotReady', message: '1 of 3 is ready' }
    late.push(
      ...changed(
        'hyperconvergeds',
        () => true,
        (facts) => withCondition(facts, degraded),
      ),
    )
  }
  if (planted.has('not_upgradeable')) {
    const refuses = { type: 'Upgradeable', status: 'False', reason: 'KubeVirtNotUpgradeable', message: 'it is busy' }
    late.push(
      ...changed(
        'operatorconditions',
        () => true,
        (facts) => withCondition(facts, refuses),
      ),
    )
  }
  if (planted.has('degraded_pool')) {
    late.push(
      ...changed(
        'machineconfigpools',
        ({ name }) => name === 'worker',
        (facts) => (facts.kind === 'machineconfigpools' ? { ...facts, degraded: 1 } : facts),
      ),
    )
  }
  if (planted.has('nodes')) {
    late.push(
      ...changed(
        'nodes',
        () => true,
        (facts) =>
          facts.kind === 'nodes' ? { ...facts, isReady: false, readyChangedMs: untilMs - 2 * HOUR_MS } : facts,
      ),
    )
  }
  if (isDeschedulerLater(history, planted)) {
    late.push({
      ...{ cluster: profile.name, uid: uidOf(profile.seed, 'hazard', 'cluster'), name: 'cluster' },
      ...{ namespace: profile.installNamespace, resourceVersion: '1000', change: 'listed', observedMs },
      facts: { kind: 'kubedeschedulers', profiles: ['AffinityAndTaints'], evictsInBackground: true },
    })
  }
  return late
}

/** HCO accepted any profile up to 1.14, if VMs are evicted in the background. */
export function isDeschedulerLater(history: ClusterHistory, planted: HazardPlan['planted']): boolean {
  const { minor } = installedAtEnd(history)
  return planted.has('descheduler_after_upgrade') && !planted.has('descheduler') && (minor === 13 || minor === 14)
}

/** The release that is installed when the history ends. */
export function installedAtEnd({ upgrades, firstCsv, untilMs }: ClusterHistory): { readonly minor: number } {
  return upgrades.findLast(({ endMs }) => endMs <= untilMs)?.to ?? firstCsv.release
}

function withCondition(
  facts: ObjectFacts,
  condition: { readonly type: string; readonly status: string; readonly reason: string; readonly message: string },
): ObjectFacts {
  if (facts.kind !== 'hyperconvergeds' && facts.kind !== 'operatorconditions') return facts
  return { ...facts, conditions: [...facts.conditions.filter(({ type }) => type !== condition.type), condition] }
}
