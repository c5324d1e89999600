/**
 * The fleet at one moment, as routes query it: one interface and one implementation for the present and for a past moment,
 * from two sources (fleet-views.ts). Records are read from the store, verdicts and counts from the in-memory index.
 * A new fact is a method here, beside what derives it.
 */
import { invariant } from '../base/invariant.ts'
import { sharedTurn } from '../base/thread-slices.ts'
import type { ClusterFacts, FleetFactsReader, ModificationQuery, UpgradeQuery } from '../model/fleet-facts.ts'
import type { ClusterRecord, Modification } from '../model/cluster-record.ts'
import type { FeatureGates } from '../model/gate-use.ts'
import type { Target } from '../model/readiness.ts'
import type { RolloutPolicy } from '../model/rollout-verdict.ts'
import type { FleetPlan } from '../model/plan.ts'
import type { StrandedVersion } from '../model/stranded.ts'
import type { StuckVerdict } from '../model/stuck.ts'
import type { Upgrade, UpgradeOperator, UpgradeRecord, UpgradeSpan } from '../model/upgrade.ts'
import { healthyUpgrades, type HealthyUpgrade } from './alerts/healthy-upgrades.ts'
import type { ClusterPage, ClusterQuery, ClusterView, LastReport } from './clusters/cluster-index.ts'
import type { OpenUpgrade } from './clusters/cluster-states.ts'
import type { FleetIndex, ReadinessReader } from './clusters/fleet-index.ts'
import type { FleetCoverage } from './clusters/fleet-coverage.ts'
import { featureGates, gatesNamed, activePatches } from './clusters/gate-uses.ts'
import type { Gone } from './clusters/gone.ts'
import { unjoinedPairs, type UnjoinedPair } from './clusters/unjoined.ts'
import type { EdgeReader } from './edges/edge-index.ts'
import { strandedVersions } from './edges/stranded.ts'
import { runningVersions } from './clusters/running-versions.ts'
import type { CincinnatiGraph } from './graph/cincinnati.ts'
import { graphFacts, type GraphFacts, type GraphQuery } from './graph/graph-facts.ts'
import type { GraphRisks } from './graph/risks.ts'
import type { ServedQuery, UpdateGraphs } from './graph/update-graphs.ts'
import type { FleetProgress } from './loop/fleet-loop.ts'
import type { HazardCalibration } from './readiness/calibration.ts'
import type { ClusterReadiness, ReadinessPage, ReadinessQuery } from './readiness/readiness-index.ts'
import { planOf, type PlanQuery } from './plan/plan-query.ts'
import {
  clusterDifferences,
  clusterStacks,
  fleetConfiguration,
  settingDetail,
  type ClusterDifferences,
  type ClusterStack,
  type ConfigurationQuery,
  type FleetConfiguration,
  type SettingDetail,
} from './configuration/configuration-answers.ts'
import {
  replayBaseline,
  type PastConfiguration,
  type ReplayedCluster,
  type ReplayTimes,
} from './configuration/baseline-replay.ts'
import { fitsFilter, type ClusterFilter } from './clusters/cluster-filter.ts'
import { fleetNow, type FleetNow, type NowSource } from './now/now.ts'
import type { ClusterCounts } from './verdicts/cluster-counts.ts'
import type { RolloutQuery } from './verdicts/cohorts.ts'
import type { RolloutMemo } from './verdicts/rollout-memo.ts'
import {
  rolloutDetailOf,
  rolloutOf,
  versionsRollingOut,
  type Rollout,
  type RolloutDetail,
  type RolloutFleet,
  type Rollouts,
} from './verdicts/rollouts.ts'
import { detailOf, fleetPatches, type PatchDetail, type PatchGroup } from './patches/fleet-patches.ts'
import { patchKeyOf } from './patches/patch-key.ts'

export interface FleetView extends EdgeReader {
  /** The summary of the landing page. `listMax`: items of each list; counts are of all. */
  now(listMax: number): Promise<FleetSummary>
  clusters(query: ClusterQuery): Promise<ClusterPage>
  /** By name or alias. @param target of its readiness; absent: the next minor of HCO */
  cluster(name: string, target?: Target): Promise<ClusterWithHistory | undefined>
  coverage(): Promise<FleetCoverage>
  /** When the first cluster was first seen; `undefined`: no cluster is known. */
  knownFrom(): Promise<number | undefined>
  /** Clusters by name or alias, also without a record; `undefined`: the cluster is unknown. */
  lastReports(names: readonly string[]): Promise<readonly (LastReport | undefined)[]>
  /** `query.cluster` is a name or an alias. */
  upgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]>
  upgrade(id: string): Promise<UpgradeRecord | undefined>
  /** Upgrades of clusters, by name or alias, that started at or after a time: times alone, the newest first per cluster. */
  upgradeSpans(clusters: readonly string[], fromMs: number): Promise<readonly UpgradeSpan[]>
  /** Upgrades in progress, and finished ones whose workload update is in progress. */
  open(): Promise<readonly OpenUpgrade[]>
  healthy(): Promise<readonly HealthyUpgrade[]>
  /** `undefined`: the upgrade is not open. */
  judge(upgradeId: string): Promise<StuckVerdict | undefined>
  /** `query.cluster` is a name or an alias. */
  modifications(query: ModificationQuery): Promise<readonly Modification[]>
  /** The most clusters first. Of the past without clusters that were not offered a newer version: offers are not stored. */
  stranded(): Promise<readonly StrandedVersion[]>
  /** JSON patches in effect on clusters that are not gone, equal ones together; `to`: see `fleetPatches`. */
  patches(to?: string): Promise<readonly PatchGroup[]>
  /** `undefined`: no cluster has a patch with this key. */
  patch(key: string, to?: string): Promise<PatchDetail | undefined>
  /** The update graph as it is imported now, with the clusters of the moment. */
  updateGraph(query: GraphQuery): Promise<GraphFacts>
  /** What an update service answers: nothing of it is about clusters. */
  servedGraph(query: ServedQuery): Promise<CincinnatiGraph>
  /** Feature gates that are set, and where; `gate`: this gate only, case-insensitive. */
  gates(gate?: string): Promise<FeatureGates>
  /** The settings in use, and what each is compared with. */
  configuration(query: ConfigurationQuery): Promise<FleetConfiguration>
  /** The clusters of one setting; `undefined`: no cluster reports it. */
  setting(name: string, query: ConfigurationQuery): Promise<SettingDetail | undefined>
  /** How a cluster differs from the baseline, or else from most clusters. `against`: from this cluster. Both by name or alias. */
  differences(cluster: string, against?: string): Promise<ClusterDifferences>
  /** Of the present. `undefined`: no cluster has the name of the proposed baseline. */
  baselineReplay(query: BaselineReplayQuery): Promise<BaselineReplay | undefined>
  /** The virtualization stack of each cluster that is not gone. */
  stacks(): Promise<readonly ClusterStack[]>
  gone(): Promise<ReadonlyMap<string, Gone>>
  /** Clusters that can be upgraded, and what hinders others. Of the present: rejects for a past moment. */
  readiness(query: ReadinessQuery): Promise<ReadinessPage>
  /** The known targets of upgrades, the newest first. */
  targets(): Promise<readonly Target[]>
  /** In the order of the hazards. */
  calibration(): Promise<readonly HazardCalibration[]>
  /** The plan of an upgrade of the clusters that match the filter; at most `PLAN_CLUSTERS_MAX` are planned. */
  plan(query: PlanQuery): Promise<FleetPlan>
  /** Whether the other clusters may follow those that upgraded to a version. */
  rollout(query: RolloutQuery): Promise<{ readonly policy: RolloutPolicy; readonly rollout: RolloutDetail }>
  /** Of every version that clusters started to upgrade to in the last month, the newest version first. */
  rollouts(operator: UpgradeOperator): Promise<Rollouts>
  /** Pairs of clusters that are not gone and are probably one. */
  unjoined(): Promise<readonly UnjoinedPair[]>
}

/** Of one cluster, in `upgradeSpans`: some years of upgrades. */
const SPANS_PER_CLUSTER_MAX = 200

/** @param cluster by the requested name */
function spanOf(cluster: string, { id, operator, from, to, state, startedMs, endedMs, resolutionSeconds }: Upgrade) {
  const versions = { ...(from === undefined ? {} : { from }), to }
  const times = { ...(startedMs === undefined ? {} : { startedMs }), ...(endedMs === undefined ? {} : { endedMs }) }
  return { id, cluster, operator, ...versions, state, ...times, resolutionSeconds }
}

/** The summary of the landing page, and how far the derivation is. */
export type FleetSummary = FleetNow & { readonly derivation: FleetProgress }

export interface BaselineReplayQuery extends ReplayTimes {
  /** By name or alias. */
  readonly proposed: string
  readonly filter: Omit<ClusterFilter, 'states'>
}

export interface BaselineReplay {
  readonly proposed: string
  /** The baseline that is chosen now; absent: none. */
  readonly present?: string
  /** Clusters that match the filter; the first `BASELINE_REPLAY_MAX` by name were replayed. */
  readonly total: number
  readonly clusters: readonly ReplayedCluster[]
}

/** Each cluster costs some milliseconds. */
export const BASELINE_REPLAY_MAX = 1000

export interface ClusterWithHistory {
  readonly view: ClusterView
  /** For the next minor of HCO; absent: no version of HCO is reported, or the cluster is gone. */
  readonly readiness?: ClusterReadiness
  readonly history: Omit<ClusterFacts, 'cluster'>
}

/** What a view reads of the in-memory index. The index of a past moment ignores `nowMs`. */
export type FleetIndexReader = NowSource &
  Pick<
    FleetIndex,
    'clusters' | 'cluster' | 'silences' | 'lastReportOf' | 'gone' | 'judge' | 'notOffered' | 'baseline'
  > & {
    readonly edges: Omit<FleetIndex['edges'], 'estimateNext' | 'without' | 'revision'>
    /** Of a past moment it is computed when it is requested. */
    readonly readiness: ReadinessReader | (() => Promise<ReadinessReader>)
  }

export interface FleetSource {
  readonly nowMs: number
  readonly index: () => Promise<FleetIndexReader>
  readonly records: Pick<FleetFactsReader, 'upgrades' | 'upgrade' | 'modifications'> & {
    cluster(name: string): Promise<Omit<ClusterFacts, 'cluster'> | undefined>
    /** Of the present. */
    readonly values?: FleetFactsReader['values']
  }
  readonly knownFrom: () => Promise<number | undefined>
  readonly counts: ClusterCounts
  readonly policy: RolloutPolicy
  readonly rolloutMemo: RolloutMemo
  /** Changes whenever upgrades of the moment do. */
  readonly revision: () => Promise<string>
  readonly progress: () => FleetProgress
  readonly graphs: GraphSource
}

export interface GraphSource {
  /** Of the present imports. */
  readonly current: () => Promise<UpdateGraphs>
  readonly risks: GraphRisks
}

export function createFleetView({
  nowMs,
  index,
  records,
  knownFrom,
  counts,
  policy,
  rolloutMemo,
  revision,
  progress,
  graphs,
}: FleetSource): FleetView {
  const edges = async () => (await index()).edges
  const readiness = async () => {
    const { readiness: found } = await index()
    return typeof found === 'function' ? found() : found
  }
  const open = async () => (await index()).open(nowMs)
  const rolloutFleet = async (): Promise<RolloutFleet> => {
    const fleet = await index()
    const here = Array.from(fleet.active(nowMs), ({ record }) => record ?? []).flat()
    return { edges: () => fleet.edges.runs(), records: here, counts, policy }
  }
  const rollouts = async (operator: UpgradeOperator): Promise<Rollouts> => {
    const all = await edges()
    const key = JSON.stringify([operator, await revision(), policy])
    return rolloutMemo(key, nowMs, async () => {
      const found: Rollout[] = []
      for (const version of versionsRollingOut(all.runs(), operator, nowMs)) {
        found.push(await rolloutOf(await rolloutFleet(), { operator, version, cohort: {} }, nowMs))
        await sharedTurn()
      }
      return { policy, rollouts: found }
    })
  }
  const byName = async <Q extends { readonly cluster?: string }>(query: Q): Promise<Q> => {
    const report = query.cluster === undefined ? undefined : (await index()).lastReportOf(query.cluster)
    return report === undefined ? query : { ...query, cluster: report.cluster }
  }
  const modifications = async (query: ModificationQuery) => records.modifications(await byName(query))
  /** The clusters that are not gone, and their JSON patches in effect. */
  const patched = async (): Promise<[readonly ClusterRecord[], readonly Modification[]]> => {
    const patches = await activePatches(modifications)
    const fleet = await index()
    const gone = fleet.gone(nowMs)
    const here = Array.from(fleet.active(nowMs), ({ record }) => record ?? []).flat()
    return [here, patches.filter(({ cluster }) => !gone.has(cluster))]
  }
  return {
    now: async (listMax) => ({ ...fleetNow(await index(), nowMs, listMax), derivation: progress() }),
    clusters: async (query) => (await index()).clusters(query, nowMs),
    cluster: async (name, target) => {
      const view = (await index()).cluster(name, nowMs)
      const stored = view === undefined ? undefined : await records.cluster(view.record.cluster)
      if (view === undefined || stored === undefined) return undefined
      const { intervals, upgrades } = stored
      const found = (await readiness()).of(view.record.cluster, target, nowMs)
      const history = { intervals, upgrades, modifications: stored.modifications }
      return { view, ...(found === undefined ? {} : { readiness: found }), history }
    },
    coverage: async () => (await index()).coverage(nowMs),
    knownFrom,
    lastReports: async (names) => {
      const known = await index()
      return names.map((name) => known.lastReportOf(name))
    },
    upgrades: async (query) => records.upgrades(await byName(query)),
    upgrade: records.upgrade.bind(records),
    upgradeSpans: async (clusters, fromMs) => {
      const query = { fromMs, sort: 'started', isDescending: true, limit: SPANS_PER_CLUSTER_MAX } as const
      const spans: UpgradeSpan[] = []
      for (const name of clusters) {
        const found = await records.upgrades(await byName({ ...query, cluster: name }))
        spans.push(...found.map(({ upgrade }) => spanOf(name, upgrade)))
        await sharedTurn()
      }
      return spans
    },
    open,
    healthy: async () => healthyUpgrades(await open()),
    judge: async (upgradeId) => (await index()).judge(upgradeId, nowMs),
    modifications,
    stranded: async () => {
      const fleet = await index()
      return strandedVersions(fleet.active(nowMs), fleet.edges.runs(), fleet.notOffered(nowMs), nowMs)
    },
    patches: async (to) => fleetPatches(...(await patched()), to),
    patch: async (key, to) => {
      const [records, all] = await patched()
      const own = all.filter((patch) => patchKeyOf(patch) === key)
      const [group] = fleetPatches(records, own, to)
      return group && detailOf(group)
    },
    updateGraph: async (query) => {
      const fleet = await index()
      const { operator } = query
      const running = runningVersions(fleet.active(nowMs), operator, nowMs)
      const named = query.cluster === undefined ? undefined : fleet.lastReportOf(query.cluster)?.cluster
      const cluster = named === undefined ? undefined : running.find((one) => one.cluster === named)
      const { rollouts: rolling } = await rollouts(operator)
      const isHco = operator === 'kubevirt-hyperconverged'
      return graphFacts(query, {
        operatorGraph: (await graphs.current()).graph(
          operator,
          running.map(({ version }) => version),
        ),
        ...{ running, nowMs, risks: graphs.risks },
        verdicts: new Map(rolling.map(({ version, verdict }) => [version, verdict.decision])),
        edges: fleet.edges.edges({ operator }),
        stranded: isHco
          ? strandedVersions(fleet.active(nowMs), fleet.edges.runs(), fleet.notOffered(nowMs), nowMs)
          : [],
        ...(cluster === undefined ? {} : { cluster }),
      })
    },
    servedGraph: async (query) => (await graphs.current()).served(query),
    gates: async (gate) => gatesNamed(featureGates(...(await patched())), gate),
    configuration: async (query) => fleetConfiguration(await index(), query, nowMs),
    setting: async (name, query) => settingDetail(await index(), name, query, nowMs),
    differences: async (cluster, against) => clusterDifferences(await index(), cluster, against, nowMs),
    baselineReplay: async ({ proposed, filter, ...times }) => {
      const fleet = await index()
      const { values } = records
      invariant(values !== undefined, 'a baseline is replayed from the present')
      const pastOf = async (name: string): Promise<PastConfiguration | undefined> => {
        const record = fleet.cluster(name, nowMs)?.record
        const stored = record && (await records.cluster(record.cluster))
        if (record === undefined || stored === undefined) return undefined
        const own = (await values([record.cluster])).get(record.cluster) ?? []
        return { record, intervals: stored.intervals, values: own }
      }
      const candidate = await pastOf(proposed)
      if (candidate === undefined) return undefined
      const chosen = fleet.baseline()?.cluster
      const present = chosen === undefined ? undefined : await pastOf(chosen)
      const matching = Array.from(fleet.active(nowMs), ({ record }) => record ?? [])
        .flat()
        .filter((record) => fitsFilter(record, filter))
        .sort((a, b) => (a.cluster < b.cluster ? -1 : 1))
      const clusters: ReplayedCluster[] = []
      for (const { cluster } of matching.slice(0, BASELINE_REPLAY_MAX)) {
        const one = await pastOf(cluster)
        if (one !== undefined) clusters.push(replayBaseline(one, candidate, present, times))
        await sharedTurn()
      }
      const names = { proposed: candidate.record.cluster, ...(present && { present: present.record.cluster }) }
      return { ...names, total: matching.length, clusters }
    },
    stacks: async () => clusterStacks(await index(), nowMs),
    gone: async () => (await index()).gone(nowMs),
    readiness: async (query) => (await readiness()).list(query, nowMs),
    targets: async () => {
      const { graph } = (await graphs.current()).graph('openshift', [])
      const offered = graph.nodes.filter(({ channels }) => channels.length > 0)
      return (await readiness()).targets(offered.map(({ version }) => version))
    },
    calibration: async () => (await readiness()).calibration(),
    plan: async (query) => {
      const fleet = await index()
      const running = runningVersions(fleet.active(nowMs), 'kubevirt-hyperconverged', nowMs)
      const { graph, imports } = (await graphs.current()).graph(
        'kubevirt-hyperconverged',
        running.map(({ version }) => version),
      )
      return planOf({ ...fleet, readiness: await readiness() }, query, nowMs, imports.length === 0 ? undefined : graph)
    },
    rollout: async (query) => ({ policy, rollout: await rolloutDetailOf(await rolloutFleet(), query, nowMs) }),
    rollouts,
    unjoined: async () => unjoinedPairs((await index()).active(nowMs)),
    edges: async (query) => {
      const known = await edges()
      // Other calls run while a window is estimated.
      while (known.prepare(query)) await sharedTurn()
      return known.edges(query)
    },
    edge: async (name, sinceMs) => (await edges()).edge(name, sinceMs),
    compare: async (first, second, sinceMs) => (await edges()).compare(first, second, sinceMs),
    runs: async (query) => (await edges()).lengths(query),
    typical: async (name) => (await edges()).typical(name),
    medianRun: async (name, besidesId) => (await edges()).medianRun(name, besidesId),
  }
}
