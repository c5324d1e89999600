import type { Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { isFaulty, SHARED_MAC, tellsOfMacs } from '../scenarios/operand-faults.ts'
import type { OperandMetric } from './operand-metric.ts'

/** What the network addons' operator says, and kubemacpool's addresses with it. */
export function networkMetrics(plan: ClusterPlan, release: Release): readonly OperandMetric[] {
  const installed = (): number => Number(plan.isInstalled)
  const collisions = (timeMs: number): number | undefined => (isFaulty(plan, 'mac_collision', timeMs) ? 2 : undefined)
  return [
    ['kubevirt_cnao_cr_ready', {}, installed],
    ['kubevirt_cnao_cr_kubemacpool_deployed', {}, installed],
    ...(tellsOfMacs(release) ? [['kmp_mac_collisions', { mac: SHARED_MAC }, collisions] as const] : []),
  ]
}
