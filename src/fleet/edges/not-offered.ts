/**
 * Clusters whose Subscription is AtLatestKnown although their peers were offered a newer version long ago (facts 5.10): a
 * stale mirror, a pinned catalog. Peers follow the same channel, upgraded from the same version, and are on no newer
 * platform. Pure. Only the Subscription object counts: metrics do not report what was offered.
 */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Evidence, UpgradeRecord } from '../../model/upgrade.ts'
import { CLUSTER_LIVES_MS } from '../series/derived-clusters.ts'
import { compareVersions, minorOf } from '../version-order.ts'

/** One peer may have been upgraded by hand, and two may be canaries. */
export const PEERS_MIN = 3
/** Mirrors are filled weekly or monthly; twice a fortnight is late. */
export const LONG_AGO_MS = 28 * 24 * 3600_000

export interface TakenStep {
  readonly from: string
  readonly to: string
  readonly startedMs: number
}

export interface ChannelMember {
  readonly cluster: ClusterRecord
  readonly steps: readonly TakenStep[]
}

export interface NotOffered {
  readonly cluster: string
  readonly version: string
  /** The newest version to which its peers upgraded. */
  readonly offered: string
  /** Since when `PEERS_MIN` peers had it. */
  readonly sinceMs: number
  /** Some of the peers, the first ones. */
  readonly evidence: readonly Evidence[]
}

export function takenSteps(upgrades: readonly UpgradeRecord[]): readonly TakenStep[] {
  return upgrades.flatMap(({ upgrade: { operator, from, to, startedMs } }) =>
    operator !== 'kubevirt-hyperconverged' || from === undefined || startedMs === undefined
      ? []
      : [{ from, to, startedMs }],
  )
}

/** In the order given. */
export function notOffered(members: readonly ChannelMember[], nowMs: number): readonly NotOffered[] {
  const byStep = targetsByStep(members)
  return members.flatMap(({ cluster: own }) => {
    const { hcoVersion: version, subscription } = own
    const isAtLatest = subscription?.state === 'AtLatestKnown' && nowMs - own.lastSeenMs <= CLUSTER_LIVES_MS
    if (!isAtLatest || version === undefined) return []
    for (const target of byStep.get(stepKey(own, version)) ?? []) {
      const { offered } = target
      if (compareVersions(offered, version) <= 0) return []
      const peers = firstPeers(target, own).filter(({ cluster }) => cluster.cluster !== own.cluster)
      const sinceMs = peers[PEERS_MIN - 1]?.startedMs
      if (sinceMs === undefined || nowMs - sinceMs < LONG_AGO_MS) continue
      return [
        { cluster: own.cluster, version, offered, sinceMs, evidence: peers.slice(0, EVIDENCE_MAX).map(evidenceOf) },
      ]
    }
    return []
  })
}

const EVIDENCE_MAX = 5
/** One more than needed, because the cluster itself may be one of them. */
const FIRST_PEERS = Math.max(PEERS_MIN, EVIDENCE_MAX) + 1

interface Peer extends TakenStep {
  readonly cluster: ClusterRecord
}

/** A version to which clusters upgraded, from one version in one channel. */
interface Target {
  readonly offered: string
  /** The first upgrade of each cluster, the earliest first. */
  readonly peers: readonly Peer[]
  /** The first peers for each platform of a cluster: thousands of clusters have few platforms. */
  readonly firstByPlatform: Map<string, readonly Peer[]>
}

/** The first `FIRST_PEERS` peers on no newer platform, the earliest first. */
function firstPeers({ peers, firstByPlatform }: Target, own: ClusterRecord): readonly Peer[] {
  const { kind, version } = own.platform ?? {}
  const platform = JSON.stringify([kind, version === undefined ? undefined : minorOf(version)])
  const known = firstByPlatform.get(platform)
  if (known !== undefined) return known
  const first: Peer[] = []
  for (const peer of peers) {
    if (isNoNewerPlatform(peer.cluster, own)) first.push(peer)
    if (first.length === FIRST_PEERS) break
  }
  firstByPlatform.set(platform, first)
  return first
}

/** By channel and version; the newest target first. */
function targetsByStep(members: readonly ChannelMember[]): ReadonlyMap<string, readonly Target[]> {
  const byStep = new Map<string, Map<string, Map<string, Peer>>>()
  for (const { cluster, steps } of members) {
    for (const step of steps) {
      const key = stepKey(cluster, step.from)
      const targets = byStep.get(key) ?? new Map<string, Map<string, Peer>>()
      const peers = targets.get(step.to) ?? new Map<string, Peer>()
      const known = peers.get(cluster.cluster)
      if (known === undefined || step.startedMs < known.startedMs) peers.set(cluster.cluster, { ...step, cluster })
      byStep.set(key, targets.set(step.to, peers))
    }
  }
  const ordered = (peers: ReadonlyMap<string, Peer>): readonly Peer[] =>
    [...peers.values()].sort((a, b) => a.startedMs - b.startedMs || (a.cluster.cluster < b.cluster.cluster ? -1 : 1))
  const sorted = (targets: ReadonlyMap<string, ReadonlyMap<string, Peer>>): readonly Target[] =>
    [...targets]
      .sort(([a], [b]) => compareVersions(b, a))
      .map(([offered, peers]) => ({ offered, peers: ordered(peers), firstByPlatform: new Map() }))
  return new Map([...byStep].map(([key, targets]) => [key, sorted(targets)]))
}

function stepKey({ flavour, subscription }: ClusterRecord, version: string): string {
  return [flavour ?? '', subscription?.channel ?? '', version].join(' ')
}

/** A catalog belongs to a minor of OpenShift: an offer to a peer on a newer minor is not comparable. */
function isNoNewerPlatform(peer: ClusterRecord, own: ClusterRecord): boolean {
  if (peer.platform?.kind !== own.platform?.kind) return false
  if (own.platform?.kind !== 'openshift') return true
  const [theirs, ours] = [peer.platform?.version, own.platform.version]
  if (theirs === undefined || ours === undefined) return false
  return compareVersions(`${minorOf(theirs)}.0`, `${minorOf(ours)}.0`) <= 0
}

function evidenceOf({ cluster, from, to, startedMs }: Peer): Evidence {
  const channel = cluster.subscription?.channel ?? ''
  return {
    source: cluster.coverage.objects ? 'objects' : 'metrics',
    atMs: startedMs,
    text: `${cluster.cluster} went from ${from} to ${to}${channel === '' ? '' : ` in channel ${channel}`}`,
    ref: cluster.cluster,
    phase: 'offered',
  }
}
