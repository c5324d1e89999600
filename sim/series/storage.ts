import type { ClusterPlan } from '../cluster-plan.ts'
import { FILLING_VOLUME, VOLUME_BYTES, volumeBytesLeft } from '../scenarios/operand-faults.ts'
import { ruleSeries, type SeriesGroup } from './sim-series.ts'

/** What the kubelet says of a volume, on the cluster where one fills up; others do not send it. */
export function storageGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  if (plan.operandFault?.kind !== 'volume_filling') return []
  const node = plan.profile.nodes[0]!
  // The kubelet is no pod and has no labels of one.
  const own = { ...FILLING_VOLUME, job: 'kubelet', instance: `${node}:10250` }
  const left = (timeMs: number): number => volumeBytesLeft(plan, timeMs)
  const stats = [
    ['kubelet_volume_stats_available_bytes', left],
    ['kubelet_volume_stats_used_bytes', (timeMs: number) => VOLUME_BYTES - left(timeMs)],
    ['kubelet_volume_stats_capacity_bytes', () => VOLUME_BYTES],
  ] as const
  return [
    {
      fromMs: -Infinity,
      untilMs: Infinity,
      make: (external) => stats.map(([name, valueAt]) => ruleSeries(external, name, own, valueAt)),
    },
  ]
}
