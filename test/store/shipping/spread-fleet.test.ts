import { without } from '../../../src/base/without.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { describe, expect, test } from 'vitest'
import type { ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { collectorRecords } from '../../../sim/history/collector-records.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { shippingOf, type Shipment } from '../../../sim/history/shipments.ts'
import { randomOf } from '../../../sim/random.ts'
import { deriveFrom } from '../../../src/fleet/derive/derive-cluster.ts'
import { SignalWatch } from '../../../src/fleet/signals/signal-watch.ts'
import { Intake } from '../../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../../src/ingest/options.ts'
import { createOtlpLogsIngest } from '../../../src/ingest/otlp/logs.ts'
import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import { createRemoteWriteIngest } from '../../../src/ingest/remote-write.ts'
import type { ClusterFacts, ObservationReader } from '../../../src/model/fleet-facts.ts'
import { ChangeSource } from '../../../src/store/shipping/change-source.ts'
import { SignalSamples } from '../../../src/store/shipping/signal-samples.ts'
import { encodeLogsRequest } from '../../../src/wire/otlp/logs-encode.ts'
import { encodeWriteRequest } from '../../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../../src/wire/snappy.ts'
import { atOnce } from '../../support/at-once.ts'
import { POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { Collector, openShared, type Shared } from './collectors.ts'

// What a simulated fleet sends is spread over collectors at random, request by request: what is derived is what one process
// derives that received everything.

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const FROM_MS = Date.UTC(2026, 1, 10)
const UNTIL_MS = FROM_MS + 2 * DAY_MS + 30 * MINUTE_MS
/** Between two cycles of the fleet loop. */
const CYCLE_MS = 20 * MINUTE_MS
/** Small: what is scraped together is in several requests. */
const SAMPLES_PER_REQUEST = 40
const RECORDS_PER_REQUEST = 5

/** Clusters of which something is derived within these days. */
const CLUSTERS = [6, 10, 23, 38, 43, 52]

interface Request {
  readonly arrivesMs: number
  readonly send: (to: ReceivingCollector, nowMs: number) => void
}

/** A collector with all of ingest, and the part of the fleet loop that reads signals. */
class ReceivingCollector extends Collector {
  readonly #remoteWrite: ReturnType<typeof createRemoteWriteIngest>
  readonly #logs: ReturnType<typeof createOtlpLogsIngest>
  readonly #signals: SignalWatch
  readonly #samples: SignalSamples

  constructor(shared: Shared) {
    super(shared, { retentionRawMs: 400 * DAY_MS })
    const { writer, reader, options } = this.store
    const claims = { sink: writer.observations, stored: writer.observations.storedClaims() }
    const intake = new Intake(writer.appender, INGEST_DEFAULTS, claims)
    this.#remoteWrite = createRemoteWriteIngest({ intake })
    const { observations, logs } = writer
    const limits = { objectRetentionMs: 400 * DAY_MS, logRetentionMs: 30 * DAY_MS }
    this.#logs = createOtlpLogsIngest({ intake, otlp: OTLP_DEFAULTS, observations, logs, limits })
    this.#signals = new SignalWatch(reader, { ...options, samplesMax: 1e7 })
    this.#samples = new SignalSamples(shared.pool, new ChangeSource(this.db).state()!.collector)
  }

  remoteWrite(body: Uint8Array, nowMs: number): void {
    expect(this.#remoteWrite.write(body, { nowMs }).status).toBeLessThan(300)
  }

  objects(body: Uint8Array, nowMs: number): void {
    expect(atOnce(this.#logs.write(body, 'protobuf', { nowMs })).status).toBe(200)
  }

  async cycle(nowMs: number): Promise<void> {
    const { writer } = this.store
    await writer.appender.commit()
    this.#signals.look(nowMs)
    for (const cluster of this.#signals.due(nowMs)) {
      const { change, samples } = this.#signals.read(cluster, await this.reader.runs(cluster), nowMs)
      if (change !== undefined) writer.observations.putRuns(cluster, change.fromMs, change.runs)
      await writer.appender.commit()
      await this.#samples.put(samples)
    }
    const newestMs = new Map<string, number>()
    this.#signals.eachLastSeen((cluster, seenMs) => newestMs.set(cluster, seenMs))
    await this.#samples.putSeen(newestMs)
    await this.ship(nowMs)
  }
}

function requestsOf(history: ClusterHistory): readonly Request[] {
  const shipments = shippingOf(history, { hasFailovers: false }).until(UNTIL_MS)
  return shipments.flatMap((shipment) =>
    partsOf(history, shipment).map((send) => ({ arrivesMs: shipment.arrivesMs, send })),
  )
}

function partsOf({ profile }: ClusterHistory, shipment: Shipment): readonly Request['send'][] {
  if (shipment.kind === 'spans') return []
  if (shipment.kind === 'objects') {
    return inParts(shipment.observations, RECORDS_PER_REQUEST).map((some) => {
      const body = encodeLogsRequest(collectorRecords(profile, some))
      return (to, nowMs) => {
        to.objects(body, nowMs)
      }
    })
  }
  const samples = shipment.runs.flatMap(({ labels, samples: all }) => all.map((one) => ({ labels, samples: [one] })))
  return inParts(samples, SAMPLES_PER_REQUEST).map((some) => {
    const body = encodeSnappy(encodeWriteRequest(some))
    return (to, nowMs) => {
      to.remoteWrite(body, nowMs)
    }
  })
}

function inParts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}

/** Delivers all requests; each goes to one of the collectors. */
async function deliver(
  requests: readonly Request[],
  collectors: readonly ReceivingCollector[],
  next: () => ReceivingCollector,
): Promise<void> {
  let cycleMs = FROM_MS
  for (const { arrivesMs, send } of requests) {
    for (; cycleMs <= arrivesMs; cycleMs += CYCLE_MS) for (const one of collectors) await one.cycle(cycleMs)
    send(next(), arrivesMs)
  }
  // Whatever was read less than a quarter of a minute ago rests.
  for (const nowMs of [UNTIL_MS, UNTIL_MS + MINUTE_MS, UNTIL_MS + 2 * MINUTE_MS]) {
    for (const one of collectors) await one.cycle(nowMs)
  }
}

async function factsOf(
  observations: Pick<ObservationReader, 'read'>,
  clusters: readonly string[],
): Promise<readonly ClusterFacts[]> {
  const spans = { upgradeSpans: () => Promise.resolve([]) }
  const all: ClusterFacts[] = []
  for (const cluster of clusters) {
    all.push(await deriveFrom({ observations, spans }, cluster))
  }
  return all
}

const HEARTBEATS: ReadonlySet<string> = new Set(['metricsLastMs', 'lastSeenMs'])

/** A heartbeat is as exact as runs of metrics are extended: to the hour. */
function withoutHeartbeat({ cluster }: ClusterFacts): unknown {
  return JSON.parse(JSON.stringify(cluster, (key, value: unknown) => (HEARTBEATS.has(key) ? undefined : value)))
}

function withoutHazards({ upgrade, detail }: UpgradeRecord): unknown {
  return { upgrade, detail: without(detail, 'hazardsAtStart') }
}

describe.skipIf(POSTGRES === undefined)('a fleet that sends to several collectors', () => {
  const postgres = sharedPostgres()
  const histories = CLUSTERS.map((index) =>
    planHistory({ seed: 'spread', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' }),
  )
  const requests = histories.flatMap(requestsOf).sort((a, b) => a.arrivesMs - b.arrivesMs)

  test.each([
    [2, 'a'],
    [3, 'd'],
  ])(
    '%i of them: what is derived is what one process derives (%s)',
    async (count, seed) => {
      const shared = await openShared(await postgres.options())
      const alone = new ReceivingCollector(await openShared(await postgres.options()))
      await deliver(requests, [alone], () => alone)
      const { clusters } = await alone.reader.changedSince(0)
      const joins = await alone.reader.joins()
      const names = clusters.filter((name) => !joins.has(name)).sort()
      expect(names.length).toBeGreaterThanOrEqual(CLUSTERS.length)
      const wanted = await factsOf(alone.reader, names)
      expect(wanted.flatMap(({ upgrades }) => upgrades).length).toBeGreaterThanOrEqual(CLUSTERS.length)
      expect(wanted.flatMap(({ modifications }) => modifications).length).toBeGreaterThan(0)

      const collectors = Array.from({ length: count }, () => new ReceivingCollector(shared))
      const random = randomOf(seed)
      await deliver(requests, collectors, () => collectors[random.int(0, count - 1)]!)
      const reader = shared.newReader()
      const read = await factsOf(reader, names)
      let compared = 0
      for (const [i, facts] of read.entries()) {
        expect(facts.upgrades.map(withoutHazards)).toEqual(wanted[i]!.upgrades.map(withoutHazards))
        expect(facts.intervals).toEqual(wanted[i]!.intervals)
        expect(facts.modifications).toEqual(wanted[i]!.modifications)
        // Which of two contradictory identities counts, each collector decides by what it was sent first. So what is refused
        // differs, such as the ClusterVersion, which hazards read.
        const { problems = [] } = wanted[i]!.cluster
        if (problems.length > 0) continue
        expect(withoutHeartbeat(facts)).toEqual(withoutHeartbeat(wanted[i]!))
        expect(facts.upgrades).toEqual(wanted[i]!.upgrades)
        compared++
      }
      expect(compared).toBeGreaterThanOrEqual(names.length - 2)
    },
    240_000,
  )
})
