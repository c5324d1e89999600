/**
 * The plan of a selection of clusters: one plan each, and the schedule of all. Computed for each request; nothing is stored.
 * The caller gives the clusters, the measured runs and the graph, so the sources may change without this file.
 */
import type { FleetPlan, PlanOutcome } from '../../model/plan.ts'
import { PLAN_OUTCOMES } from '../../model/plan.ts'
import { forEachInSlices } from '../../base/thread-slices.ts'
import type { ClusterView } from '../clusters/cluster-index.ts'
import { compareTexts } from '../version-order.ts'
import { planCluster, type PlanContext, type TimedClusterPlan } from './cluster-plan.ts'
import { planClusterOf } from './plan-cluster.ts'
import { scheduleOf, type ScheduleRequest } from './schedule.ts'

export interface PlanRequest extends ScheduleRequest {
  /** Plans with steps to return; all clusters count in the schedule. */
  readonly limit: number
}

/** Clusters of one plan. */
export const PLAN_CLUSTERS_MAX = 20_000

export async function planFleet(
  views: readonly ClusterView[],
  context: PlanContext,
  request: PlanRequest,
  nowMs: number,
): Promise<FleetPlan> {
  const plans: TimedClusterPlan[] = []
  await forEachInSlices(views, (view) => {
    plans.push(planCluster(planClusterOf(view, nowMs), context))
  })
  const planned = plans.filter(({ hasSteps }) => hasSteps).sort(byRisk)
  const all = [...planned, ...plans.filter(({ hasSteps }) => !hasSteps)]
  return {
    target: context.target.text,
    selected: views.length,
    outcomes: countOutcomes(all),
    blocked: all.filter(({ isBlocked }) => isBlocked).length,
    clusters: all.slice(0, request.limit).map(({ toPlan }) => toPlan()),
    schedule: await scheduleOf(
      planned.map(({ cluster, quantiles, unknownSteps }) => ({ cluster, steps: quantiles, unknownSteps })),
      request,
    ),
  }
}

/** Small clusters are first, so that a fault shows where it costs least. */
function byRisk(a: TimedClusterPlan, b: TimedClusterPlan): number {
  const [left, right] = [a.nodes ?? Infinity, b.nodes ?? Infinity]
  return left === right ? compareTexts(a.cluster, b.cluster) : left - right
}

function countOutcomes(plans: readonly TimedClusterPlan[]): Readonly<Record<PlanOutcome, number>> {
  const counts = new Map<PlanOutcome, number>(PLAN_OUTCOMES.map((outcome) => [outcome, 0]))
  for (const { outcome } of plans) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return Object.fromEntries(counts) as Record<PlanOutcome, number>
}
