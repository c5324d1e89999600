/**
 * The two groups of a rollout: upgrades to its version, and the other upgrades of that time. A cohort may be narrowed to a list of
 * clusters or to the first that arrived; other clusters that upgraded to the version are then in no group.
 */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { RolloutChange, RolloutPolicy, RolloutRun, RolloutStratum } from '../../model/rollout-verdict.ts'
import type { UpgradeOperator } from '../../model/upgrade.ts'
import { fitsFilter, type ClusterFilter } from '../clusters/cluster-filter.ts'
import type { EdgeName, EdgeRun } from '../edges/edges.ts'
import { dayOf, DAY_MS } from './blocks.ts'

/** All upgrades of an upgrade path. */
export interface RunsOfEdge {
  readonly name: EdgeName
  readonly byCluster: ReadonlyMap<string, readonly EdgeRun[]>
}

/** Which upgrades to the version are the canary's; all that is given must hold. Empty: all upgrades to the version. */
export interface CanaryCohort {
  /** By name or alias. */
  readonly clusters?: ReadonlySet<string>
  /** Of the cluster as it is now. */
  readonly filter?: Pick<ClusterFilter, 'channel' | 'platform' | 'flavour' | 'region' | 'text'>
  readonly environment?: string
  /** Of these, the first so many that started. */
  readonly first?: number
}

/** With its phases. */
export interface PhasedRun extends RolloutRun, Pick<EdgeRun, 'phases' | 'phaseSeconds' | 'whole'> {}

export interface RolloutQuery {
  readonly operator: UpgradeOperator
  readonly version: string
  readonly cohort: CanaryCohort
}

/** Upgrades this long before the first canary are in the baseline, too. */
const BASELINE_BEFORE_MS = 90 * DAY_MS

export interface RolloutCohorts {
  readonly runs: readonly PhasedRun[]
  /** Upgrades that are in no group: superseded, or their end is unknown. */
  readonly leftOut: number
}

/** By cluster and start, so that equal facts give an equal order whatever the groups are. */
export function rolloutCohorts(
  edges: Iterable<RunsOfEdge>,
  { operator, version, cohort }: RolloutQuery,
  recordOf: (cluster: string) => ClusterRecord | undefined,
  policy: Pick<RolloutPolicy, 'strata'>,
): RolloutCohorts {
  const all = [...edges].filter(({ name }) => name.operator === operator).flatMap((edge) => runsOf(edge, version))
  const arrived = all.filter(({ isTarget }) => isTarget).sort(byStart)
  const isMember = ({ cluster }: StartedRun): boolean => isInCohort(cluster, recordOf(cluster), cohort)
  const canaries = new Set(arrived.filter(isMember).slice(0, cohort.first ?? Infinity))
  const firstMs = Array.from(canaries).reduce((first, { startedMs }) => Math.min(first, startedMs), Infinity)
  const baseline = all.filter(({ isTarget, startedMs }) => !isTarget && startedMs >= firstMs - BASELINE_BEFORE_MS)
  const members = [...canaries, ...baseline].sort(byClusterAndStart)
  const runs = members.flatMap((member) =>
    rolloutRun(member, stratumOf(member, recordOf(member.cluster), policy.strata)),
  )
  return { runs, leftOut: members.length - runs.length }
}

/** A cluster without a record matches no filter. */
function isInCohort(cluster: string, record: ClusterRecord | undefined, cohort: CanaryCohort): boolean {
  const { clusters, filter, environment } = cohort
  const names = [cluster, ...(record?.aliases ?? [])]
  if (clusters !== undefined && !names.some((name) => clusters.has(name))) return false
  if (filter !== undefined && (record === undefined || !fitsFilter(record, filter))) return false
  return environment === undefined || record?.environment === environment
}

interface StartedRun {
  readonly cluster: string
  readonly startedMs: number
  readonly isTarget: boolean
  readonly run: EdgeRun
}

/** A rollback to the version is no upgrade to it: the path of a rolled back upgrade names the version that was tried. */
function runsOf({ name, byCluster }: RunsOfEdge, version: string): readonly StartedRun[] {
  return [...byCluster].flatMap(([cluster, runs]) =>
    runs.flatMap((run) => {
      const { startedMs, whole, lastMs } = run
      if (startedMs === undefined) return []
      // After the approval: people take days.
      const workedMs = whole === undefined ? startedMs : lastMs - whole.seconds * 1000
      return [{ cluster, startedMs: workedMs, isTarget: name.to === version, run }]
    }),
  )
}

/** Nothing for an upgrade whose end says nothing about its version. */
function rolloutRun({ cluster, startedMs, isTarget, run }: StartedRun, stratum: string): readonly PhasedRun[] {
  const { state, lastMs, id, phases, phaseSeconds, whole } = run
  const member = {
    ...{ id, cluster, isCanary: isTarget, stratum, startedMs, observedUntilMs: lastMs, phases, phaseSeconds },
    ...(whole === undefined ? {} : { whole }),
  }
  switch (state) {
    case 'succeeded':
      return [{ ...member, ended: { atMs: lastMs, isFailure: false } }]
    case 'failed':
    case 'rolled_back':
      return [{ ...member, ended: { atMs: lastMs, isFailure: true } }]
    case 'in_progress':
      return [member]
    case 'superseded':
    case 'unknown':
      return []
  }
}

const SIZES = [1, 3, 10, 30, 100]

function stratumOf(
  { run }: Pick<StartedRun, 'run'>,
  record: ClusterRecord | undefined,
  strata: readonly RolloutStratum[],
): string {
  return strata.map((one) => stratumValue(one, record, run.nodes ?? record?.nodes?.count)).join(' / ')
}

/** Of a cluster as it is now. */
export function stratumOfCluster(record: ClusterRecord, strata: readonly RolloutStratum[]): string {
  return strata.map((one) => stratumValue(one, record, record.nodes?.count)).join(' / ')
}

function stratumValue(stratum: RolloutStratum, record: ClusterRecord | undefined, nodes: number | undefined): string {
  switch (stratum) {
    case 'platform':
      return record?.platform?.kind ?? 'unknown platform'
    case 'size':
      return sizeName(nodes)
    case 'region':
      return record?.region ?? 'unknown region'
    case 'channel':
      return record?.subscription?.channel ?? 'unknown channel'
    case 'environment':
      return record?.environment ?? 'unknown environment'
  }
}

function sizeName(nodes: number | undefined): string {
  if (nodes === undefined) return 'unknown size'
  const i = SIZES.findIndex((most) => nodes <= most)
  if (i === -1) return `more than ${SIZES.at(-1)!} nodes`
  return i === 0 ? '1 node' : `${SIZES[i - 1]! + 1} to ${SIZES[i]!} nodes`
}

/** Clusters of the baseline for each canary, in the same stratum. */
const CLUSTERS_PER_CANARY = 4

/** A cluster that may stand beside a canary. */
export interface BaselineCluster {
  readonly cluster: string
  readonly stratum: string
  /** Starts of its upgrades of any operator. */
  readonly upgradedMs: readonly number[]
}

/**
 * Members without counts: each canary cluster with its first upgrade, and beside it up to four clusters of its stratum, without those
 * that upgraded between one window before the day and one after. Each cluster stands for one day, so that its habits count
 * once. They are taken in the order of a hash of their name.
 */
export function clusterCohorts(
  canaries: readonly RolloutRun[],
  clusters: readonly BaselineCluster[],
  { windowMs, horizonMs }: Pick<RolloutPolicy, 'windowMs' | 'horizonMs'>,
): readonly Omit<RolloutChange, 'before' | 'after'>[] {
  const taken = new Set(canaries.map(({ cluster }) => cluster))
  const others = clusters.filter(({ cluster }) => !taken.has(cluster))
  const waiting = groupBy(
    others.sort((a, b) => hashOf(a.cluster) - hashOf(b.cluster)),
    ({ stratum }) => stratum,
  )
  const next = new Map<string, number>()
  const seen = new Set<string>()
  return [...canaries].sort(byStart).flatMap(({ cluster, stratum, startedMs }) => {
    if (seen.has(cluster)) return []
    seen.add(cluster)
    const dayMs = dayOf(startedMs)
    const isQuiet = ({ upgradedMs }: BaselineCluster): boolean =>
      !upgradedMs.some((ms) => ms >= dayMs - windowMs && ms < dayMs + DAY_MS + horizonMs + windowMs)
    const from = next.get(stratum) ?? 0
    const found = (waiting.get(stratum) ?? []).slice(from, from + CLUSTERS_PER_CANARY)
    next.set(stratum, from + found.length)
    const beside = found.filter(isQuiet)
    return [
      { cluster, isCanary: true, stratum, startedMs },
      ...beside.map((one) => ({ cluster: one.cluster, isCanary: false, stratum, startedMs })),
    ]
  })
}

/** FNV-1a: an order that has nothing to do with the fleet. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

function byStart(a: { startedMs: number; cluster: string }, b: { startedMs: number; cluster: string }): number {
  return a.startedMs - b.startedMs || (a.cluster < b.cluster ? -1 : 1)
}

function byClusterAndStart(a: StartedRun, b: StartedRun): number {
  return a.cluster === b.cluster ? a.startedMs - b.startedMs : a.cluster < b.cluster ? -1 : 1
}
