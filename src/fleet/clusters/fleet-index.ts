/**
 * The in-memory index of the fleet, on the thread that derives facts: clusters, edges, baselines, the verdict on each open
 * upgrade, derived series. The derivation puts a cluster's facts whenever they change; the API queries the index.
 */
import type { DerivedSample } from '../../model/appender.ts'
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import type { ConfigurationBaseline } from '../../model/configuration.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { Target } from '../../model/readiness.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { ClusterSilence } from '../../model/cluster-silence.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import {
  createClusterIndex,
  type ClusterIndex,
  type ClusterPage,
  type ClusterQuery,
  type ClusterView,
  type VerdictOf,
} from './cluster-index.ts'
import { createEdgeIndex, type EdgeIndex } from '../edges/edge-index.ts'
import { fallingEdges, type FallingEdge } from '../edges/falling-edges.ts'
import { notOffered, takenSteps, type ChannelMember, type NotOffered } from '../edges/not-offered.ts'
import { isSilent, type OpenUpgrade } from './cluster-states.ts'
import { verdictOfGone } from './gone.ts'
import { settledMs } from '../past/record-at.ts'
import {
  createReadinessIndex,
  targetsOf,
  type ClusterReadiness,
  type ReadinessIndex,
  type ReadinessPage,
  type ReadinessQuery,
} from '../readiness/readiness-index.ts'
import { createPatchSeries } from '../patches/patch-series.ts'
import { eachInSteps, type Steps } from '../../base/thread-slices.ts'
import { differenceValues, upgradeWindow, type UpgradeWindow } from '../configuration/difference-values.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { cachedSilences } from '../silence/cached-silences.ts'
import { createDerivedSeriesState, derivedSeries, type WrittenSeries } from '../series/derived-series.ts'
import { createStuckJudge, type StuckJudge } from '../stuck/stuck.ts'
import { createBaselineIndex, type BaselineIndex } from '../stuck/stuck-baseline.ts'

export interface FleetIndex extends Pick<
  ClusterIndex,
  | 'active'
  | 'coverage'
  | 'declare'
  | 'describe'
  | 'gone'
  | 'goneAt'
  | 'has'
  | 'known'
  | 'lastReportOf'
  | 'lastSeen'
  | 'markSeen'
  | 'recordOf'
  | 'records'
  | 'remove'
  | 'returned'
> {
  put(facts: ClusterFacts): void
  decommissions(): readonly Decommission[]
  /** `undefined`: none is chosen, or it is not a cluster of this index. */
  baseline(): ConfigurationBaseline | undefined
  chooseBaseline(chosen: ConfigurationBaseline | undefined): void
  /** A cluster that was not seen for longer is gone. */
  readonly goneAfterMs: number
  readonly edges: Omit<EdgeIndex, 'put'>
  /** The verdicts on all open upgrades of clusters that are not gone. */
  verdicts(nowMs: number): readonly StuckVerdict[]
  clusters(query: ClusterQuery, nowMs: number): ClusterPage
  /** By name or alias. */
  cluster(name: string, nowMs: number): ClusterView | undefined
  /** Clusters with a data source that stopped, or that sent nothing for long, by name. */
  silences(nowMs: number): ReadonlyMap<string, ClusterSilence>
  readonly readiness: FleetReadiness
  /** Clusters that are not gone and whose peers were offered a newer version long ago. */
  notOffered(nowMs: number): readonly NotOffered[]
  /** Edges on which fewer upgrades succeed lately, as of the last minute. */
  fallingEdges(nowMs: number): readonly FallingEdge[]
  /** Upgrades in progress, and finished ones with VMs left to update, on clusters that are not gone; by cluster and id. */
  open(nowMs: number): readonly OpenUpgrade[]
  /** The time from which on no upgrade of the cluster has changed: see `settledMs` of one upgrade. */
  settledMs(cluster: string): number
  /** `undefined`: the upgrade is not open. */
  judge(upgradeId: string, nowMs: number): StuckVerdict | undefined
  /** The verdict on any record, by the baselines of all upgrades. */
  readonly judgeRecord: StuckJudge
  /** The last series written before the start. */
  restoreSeries(written: readonly WrittenSeries[]): void
  /**
   * The samples to write at a moment, once every `DERIVED_EVERY_MS`; other series are computed when queried (`fact-history.ts`).
   *
   * @param others that do not follow from the index alone
   */
  series(nowMs: number, others?: readonly DerivedValue[]): Steps<readonly DerivedSample[]>
  /** A copy with some clusters: as if there were no others. It does not follow this index. @param shown changes records */
  only(isIncluded: (cluster: string) => boolean, shown?: (record: ClusterRecord) => ClusterRecord): FleetIndex
}

/** Whether clusters can be upgraded; of clusters that are gone nothing is answered. */
export interface FleetReadiness extends Pick<ReadinessIndex, 'setAlerts' | 'accept' | 'accepted' | 'calibration'> {
  list(query: ReadinessQuery, nowMs: number): ReadinessPage
  /** Of a cluster by its own name. */
  of(cluster: string, target: Target | undefined, nowMs: number): ClusterReadiness | undefined
  /** The known targets, the newest first. @param imported as of `knownTargets` */
  targets(imported: readonly string[]): readonly Target[]
}

/** What is read of readiness, also at a past moment. */
export type ReadinessReader = Pick<FleetReadiness, 'list' | 'of' | 'targets' | 'calibration'>

/** Reading every run of a large fleet takes a while, and a window of two weeks changes slowly. */
const FALLS_CACHED_MS = 60_000

/** What is derived from the facts of a cluster, besides its record and its open upgrades. */
type ClusterSummary = Omit<ChannelMember, 'cluster'> & {
  readonly settledMs: number
  readonly windows: readonly UpgradeWindow[]
  /** JSON patches in effect. */
  readonly patches: readonly Modification[]
}

/** What an index starts with, of which it becomes the owner. */
interface FleetIndexStart {
  readonly edges: EdgeIndex
  readonly baselines: BaselineIndex
  readonly summaries: Map<string, ClusterSummary>
  readonly readiness: ReadinessIndex
}

/**
 * @param goneAfterMs a cluster that was not seen for longer is gone
 */
export function createFleetIndex(goneAfterMs = Infinity): FleetIndex {
  return createFleetIndexFrom(createClusterIndex(goneAfterMs), goneAfterMs, {
    edges: createEdgeIndex(),
    baselines: createBaselineIndex(),
    summaries: new Map(),
    readiness: createReadinessIndex(),
  })
}

function createFleetIndexFrom(
  clusters: ClusterIndex,
  goneAfterMs: number,
  { edges, baselines, summaries, readiness }: FleetIndexStart,
): FleetIndex {
  const judgeRecord = createStuckJudge(baselines)
  const written = createDerivedSeriesState()
  const patchValues = createPatchSeries()
  let decommissions: readonly Decommission[] = []
  let baseline: ConfigurationBaseline | undefined
  let falls: { readonly atMs: number; readonly edges: readonly FallingEdge[] } | undefined
  const isHere = (cluster: string, nowMs: number): boolean => clusters.goneAt(cluster, nowMs) === undefined
  /** Judges each open upgrade of one answer once. */
  const verdictAt = (nowMs: number): VerdictOf => {
    const known = new Map<UpgradeRecord, StuckVerdict>()
    return (record) => {
      let verdict = known.get(record)
      if (verdict === undefined) {
        const { cluster } = record.upgrade
        const judged = judgeRecord(record, nowMs, clusters.lastSeen(cluster))
        verdict = isHere(cluster, nowMs) ? judged : verdictOfGone(judged)
        known.set(record, verdict)
      }
      return verdict
    }
  }
  const openHere = (nowMs: number): readonly UpgradeRecord[] =>
    clusters.open().filter(({ upgrade }) => isHere(upgrade.cluster, nowMs))
  const verdicts = (nowMs: number): readonly StuckVerdict[] => openHere(nowMs).map(verdictAt(nowMs))
  const openAt = (nowMs: number): readonly OpenUpgrade[] => {
    const verdictOf = verdictAt(nowMs)
    return openHere(nowMs)
      .map((record) => ({ record, verdict: verdictOf(record) }))
      .sort((a, b) => compareRecords(a.record, b.record))
  }
  const silences = cachedSilences(clusters, verdictAt, goneAfterMs)
  const members = () => clusters.records().map((cluster) => ({ cluster, ...summaries.get(cluster.cluster)! }))
  // Offers to a cluster that is gone still count for its peers.
  const notOfferedHere = (nowMs: number): readonly NotOffered[] =>
    notOffered(members(), nowMs).filter(({ cluster }) => isHere(cluster, nowMs))

  return {
    ...clusters,
    put: (facts) => {
      const { cluster: record, upgrades, modifications } = facts
      const { cluster } = record
      clusters.put(record, upgrades)
      edges.put(cluster, upgrades)
      baselines.put(cluster, upgrades)
      readiness.put(facts)
      summaries.set(cluster, {
        steps: takenSteps(upgrades),
        settledMs: Math.max(-Infinity, ...upgrades.map(settledMs)),
        windows: upgrades.flatMap(({ upgrade }) => upgradeWindow(upgrade)),
        patches: modifications.filter(({ kind, endedMs }) => kind === 'jsonpatch' && endedMs === undefined),
      })
    },
    remove: (cluster) => {
      clusters.remove(cluster)
      edges.put(cluster, [])
      baselines.put(cluster, [])
      readiness.remove(cluster)
      summaries.delete(cluster)
    },
    declare: (all) => {
      decommissions = all
      clusters.declare(all)
    },
    decommissions: () => decommissions,
    baseline: () => baseline,
    chooseBaseline: (chosen) => {
      baseline = chosen
    },
    goneAfterMs,
    edges,
    verdicts,
    clusters: (query, nowMs) => clusters.list(query, verdictAt(nowMs), nowMs, silences(nowMs)),
    cluster: (name, nowMs) => clusters.find(name, verdictAt(nowMs), nowMs, silences(nowMs)),
    silences,
    readiness: {
      setAlerts: readiness.setAlerts,
      accept: readiness.accept,
      accepted: readiness.accepted,
      calibration: readiness.calibration,
      list: (query, nowMs) => readiness.list(clusters.matching(query, verdictAt(nowMs), nowMs), query, nowMs),
      of: (cluster, target, nowMs) => {
        const record = clusters.recordOf(cluster)
        if (record === undefined || !isHere(cluster, nowMs)) return undefined
        return readiness.of({ record, isSilent: isSilent(clusters.lastSeen(cluster), nowMs) }, target, nowMs)
      },
      targets: (imported) => targetsOf(clusters.eachRecord(), imported),
    },
    notOffered: notOfferedHere,
    fallingEdges: (nowMs) => {
      if (falls === undefined || Math.abs(nowMs - falls.atMs) >= FALLS_CACHED_MS) {
        falls = { atMs: nowMs, edges: fallingEdges(edges.runs(), nowMs) }
      }
      return falls.edges
    },
    open: openAt,
    settledMs: (cluster) => summaries.get(cluster)?.settledMs ?? -Infinity,
    judge: (upgradeId, nowMs) => {
      const record = clusters.open().find(({ upgrade }) => upgrade.id === upgradeId)
      return record && verdictAt(nowMs)(record)
    },
    judgeRecord,
    restoreSeries: (series) => {
      written.restore(series)
    },
    series: function* (nowMs, others = []) {
      const here: ClusterRecord[] = []
      yield* eachInSteps(clusters.eachRecord(), (record) => {
        if (isHere(record.cluster, nowMs)) here.push(record)
      })
      const gone = clusters.gone(nowMs)
      yield
      const open = openAt(nowMs)
      yield
      const notOffered = notOfferedHere(nowMs)
      yield
      const verdicts: ClusterReadiness[] = []
      yield* eachInSteps(here, (record) => {
        const found = readiness.of(
          { record, isSilent: isSilent(clusters.lastSeen(record.cluster), nowMs) },
          undefined,
          nowMs,
        )
        if (found !== undefined) verdicts.push(found)
      })
      const patches = patchValues(
        here.map((record) => ({ record, patches: summaries.get(record.cluster)?.patches ?? [] })),
      )
      yield
      const silent = silences(nowMs)
      yield
      const differences = yield* differenceValues(
        here,
        baseline && clusters.recordOf(baseline.cluster),
        (cluster) => summaries.get(cluster)?.windows ?? [],
        nowMs,
      )
      const derived = derivedSeries(
        { clusters: here, gone, open, notOffered, readiness: verdicts, patches, silent },
        nowMs,
      )
      const values = [...derived, ...differences, ...others]
      return yield* written.next(values, nowMs)
    },
    only: (isIncluded, shown = (record) => record) => {
      const others = new Set(Array.from(clusters.known(), ({ cluster }) => cluster).filter((one) => !isIncluded(one)))
      const included = <T>(all: ReadonlyMap<string, T>): Map<string, T> =>
        new Map([...all].filter(([cluster]) => isIncluded(cluster)))
      const some = createClusterIndex(goneAfterMs)
      const put: ClusterIndex['put'] = (record, open) => {
        some.put(shown(record), open)
      }
      clusters.copyTo({ ...some, put }, isIncluded)
      const copy = createFleetIndexFrom(some, goneAfterMs, {
        edges: edges.without(others),
        baselines: baselines.only(isIncluded),
        summaries: included(summaries),
        readiness: readiness.only(isIncluded, shown),
      })
      copy.declare(decommissions.filter(({ cluster }) => isIncluded(cluster)))
      copy.chooseBaseline(baseline !== undefined && isIncluded(baseline.cluster) ? baseline : undefined)
      return copy
    },
  }
}

function compareRecords({ upgrade: a }: UpgradeRecord, { upgrade: b }: UpgradeRecord): number {
  if (a.cluster !== b.cluster) return a.cluster < b.cluster ? -1 : 1
  return a.id < b.id ? -1 : 1
}
