/** How HCO says it fares: conditions, health, taint, and whether it may be upgraded. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Condition, HyperConvergedFacts } from '../../model/object-facts.ts'
import type { ClusterObservations } from '../../model/observation.ts'
import { presentRuns } from './metric-runs.ts'
import { presentObjects } from './object-histories.ts'

type Health = Pick<ClusterRecord, 'conditions' | 'systemHealth' | 'isTainted' | 'upgradeable'>

/** `kubevirt_hco_system_health_status`. */
const HEALTH_WORDS: readonly string[] = ['healthy', 'warning', 'error']

export function healthOf(
  observations: ClusterObservations,
  hyperConverged: HyperConvergedFacts | undefined,
  installedCsv: string | undefined,
): Health {
  const conditions = [...(hyperConverged?.conditions ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1))
  const systemHealth = hyperConverged?.systemHealth ?? healthOfMetric(observations)
  const isTainted = taintOf(observations, hyperConverged)
  const upgradeable = upgradeableOf(observations, conditions, installedCsv)
  return {
    conditions,
    ...(systemHealth === undefined ? {} : { systemHealth }),
    ...(isTainted === undefined ? {} : { isTainted }),
    ...(upgradeable === undefined ? {} : { upgradeable }),
  }
}

function healthOfMetric(observations: ClusterObservations): string | undefined {
  const values = presentRuns(observations, 'hco_health').map(({ value }) => value)
  return values.length === 0 ? undefined : HEALTH_WORDS[Math.max(...values)]
}

/** HCO takes the condition away instead of setting it to False: where others stand and it does not, it is not tainted. */
function taintOf(observations: ClusterObservations, facts: HyperConvergedFacts | undefined): boolean | undefined {
  if (facts !== undefined && facts.conditions.length > 0) {
    return facts.conditions.some(({ type, status }) => type === 'TaintedConfiguration' && status === 'True')
  }
  const counts = presentRuns(observations, 'unsafe_modifications').map(({ value }) => value)
  return counts.length === 0 ? undefined : counts.some((count) => count > 0)
}

/** What OLM goes by: the operator's condition, a person's override first. HCO's own condition where neither is told. */
function upgradeableOf(
  observations: ClusterObservations,
  conditions: readonly Condition[],
  installedCsv: string | undefined,
): ClusterRecord['upgradeable'] {
  const told = presentObjects(observations, 'operatorconditions').find(({ name }) => name === installedCsv)?.facts
  const found = [...(told?.overrides ?? []), ...(told?.conditions ?? []), ...conditions].find(
    ({ type }) => type === 'Upgradeable',
  )
  return found && { status: found.status, reason: found.reason, message: found.message }
}
