/**
 * The series that are computed from facts, for any time: of clusters, upgrades, edges and adoption. They are in tables, one for
 * each metric, in which a cluster's series are replaced when its facts are put or its presence changes. In memory they take
 * 22 MiB per 1,000 clusters with six upgrades each, measured after a collection (they grow with the stored facts alone), and label sets as far as
 * queries asked for them, up to `LABEL_SETS_MAX` a metric.
 *
 * Series end at the last evaluation cycle: what happened since then is not derived yet. A cluster that was not seen for a week
 * has no series of its own, and one that is gone none at all, from then on.
 */
import type { Steps } from '../../base/thread-slices.ts'
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import { AdoptionTimeline, type VersionUse } from './adoption-timeline.ts'
import { ClusterTimeline, type ClusterState } from './cluster-timeline.ts'
import { CLUSTER_LIVES_MS } from './derived-clusters.ts'
import { FACT_SERIES } from './derived-metrics.ts'
import { EdgeTimeline } from './edge-timeline.ts'
import { changingSeries, seriesOf, SeriesLabels, type FactSeries, type LabelledStretch } from './fact-series.ts'
import { FactTable, type FactColumns } from './fact-table.ts'
import { within, type Changes, type Period } from './stretch.ts'
import { NO_PHASE, type UpgradeTimeline } from './upgrade-timeline.ts'

/** Maximum of edges with series: those with the newest upgrades. */
export const EDGE_SERIES_MAX = 500
/** Clusters that a query brings up to date, at about 50 us each; the next cycle does the rest. */
export const REFRESHED_AT_ONCE = 256

/** What is read of the index that the facts are put into. */
export type HistoryIndex = Pick<FleetIndex, 'decommissions' | 'goneAfterMs' | 'lastReportOf' | 'recordOf'> & {
  readonly edges: Pick<FleetIndex['edges'], 'runs'>
}

/** When a cluster was part of the fleet, and when it counted as running. */
interface Presence {
  readonly here: readonly Period[]
  readonly seen: readonly Period[]
  /** The presence is another one when the clock is later than this, unless the cluster is seen in between. */
  readonly dueMs: number
  /** The presence may be another one when the cluster is seen. */
  readonly dependsOnReports: boolean
}

/** A cluster, and what its series were made of the last time. */
interface HistoryCluster {
  readonly timeline: ClusterTimeline
  record: ClusterRecord | undefined
  states: readonly ClusterState[] | undefined
  presence: Presence | undefined
}

export class FactHistory {
  readonly #index: HistoryIndex
  readonly #tables: ReadonlyMap<string, FactTable> = new Map(FACT_SERIES.map((name) => [name, new FactTable(name)]))
  readonly #clusters = new Map<string, HistoryCluster>()
  /** Clusters of which the series may have changed. */
  readonly #changed = new Set<string>()
  readonly #edges = new Map<string, { readonly revision: number; readonly timeline: EdgeTimeline }>()
  /** By metric, the edges that are in its table. */
  readonly #edgesIn = new Map<string, ReadonlyMap<string, EdgeTimeline>>()
  /** Those with series; the same map as long as no edge changes. */
  #newest: ReadonlyMap<string, EdgeTimeline> | undefined
  readonly #adoption = new AdoptionTimeline()
  #adoptionRevision = -1
  #declared: ReadonlyMap<string, readonly Decommission[]> = new Map()
  #untilMs = -Infinity
  /** Which clusters are here and seen is as of this time, which is no earlier. */
  #presentMs = -Infinity
  /** The earliest `dueMs` of a cluster, or an earlier time. */
  #dueMs = Infinity
  #isAdvanced = false

  constructor(index: HistoryIndex) {
    this.#index = index
    this.#declare(index.decommissions())
  }

  /** Facts are derived up to here: no sample is later. */
  get untilMs(): number {
    return this.#untilMs
  }

  /** After each evaluation cycle; run it to the end. */
  *advance(nowMs: number): Steps<void> {
    this.#isAdvanced = true
    this.#setPresent(nowMs)
    for (const cluster of this.#changed) {
      this.#refreshCluster(cluster)
      yield
    }
    this.#untilMs = nowMs
  }

  /** The index, which from now on puts facts here too. */
  following(index: FleetIndex): FleetIndex {
    return {
      ...index,
      put: (facts) => {
        index.put(facts)
        this.#put(facts)
      },
      remove: (cluster) => {
        index.remove(cluster)
        this.#remove(cluster)
      },
      markSeen: (cluster, lastSeen) => {
        index.markSeen(cluster, lastSeen)
        if (this.#clusters.get(cluster)?.presence?.dependsOnReports === true) this.#changed.add(cluster)
      },
      describe: (traits) => {
        index.describe(traits)
        for (const cluster of traits.keys()) {
          const known = this.#clusters.get(cluster)
          if (known !== undefined && known.record !== this.#index.recordOf(cluster)) this.#changed.add(cluster)
        }
      },
      declare: (all) => {
        index.declare(all)
        this.#declare(all)
      },
    }
  }

  #put(facts: ClusterFacts): void {
    const { cluster, lastSeenMs } = facts.cluster
    // Until the first cycle: what is stored is known up to the newest report.
    if (!this.#isAdvanced && lastSeenMs > this.#untilMs) {
      this.#untilMs = lastSeenMs
      this.#setPresent(lastSeenMs)
    }
    const timeline = new ClusterTimeline(facts)
    this.#clusters.set(cluster, { timeline, record: undefined, states: undefined, presence: undefined })
    this.#refreshCluster(cluster)
  }

  #remove(cluster: string): void {
    this.#clusters.delete(cluster)
    this.#changed.delete(cluster)
    for (const name of OF_CLUSTERS) this.#table(name).put(cluster, [])
    this.#adoption.remove(cluster)
  }

  #declare(all: readonly Decommission[]): void {
    const before = this.#declared
    this.#declared = groupBy(all, (one) => one.cluster)
    for (const cluster of new Set([...before.keys(), ...this.#declared.keys()])) {
      const isSame = JSON.stringify(before.get(cluster)) === JSON.stringify(this.#declared.get(cluster))
      if (!isSame && this.#clusters.has(cluster)) this.#changed.add(cluster)
    }
  }

  /** Call it before a selection. */
  refresh(): void {
    let left = REFRESHED_AT_ONCE
    for (const cluster of this.#changed) {
      if (left-- === 0) return
      this.#refreshCluster(cluster)
    }
  }

  /** The series of one metric. */
  columnsOf(name: string): FactColumns {
    if (name === 'daytwo_adoption_clusters') this.#refreshAdoption()
    else if (!OF_CLUSTERS.has(name)) this.#refreshEdges(name)
    return this.#table(name).columns
  }

  #table(name: string): FactTable {
    return this.#tables.get(name)!
  }

  #setPresent(nowMs: number): void {
    this.#presentMs = Math.max(this.#presentMs, nowMs)
    if (this.#presentMs <= this.#dueMs) return
    let dueMs = Infinity
    for (const [cluster, { presence }] of this.#clusters) {
      if (presence === undefined) continue
      if (this.#presentMs > presence.dueMs) this.#changed.add(cluster)
      else dueMs = Math.min(dueMs, presence.dueMs)
    }
    this.#dueMs = dueMs
  }

  #refreshCluster(cluster: string): void {
    this.#changed.delete(cluster)
    const known = this.#clusters.get(cluster)
    const record = this.#index.recordOf(cluster)
    if (known === undefined || record === undefined) return
    const { timeline, states: statesBefore, presence: before } = known
    const presence = this.#presenceOf(record)
    const states = timeline.statesOf(record)
    this.#clusters.set(cluster, { timeline, record, states, presence })
    this.#dueMs = Math.min(this.#dueMs, presence.dueMs)
    const isSeenSame = before !== undefined && areEqual(before.seen, presence.seen)
    if (!isSeenSame || states !== statesBefore) this.#putStates(cluster, states, presence.seen)
    if (!isSeenSame) {
      this.#table('daytwo_unsafe_modifications').put(cluster, changesOf(cluster, timeline.patches, presence.seen))
      this.#table('daytwo_out_of_band_modifications_total').put(
        cluster,
        changesOf(cluster, timeline.edits, presence.seen),
      )
    }
    if (before !== undefined && areEqual(before.here, presence.here)) return
    for (const name of OF_UPGRADES)
      this.#table(name).put(cluster, upgradeSeries(name, timeline.upgrades, presence.here))
  }

  #putStates(cluster: string, states: readonly ClusterState[], seen: readonly Period[]): void {
    this.#table('daytwo_cluster_info').put(
      cluster,
      stateSeries(states, seen, ({ info }) => [info, 1]),
    )
    this.#table('daytwo_version_skew').put(
      cluster,
      stateSeries(states, seen, ({ skew }) => skew && [skew.labels, skew.minors]),
    )
    this.#adoption.put(cluster, usesOf(states, seen))
  }

  #refreshAdoption(): void {
    const { revision } = this.#adoption
    if (revision === this.#adoptionRevision) return
    this.#adoptionRevision = revision
    this.#table('daytwo_adoption_clusters').put('', this.#adoption.series())
  }

  #refreshEdges(name: string): void {
    const table = this.#table(name)
    const before = this.#edgesIn.get(name)
    const now = this.#newestEdges()
    if (now === before) return
    for (const key of before?.keys() ?? []) if (!now.has(key)) table.put(key, [])
    for (const [key, timeline] of now) if (before?.get(key) !== timeline) table.put(key, timeline.seriesOf(name))
    this.#edgesIn.set(name, now)
  }

  #newestEdges(): ReadonlyMap<string, EdgeTimeline> {
    const known = new Set<string>()
    let isSame = this.#newest !== undefined
    for (const { name, runs, revision } of this.#index.edges.runs()) {
      const key = `${name.operator}\u0000${name.from}\u0000${name.to}`
      known.add(key)
      if (this.#edges.get(key)?.revision === revision) continue
      this.#edges.set(key, { revision, timeline: new EdgeTimeline(name, [...runs]) })
      isSame = false
    }
    if (isSame && known.size === this.#edges.size) return this.#newest!
    for (const key of this.#edges.keys()) if (!known.has(key)) this.#edges.delete(key)
    const all = Array.from(this.#edges, ([key, { timeline }]) => [key, timeline] as const)
    const newest = all.length <= EDGE_SERIES_MAX ? all : all.sort(([, a], [, b]) => b.lastMs - a.lastMs)
    return (this.#newest = new Map(newest.slice(0, EDGE_SERIES_MAX)))
  }

  #presenceOf({ cluster, firstSeenMs }: ClusterRecord): Presence {
    const { goneAfterMs } = this.#index
    const lastSeenMs = this.#index.lastReportOf(cluster)?.lastSeenMs
    const declarations = this.#declared.get(cluster) ?? []
    const declared = declarations.flatMap(({ sinceMs, end }): readonly Period[] => {
      // It ends when the cluster is seen again.
      if (end === undefined) return (lastSeenMs ?? -Infinity) <= sinceMs ? [{ fromMs: sinceMs, untilMs: Infinity }] : []
      return end.kind === 'returned' ? [{ fromMs: sinceMs, untilMs: end.atMs }] : []
    })
    const ends = [Math.min(CLUSTER_LIVES_MS, goneAfterMs), goneAfterMs].map(
      (livesMs) => (lastSeenMs ?? Infinity) + livesMs,
    )
    const isOver = (lastMs: number): boolean => this.#presentMs > lastMs
    const [seen, here] = ends.map((lastMs) => {
      const whole = { fromMs: firstSeenMs, untilMs: isOver(lastMs) ? lastMs + 1 : Infinity }
      return declared.reduce<readonly Period[]>(without, [whole])
    }) as [readonly Period[], readonly Period[]]
    return {
      here,
      seen: lastSeenMs === undefined ? [] : seen,
      dueMs: Math.min(...ends.filter((lastMs) => !isOver(lastMs))),
      dependsOnReports:
        lastSeenMs === undefined || ends.some(isOver) || declarations.some(({ end }) => end === undefined),
    }
  }
}

const OF_UPGRADES = [
  'daytwo_upgrade_in_progress',
  'daytwo_upgrade_phase_seconds',
  'daytwo_approval_waiting_seconds',
] as const
const OF_CLUSTERS: ReadonlySet<string> = new Set([
  ...['daytwo_cluster_info', 'daytwo_version_skew', 'daytwo_unsafe_modifications'],
  ...['daytwo_out_of_band_modifications_total', ...OF_UPGRADES],
])

function stateSeries(
  states: readonly ClusterState[],
  seen: readonly Period[],
  shown: (state: ClusterState) => readonly [SeriesLabels, number] | undefined,
): readonly FactSeries[] {
  const found: LabelledStretch[] = []
  for (const state of states) {
    const [source, value] = shown(state) ?? []
    if (source === undefined || value === undefined) continue
    const { fromMs, untilMs } = state
    for (const stretch of within({ fromMs, untilMs, value }, seen)) found.push({ source, part: 0, stretch })
  }
  return seriesOf(found)
}

function changesOf(
  cluster: string,
  byComponent: ReadonlyMap<string, Changes>,
  seen: readonly Period[],
): readonly FactSeries[] {
  return Array.from(byComponent, ([component, changes]) =>
    changingSeries(new SeriesLabels({ cluster, component }), changes, seen),
  ).flat()
}

function upgradeSeries(
  name: (typeof OF_UPGRADES)[number],
  upgrades: readonly UpgradeTimeline[],
  here: readonly Period[],
): readonly FactSeries[] {
  const found: LabelledStretch[] = []
  for (const { labels: source, fromMs, untilMs, phaseTimesMs } of upgrades) {
    if (name === 'daytwo_upgrade_in_progress') {
      for (const stretch of within({ fromMs, untilMs, value: 1 }, here)) found.push({ source, part: NO_PHASE, stretch })
      continue
    }
    const isOfApproval = name === 'daytwo_approval_waiting_seconds'
    source.phases.forEach((phase, i) => {
      if (isOfApproval && phase !== 'approval') return
      const [beginMs, sinceMs, endMs] = phaseTimesMs.slice(i * 3, i * 3 + 3) as [number, number, number]
      const part = isOfApproval ? NO_PHASE : i
      for (const stretch of within({ fromMs: beginMs, untilMs: endMs, value: sinceMs, isAge: true }, here)) {
        found.push({ source, part, stretch })
      }
    })
  }
  return seriesOf(found)
}

function usesOf(states: readonly ClusterState[], seen: readonly Period[]): readonly VersionUse[] {
  return states.flatMap(({ fromMs, untilMs, running }) =>
    running.flatMap(([operator, version]) =>
      within({ fromMs, untilMs, value: 1 }, seen).map((part) => ({ operator, version, ...part })),
    ),
  )
}

/** Periods without a part of them. */
function without(periods: readonly Period[], hidden: Period): readonly Period[] {
  return periods.flatMap(({ fromMs, untilMs }) =>
    [
      { fromMs, untilMs: Math.min(untilMs, hidden.fromMs) },
      { fromMs: Math.max(fromMs, hidden.untilMs), untilMs },
    ].filter((part) => part.fromMs < part.untilMs),
  )
}

function areEqual(a: readonly Period[], b: readonly Period[]): boolean {
  return (
    a.length === b.length && a.every(({ fromMs, untilMs }, i) => fromMs === b[i]!.fromMs && untilMs === b[i]!.untilMs)
  )
}
