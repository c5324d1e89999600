/**
 * The series that are computed from facts when they are queried, for any time: of clusters, upgrades, edges and adoption. The
 * facts of all clusters are in memory; what a query selects is computed for its range.
 *
 * Series end at the last evaluation cycle: what happened since then is not derived yet. A cluster that was not seen for a week
 * has no series of its own, and one that is gone none at all, from then on.
 */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import { AdoptionTimeline, type VersionUse } from './adoption-timeline.ts'
import { ClusterTimeline, type ClusterState } from './cluster-timeline.ts'
import { CLUSTER_LIVES_MS } from './derived-clusters.ts'
import { EdgeTimeline } from './edge-timeline.ts'
import { seriesOf, SeriesLabels, type FactSeries, type LabelledStretch } from './fact-series.ts'
import { stretchesOf, within, type Changes, type Period } from './stretch.ts'
import type { UpgradeTimeline } from './upgrade-timeline.ts'

/** Maximum of edges with series: those with the newest upgrades. */
export const EDGE_SERIES_MAX = 500

/** What is read of the index that the facts are put into. */
export type HistoryIndex = Pick<FleetIndex, 'decommissions' | 'goneAfterMs' | 'lastReportOf' | 'recordOf'> & {
  readonly edges: Pick<FleetIndex['edges'], 'runs'>
}

/** When a cluster was part of the fleet, and when it counted as running. */
interface Presence {
  readonly here: readonly Period[]
  readonly seen: readonly Period[]
}

type IsWanted = (cluster: string) => boolean
type ClusterSeries = (cluster: string, timeline: ClusterTimeline, range: TimeRange) => readonly FactSeries[]

export class FactHistory {
  readonly #index: HistoryIndex
  readonly #clusters = new Map<string, ClusterTimeline>()
  readonly #edges = new Map<string, { readonly revision: number; readonly timeline: EdgeTimeline }>()
  readonly #adoption = new AdoptionTimeline()
  /** What adoption was counted from, by cluster. */
  readonly #counted = new Map<string, { readonly states: readonly ClusterState[]; readonly seen: string }>()
  #declared:
    { readonly all: readonly Decommission[]; readonly of: ReadonlyMap<string, readonly Decommission[]> } | undefined
  #untilMs = -Infinity
  #isAdvanced = false

  constructor(index: HistoryIndex) {
    this.#index = index
  }

  /** Facts are derived up to here: no sample is later. */
  get untilMs(): number {
    return this.#untilMs
  }

  /** After each evaluation cycle. */
  advance(nowMs: number): void {
    this.#untilMs = nowMs
    this.#isAdvanced = true
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
    }
  }

  #put(facts: ClusterFacts): void {
    const { cluster } = facts.cluster
    this.#clusters.set(cluster, new ClusterTimeline(facts))
    // Until the first cycle: what is stored is known up to the newest report.
    if (this.#isAdvanced) return
    this.#untilMs = Math.max(this.#untilMs, facts.cluster.lastSeenMs)
  }

  #remove(cluster: string): void {
    this.#clusters.delete(cluster)
    this.#counted.delete(cluster)
    this.#adoption.remove(cluster)
  }

  /**
   * The series of one name, also some without a sample in the range.
   * @param isWanted other clusters may be left out
   */
  series(name: string, range: TimeRange, isWanted: IsWanted): Iterable<FactSeries> {
    switch (name) {
      case 'daytwo_adoption_clusters':
        return this.#adopted()
      case 'daytwo_cluster_info':
        return this.#ofClusters(this.#infoOf, range, isWanted)
      case 'daytwo_version_skew':
        return this.#ofClusters(this.#skewOf, range, isWanted)
      case 'daytwo_unsafe_modifications':
        return this.#ofClusters(this.#patchesOf, range, isWanted)
      case 'daytwo_out_of_band_modifications_total':
        return this.#ofClusters(this.#editsOf, range, isWanted)
      case 'daytwo_upgrade_in_progress':
      case 'daytwo_upgrade_phase_seconds':
      case 'daytwo_approval_waiting_seconds':
        return this.#ofClusters(
          (cluster, timeline, within) => this.#upgradesOf(name, cluster, timeline, within),
          range,
          isWanted,
        )
      default:
        return this.#ofEdges(name, range)
    }
  }

  *#ofClusters(seriesIn: ClusterSeries, range: TimeRange, isWanted: IsWanted): Iterable<FactSeries> {
    for (const [cluster, timeline] of this.#clusters) {
      if (isWanted(cluster)) yield* seriesIn(cluster, timeline, range)
    }
  }

  readonly #infoOf: ClusterSeries = (cluster, timeline, range) =>
    this.#statesIn(cluster, timeline, range, ({ info }) => [info, 1])

  readonly #skewOf: ClusterSeries = (cluster, timeline, range) =>
    this.#statesIn(cluster, timeline, range, ({ skew }) => skew && [skew.labels, skew.minors])

  #statesIn(
    cluster: string,
    timeline: ClusterTimeline,
    { fromMs, toMs }: TimeRange,
    shown: (state: ClusterState) => readonly [SeriesLabels, number] | undefined,
  ): readonly FactSeries[] {
    const record = this.#index.recordOf(cluster)
    if (record === undefined) return []
    const { seen } = this.#presenceOf(record)
    const found: LabelledStretch[] = []
    for (const state of timeline.statesOf(record)) {
      if (state.fromMs > toMs || state.untilMs < fromMs) continue
      const [labels, value] = shown(state) ?? []
      if (labels === undefined || value === undefined) continue
      const stretch = { fromMs: state.fromMs, untilMs: state.untilMs, value }
      for (const part of within(stretch, seen)) found.push([labels, part])
    }
    return seriesOf(found)
  }

  readonly #patchesOf: ClusterSeries = (cluster, { patches }) =>
    this.#changesOf('daytwo_unsafe_modifications', cluster, patches)

  readonly #editsOf: ClusterSeries = (cluster, { edits }) =>
    this.#changesOf('daytwo_out_of_band_modifications_total', cluster, edits)

  #changesOf(name: string, cluster: string, byComponent: ReadonlyMap<string, Changes>): readonly FactSeries[] {
    const record = this.#index.recordOf(cluster)
    if (record === undefined) return []
    const { seen } = this.#presenceOf(record)
    return Array.from(byComponent, ([component, changes]) => ({
      labels: new SeriesLabels(name, { cluster, component }),
      stretchesIn: (range) => stretchesOf(changes, range).flatMap((stretch) => within(stretch, seen)),
    }))
  }

  #upgradesOf(name: string, cluster: string, timeline: ClusterTimeline, range: TimeRange): readonly FactSeries[] {
    const record = timeline.closedMs < range.fromMs ? undefined : this.#index.recordOf(cluster)
    if (record === undefined) return []
    const { here } = this.#presenceOf(record)
    const found: LabelledStretch[] = []
    for (const upgrade of timeline.upgrades) {
      if (upgrade.fromMs > range.toMs || upgrade.closedMs < range.fromMs) continue
      for (const [labels, stretch] of upgradeStretches(name, cluster, upgrade)) {
        for (const part of within(stretch, here)) found.push([labels, part])
      }
    }
    return seriesOf(found)
  }

  *#ofEdges(name: string, { toMs }: TimeRange): Iterable<FactSeries> {
    for (const timeline of this.#newestEdges()) if (timeline.firstMs <= toMs) yield* timeline.seriesOf(name)
  }

  #newestEdges(): readonly EdgeTimeline[] {
    const known = new Set<string>()
    for (const { name, runs, revision } of this.#index.edges.runs()) {
      const key = `${name.operator}\u0000${name.from}\u0000${name.to}`
      known.add(key)
      if (this.#edges.get(key)?.revision === revision) continue
      this.#edges.set(key, { revision, timeline: new EdgeTimeline(name, [...runs]) })
    }
    for (const key of this.#edges.keys()) if (!known.has(key)) this.#edges.delete(key)
    const all = Array.from(this.#edges.values(), ({ timeline }) => timeline)
    if (all.length <= EDGE_SERIES_MAX) return all
    return all.sort((a, b) => b.lastMs - a.lastMs).slice(0, EDGE_SERIES_MAX)
  }

  #adopted(): readonly FactSeries[] {
    for (const [cluster, timeline] of this.#clusters) {
      const record = this.#index.recordOf(cluster)
      if (record === undefined) continue
      const { seen } = this.#presenceOf(record)
      const states = timeline.statesOf(record)
      const text = seen.map(({ fromMs, untilMs }) => `${fromMs} ${untilMs}`).join()
      const counted = this.#counted.get(cluster)
      if (counted?.states === states && counted.seen === text) continue
      this.#counted.set(cluster, { states, seen: text })
      this.#adoption.put(cluster, usesOf(states, seen))
    }
    return this.#adoption.series()
  }

  #presenceOf({ cluster, firstSeenMs }: ClusterRecord): Presence {
    const { goneAfterMs } = this.#index
    const lastSeenMs = this.#index.lastReportOf(cluster)?.lastSeenMs
    const declared = this.#declarationsOf(cluster).flatMap(({ sinceMs, end }): readonly Period[] => {
      // It ends when the cluster is seen again.
      if (end === undefined) return (lastSeenMs ?? -Infinity) <= sinceMs ? [{ fromMs: sinceMs, untilMs: Infinity }] : []
      return end.kind === 'returned' ? [{ fromMs: sinceMs, untilMs: end.atMs }] : []
    })
    const during = (livesMs: number): readonly Period[] => {
      const lastMs = (lastSeenMs ?? Infinity) + livesMs
      const whole = { fromMs: firstSeenMs, untilMs: this.#untilMs > lastMs ? lastMs + 1 : Infinity }
      return declared.reduce(without, [whole])
    }
    const here = during(goneAfterMs)
    return { here, seen: lastSeenMs === undefined ? [] : during(Math.min(CLUSTER_LIVES_MS, goneAfterMs)) }
  }

  #declarationsOf(cluster: string): readonly Decommission[] {
    const all = this.#index.decommissions()
    if (this.#declared?.all !== all) this.#declared = { all, of: groupBy(all, (one) => one.cluster) }
    return this.#declared.of.get(cluster) ?? []
  }
}

function upgradeStretches(
  name: string,
  cluster: string,
  { operator, from, to, fromMs, untilMs, phases, phaseTimesMs }: UpgradeTimeline,
): readonly LabelledStretch[] {
  const labels = { cluster, operator, from, to }
  if (name === 'daytwo_upgrade_in_progress') {
    return [[new SeriesLabels(name, labels), { fromMs, untilMs, value: 1 }]]
  }
  const isOfApproval = name === 'daytwo_approval_waiting_seconds'
  return phases.flatMap((phase, i): readonly LabelledStretch[] => {
    if (isOfApproval && phase !== 'approval') return []
    const [beginMs, sinceMs, endMs] = phaseTimesMs.slice(i * 3, i * 3 + 3) as [number, number, number]
    const stretch = { fromMs: beginMs, untilMs: endMs, value: sinceMs, isAge: true }
    return [[new SeriesLabels(name, isOfApproval ? labels : { ...labels, phase }), stretch]]
  })
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
