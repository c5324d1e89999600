/** Answers a request for a plan from the index of the fleet. The request was checked: its texts are valid. */
import { invariant } from '../../base/invariant.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { FleetPlan } from '../../model/plan.ts'
import type { ClusterFilter } from '../clusters/cluster-filter.ts'
import type { ClusterPage, ClusterQuery } from '../clusters/cluster-index.ts'
import type { UpdateGraph } from '../../model/update-graph.ts'
import type { ClusterReadiness } from '../readiness/readiness-index.ts'
import { RELEASES } from '../releases.ts'
import { BLOCKER_RANKS, presentBlockers, type Blockers } from './blockers.ts'
import { hazardBlockers } from './hazard-blockers.ts'
import { withImported } from './imported-graph.ts'
import { planFleet, PLAN_CLUSTERS_MAX } from './fleet-plan.ts'
import { weeklyWindowOf, windowSpans } from './maintenance-windows.ts'
import { graphOfReleases, type PlanGraph } from './plan-graph.ts'
import { HORIZON_MS } from './schedule.ts'
import { createStepDurations, type MeasuredEdge } from './step-durations.ts'
import { targetOf } from './target.ts'
import { timeZoneOf } from './time-zone.ts'

export interface PlanQuery {
  readonly filter: ClusterFilter
  /** Only these, by name; absent: all that match the filter. */
  readonly clusters?: readonly string[]
  readonly target: string
  readonly clustersAtOnce: number
  /** Empty: any time. */
  readonly windows: readonly string[]
  readonly timeZone: string
  readonly startMs: number
  /** Plans with their steps to return. */
  readonly limit: number
}

/** The index of the fleet, as far as plans are made from it. */
export interface PlanSource {
  clusters(query: ClusterQuery, nowMs: number): ClusterPage
  active(nowMs: number): Iterable<{ readonly record: ClusterRecord | undefined }>
  readonly edges: { runs(): Iterable<MeasuredEdge> }
  /** Absent: hazards are those of the record alone. */
  readonly readiness?: {
    of(cluster: string, target: undefined, nowMs: number): Pick<ClusterReadiness, 'hazards'> | undefined
  }
}

/** @param imported the graph of HCO that catalogs and graphs declare; absent: none is imported */
export async function planOf(
  fleet: PlanSource,
  query: PlanQuery,
  nowMs: number,
  imported?: UpdateGraph,
): Promise<FleetPlan> {
  const { filter, clusters: names, windows, timeZone, startMs } = query
  const target = targetOf(query.target)
  const zone = timeZoneOf(timeZone)
  const weekly = windows.flatMap((text) => weeklyWindowOf(text) ?? [])
  invariant(
    target !== undefined && zone !== undefined && weekly.length === windows.length,
    'a plan has a checked query',
  )
  const list = { ...filter, sort: 'cluster', isDescending: false, limit: PLAN_CLUSTERS_MAX } as const
  const wanted = names === undefined ? undefined : new Set(names)
  const views = fleet
    .clusters(list, nowMs)
    .clusters.filter(
      ({ record }) => wanted === undefined || [record.cluster, ...record.aliases].some((name) => wanted.has(name)),
    )
  const context = {
    target,
    graph: imported === undefined ? graphOf(fleet, nowMs) : withImported(imported, graphOf(fleet, nowMs)),
    durations: createStepDurations([...fleet.edges.runs()]),
    blockers: blockersOf(fleet, nowMs),
  }
  const spans = weekly.length === 0 ? undefined : windowSpans(weekly, zone, startMs, startMs + HORIZON_MS)
  const request = { ...query, ...(spans === undefined ? {} : { spans }) }
  return planFleet(views, context, request, nowMs)
}

/** The hazards of the next minor of HCO beside the present condition; an analysed JSON patch replaces the mere fact of one. */
function blockersOf({ readiness }: PlanSource, nowMs: number): Blockers {
  return (cluster) => {
    const found = readiness?.of(cluster.record.cluster, undefined, nowMs)
    const hazards = found === undefined ? [] : hazardBlockers(found)
    const present = presentBlockers(cluster).filter(({ name }) => found === undefined || name !== 'json_patches')
    return [...present, ...hazards].toSorted((a, b) => BLOCKER_RANKS[a.severity] - BLOCKER_RANKS[b.severity])
  }
}

/** Of the known bundles, and of what the fleet runs and ran. */
function graphOf(fleet: PlanSource, nowMs: number): PlanGraph {
  const [hco, openshift] = [new Set<string>(), new Set<string>()]
  for (const { record } of fleet.active(nowMs)) {
    if (record?.hcoVersion !== undefined) hco.add(record.hcoVersion)
    if (record?.platform?.kind === 'openshift' && record.platform.version !== undefined) {
      openshift.add(record.platform.version)
    }
  }
  for (const { name } of fleet.edges.runs()) {
    if (name.operator === 'kubevirt-hyperconverged') hco.add(name.to)
    if (name.operator === 'openshift') openshift.add(name.to)
  }
  return graphOfReleases(RELEASES, { hco, openshift })
}
