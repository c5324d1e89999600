/**
 * The silences of the fleet at a moment, each with its cause. Pure, one pass over the clusters, and a sort of the silent ones.
 * The first cause with evidence counts: what a user declared, what the cluster showed itself, what others show, its upgrade.
 */
import type { ClusterSilence, SilenceEvidence } from '../../model/cluster-silence.ts'
import type { ObservedCluster } from '../clusters/fleet-coverage.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import type { Gone } from '../clusters/gone.ts'
import { decommissioned, optedOut } from './declared.ts'
import { network } from './network.ts'
import { nextStepOf } from './next-steps.ts'
import { silenceGroups, type SilenceGroup } from './silence-groups.ts'
import { silentCluster, type SilentCluster } from './silent-cluster.ts'
import { collectorStopped, remoteWriteBroken } from './source-stopped.ts'
import { dueEvidence, missingEvidence } from './unknown.ts'
import { brokenByUpgrade, isRunning, type UpgradeShare } from './upgrade.ts'

export interface SilencesInput {
  /** All clusters, also without a record. */
  readonly clusters: Iterable<ObservedCluster>
  /** `undefined`: the cluster is not gone. */
  readonly goneOf: (cluster: ObservedCluster) => Gone | undefined
  /** The open upgrades of a cluster. */
  readonly openOf: (cluster: string) => readonly OpenUpgrade[]
  /** One of two sources that stopped longer ago was removed. */
  readonly unusedAfterMs: number
}

/** By cluster. */
export function silencesOf(input: SilencesInput, nowMs: number): ReadonlyMap<string, ClusterSilence> {
  const active: ObservedCluster[] = []
  const silent: SilentCluster[] = []
  const upgrading = { silent: 0, of: 0, elsewhere: { silent: 0, of: 0 } }
  for (const one of input.clusters) {
    const gone = input.goneOf(one)
    const open = gone === undefined ? input.openOf(one.cluster) : []
    const found = silentCluster(one, nowMs, input.unusedAfterMs)
    if (found !== undefined) silent.push({ ...found, open, ...(gone === undefined ? {} : { gone }) })
    if (gone !== undefined) continue
    active.push(one)
    const counts = open.some(isRunning) ? upgrading : upgrading.elsewhere
    counts.of++
    if (found?.isTotal === true) counts.silent++
  }
  const groups = silenceGroups(active, silent)
  const peers = countByRegion(active)
  return new Map(silent.map((one) => [one.cluster, silenceOf(one, groups.get(one.cluster), upgrading, peers)]))
}

function silenceOf(
  one: SilentCluster,
  group: SilenceGroup | undefined,
  upgrading: UpgradeShare,
  peers: ReadonlyMap<string | undefined, number>,
): ClusterSilence {
  const evidence = evidenceOf(one, group, upgrading)
  const cause = evidence[0]?.cause ?? 'unknown'
  const others = (peers.get(one.record?.region) ?? 0) - (one.gone === undefined ? 1 : 0)
  return {
    sources: one.sources,
    isTotal: one.isTotal,
    sinceMs: one.sinceMs,
    cause,
    evidence,
    missing: cause === 'unknown' ? missingEvidence(one, others) : dueEvidence(one),
    nextStep: nextStepOf(cause, one, group),
  }
}

/** For the first cause that has any, then for the others. */
function evidenceOf(
  one: SilentCluster,
  group: SilenceGroup | undefined,
  upgrading: UpgradeShare,
): readonly SilenceEvidence[] {
  return [
    ...decommissioned(one),
    ...optedOut(one),
    ...collectorStopped(one),
    ...remoteWriteBroken(one),
    ...network(group),
    ...brokenByUpgrade(one, upgrading),
  ]
}

function countByRegion(active: readonly ObservedCluster[]): ReadonlyMap<string | undefined, number> {
  const counts = new Map<string | undefined, number>()
  for (const { record } of active) counts.set(record?.region, (counts.get(record?.region) ?? 0) + 1)
  return counts
}
