/**
 * What the query worker answers about the fleet at a moment of the past. The fleet of one moment is kept for a while: a page
 * asks several things of it, and what arrives late may change it.
 */
import { setImmediate } from 'node:timers/promises'
import type { ApiFleetFacts, ClusterWithFacts } from '../api/fleet/facts.ts'
import type { ClusterPage, ClusterQuery } from '../fleet/clusters/cluster-book.ts'
import type { OpenUpgrade } from '../fleet/clusters/cluster-states.ts'
import type { EdgeComparison } from '../fleet/edges/edge-comparison.ts'
import type { DurationRun, DurationRuns } from '../fleet/edges/duration-runs.ts'
import type { EdgeBook, EdgeQuery, RunQuery, UsualPhases } from '../fleet/edges/edge-book.ts'
import type { EdgeName } from '../fleet/edges/edges.ts'
import type { FleetBook } from '../fleet/clusters/fleet-book.ts'
import type { FleetCoverage } from '../fleet/clusters/fleet-coverage.ts'
import { gateBook, gatesNamed, standingPatches } from '../fleet/clusters/gate-uses.ts'
import type { Gone } from '../fleet/clusters/gone.ts'
import { fleetNow } from '../fleet/now/now.ts'
import { pastFleet } from '../fleet/past/past-fleet.ts'
import type { PastFleet } from '../fleet/past/past-fleet.ts'
import { pastModifications, pastUpgrades } from '../fleet/past/past-pages.ts'
import { modificationAt, recordAt } from '../fleet/past/record-at.ts'
import { strandedVersions } from '../fleet/edges/stranded.ts'
import type { FleetProgress } from '../fleet/loop/fleet-loop.ts'
import type { FleetStanding } from './fleet-calls.ts'
import type { Modification } from '../model/cluster-record.ts'
import type { FleetFactsReader, ModificationQuery, UpgradeQuery } from '../model/fleet-facts.ts'
import type { GateBook } from '../model/gate-use.ts'
import type { StrandedVersion } from '../model/stranded.ts'
import type { EdgeFacts, StuckVerdict } from '../model/stuck.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'

/** A moment, and when it was asked for: nobody here reads a clock. */
export interface PastMoment {
  readonly atMs: number
  readonly askedMs: number
}

export type PastFleetCalls = {
  pastNow(moment: PastMoment, listMax: number): Promise<FleetStanding>
  pastClusters(moment: PastMoment, query: ClusterQuery): Promise<ClusterPage>
  pastCluster(moment: PastMoment, name: string): Promise<ClusterWithFacts | undefined>
  pastCoverage(moment: PastMoment): Promise<FleetCoverage>
  /** When anything was first heard of any cluster. */
  pastKnownFrom(moment: PastMoment): Promise<number | undefined>
  pastUpgrades(moment: PastMoment, query: UpgradeQuery): Promise<readonly UpgradeRecord[]>
  pastUpgrade(moment: PastMoment, id: string): Promise<UpgradeRecord | undefined>
  pastOpen(moment: PastMoment): Promise<readonly OpenUpgrade[]>
  pastGone(moment: PastMoment): Promise<ReadonlyMap<string, Gone>>
  pastVerdict(moment: PastMoment, upgradeId: string): Promise<StuckVerdict | undefined>
  pastModifications(moment: PastMoment, query: ModificationQuery): Promise<readonly Modification[]>
  /** Without who was not offered a newer version: of what was offered only the present is kept. */
  pastStranded(moment: PastMoment): Promise<readonly StrandedVersion[]>
  pastGates(moment: PastMoment, gate?: string): Promise<GateBook>
  pastEdges(moment: PastMoment, query: EdgeQuery): Promise<readonly EdgeFacts[]>
  pastEdge(moment: PastMoment, name: EdgeName, sinceMs?: number): Promise<EdgeFacts | undefined>
  pastCompare(
    moment: PastMoment,
    first: EdgeName,
    second: EdgeName,
    sinceMs?: number,
  ): Promise<EdgeComparison | undefined>
  pastRuns(moment: PastMoment, query: RunQuery): Promise<DurationRuns>
  pastUsual(moment: PastMoment, name: EdgeName): Promise<UsualPhases>
  pastMedianRun(moment: PastMoment, name: EdgeName, besidesId: string): Promise<DurationRun | undefined>
}

const KEPT_MS = 30_000

/** On the query worker, beside `fleetCalls`. */
export function pastFleetCalls(
  facts: FleetFactsReader,
  filled: Promise<FleetBook>,
  progress: () => FleetProgress,
): PastFleetCalls {
  let kept: { readonly moment: PastMoment; readonly fleet: Promise<PastFleet> } | undefined
  const at = (moment: PastMoment): Promise<PastFleet> => {
    const ageMs = moment.askedMs - (kept?.moment.askedMs ?? -Infinity)
    if (kept !== undefined && kept.moment.atMs === moment.atMs && Math.abs(ageMs) < KEPT_MS) return kept.fleet
    const fleet = filled.then((book) => pastFleet(facts, book, moment.atMs))
    kept = { moment, fleet }
    // A failure is told to whoever asked, and the next one tries again.
    fleet.catch(() => {
      if (kept?.fleet === fleet) kept = undefined
    })
    return fleet
  }
  const open = async (moment: PastMoment): Promise<readonly OpenUpgrade[]> => (await at(moment)).open(moment.atMs)
  return {
    pastNow: async (moment, listMax) => {
      return { ...fleetNow(await at(moment), moment.atMs, listMax), derivation: progress() }
    },
    pastClusters: async (moment, query) => (await at(moment)).clusters(query),
    pastCluster: async (moment, name) => {
      const view = (await at(moment)).cluster(name)
      const known = view === undefined ? undefined : await facts.cluster(view.record.cluster)
      if (view === undefined || known === undefined) return undefined
      const { atMs } = moment
      return {
        view,
        facts: {
          cluster: view.record,
          intervals: known.intervals.flatMap(({ untilMs, ...interval }) =>
            interval.fromMs > atMs
              ? []
              : [{ ...interval, ...(untilMs === undefined || untilMs > atMs ? {} : { untilMs }) }],
          ),
          upgrades: known.upgrades.flatMap((record) => recordAt(record, atMs) ?? []),
          modifications: known.modifications.flatMap((one) => modificationAt(one, atMs) ?? []),
        },
      }
    },
    pastCoverage: async (moment) => (await at(moment)).coverage(moment.atMs),
    pastKnownFrom: async (moment) => (await at(moment)).knownFromMs,
    pastUpgrades: (moment, query) =>
      pastUpgrades(facts, query, moment.atMs, async () => (await at(moment)).openRecords()),
    pastUpgrade: async ({ atMs }, id) => {
      const record = await facts.upgrade(id)
      return record === undefined ? undefined : recordAt(record, atMs)
    },
    pastOpen: open,
    pastGone: async (moment) => (await at(moment)).gone(),
    pastVerdict: async (moment, upgradeId) => (await at(moment)).judge(upgradeId),
    pastModifications: ({ atMs }, query) => pastModifications(facts, query, atMs),
    pastStranded: async (moment) => {
      const fleet = await at(moment)
      return strandedVersions(fleet.standing(moment.atMs), fleet.insight.edges.runs(), [], moment.atMs)
    },
    pastGates: async (moment, gate) => {
      const fleet = await at(moment)
      const records = Array.from(fleet.standing(moment.atMs), ({ record }) => record ?? [])
      const gone = fleet.gone()
      const patches = await standingPatches((query) => pastModifications(facts, query, moment.atMs))
      return gatesNamed(
        gateBook(
          records.flat(),
          patches.filter(({ cluster }) => !gone.has(cluster)),
        ),
        gate,
      )
    },
    pastEdges: async (moment, query) => edgesOf((await at(moment)).insight.edges, query),
    pastEdge: async (moment, name, sinceMs) => (await at(moment)).insight.edges.edge(name, sinceMs),
    pastCompare: async (moment, first, second, sinceMs) =>
      (await at(moment)).insight.edges.compare(first, second, sinceMs),
    pastRuns: async (moment, query) => (await at(moment)).insight.edges.lengths(query),
    pastUsual: async (moment, name) => (await at(moment)).insight.edges.usual(name),
    pastMedianRun: async (moment, name, besidesId) => (await at(moment)).insight.edges.medianRun(name, besidesId),
  }
}

/** What else waits is let through while a window is estimated. */
export async function edgesOf(
  edges: Pick<EdgeBook, 'edges' | 'prepare'>,
  query: EdgeQuery,
): Promise<readonly EdgeFacts[]> {
  while (edges.prepare(query)) await setImmediate()
  return edges.edges(query)
}

/** On main: what the API asks of a moment. The times it gives are that moment. */
export function pastFactsOf(query: PastFleetCalls, moment: PastMoment): ReturnType<ApiFleetFacts['past']> {
  return {
    now: (_nowMs, listMax) => query.pastNow(moment, listMax),
    clusters: (asked) => query.pastClusters(moment, asked),
    cluster: (name) => query.pastCluster(moment, name),
    coverage: () => query.pastCoverage(moment),
    knownFrom: () => query.pastKnownFrom(moment),
    upgrades: (asked) => query.pastUpgrades(moment, asked),
    upgrade: (id) => query.pastUpgrade(moment, id),
    open: () => query.pastOpen(moment),
    judge: (upgradeId) => query.pastVerdict(moment, upgradeId),
    modifications: (asked) => query.pastModifications(moment, asked),
    stranded: () => query.pastStranded(moment),
    gates: (_nowMs, gate) => query.pastGates(moment, gate),
    gone: () => query.pastGone(moment),
    edges: (asked) => query.pastEdges(moment, asked),
    edge: (name, sinceMs) => query.pastEdge(moment, name, sinceMs),
    compare: (first, second, sinceMs) => query.pastCompare(moment, first, second, sinceMs),
    runs: (asked) => query.pastRuns(moment, asked),
    usual: (name) => query.pastUsual(moment, name),
    medianRun: (name, besidesId) => query.pastMedianRun(moment, name, besidesId),
  }
}
