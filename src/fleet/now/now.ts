/**
 * The summary of the landing page: stuck, upgrading, following (workload update), waiting (for approval) and silent; running
 * versions; regressing edges. Read from the in-memory index in one pass over the clusters, with a row for each open upgrade
 * that is shown. Pure; `nowMs` is the only source of time.
 */
import { groupBy } from '../../base/group-by.ts'
import { SILENCE_CAUSES, type ClusterSilence, type SilenceCause } from '../../model/cluster-silence.ts'
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import type { FleetCoverage, ObservedCluster } from '../clusters/fleet-coverage.ts'
import { upgradeStage, type OpenUpgrade, type UpgradeStage } from '../clusters/cluster-states.ts'
import { comparePhases, type EdgeName } from '../edges/edges.ts'
import type { FallingEdge } from '../edges/falling-edges.ts'
import {
  approvalMs,
  nowUpgrade,
  overdueSeconds,
  silentCluster,
  waitingUpgrade,
  type NowUpgrade,
  type SilentCluster,
  type WaitingUpgrade,
} from './now-rows.ts'
import { shownVersion } from '../clusters/cluster-filter.ts'
import { compareVersions } from '../version-order.ts'

export interface FleetNow {
  readonly asOfMs: number
  /** `unknown`: of the reporting clusters. */
  readonly clusters: FleetCoverage & { readonly reporting: number }
  /** The one furthest beyond its threshold first. */
  readonly stuck: Counted<NowUpgrade>
  /** Stuck ones first, then the one whose last progress is the oldest. */
  readonly upgrading: Counted<NowUpgrade> & { readonly byPhase: readonly PhaseCount[] }
  readonly following: Counted<NowUpgrade> & { readonly machines: number }
  /** The longest wait first. */
  readonly waiting: Counted<WaitingUpgrade>
  /** Clusters with an open upgrade first, then the last seen. */
  readonly silent: Counted<SilentCluster> & {
    /** The most frequent first; `oneSource`: of reporting clusters with one silent data source. */
    readonly byCause: readonly CauseCount[]
    readonly oneSource: readonly CauseCount[]
  }
  readonly versions: {
    readonly of: number
    readonly unreported: number
    /** Newest first. */
    readonly items: readonly { readonly version: string; readonly clusters: number }[]
  }
  readonly fallingEdges: Counted<FallingEdge>
}

/** The number of all items, and the first of them. */
export interface Counted<T> {
  readonly count: number
  readonly items: readonly T[]
}

export interface CauseCount {
  readonly cause: SilenceCause
  readonly count: number
}

export interface PhaseCount {
  /** `undefined`: unknown. */
  readonly phase: PhaseName | undefined
  readonly count: number
  readonly stuck: number
}

export interface NowSource {
  /** Clusters that are not gone, including clusters with samples and no record. */
  active(nowMs: number): Iterable<ObservedCluster>
  coverage(nowMs: number): FleetCoverage
  /** The open upgrades of the same clusters. */
  open(nowMs: number): readonly OpenUpgrade[]
  fallingEdges(nowMs: number): readonly FallingEdge[]
  silences(nowMs: number): ReadonlyMap<string, ClusterSilence>
  readonly edges: { edge(name: EdgeName): EdgeFacts | undefined }
}

/** @param listMax maximum of items in each list; counts include all */
export function fleetNow(index: NowSource, nowMs: number, listMax: number): FleetNow {
  const coverage = index.coverage(nowMs)
  const open = index.open(nowMs)
  const openOf = groupBy(open, ({ record }) => record.upgrade.cluster)
  const silences = index.silences(nowMs)
  const partly: SilenceCause[] = []
  const silent: SilentCluster[] = []
  const silentNames = new Set<string>()
  const versions = new Map<string, number>()
  let [reported, unknown] = [0, 0]
  for (const one of index.active(nowMs)) {
    const { cluster, record } = one
    if (nowMs > one.notSilentUntilMs) {
      silentNames.add(cluster)
      silent.push(silentCluster(one, openOf.get(cluster) ?? [], silences.get(cluster)?.cause))
      continue
    }
    const oneSource = silences.get(cluster)
    if (oneSource !== undefined) partly.push(oneSource.cause)
    if (one.isUnknown) unknown++
    const version = record === undefined ? undefined : shownVersion(record)
    if (version === undefined) continue
    reported++
    versions.set(version, (versions.get(version) ?? 0) + 1)
  }
  const reporting = coverage.clusters - coverage.silent
  const openReporting = open.filter(({ record }) => !silentNames.has(record.upgrade.cluster))
  const stages = groupBy(openReporting, ({ record }) => upgradeStage(record))
  const of = (stage: UpgradeStage): readonly OpenUpgrade[] => stages.get(stage) ?? []
  const [waiting, upgrading, following] = [of('waiting'), of('upgrading'), of('following')]
  const row = (one: OpenUpgrade): NowUpgrade => nowUpgrade(one, (name) => index.edges.edge(name), nowMs)
  const rows = (of: readonly OpenUpgrade[], order: (a: OpenUpgrade, b: OpenUpgrade) => number): Counted<NowUpgrade> => {
    return firstOf(of, order, listMax, row)
  }
  return {
    asOfMs: nowMs,
    clusters: { ...coverage, reporting, unknown },
    stuck: rows(
      open.filter(({ verdict }) => verdict.isStuck),
      (a, b) => overdueSeconds(b.verdict, nowMs) - overdueSeconds(a.verdict, nowMs),
    ),
    upgrading: { ...rows(upgrading, slowestFirst), byPhase: phaseCounts(upgrading) },
    following: {
      ...rows(following, slowestFirst),
      machines: following.reduce((sum, { record }) => sum + (record.detail.workloads?.outdatedNow ?? 0), 0),
    },
    waiting: firstOf(
      waiting,
      (a, b) => (approvalMs(a) ?? Infinity) - (approvalMs(b) ?? Infinity),
      listMax,
      waitingUpgrade,
    ),
    silent: {
      ...firstOf(silent, withUpgradeFirst, listMax, (one) => one),
      byCause: causeCounts(silent.flatMap(({ cause }) => cause ?? [])),
      oneSource: causeCounts(partly),
    },
    versions: {
      of: reporting,
      unreported: reporting - reported,
      items: [...versions]
        .map(([version, clusters]) => ({ version, clusters }))
        .sort((a, b) => compareVersions(b.version, a.version)),
    },
    fallingEdges: firstOf(
      index.fallingEdges(nowMs),
      (a, b) => a.difference.difference - b.difference.difference,
      listMax,
      (edge) => edge,
    ),
  }
}

function firstOf<T, R>(all: readonly T[], order: (a: T, b: T) => number, max: number, row: (one: T) => R): Counted<R> {
  // The input is in order of cluster and id and sorting is stable: ties have an order as well. Two infinite values are equal,
  // although their difference is NaN.
  return {
    count: all.length,
    items: all
      .toSorted((a, b) => order(a, b) || 0)
      .slice(0, max)
      .map(row),
  }
}

function slowestFirst(a: OpenUpgrade, b: OpenUpgrade): number {
  if (a.verdict.isStuck !== b.verdict.isStuck) return a.verdict.isStuck ? -1 : 1
  return progressMs(a) - progressMs(b)
}

function progressMs({ record: { upgrade, detail }, verdict }: OpenUpgrade): number {
  return detail.lastProgressMs ?? verdict.phaseSinceMs ?? upgrade.startedMs ?? Infinity
}

function phaseCounts(open: readonly OpenUpgrade[]): readonly PhaseCount[] {
  return [...groupBy(open, ({ verdict }) => verdict.phase)]
    .map(([phase, of]) => ({ phase, count: of.length, stuck: of.filter(({ verdict }) => verdict.isStuck).length }))
    .sort((a, b) => {
      if (a.phase === undefined || b.phase === undefined)
        return Number(a.phase === undefined) - Number(b.phase === undefined)
      return comparePhases(a.phase, b.phase)
    })
}

function causeCounts(causes: readonly SilenceCause[]): readonly CauseCount[] {
  return [...groupBy(causes, (cause) => cause)]
    .map(([cause, of]) => ({ cause, count: of.length }))
    .sort((a, b) => b.count - a.count || SILENCE_CAUSES.indexOf(a.cause) - SILENCE_CAUSES.indexOf(b.cause))
}

function withUpgradeFirst(a: SilentCluster, b: SilentCluster): number {
  return Number(b.upgrade !== undefined) - Number(a.upgrade !== undefined) || b.lastSeenMs - a.lastSeenMs
}
