import type { ClusterPlan } from '../cluster-plan.ts'
import { isFaulty } from '../scenarios/operand-faults.ts'
import type { OperandMetric } from './operand-metric.ts'

/** What SSP's operator says: whether it manages what it should. */
export function sspMetrics(plan: ClusterPlan): readonly OperandMetric[] {
  const hasSucceeded = (timeMs: number): number => Number(plan.isInstalled && !isFaulty(plan, 'ssp_failing', timeMs))
  return [['kubevirt_ssp_operator_reconcile_succeeded', {}, hasSucceeded]]
}
