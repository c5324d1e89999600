/**
 * What the query worker answers about the fleet's facts: what is kept stands in SQLite, what is to be thought of it in the
 * book. The book is filled from what is kept when the worker starts, and is fed from then on by whoever derives.
 */
import { setImmediate } from 'node:timers/promises'
import type { ApiFleetFacts, ClusterWithFacts } from './api/fleet-facts.ts'
import type { ClusterPage, ClusterQuery } from './fleet/cluster-book.ts'
import type { FleetCoverage } from './fleet/fleet-coverage.ts'
import type { OpenUpgrade } from './fleet/cluster-states.ts'
import type { EdgeComparison } from './fleet/edge-comparison.ts'
import type { DurationRun, DurationRuns } from './fleet/duration-runs.ts'
import type { EdgeQuery, RunQuery } from './fleet/edge-book.ts'
import type { EdgeName } from './fleet/edges.ts'
import type { FleetBook } from './fleet/fleet-book.ts'
import { gateBook, gatesNamed, standingPatches } from './fleet/gate-uses.ts'
import { healthyUpgrades } from './fleet/healthy-upgrades.ts'
import type { HealthyUpgrade } from './fleet/healthy-upgrades.ts'
import { fleetNow } from './fleet/now.ts'
import type { FleetNow } from './fleet/now.ts'
import { strandedVersions } from './fleet/stranded.ts'
import type { FleetProgress } from './fleet-loop.ts'
import type { Modification } from './model/cluster-record.ts'
import type { FleetFactsReader, ModificationQuery, UpgradeQuery } from './model/fleet-facts.ts'
import type { GateBook } from './model/gate-use.ts'
import type { StrandedVersion } from './model/stranded.ts'
import type { EdgeFacts, StuckVerdict } from './model/stuck.ts'
import type { UpgradeRecord } from './model/upgrade.ts'
import { edgesOf, pastFactsOf, pastFleetCalls } from './past-fleet-calls.ts'
import type { PastFleetCalls } from './past-fleet-calls.ts'
import type { Remote } from './rpc.ts'

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
  fleetVerdict(upgradeId: string, nowMs: number): Promise<StuckVerdict | undefined>
  fleetModifications(query: ModificationQuery): Promise<readonly Modification[]>
  fleetStranded(nowMs: number): Promise<readonly StrandedVersion[]>
  fleetGates(gate?: string): Promise<GateBook>
  fleetEdges(query: EdgeQuery): Promise<readonly EdgeFacts[]>
  fleetEdge(name: EdgeName, sinceMs?: number): Promise<EdgeFacts | undefined>
  fleetCompare(first: EdgeName, second: EdgeName, sinceMs?: number): Promise<EdgeComparison | undefined>
  fleetRuns(query: RunQuery): Promise<DurationRuns>
  fleetMedianRun(name: EdgeName, besidesId: string): Promise<DurationRun | undefined>
}

/** On the query worker. `filled` resolves when the book is; `progress` is that of whoever derives. */
export function fleetCalls(
  facts: FleetFactsReader,
  filled: Promise<FleetBook>,
  progress: () => FleetProgress,
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
    fleetVerdict: async (upgradeId, nowMs) => (await filled).judge(upgradeId, nowMs),
    fleetModifications: (query) => facts.modifications(query),
    fleetStranded: async (nowMs) => {
      const book = await filled
      const { edges } = book.insight
      return strandedVersions(book.standing(), edges.runs(), book.insight.notOffered(nowMs), nowMs)
    },
    fleetGates: async (gate) => {
      const patches = await standingPatches((query) => facts.modifications(query))
      return gatesNamed(gateBook((await filled).records(), patches), gate)
    },
    fleetEdges: async (query) => edgesOf((await filled).insight.edges, query),
    fleetEdge: async (name, sinceMs) => (await filled).insight.edges.edge(name, sinceMs),
    fleetCompare: async (first, second, sinceMs) => (await filled).insight.edges.compare(first, second, sinceMs),
    fleetRuns: async (query) => (await filled).insight.edges.lengths(query),
    fleetMedianRun: async (name, besidesId) => (await filled).insight.edges.medianRun(name, besidesId),
  }
}

/** Clusters that are read without a look at what else waits: some ten milliseconds of them. */
const CLUSTERS_PER_TURN = 5

/** Puts what is kept of every cluster into the book. Queries are let through meanwhile: reading alone never does. */
export async function fillFleetBook(book: FleetBook, facts: FleetFactsReader): Promise<FleetBook> {
  let read = 0
  for (const { cluster } of await facts.clusters()) {
    const kept = await facts.cluster(cluster)
    if (kept !== undefined) book.put(kept)
    if (++read % CLUSTERS_PER_TURN === 0) await setImmediate()
  }
  while (book.insight.edges.estimateNext()) await setImmediate()
  return book
}

/** On main: the calls under the names the API asks by. */
export function fleetFactsOf(query: Remote<FleetCalls>): ApiFleetFacts {
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
    gates: (gate) => query.fleetGates(gate),
    edges: (asked) => query.fleetEdges(asked),
    edge: (name, sinceMs) => query.fleetEdge(name, sinceMs),
    compare: (first, second, sinceMs) => query.fleetCompare(first, second, sinceMs),
    runs: (asked) => query.fleetRuns(asked),
    medianRun: (name, besidesId) => query.fleetMedianRun(name, besidesId),
  }
}
