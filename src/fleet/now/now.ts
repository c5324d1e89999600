/**
 * How the fleet stands: what is stuck, upgrading, following, waiting, silent, which versions run, which edges got worse.
 * From the records at hand, on the thread that keeps them: one pass over the clusters for the counts, and a row for each
 * open upgrade that is shown. Pure; all the time it knows is `nowMs`.
 */
import { groupBy } from '../../base/group-by.ts'
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import type { FleetCoverage, SeenCluster } from '../clusters/fleet-coverage.ts'
import { isSilent, isUnknown } from '../clusters/cluster-states.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { comparePhases } from '../edges/edges.ts'
import type { EdgeName } from '../edges/edges.ts'
import type { FallingEdge } from '../edges/falling-edges.ts'
import { approvalMs, nowUpgrade, overdueSeconds, silentCluster, waitingUpgrade } from './now-rows.ts'
import type { NowUpgrade, SilentCluster, WaitingUpgrade } from './now-rows.ts'
import { shownVersion } from '../clusters/shown-version.ts'
import { upgradeStage } from '../upgrade-stage.ts'
import type { UpgradeStage } from '../upgrade-stage.ts'
import { compareVersions } from '../version-order.ts'

export interface FleetNow {
  readonly asOfMs: number
  /** `unknown`: of those that report. */
  readonly clusters: FleetCoverage & { readonly reporting: number }
  /** The one that is furthest beyond its threshold first. */
  readonly stuck: Counted<NowUpgrade>
  /** Stuck ones first, then the one that got further longest ago. */
  readonly upgrading: Counted<NowUpgrade> & { readonly byPhase: readonly PhaseCount[] }
  readonly following: Counted<NowUpgrade> & { readonly machines: number }
  /** The one that waits longest first. */
  readonly waiting: Counted<WaitingUpgrade>
  /** Those with an open upgrade first, then the one that was heard last. */
  readonly silent: Counted<SilentCluster>
  readonly versions: {
    readonly of: number
    readonly untold: number
    /** Newest first. */
    readonly items: readonly { readonly version: string; readonly clusters: number }[]
  }
  readonly fallingEdges: Counted<FallingEdge>
}

/** How many there are, and the first of them. */
export interface Counted<T> {
  readonly count: number
  readonly items: readonly T[]
}

export interface PhaseCount {
  /** Absent: nothing tells the phase. */
  readonly phase: PhaseName | undefined
  readonly count: number
  readonly stuck: number
}

/** What the fleet is read from. */
export interface NowSource {
  /** All that are not gone, also those of which only samples are known. */
  standing(nowMs: number): Iterable<SeenCluster>
  coverage(nowMs: number): FleetCoverage
  /** Of the same clusters. */
  open(nowMs: number): readonly OpenUpgrade[]
  fallingEdges(nowMs: number): readonly FallingEdge[]
  readonly insight: { readonly edges: { edge(name: EdgeName): EdgeFacts | undefined } }
}

/** @param listMax of each list; counts are of all */
export function fleetNow(index: NowSource, nowMs: number, listMax: number): FleetNow {
  const coverage = index.coverage(nowMs)
  const open = index.open(nowMs)
  const openOf = groupBy(open, ({ record }) => record.upgrade.cluster)
  const silent: SilentCluster[] = []
  const silentNames = new Set<string>()
  const versions = new Map<string, number>()
  let [told, unknown] = [0, 0]
  for (const one of index.standing(nowMs)) {
    const { cluster, record, lastSeen } = one
    if (isSilent(lastSeen, nowMs)) {
      silentNames.add(cluster)
      silent.push(silentCluster(one, openOf.get(cluster) ?? []))
      continue
    }
    if (record === undefined || isUnknown(record)) unknown++
    const version = record === undefined ? undefined : shownVersion(record)
    if (version === undefined) continue
    told++
    versions.set(version, (versions.get(version) ?? 0) + 1)
  }
  const reporting = coverage.clusters - coverage.silent
  const openReporting = open.filter(({ record }) => !silentNames.has(record.upgrade.cluster))
  const stages = groupBy(openReporting, ({ record }) => upgradeStage(record))
  const of = (stage: UpgradeStage): readonly OpenUpgrade[] => stages.get(stage) ?? []
  const [waiting, upgrading, following] = [of('waiting'), of('upgrading'), of('following')]
  const row = (one: OpenUpgrade): NowUpgrade => nowUpgrade(one, (name) => index.insight.edges.edge(name), nowMs)
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
    silent: firstOf(silent, withUpgradeFirst, listMax, (one) => one),
    versions: {
      of: reporting,
      untold: reporting - told,
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
  // Sorting is stable, and what comes in is in order of cluster and id: ties have an order as well.
  return { count: all.length, items: all.toSorted(orderOf(order)).slice(0, max).map(row) }
}

/** Two that are both endless are equal. */
function orderOf<T>(order: (a: T, b: T) => number): (a: T, b: T) => number {
  return (a, b) => {
    const less = order(a, b)
    return Number.isNaN(less) ? 0 : less
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

function withUpgradeFirst(a: SilentCluster, b: SilentCluster): number {
  return Number(b.upgrade !== undefined) - Number(a.upgrade !== undefined) || b.lastSeenMs - a.lastSeenMs
}
