/** Wires the fleet loop to the store that it reads and to the ingest worker. Runs on the query worker. */
import type { OwnedLeases } from '../deployment/owned-leases.ts'
import type { ClusterLeases } from '../fleet/loop/cluster-leases.ts'
import { ALERTS_LEASE } from '../model/lease.ts'
import { createFleetLoop, type FleetLoop, type FleetLoopParts } from '../fleet/loop/fleet-loop.ts'
import type { DerivedServices } from './ingest-worker.ts'
import { fleetReaderOf } from '../api/fleet/reader.ts'
import { readUsage } from '../fleet/adoption/cluster-usage.ts'
import { readTraits } from '../fleet/clusters/cluster-traits.ts'
import { WRITTEN_METRICS } from '../fleet/series/derived-metrics.ts'
import type { FleetIndex } from '../fleet/clusters/fleet-index.ts'
import { SignalWatch } from '../fleet/signals/signal-watch.ts'
import type { AppendDerived } from '../model/appender.ts'
import type { ObservationReader } from '../model/fleet-facts.ts'
import type { LocalEngine } from '../promql/engine.ts'
import type { NewestSample } from '../promql/newest.ts'
import type { Remote } from './rpc.ts'
import type { Facts, FactsReader } from '../store/facts/facts.ts'
import type { StoreOptions } from '../store/options.ts'
import type { StoreReader } from '../store/reader.ts'
import type { SharedStore } from '../store/shipping/shared-store.ts'
import type { SpanReader } from '../store/spans/span-reader.ts'

interface FleetLoopSources {
  readonly store: StoreOptions
  readonly reader: StoreReader
  readonly facts: FactsReader
  readonly observations: ObservationReader
  /** What this process stored itself. */
  readonly own: Pick<ObservationReader, 'runs'>
  /** Where observations of several processes are; absent: of this one only. */
  readonly shared: Pick<SharedStore, 'samples' | 'derivedTraces'> | undefined
  readonly spans: Pick<SpanReader, 'upgradeSpans' | 'changedSince'>
  readonly writer: Remote<DerivedServices>
  /** Where facts are written. */
  readonly factsWriter: Pick<Remote<Facts>, 'fleet' | 'adoption'>
  /** Where several processes share the facts. */
  readonly leases: OwnedLeases | undefined
  /** Of the entry of `meta` up to where facts are derived. */
  readonly positionKey: string
  readonly appendDerived: AppendDerived
  readonly index: Promise<FleetIndex>
  readonly query: LocalEngine
  readonly rollouts: FleetLoopParts['rollouts']
  readonly graphs: FleetLoopParts['graphs']
  readonly stopwatchMs: () => number
}

/** The maximum of samples of one metric group of one cluster: far more than a cluster sends. */
const SAMPLES_MAX = 20_000_000
/** A series without a sample for longer has ended. */
const WRITTEN_WITHIN_MS = 24 * 60 * 60_000

export function openFleetLoop(sources: FleetLoopSources): FleetLoop {
  const { store, reader, facts, observations, own, shared, spans, appendDerived, index, query, stopwatchMs } = sources
  const { factsWriter, positionKey } = sources
  const writer = { fleet: factsWriter.fleet, derived: sources.writer.derived }
  const { retentionRawMs, outOfOrderMs, retentionObjectsMs } = store
  return createFleetLoop({
    signals: new SignalWatch(reader, { retentionRawMs, outOfOrderMs, samplesMax: SAMPLES_MAX }),
    observations,
    ownRuns: own,
    ...(shared && {
      shareSamples: (samples) => shared.samples.put(samples),
      shareSeen: (newestMs) => shared.samples.putSeen(newestMs),
    }),
    spans,
    facts: facts.fleet,
    alerts: facts.alertRuns,
    position: () => facts.meta.get(positionKey),
    positionKey,
    ...(sources.leases === undefined ? {} : { leases: clusterLeasesOf(sources.leases) }),
    writer: shared === undefined ? writer : withDerivedTraces(writer, shared),
    counting: {
      facts: facts.fleet,
      clusters: async () => (await index).records(),
      goneAt: async (atMs) => (await index).gone(atMs),
      days: () => facts.adoption.days(),
      putDay: (day, rows, usage, nowMs) => factsWriter.adoption.putDay(day, rows, usage, nowMs),
      usageAt: (timeMs) => readUsage(fleetReaderOf(query), timeMs),
    },
    traitsAt: (timeMs, names) => readTraits(fleetReaderOf(query), timeMs, names),
    index,
    rollouts: sources.rollouts,
    graphs: sources.graphs,
    writtenSeries: (nowMs) => writtenSeries(query, nowMs),
    appendDerived,
    retentionMs: retentionObjectsMs,
    stopwatchMs,
  })
}

/** Under this number nothing is written. */
const NO_FENCE = -1

function clusterLeasesOf(leases: OwnedLeases): ClusterLeases {
  return {
    lease: (cluster) => leases.lease('cluster', cluster),
    heldOrLost: (name) => leases.lease('cluster', name) ?? { kind: 'cluster', name, fence: NO_FENCE },
    note: (cluster) => {
      leases.note(cluster)
    },
    takeGained: () => leases.takeGained('cluster'),
    get isFirst() {
      return leases.lease('alerts', ALERTS_LEASE) !== undefined
    },
  }
}

/** Derived traces belong to no process. */
function withDerivedTraces(
  writer: FleetLoopParts['writer'],
  { derivedTraces }: Pick<SharedStore, 'derivedTraces'>,
): FleetLoopParts['writer'] {
  return {
    fleet: writer.fleet,
    derived: {
      runs: (changes) => writer.derived.runs(changes),
      spans: (traces, nowMs) => derivedTraces.replaceSpans(traces, nowMs),
    },
  }
}

function writtenSeries(query: LocalEngine, nowMs: number): Promise<readonly NewestSample[]> {
  const matchers = [{ name: '__name__', op: '=~', value: WRITTEN_METRICS.join('|') } as const]
  return query.newest([matchers], { fromMs: nowMs - WRITTEN_WITHIN_MS, toMs: nowMs })
}
