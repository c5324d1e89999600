import type { ObjectObservation } from '../../src/model/observation.ts'
import { hashOf, noiseAt } from '../random.ts'
import { REPLICA_OFFSET_MS, type SampleRun } from '../sim-prometheus.ts'
import { isWithin, MINUTE_MS, type Window } from '../scenarios/window.ts'
import { upperBound } from './bounds.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { listableObjects, listedAt, pullTimes } from './pulls.ts'
import { scrapeTimes } from './scrapes.ts'
import { upgradeSpans, type OperatorSpan } from './spans.ts'
import { livesOf, watch } from './watch.ts'
import { samplesOfScrapes, wireSeries } from './wire-series.ts'

/**
 * How what happened gets out: what a cluster's senders put into one request, and when it arrives. A sender that was cut off
 * keeps what it has and sends it when it can: a Collector all at once and in any order, a Prometheus in the order of its
 * scrapes. Some requests arrive twice, because their answer was lost.
 */
export type Shipment = { readonly arrivesMs: number } & (
  | { readonly kind: 'samples'; readonly runs: readonly SampleRun[] }
  | { readonly kind: 'objects'; readonly observations: readonly ObjectObservation[] }
  | { readonly kind: 'spans'; readonly spans: readonly OperatorSpan[] }
)

type SamplesShipment = Extract<Shipment, { readonly kind: 'samples' }>

export interface Shipping {
  /** What arrives before a time and was not answered yet, in the order of arrival. Times rise from call to call. */
  until(timeMs: number): readonly Shipment[]
}

/** A Collector sends what it has this often. */
const BATCH_MS = 5000
/** A batch takes so long at most: longer than the next one waits, so that they overtake each other now and then. */
const BATCH_TRANSIT_MS_MAX = 8000
/** A remote write sends so many parts of a scrape beside each other. */
const SHARDS = 3
/** From a scrape to its arrival. */
const SCRAPE_TRANSIT_MS = 1500
/** What waited is sent within this, in any order. */
const BACKLOG_MS = 2 * MINUTE_MS
/** A request whose answer was lost is sent again this much later, at most. */
const REPEAT_MS_MAX = 3 * MINUTE_MS

export interface ShippingOptions {
  /** What is older is not sent: a server would refuse it. */
  readonly from?: { readonly samplesMs: number; readonly objectsMs: number; readonly spansMs: number }
  /** Scrapes of so long go out in one shipment, those of a pair at the same moment. A quarter of an hour when absent. */
  readonly togetherMs?: number
  /**
   * Whether the first Prometheus of a pair is away in the middle of each upgrade, so that the other one is listened to. Only
   * a server whose clock goes with the shipments can tell; without it one of the two sends.
   */
  readonly hasFailovers: boolean
}

export function shippingOf(history: ClusterHistory, options: ShippingOptions): Shipping {
  const { tells, profile } = history
  const { from = { samplesMs: -Infinity, objectsMs: -Infinity, spansMs: -Infinity } } = options
  const objects = tells.objects ? objectShipments(history, from.objectsMs) : []
  const fixed = [...objects, ...spanShipments(history, from.spansMs)]
  fixed.sort((a, b) => a.arrivesMs - b.arrivesMs)
  const isPair = profile.isHa && options.hasFailovers
  const replicas = !tells.metrics ? [] : isPair ? [0, 1] : [0]
  const { togetherMs = TOGETHER_MS } = options
  const prometheuses = replicas.map((replica) =>
    openPrometheus(history, { replica, isPair, samplesFromMs: from.samplesMs, togetherMs }),
  )
  let sent = 0
  return {
    until(timeMs) {
      const first = sent
      while (sent < fixed.length && fixed[sent]!.arrivesMs < timeMs) sent++
      const samples = prometheuses.flatMap((next) => next(timeMs))
      return [...fixed.slice(first, sent), ...samples].sort((a, b) => a.arrivesMs - b.arrivesMs)
    },
  }
}

/** When something that left at a time gets there, and whether it had to wait. */
function transit({ delivery }: ClusterHistory, atMs: number): { readonly leavesMs: number; readonly isLate: boolean } {
  const outage = delivery.outages.find((candidate) => candidate.kind === 'late' && isWithin(candidate, atMs))
  return outage === undefined ? { leavesMs: atMs, isLate: false } : { leavesMs: outage.untilMs, isLate: true }
}

function objectShipments(history: ClusterHistory, fromMs: number): readonly Shipment[] {
  const { profile, delivery } = history
  const { name } = profile
  const lives = livesOf(history)
  const watched = watch(history, lives).observations.filter(({ change }) => change !== 'listed')
  const objects = listableObjects(history, lives)
  const listed = pullTimes(history).flatMap((pullMs) => listedAt(name, objects, pullMs, delivery.skewMs))
  const batches = new Map<number, ObjectObservation[]>()
  for (const observation of [...watched, ...listed]) {
    if (observation.observedMs < fromMs) continue
    const batch = Math.floor((observation.observedMs - delivery.skewMs) / BATCH_MS)
    const known = batches.get(batch)
    if (known === undefined) batches.set(batch, [observation])
    else known.push(observation)
  }
  return [...batches].flatMap(([batch, observations]) =>
    sentAt(history, (batch + 1) * BATCH_MS, (arrivesMs) => ({ kind: 'objects', arrivesMs, observations })),
  )
}

/** Spans wait for a connection however long it takes. */
function spanShipments(history: ClusterHistory, fromMs: number): readonly Shipment[] {
  const spans = upgradeSpans(history).filter(({ endMs }) => endMs >= fromMs)
  return spans.flatMap((span) =>
    sentAt(history, span.endMs + BATCH_MS, (arrivesMs) => ({ kind: 'spans', arrivesMs, spans: [span] })),
  )
}

function sentAt(
  history: ClusterHistory,
  readyMs: number,
  shipmentAt: (arrivesMs: number) => Shipment,
): readonly Shipment[] {
  const seed = hashOf(history.profile.seed, 'batch', readyMs)
  const { leavesMs, isLate } = transit(history, readyMs)
  const { shuffledMs = BATCH_TRANSIT_MS_MAX } = history.delivery
  const arrivesMs = leavesMs + Math.floor(noiseAt(seed, 0) * (isLate ? BACKLOG_MS : shuffledMs))
  const isRepeated = noiseAt(seed, 1) < history.delivery.repeatShare
  const againMs = arrivesMs + 1000 + Math.floor(noiseAt(seed, 2) * REPEAT_MS_MAX)
  return [shipmentAt(arrivesMs), ...(isRepeated ? [shipmentAt(againMs)] : [])]
}

/** When the first replica of a pair restarts, after the CSV of an upgrade came. */
const AWAY = { afterMs: 4 * MINUTE_MS, forMs: 6 * MINUTE_MS } as const
const TOGETHER_MS = 15 * MINUTE_MS
/** Around the absence of a replica each scrape is a shipment of its own: who is listened to is decided by it. */
const ALONE_MS = 2 * MINUTE_MS

interface Prometheus {
  readonly replica: number
  readonly isPair: boolean
  readonly samplesFromMs: number
  readonly togetherMs: number
}

/** Scrapes that arrive together are one shipment, so that whoever looks rarely is sent few of them. */
function openPrometheus(
  history: ClusterHistory,
  { replica, isPair, samplesFromMs, togetherMs }: Prometheus,
): (timeMs: number) => readonly Shipment[] {
  const { profile, delivery } = history
  const series = wireSeries(history, replica)
  const away = isPair ? awayWindows(history) : []
  const isAway = (atMs: number): boolean => replica === 0 && away.some((window) => isWithin(window, atMs))
  const groupOf = (atMs: number): number =>
    away.some(({ fromMs, untilMs }) => atMs >= fromMs - ALONE_MS && atMs < untilMs + ALONE_MS)
      ? atMs
      : Math.floor(atMs / togetherMs)
  const scrapes = scrapeTimes(history)
    .map((atMs) => atMs + replica * REPLICA_OFFSET_MS)
    .filter((atMs) => atMs >= samplesFromMs && !isAway(atMs))
  const arrivals = scrapes.map((atMs) => transit(history, atMs).leavesMs + SCRAPE_TRANSIT_MS)
  let next = 0
  let underWay: readonly Shipment[] = []
  return (timeMs) => {
    const shipments = [...underWay]
    const end = upperBound(arrivals, timeMs - 1)
    while (next < end) {
      const group = groupOf(scrapes[next]!)
      let together = next + 1
      while (together < end && groupOf(scrapes[together]!) === group) together++
      const runs = samplesOfScrapes(series, scrapes.slice(next, together), scrapes[next - 1])
      const arrivesMs = arrivals[together - 1]!
      const shipment = { kind: 'samples', arrivesMs, runs } as const
      const seed = hashOf(profile.seed, 'scrapes', together)
      const { isLate } = transit(history, scrapes[together - 1]!)
      const { shuffledMs } = delivery
      const sent = shuffledMs === undefined ? [shipment] : shardsOf(shipment, isLate ? 0 : shuffledMs, seed)
      const isRepeated = noiseAt(seed, replica) < delivery.repeatShare
      shipments.push(...sent, ...(isRepeated ? sent : []))
      next = together
    }
    underWay = shipments.filter(({ arrivesMs }) => arrivesMs >= timeMs)
    return shipments.filter(({ arrivesMs }) => arrivesMs < timeMs)
  }
}

/** Each series is in one of the parts, and each part arrives at a time of its own. */
function shardsOf(shipment: SamplesShipment, shuffledMs: number, seed: number): readonly Shipment[] {
  return Array.from({ length: SHARDS }, (_, shard) => ({
    ...shipment,
    arrivesMs: shipment.arrivesMs + Math.floor(noiseAt(seed, 10 + shard) * shuffledMs),
    runs: shipment.runs.filter(({ labels }) => hashOf(labels.key) % SHARDS === shard),
  })).filter(({ runs }) => runs.length > 0)
}

function awayWindows({ upgrades }: ClusterHistory): readonly Window[] {
  return upgrades
    .map(({ csv }) => csv.createdMs + AWAY.afterMs)
    .map((fromMs) => ({ fromMs, untilMs: fromMs + AWAY.forMs }))
}

/** Neighbours of one kind as one shipment, for whom the time of arrival does not matter: a request holds more than a batch. */
export function mergedShipments(shipments: readonly Shipment[]): readonly Shipment[] {
  const merged: Shipment[] = []
  for (const shipment of shipments) {
    const last = merged.at(-1)
    if (last?.kind === 'objects' && shipment.kind === 'objects') {
      merged[merged.length - 1] = { ...last, observations: [...last.observations, ...shipment.observations] }
    } else if (last?.kind === 'spans' && shipment.kind === 'spans') {
      merged[merged.length - 1] = { ...last, spans: [...last.spans, ...shipment.spans] }
    } else merged.push(shipment)
  }
  return merged
}
