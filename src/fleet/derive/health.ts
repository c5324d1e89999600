/** HCO's conditions, health, taint, and whether it can be upgraded. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Condition, HyperConvergedFacts } from '../../model/object-facts.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { presentObjects } from './present.ts'

type Health = Pick<ClusterRecord, 'conditions' | 'systemHealth' | 'isTainted' | 'upgradeable'>

/** `kubevirt_hco_system_health_status`. */
const HEALTH_WORDS: readonly string[] = ['healthy', 'warning', 'error']

export function healthOf(
  history: ClusterHistory,
  hyperConverged: HyperConvergedFacts | undefined,
  installedCsv: string | undefined,
): Health {
  const conditions = [...(hyperConverged?.conditions ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1))
  const systemHealth = hyperConverged?.systemHealth ?? healthOfMetric(history)
  const isTainted = taintOf(history, hyperConverged)
  const upgradeable = upgradeableOf(history, conditions, installedCsv)
  return {
    conditions,
    ...(systemHealth === undefined ? {} : { systemHealth }),
    ...(isTainted === undefined ? {} : { isTainted }),
    ...(upgradeable === undefined ? {} : { upgradeable }),
  }
}

function healthOfMetric(history: ClusterHistory): string | undefined {
  const values = history.currentRuns('hco_health').map(({ value }) => value)
  return values.length === 0 ? undefined : HEALTH_WORDS[Math.max(...values)]
}

/** HCO removes the condition instead of setting it to False: with other conditions and without this one it is not tainted. */
function taintOf(history: ClusterHistory, facts: HyperConvergedFacts | undefined): boolean | undefined {
  if (facts !== undefined && facts.conditions.length > 0) {
    return facts.conditions.some(({ type, status }) => type === 'TaintedConfiguration' && status === 'True')
  }
  const counts = history.currentRuns('unsafe_modifications').map(({ value }) => value)
  return counts.length === 0 ? undefined : counts.some((count) => count > 0)
}

/** As OLM decides: the OperatorCondition, its overrides first; HCO's own condition if neither is reported. */
function upgradeableOf(
  history: ClusterHistory,
  conditions: readonly Condition[],
  installedCsv: string | undefined,
): ClusterRecord['upgradeable'] {
  const reported = presentObjects(history, 'operatorconditions').find(({ name }) => name === installedCsv)?.facts
  const found = [...(reported?.overrides ?? []), ...(reported?.conditions ?? []), ...conditions].find(
    ({ type }) => type === 'Upgradeable',
  )
  return found && { status: found.status, reason: found.reason, message: found.message }
}
