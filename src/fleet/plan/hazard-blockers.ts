/** Hazards of the readiness of a cluster as blockers of its plan. */
import type { HazardId } from '../../model/readiness.ts'
import type { PlanBlocker } from '../../model/plan.ts'
import type { ClusterReadiness } from '../readiness/readiness-index.ts'

/** These are in the steps of a plan, or are checked for all of its steps (blockers.ts). */
const PLANNED: ReadonlySet<HazardId> = new Set<HazardId>([
  ...(['open_upgrade', 'operator_unhealthy', 'not_upgradeable', 'degraded_pool', 'paused_pool'] as const),
  ...(['non_evictable_vms', 'empty_update_methods', 'manual_approval', 'eus_order', 'version_skew'] as const),
  ...(['few_nodes', 'max_openshift_version'] as const),
])

/** Of the first target of the plan. Accepted risks and what is only unknown are left out: readiness shows them. */
export function hazardBlockers({ hazards }: Pick<ClusterReadiness, 'hazards'>): readonly PlanBlocker[] {
  return hazards.flatMap(({ id, finding, accepted }): readonly PlanBlocker[] => {
    if (finding.state !== 'present' || accepted !== undefined || PLANNED.has(id)) return []
    const { verdict, text, fix } = finding
    const severity = verdict === 'not_recommended' ? 'blocking' : 'warning'
    return [{ name: id, severity, text, fix: fix.text, ...(fix.command === undefined ? {} : { command: fix.command }) }]
  })
}
