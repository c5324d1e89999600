/**
 * How long VMs take to run the new virt-launcher: rounds of parallel migrations, from their limits, the number of VMs and, where
 * known, their memory. The time of a round is measured on the workload updates of the fleet.
 */
import { quantilesBetween, type Quantiles } from './distribution.ts'
import type { PlanCluster } from './plan-cluster.ts'
import { windowOf, type StepDurations, type TimedStep } from './step-durations.ts'

/** Without measurements a migration takes 1 to 2 minutes (facts 5.6). */
const ASSUMED_ROUND = quantilesBetween([
  [0, 30],
  [0.5, 60],
  [0.9, 120],
  [1, 180],
])

/** Migrations at a time: the limit of the cluster, and that of each node. */
export function parallelMigrations({ migration, vmNodes }: PlanCluster): number {
  const { perCluster, outboundPerNode } = migration
  return vmNodes === undefined ? perCluster : Math.max(1, Math.min(perCluster, outboundPerNode * vmNodes))
}

export function vmUpdateOf(cluster: PlanCluster, durations: StepDurations): TimedStep {
  const { vms, vmMemoryGiB, migration, vmNodes, nonMigratableVms = 0 } = cluster
  if (vmNodes === 1) return { window: none('Restarts by hand are not counted.') }
  if (vms === undefined) {
    return { window: { source: 'unknown', runs: 0, censored: 0, basis: 'The number of VMs is not reported.' } }
  }
  const parallel = parallelMigrations(cluster)
  const migrating = Math.max(0, vms - nonMigratableVms)
  const rounds = Math.ceil(migrating / parallel)
  const measured = durations.migrationRound(parallel)
  const round = measured.quantiles ?? ASSUMED_ROUND
  const floorSeconds = memoryFloorSeconds(vmMemoryGiB, migration.mibPerSecond, parallel)
  const quantiles = scaled(round, rounds, floorSeconds)
  const limits = `${migrating} VMs in ${rounds} rounds of ${parallel} migrations`
  const memory = vmMemoryGiB === undefined ? 'memory of VMs not known' : `${Math.round(vmMemoryGiB)} GiB of memory`
  const source = measured.quantiles === undefined ? 'assumed' : 'workload_updates'
  const basis =
    source === 'assumed'
      ? `${limits}, ${memory}; assumed: 1 to 2 minutes per migration.`
      : `${limits}, ${memory}; time per round from ${measured.window.runs} workload updates.`
  const { runs, censored, learnedFrom } = measured.window
  return {
    quantiles,
    window: windowOf(quantiles, { source, runs, censored, basis, ...(learnedFrom && { learnedFrom }) }),
  }
}

/** Migrations with a limited bandwidth take at least as long as their memory. */
function memoryFloorSeconds(gib: number | undefined, mibPerSecond: number | undefined, parallel: number): number {
  return gib === undefined || mibPerSecond === undefined ? 0 : (gib * 1024) / (mibPerSecond * parallel)
}

function scaled(round: Quantiles, rounds: number, floorSeconds: number): Quantiles {
  if (rounds === 0) return round.map(() => 0)
  return round.map((seconds) => Math.max(seconds * rounds, floorSeconds))
}

/** Of a step that is not counted. */
export function none(basis: string): TimedStep['window'] {
  return { source: 'none', runs: 0, censored: 0, basis }
}
