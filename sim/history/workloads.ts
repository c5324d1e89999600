import { upperBound } from './bounds.ts'
import type { ClusterHistory } from './cluster-history.ts'

/**
 * `outdatedVirtualMachineInstanceWorkloads`: all machines at the moment KubeVirt is done, one less with each that moved.
 * While the next KubeVirt rolls out, the number stands still.
 */
export function outdatedAt(history: ClusterHistory, timeMs: number): number {
  const last = history.upgrades.findLast(({ workloads }) => workloads !== undefined && workloads.startMs <= timeMs)
  if (last?.workloads === undefined) return 0
  const { machines, movedMs, endMs } = last.workloads
  return timeMs >= endMs ? 0 : Math.max(0, machines - upperBound(movedMs, timeMs))
}

/** When the number is told anew: each half minute at most, as virt-controller does, and at the last one. */
export function outdatedMoments(history: ClusterHistory): readonly number[] {
  return history.upgrades.flatMap(({ workloads }) => {
    if (workloads === undefined) return []
    const rounds = workloads.movedMs.map((movedMs) => Math.ceil(movedMs / TELL_EVERY_MS) * TELL_EVERY_MS)
    return [workloads.startMs, ...new Set(rounds.filter((ms) => ms < workloads.endMs)), workloads.endMs]
  })
}

const TELL_EVERY_MS = 30_000
