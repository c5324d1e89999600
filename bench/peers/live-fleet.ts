/**
 * What a fleet sends while it lives, as requests that are whole before the first is sent: the series of `wild-fleet.ts`,
 * one scrape of a cluster a request, and its objects as its Collector sends them: all of them first, then what changes
 * and a list each half hour. A cluster's objects tell of the same upgrade, at the same time, as its series do.
 */
import { gzipSync } from 'node:zlib'
import type { ObjectObservation } from '../../src/model/observation.ts'
import { encodeLogsRequest } from '../../src/wire/otlp/logs-encode.ts'
import type { ClusterPlan } from '../../sim/cluster-plan.ts'
import { collectorRecords } from '../../sim/history/collector-records.ts'
import { releaseOf } from '../../sim/release.ts'
import { createPlan } from '../../sim/scenario.ts'
import { planUpgrade } from '../../sim/scenarios/upgrade.ts'
import { createCollector } from '../../sim/sim-collector.ts'
import { SCRAPE_MS, commonLabels, offsetOf } from './fleet.ts'
import { httpRequest, type Request } from './sender.ts'
import { wildSeriesOf, wildUpgradeAt, wildVersion, type WildSeries } from './wild-fleet.ts'
import { writeBody } from './write-body.ts'

export interface LiveTimes {
  /** Everything is sent for the first time from here on. */
  readonly firstMs: number
  /** Scrapes between the first one and the last before the pace begins, which are not sent. */
  readonly restScrapes: number
  readonly rounds: number
}

/** One list a connection; a cluster stays on its own. */
export interface LiveLanes {
  readonly first: Request[][]
  readonly paced: Request[][]
}

const FIRST_CONNECTIONS = 8
/** A fleet comes through a proxy that keeps connections, of fifty clusters each. */
const CLUSTERS_PER_CONNECTION = 50
/** A Collector's batch processor collects so long. */
const BATCH_MS = 5000
const LOGS = ['User-Agent: OpenTelemetry Collector', 'Content-Type: application/x-protobuf', 'Content-Encoding: gzip']

export function lanesFor(clusters: number): LiveLanes {
  const lanes = (count: number): Request[][] => Array.from({ length: count }, () => [])
  return { first: lanes(FIRST_CONNECTIONS), paced: lanes(Math.ceil(clusters / CLUSTERS_PER_CONNECTION)) }
}

/** When the pace begins. */
export function paceMs({ firstMs, restScrapes }: LiveTimes): number {
  return firstMs + restScrapes * SCRAPE_MS
}

/** Each paced request is due at a moment of its cluster's own, counted from the begin of the pace. */
export function addCluster(lanes: LiveLanes, cluster: number, times: LiveTimes): void {
  const series = wildSeriesOf(cluster, times.restScrapes + times.rounds + 1)
  const plan = planOf(cluster, times)
  const collector = createCollector(plan, paceMs(times))
  const first = lanes.first[cluster % lanes.first.length]!
  first.push({ bytes: scrapeRequest(series, 0, -1, times) })
  for (const records of batches(collector.recordsBetween(plan.startMs, times.firstMs))) {
    first.push({ bytes: objectsRequest(plan, records) })
  }
  const paced = lanes.paced[cluster % lanes.paced.length]!
  for (let round = 1; round <= times.rounds; round++) {
    const scrape = times.restScrapes + round
    const bytes = scrapeRequest(series, scrape, round === 1 ? 0 : scrape - 1, times)
    paced.push({ bytes, dueMs: round * SCRAPE_MS - offsetOf(cluster) })
  }
  for (const records of batches(collector.recordsBetween(times.firstMs, paceMs(times) + times.rounds * SCRAPE_MS))) {
    const batchedMs = (Math.floor(records[0]!.observedMs / BATCH_MS) + 1) * BATCH_MS
    paced.push({ bytes: objectsRequest(plan, records), dueMs: Math.max(0, batchedMs - paceMs(times)) })
  }
}

export function inDueOrder(lanes: LiveLanes): void {
  for (const lane of lanes.paced) lane.sort((a, b) => a.dueMs! - b.dueMs!)
}

/** @param sent the scrape that was sent before it: series that ended since then end in this one */
function scrapeRequest(series: readonly WildSeries[], scrape: number, sent: number, times: LiveTimes): Buffer {
  const slices = series.flatMap((one) => {
    const isStale = one.toScrape > sent && one.toScrape <= scrape && one.fromScrape <= sent
    const isThere = scrape >= one.fromScrape && scrape < one.toScrape
    return isStale || isThere ? [{ series: one, fromScrape: scrape, toScrape: scrape + 1, isStale }] : []
  })
  return httpRequest('/api/v1/write', writeBody(slices, { firstMs: times.firstMs, stepMs: SCRAPE_MS }))
}

function objectsRequest({ profile }: ClusterPlan, records: readonly ObjectObservation[]): Buffer {
  const body = gzipSync(encodeLogsRequest(collectorRecords(profile, records)), { level: 1 })
  return httpRequest('/v1/logs', body, LOGS)
}

function batches(records: readonly ObjectObservation[]): readonly (readonly ObjectObservation[])[] {
  const made = new Map<number, ObjectObservation[]>()
  for (const record of records) {
    const batch = Math.floor(record.observedMs / BATCH_MS)
    const others = made.get(batch)
    if (others === undefined) made.set(batch, [record])
    else others.push(record)
  }
  return [...made.values()]
}

/** Healthy, with the name and the upgrade that its series have. */
function planOf(cluster: number, times: LiveTimes): ClusterPlan {
  const startMs = Math.floor(times.firstMs / 1000) * 1000 - 1000
  const drawn = createPlan({
    ...{ seed: 'live', index: cluster, role: 'healthy', startMs, presentMs: startMs, scrapeMs: SCRAPE_MS },
  })
  const { cluster: name, cluster_id: id, namespace, region } = commonLabels(cluster)
  const [from, to] = [0, 1].map((upgrades) => releaseOf(wildVersion(cluster, upgrades))!)
  const profile = {
    ...drawn.profile,
    ...{ name: name!, id: id!, region: region!, installNamespace: namespace!, firstRelease: from!, isHa: false },
    ...({ flavour: 'community', packageName: 'community-kubevirt-hyperconverged', approval: 'Automatic' } as const),
  }
  const doneMs = times.firstMs + wildUpgradeAt(cluster) * SCRAPE_MS - offsetOf(cluster)
  // Its series change when the operator that they come from does: laid out once to see how long that takes.
  const takesMs = planUpgrade(profile, from!, to!, 0, undefined).csvSucceededMs
  const upgrades = [planUpgrade(profile, from!, to!, doneMs - takesMs, undefined)].filter(
    (one) => one.startMs > startMs,
  )
  return { ...drawn, profile, upgrades, silence: undefined }
}
