/**
 * The wiring of the ingest worker, the only thread that writes. It decodes and admits a write request, appends its
 * samples to the head and the log, and answers after the group commit. It also stores the facts (alert states, tokens),
 * because SQLite has one writer. Each call carries the time.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import { createSerialQueue } from '../base/serial-queue.ts'
import { createDerivedReceiver, createDerivedSender, type DerivedBatch } from './derived-lane.ts'
import type { HaTracker } from '../ingest/ha-tracker.ts'
import { Intake, type IngestReport } from '../ingest/intake.ts'
import type { IngestOptions } from '../ingest/options.ts'
import { createOtlpLogsIngest, type OtlpLogsOutcome } from '../ingest/otlp/logs.ts'
import { createOtlpMetricsIngest, type OtlpMetricsOutcome } from '../ingest/otlp/metrics.ts'
import type { OtlpContext, OtlpOutcome } from '../ingest/otlp/outcome.ts'
import type { OtlpEncoding } from '../wire/otlp/answer.ts'
import type { OtlpOptions } from '../ingest/otlp/options.ts'
import { createOtlpTracesIngest } from '../ingest/otlp/traces.ts'
import { createRemoteWriteIngest, type RemoteWriteIngest, type WriteContext } from '../ingest/remote-write.ts'
import type { WriteOutcome } from '../ingest/write-outcome.ts'
import type { DerivedSample } from '../model/appender.ts'
import type { Erasure, MetricsStoreErasure } from '../model/erasure.ts'
import type { PrivacyRules } from '../model/privacy.ts'
import type { Refusal } from '../model/refusal.ts'
import type { LogRecord } from '../model/log-record.ts'
import type { DerivedTrace } from '../model/span.ts'
import type { RunChange } from '../fleet/signals/signal-watch.ts'
import { beat, beatWith, type Pulsing } from './pulse.ts'
import { carry, serve } from './rpc.ts'
import type { Facts } from '../store/facts/facts.ts'
import type { FoundDamage } from '../store/integrity/damage.ts'
import type { StoreOptions } from '../store/options.ts'
import { openWriter, type StoreWriter } from '../store/writer.ts'
import type { ThreadHello } from './start-thread.ts'
import { takingInSlicesWith, takingWith } from './taking.ts'
import { serveWriteLane } from './write-lane.ts'

/** The ends of two ports of a query worker. */
export interface QueryWorkerPorts {
  /** From the query worker: derived series and alert states. */
  readonly queryPort: MessagePort
  /** To the query worker: the `ReaderShare`, with which its reader finds the head. */
  readonly sharePort: MessagePort
}

/** From main, a message that is no call: the query worker has ended, and this is the next one. */
export interface NextQueryWorker {
  readonly next: QueryWorkerPorts
}

export interface IngestWorkerData extends QueryWorkerPorts {
  readonly store: StoreOptions
  readonly ingest: IngestOptions
  readonly otlp: OtlpOptions
  /** What is not stored, as checked by main. */
  readonly privacy: PrivacyRules
  readonly nowMs: number
  /** From main: remote write requests, with their bodies in `laneMemory`. */
  readonly lanePort: MessagePort
  readonly laneMemory: SharedArrayBuffer
}

/** What main calls. */
export type IngestServices = Facts & {
  readonly writes: Writes
  readonly refusals: Refusals
  readonly erasures: Erasures
  readonly replicas: Pick<HaTracker, 'takeSeen' | 'adopt'>
  readonly privacy: {
    /** Data that arrives afterwards is stored by these rules. They were checked. */
    use(rules: PrivacyRules): void
  }
  readonly store: Pick<StoreWriter, 'maintain' | 'stats' | 'close' | 'reportDamage' | 'forwarded' | 'removeShipped'>
}

/** Erasures of clusters; durable when a call resolves. See `StoreWriter`. */
interface Erasures {
  list(): readonly Erasure[]
  begin(cluster: string, id: string, by: string, nowMs: number): Promise<Erasure | undefined>
  /** See `StoreWriter.joinErasure`. */
  join(id: string, names: readonly string[], by: string, nowMs: number): Promise<Erasure>
  noteMetricsStore(id: string, state: MetricsStoreErasure): Promise<void>
  allow(id: string, by: string, nowMs: number): Promise<Erasure | undefined>
  /** Those of the names whose data is refused. */
  refused(names: readonly string[]): readonly string[]
}

/** What the query worker calls. */
export type DerivedServices = Facts & { readonly derived: DerivedWrites }

/** Data from clients and about the server itself: durable when the call resolves. Rejects when the head or disk is full. */
interface Writes {
  remoteWrite(body: Uint8Array, context: WriteContext): Promise<WriteOutcome>
  /** The same in slices. */
  largeRemoteWrite(body: Uint8Array, context: WriteContext): Promise<WriteOutcome>
  otlpMetrics(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpMetricsOutcome>
  otlpTraces(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpOutcome>
  otlpLogs(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpLogsOutcome>
  /** Log records that are decoded and within the limits. */
  logs(records: readonly LogRecord[]): Promise<void>
  /** Samples of the server's own metrics. */
  ownSeries(samples: readonly DerivedSample[]): Promise<void>
}

interface Refusals {
  /** Lists have at most `top` entries. */
  report(nowMs: number, top: number): IngestReport
  /** Names of clusters that were refused since the start, by reason. */
  names(): IngestReport['identities']['refused']
  /** Records the refusal of a body that main did not forward. `cluster`: to which the sender's token is bound. */
  record(refusal: Refusal, cluster: string | undefined, nowMs: number): void
}

/** Derived data other than facts: durable when the call resolves. */
interface DerivedWrites {
  samples(batch: DerivedBatch): Promise<void>
  runs(changes: readonly RunChange[]): Promise<void>
  /** Damage that a read found. */
  damage(found: FoundDamage): Promise<void>
  /** See `SpanSink.replaceSpans`. */
  spans(traces: readonly DerivedTrace[], nowMs: number): Promise<void>
}

function writesOf(
  writer: StoreWriter,
  intake: Intake,
  remoteWrite: RemoteWriteIngest,
  { otlp: otlpOptions, store }: IngestWorkerData,
): Writes {
  const otlp = createOtlpMetricsIngest({ intake, otlp: otlpOptions })
  const { retentionTracesMs: retentionMs, spansPerTraceMax, bytesPerTraceMax } = store
  const limits = { retentionMs, spansPerTraceMax, bytesPerTraceMax }
  const traces = createOtlpTracesIngest({ intake, otlp: otlpOptions, spans: writer.spans, limits })
  const kept = { objectRetentionMs: store.retentionObjectsMs, logRetentionMs: store.retentionLogsMs }
  const logs = createOtlpLogsIngest({
    intake,
    otlp: otlpOptions,
    observations: writer.observations,
    logs: writer.logs,
    limits: kept,
  })
  const takeAndCommit = takingWith(writer)
  const takeInSlices = takingInSlicesWith(writer)
  return {
    remoteWrite: (body, context) => takeAndCommit(() => remoteWrite.write(body, context)),
    largeRemoteWrite: (body, context) => takeInSlices(remoteWrite.writeInSteps(body, context)),
    otlpMetrics: (body, encoding, context) => takeInSlices(otlp.write(body, encoding, context)),
    otlpTraces: (body, encoding, context) => takeInSlices(traces.write(body, encoding, context)),
    otlpLogs: (body, encoding, context) => takeInSlices(logs.write(body, encoding, context)),
    logs: (records) =>
      takeAndCommit(() => {
        writer.logs.putLogs(records)
      }),
    // Its label sets are new objects each time, so numbers are never reused.
    ownSeries: createDerivedSender(createDerivedReceiver(writer.appender), 0),
  }
}

function refusalsOf(writer: StoreWriter, intake: Intake, { store }: IngestWorkerData): Refusals {
  return {
    report: (nowMs, top) => {
      const report = intake.report(nowMs, top)
      const series = { option: 'store.series-max', max: store.seriesMax, used: writer.stats().seriesCount }
      const { cluster, states = 0 } = writer.observations.fullestCluster() ?? {}
      const objects = { option: 'store.cluster-object-states-max', max: store.clusterObjectStatesMax, used: states }
      return {
        ...report,
        limits: [series, ...report.limits, cluster === undefined ? objects : { ...objects, cluster }],
      }
    },
    names: () => intake.registry.refused,
    record: (refusal, cluster, nowMs) => {
      intake.note([refusal], cluster, nowMs)
    },
  }
}

function erasuresOf(writer: StoreWriter, intake: Intake): Erasures {
  return {
    list: () => writer.listErasures(),
    begin: async (...of) => {
      const begun = await writer.beginErasure(...of)
      intake.recogniseAgain()
      return begun
    },
    join: async (...of) => {
      const joined = await writer.joinErasure(...of)
      intake.recogniseAgain()
      return joined
    },
    noteMetricsStore: (...of) => writer.noteMetricsStoreErasure(...of),
    allow: (...of) => writer.allowErased(...of),
    refused: (names) => names.filter((name) => writer.isErased(name)),
  }
}

function derivedWritesOf(writer: StoreWriter): DerivedWrites {
  const { appender, observations, spans } = writer
  const takeAndCommit = takingWith(writer)
  return {
    samples: createDerivedReceiver(appender),
    runs: (changes) =>
      takeAndCommit(() => {
        for (const { cluster, fromMs, runs } of changes) observations.putRuns(cluster, fromMs, runs)
      }),
    damage: (found) => writer.reportDamage([found]),
    spans: (traces, nowMs) =>
      takeAndCommit(() => {
        spans.replaceSpans(traces, nowMs)
      }),
  }
}

/** Shares the head with a query worker. Returns the number of its reader. */
function share(writer: StoreWriter, { sharePort }: QueryWorkerPorts): number {
  const shared = writer.share()
  sharePort.postMessage(shared, [shared.port])
  return shared.reader
}

invariant(parentPort !== null, 'the ingest worker runs in a thread')
const data = workerData as IngestWorkerData & Pulsing
try {
  let reader = 0
  const writer = openWriter(data.store, data.nowMs, (opening) => {
    reader = share(opening, data)
  })
  const claims = { sink: writer.observations, stored: writer.observations.storedClaims() }
  const intake = new Intake(writer.appender, data.ingest, claims, (name) => writer.isErased(name))
  intake.usePrivacy(data.privacy)
  const remoteWrite = createRemoteWriteIngest({ intake })
  const { facts } = writer
  serve(parentPort, {
    ...facts,
    writes: writesOf(writer, intake, remoteWrite, data),
    refusals: refusalsOf(writer, intake, data),
    erasures: erasuresOf(writer, intake),
    replicas: intake.replicas,
    privacy: {
      use: (rules) => {
        intake.usePrivacy(rules)
      },
    },
    store: writer,
  } satisfies IngestServices)
  serveWriteLane(data.lanePort, data.laneMemory, remoteWrite, writer)
  let { queryPort } = data
  serve(queryPort, { ...facts, derived: derivedWritesOf(writer) } satisfies DerivedServices)
  const replaceQueryWorker = async (next: QueryWorkerPorts): Promise<void> => {
    // What the last one sent and nobody has read is dropped; what it began is durable before the next one reads.
    queryPort.close()
    writer.unshare(reader)
    await writer.untilFree()
    // When the disk is full this fails, which ends this thread; both are then started from what is durable.
    reader = share(writer, next)
    queryPort = next.queryPort
    serve(queryPort, { ...facts, derived: derivedWritesOf(writer) } satisfies DerivedServices)
    beatWith(data.pulse, queryPort)
  }
  const inOrder = createSerialQueue()
  parentPort.on('message', (message: object) => {
    if ('next' in message) void inOrder(() => replaceQueryWorker((message as NextQueryWorker).next))
  })
  beat(data.pulse)
  beatWith(data.pulse, parentPort, data.lanePort, queryPort)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  // The query worker waits for this port.
  data.sharePort.close()
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
