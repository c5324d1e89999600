/**
 * The view of the fleet at a moment: the present is read from the store and the in-memory index, a moment that is over from
 * both cut at it. The index of the last past moment is cached for a short time: a page sends several requests about it, and
 * late data may change it.
 */
import type { AlertRunReader, FiredAlertReader } from '../model/alert-run.ts'
import type { FleetFactsReader } from '../model/fleet-facts.ts'
import type { RiskAlert } from '../model/readiness.ts'
import { DEFAULT_ROLLOUT_POLICY, type RolloutPolicy } from '../model/rollout-verdict.ts'
import type { FleetIndex } from './clusters/fleet-index.ts'
import { createFleetView, type FleetSource, type FleetView, type GraphSource } from './fleet-view.ts'
import { createGraphRisks } from './graph/risks.ts'
import { createUpdateGraphs } from './graph/update-graphs.ts'
import type { FleetProgress } from './loop/fleet-loop.ts'
import { pastFleet, type PastFleet } from './past/past-fleet.ts'
import { pastRecords } from './past/past-pages.ts'
import { riskAlertsOf } from './readiness/risk-alerts.ts'
import { createClusterCounts } from './verdicts/cluster-counts.ts'
import { createRolloutMemo } from './verdicts/rollout-memo.ts'

export interface FleetMoment {
  /** The time of the request: nothing here reads a clock. */
  readonly nowMs: number
  /** A moment that is over; absent: the present. */
  readonly atMs?: number
}

/** Without `page` it is not known which alerts fired at a past moment. */
export type AlertSource = Pick<FiredAlertReader, 'firedOn'> & Partial<Pick<AlertRunReader, 'page'>>

export type FleetViews = (moment: FleetMoment) => FleetView

const PAST_CACHED_MS = 30_000

/** The graph of the known releases, without risks. */
export const RELEASES_ALONE: GraphSource = {
  current: () => Promise.resolve(createUpdateGraphs([])),
  risks: createGraphRisks({ ofAll: () => Promise.resolve(undefined), ofOne: () => Promise.resolve([]) }),
}

/** @param present resolves when the index is filled; `progress`: of the derivation; `graphs`, `policy`: the same at each moment */
export function createFleetViews(
  facts: FleetFactsReader,
  present: Promise<FleetIndex>,
  progress: () => FleetProgress,
  alerts: AlertSource,
  graphs: GraphSource = RELEASES_ALONE,
  policy: () => RolloutPolicy = () => DEFAULT_ROLLOUT_POLICY,
): FleetViews {
  const counts = createClusterCounts(alerts, facts)
  const rolloutMemo = createRolloutMemo()
  const pastAt = createPastIndex(facts, present, (atMs) => riskAlertsAt(alerts, atMs))
  const knownFrom = async (): Promise<number | undefined> => {
    let firstMs: number | undefined
    for (const { record } of (await present).known()) {
      if (record !== undefined) firstMs = Math.min(firstMs ?? Infinity, record.firstSeenMs)
    }
    return firstMs
  }
  return ({ nowMs, atMs }) => {
    const shared = { knownFrom, counts, policy: policy(), rolloutMemo, progress, graphs }
    if (atMs === undefined) {
      const revision = async (): Promise<string> => String((await present).edges.revision())
      return createFleetView({ ...shared, nowMs, index: () => present, revision, records: readRecords(facts) })
    }
    const index = (): Promise<PastFleet> => pastAt(atMs, nowMs)
    const records = pastRecords(facts, atMs, async () => (await index()).openRecords())
    return createFleetView({ ...shared, nowMs: atMs, index, revision: () => Promise.resolve(`at ${atMs}`), records })
  }
}

function readRecords(facts: FleetFactsReader): FleetSource['records'] {
  return {
    cluster: (name) => facts.cluster(name),
    upgrades: (query) => facts.upgrades(query),
    upgrade: (id) => facts.upgrade(id),
    modifications: (query) => facts.modifications(query),
    values: (clusters) => facts.values(clusters),
  }
}

/** More alerts that fired at one moment are not read: which of them matter is unknown. */
const FIRING_MAX = 10_000

async function riskAlertsAt(alerts: AlertSource, atMs: number): Promise<readonly RiskAlert[] | undefined> {
  const runs = await alerts.page?.({ fromMs: atMs, toMs: atMs + 1, limit: FIRING_MAX })
  if (runs === undefined || runs.length === FIRING_MAX) return undefined
  return riskAlertsOf(runs.map((run) => ({ ...run, state: 'firing' })))
}

function createPastIndex(
  facts: FleetFactsReader,
  present: Promise<FleetIndex>,
  firingAt: (atMs: number) => Promise<readonly RiskAlert[] | undefined>,
): (atMs: number, nowMs: number) => Promise<PastFleet> {
  let last: { readonly atMs: number; readonly madeMs: number; readonly fleet: Promise<PastFleet> } | undefined
  return (atMs, nowMs) => {
    if (last?.atMs === atMs && Math.abs(nowMs - last.madeMs) < PAST_CACHED_MS) return last.fleet
    const fleet = present.then((index) => pastFleet(facts, index, atMs, () => firingAt(atMs)))
    last = { atMs, madeMs: nowMs, fleet }
    // The callers get the failure, and the next call tries again.
    fleet.catch(() => {
      if (last?.fleet === fleet) last = undefined
    })
    return fleet
  }
}
