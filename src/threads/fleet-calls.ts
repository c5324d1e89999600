/**
 * What the query worker answers about the fleet's facts: what is kept stands in SQLite, what is to be thought of it in the
 * book. The book is filled from what is kept when the worker starts, and is fed from then on by whoever derives.
 */
import { setImmediate } from 'node:timers/promises'
import type { ApiFleetFacts, ClusterWithFacts } from '../api/fleet/facts.ts'
import type { ClusterPage, ClusterQuery } from '../fleet/clusters/cluster-book.ts'
import type { FleetCoverage } from '../fleet/clusters/fleet-coverage.ts'
import type { OpenUpgrade } from '../fleet/clusters/cluster-states.ts'
import type { EdgeComparison } from '../fleet/edges/edge-comparison.ts'
import type { DurationRun, DurationRuns } from '../fleet/edges/duration-runs.ts'
import type { EdgeQuery, RunQuery, UsualPhases } from '../fleet/edges/edge-book.ts'
import type { EdgeName } from '../fleet/edges/edges.ts'
import type { FleetBook, HeardName } from '../fleet/clusters/fleet-book.ts'
import { gateBook, gatesNamed, standingPatches } from '../fleet/clusters/gate-uses.ts'
import type { Gone } from '../fleet/clusters/gone.ts'
import { healthyUpgrades } from '../fleet/alerts/healthy-upgrades.ts'
import type { HealthyUpgrade } from '../fleet/alerts/healthy-upgrades.ts'
import { fleetNow } from '../fleet/now/now.ts'
import type { FleetNow } from '../fleet/now/now.ts'
import { strandedVersions } from '../fleet/edges/stranded.ts'
import type { FleetProgress } from '../fleet/loop/fleet-loop.ts'
import type { Modification } from '../model/cluster-record.ts'
import type { Decommission } from '../model/decommission.ts'
import type { FleetFactsReader, ModificationQuery, UpgradeQuery } from '../model/fleet-facts.ts'
import type { GateBook } from '../model/gate-use.ts'
import type { StrandedVersion } from '../model/stranded.ts'
import type { EdgeFacts, StuckVerdict } from '../model/stuck.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'
import { edgesOf, pastFactsOf, pastFleetCalls } from './past-fleet-calls.ts'
import type { PastFleetCalls } from './past-fleet-calls.ts'

/** How the fleet stands, and how far what clusters sent is worked into that. */
export type FleetStanding = FleetNow & { readonly derivation: FleetProgress }

export type FleetCalls = PastFleetCalls & {
  /** @param listMax of each list; counts are of all */
  fleetNow(nowMs: number, listMax: number): Promise<FleetStanding>
  fleetClusters(query: ClusterQuery, nowMs: number): Promise<ClusterPage>
  fleetCluster(name: string, nowMs: number): Promise<ClusterWithFacts | undefined>
  fleetCoverage(nowMs: number): Promise<FleetCoverage>
  fleetUpgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]>
  fleetUpgrade(id: string): Promise<UpgradeRecord | undefined>
  fleetOpen(nowMs: number): Promise<readonly OpenUpgrade[]>
  /** Those of them that get further. */
  fleetHealthy(nowMs: number): Promise<readonly HealthyUpgrade[]>
  fleetGone(nowMs: number): Promise<ReadonlyMap<string, Gone>>
  /** Of clusters by name, also of those that are only heard of; by another name it goes by the cluster is told. */
  fleetHeard(names: readonly string[]): Promise<readonly (HeardName | undefined)[]>
  /** What is said of clusters was written: reads it anew. */
  readDecommissions(nowMs: number): Promise<void>
  fleetVerdict(upgradeId: string, nowMs: number): Promise<StuckVerdict | undefined>
  fleetModifications(query: ModificationQuery): Promise<readonly Modification[]>
  fleetStranded(nowMs: number): Promise<readonly StrandedVersion[]>
  fleetGates(nowMs: number, gate?: string): Promise<GateBook>
  fleetEdges(query: EdgeQuery): Promise<readonly EdgeFacts[]>
  fleetEdge(name: EdgeName, sinceMs?: number): Promise<EdgeFacts | undefined>
  fleetCompare(first: EdgeName, second: EdgeName, sinceMs?: number): Promise<EdgeComparison | undefined>
  fleetRuns(query: RunQuery): Promise<DurationRuns>
  fleetUsual(name: EdgeName): Promise<UsualPhases>
  fleetMedianRun(name: EdgeName, besidesId: string): Promise<DurationRun | undefined>
}

/** What is said of clusters that were switched off for good: where it is kept, and who counts by it. */
export interface SaidPorts {
  list(): Promise<readonly Decommission[]>
  /** Something else is said of a time from `fromMs` on. */
  changed(fromMs: number, nowMs: number): void
}

/** On the query worker. `filled` resolves when the book is; `progress` is that of whoever derives. */
export function fleetCalls(
  facts: FleetFactsReader,
  filled: Promise<FleetBook>,
  progress: () => FleetProgress,
  said: SaidPorts,
): FleetCalls {
  return {
    ...pastFleetCalls(facts, filled, progress),
    fleetNow: async (nowMs, listMax) => ({ ...fleetNow(await filled, nowMs, listMax), derivation: progress() }),
    fleetClusters: async (query, nowMs) => (await filled).clusters(query, nowMs),
    fleetCluster: async (name, nowMs) => {
      const view = (await filled).cluster(name, nowMs)
      const kept = view === undefined ? undefined : await facts.cluster(view.record.cluster)
      return view === undefined || kept === undefined ? undefined : { view, facts: kept }
    },
    fleetCoverage: async (nowMs) => (await filled).coverage(nowMs),
    fleetUpgrades: (query) => facts.upgrades(query),
    fleetUpgrade: (id) => facts.upgrade(id),
    fleetOpen: async (nowMs) => (await filled).open(nowMs),
    fleetHealthy: async (nowMs) => healthyUpgrades((await filled).open(nowMs)),
    fleetGone: async (nowMs) => (await filled).gone(nowMs),
    fleetHeard: async (names) => {
      const book = await filled
      return names.map((name) => book.heardOf(name))
    },
    readDecommissions: async (nowMs) => {
      const book = await filled
      const [before, after] = [book.told(), await said.list()]
      book.declare(after)
      const fromMs = saidFromMs(before, after)
      if (fromMs !== undefined) said.changed(fromMs, nowMs)
    },
    fleetVerdict: async (upgradeId, nowMs) => (await filled).judge(upgradeId, nowMs),
    fleetModifications: (query) => facts.modifications(query),
    fleetStranded: async (nowMs) => {
      const book = await filled
      const { edges } = book.insight
      return strandedVersions(book.standing(nowMs), edges.runs(), book.notOffered(nowMs), nowMs)
    },
    fleetGates: async (nowMs, gate) => {
      const patches = await standingPatches((query) => facts.modifications(query))
      const book = await filled
      const here = Array.from(book.standing(nowMs), ({ record }) => record ?? []).flat()
      const standing = patches.filter(({ cluster }) => book.goneAt(cluster, nowMs) === undefined)
      return gatesNamed(gateBook(here, standing), gate)
    },
    fleetEdges: async (query) => edgesOf((await filled).insight.edges, query),
    fleetEdge: async (name, sinceMs) => (await filled).insight.edges.edge(name, sinceMs),
    fleetCompare: async (first, second, sinceMs) => (await filled).insight.edges.compare(first, second, sinceMs),
    fleetRuns: async (query) => (await filled).insight.edges.lengths(query),
    fleetUsual: async (name) => (await filled).insight.edges.usual(name),
    fleetMedianRun: async (name, besidesId) => (await filled).insight.edges.medianRun(name, besidesId),
  }
}

/** Clusters that are read without a look at what else waits: some ten milliseconds of them. */
const CLUSTERS_PER_TURN = 5

/** Puts what is kept of every cluster into the book. Queries are let through meanwhile: reading alone never does. */
export async function fillFleetBook(
  book: FleetBook,
  facts: FleetFactsReader,
  said: Pick<SaidPorts, 'list'>,
): Promise<FleetBook> {
  book.declare(await said.list())
  let read = 0
  for (const { cluster } of await facts.clusters()) {
    const kept = await facts.cluster(cluster)
    if (kept !== undefined) book.put(kept)
    if (++read % CLUSTERS_PER_TURN === 0) await setImmediate()
  }
  while (book.insight.edges.estimateNext()) await setImmediate()
  return book
}

/** From when on something else is said than before; `undefined`: nothing. */
function saidFromMs(before: readonly Decommission[], after: readonly Decommission[]): number | undefined {
  const known = new Set(before.map((one) => JSON.stringify(one)))
  const fresh = after.filter((one) => !known.has(JSON.stringify(one)))
  return fresh.length === 0 ? undefined : Math.min(...fresh.map(({ sinceMs }) => sinceMs))
}

/** On main: the calls under the names the API asks by. */
export function fleetFactsOf(query: FleetCalls): ApiFleetFacts {
  return {
    past: (moment) => pastFactsOf(query, moment),
    now: (nowMs, listMax) => query.fleetNow(nowMs, listMax),
    clusters: (asked, nowMs) => query.fleetClusters(asked, nowMs),
    cluster: (name, nowMs) => query.fleetCluster(name, nowMs),
    coverage: (nowMs) => query.fleetCoverage(nowMs),
    upgrades: (asked) => query.fleetUpgrades(asked),
    upgrade: (id) => query.fleetUpgrade(id),
    open: (nowMs) => query.fleetOpen(nowMs),
    judge: (upgradeId, nowMs) => query.fleetVerdict(upgradeId, nowMs),
    modifications: (asked) => query.fleetModifications(asked),
    stranded: (nowMs) => query.fleetStranded(nowMs),
    gates: (nowMs, gate) => query.fleetGates(nowMs, gate),
    gone: (nowMs) => query.fleetGone(nowMs),
    heard: (names) => query.fleetHeard(names),
    edges: (asked) => query.fleetEdges(asked),
    edge: (name, sinceMs) => query.fleetEdge(name, sinceMs),
    compare: (first, second, sinceMs) => query.fleetCompare(first, second, sinceMs),
    runs: (asked) => query.fleetRuns(asked),
    usual: (name) => query.fleetUsual(name),
    medianRun: (name, besidesId) => query.fleetMedianRun(name, besidesId),
  }
}
