/**
 * The wiring of the ingest worker: the one thread that writes. A write request is decoded and admitted, its samples go
 * to the head and the log, and its answer waits for the group commit. It also stores the facts (alert states, tokens),
 * because SQLite has one writer. Time comes with each call.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import { createDerivedReceiver, createDerivedSender, type DerivedBatch } from './derived-lane.ts'
import type { IngestReport } from '../ingest/ingest-report.ts'
import { Intake } from '../ingest/intake.ts'
import type { IngestOptions } from '../ingest/options.ts'
import { createOtlpLogsIngest, type OtlpLogsOutcome } from '../ingest/otlp/logs.ts'
import { createOtlpMetricsIngest, type OtlpEncoding, type OtlpOutcome } from '../ingest/otlp/metrics.ts'
import type { OtlpContext } from '../ingest/otlp/context.ts'
import type { OtlpItemOutcome } from '../ingest/otlp/item-outcome.ts'
import type { OtlpOptions } from '../ingest/otlp/options.ts'
import { createOtlpTracesIngest } from '../ingest/otlp/traces.ts'
import { createRemoteWriteIngest, type RemoteWriteIngest, type WriteContext } from '../ingest/remote-write.ts'
import type { WriteOutcome } from '../ingest/write-outcome.ts'
import type { DerivedSample } from '../model/appender.ts'
import type { Refusal } from '../model/refusal.ts'
import type { LogRecord } from '../model/log-record.ts'
import type { DerivedTrace } from '../model/span.ts'
import type { RunChange } from '../fleet/signals/signal-watch.ts'
import { carry, serve } from './rpc.ts'
import type { Facts } from '../store/facts/facts.ts'
import type { StoreOptions } from '../store/options.ts'
import { openWriter, type StoreWriter } from '../store/writer.ts'
import type { ThreadHello } from './start-thread.ts'
import { serveWriteLane } from './write-lane.ts'

export interface IngestWorkerData {
  readonly store: StoreOptions
  readonly ingest: IngestOptions
  readonly otlp: OtlpOptions
  readonly nowMs: number
  /** From the query worker: derived series and alert states. */
  readonly queryPort: MessagePort
  /** To the query worker: how its reader finds the head. */
  readonly sharePort: MessagePort
  /** From main: remote write requests, with their bodies in `laneMemory`. */
  readonly lanePort: MessagePort
  readonly laneMemory: SharedArrayBuffer
}

/** What main calls. */
export type IngestServices = Facts & {
  readonly writes: Writes
  readonly refusals: Refusals
  readonly store: Pick<StoreWriter, 'maintain' | 'stats' | 'close'>
}

/** What the query worker calls. */
export type DerivedServices = Facts & { readonly derived: DerivedWrites }

/** What clients sent, and what is written beside it: durable when it resolves. Rejects when there is no room. */
interface Writes {
  remoteWrite(body: Uint8Array, context: WriteContext): Promise<WriteOutcome>
  otlpMetrics(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpOutcome>
  otlpTraces(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpItemOutcome>
  otlpLogs(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpLogsOutcome>
  /** Log records that were read and bounded. */
  logs(records: readonly LogRecord[]): Promise<void>
  /** Samples about the program itself. */
  ownSeries(samples: readonly DerivedSample[]): Promise<void>
}

interface Refusals {
  /** Lists have at most `top` entries. */
  report(nowMs: number, top: number): IngestReport
  /** Of a body that main did not pass on. `cluster`: the one that the sender's token is bound to. */
  note(refusal: Refusal, cluster: string | undefined, nowMs: number): void
}

/** What is derived and is no fact: durable when it resolves. */
interface DerivedWrites {
  samples(batch: DerivedBatch): Promise<void>
  runs(changes: readonly RunChange[]): Promise<void>
  /** See `SpanSink.replaceSpans`. */
  spans(traces: readonly DerivedTrace[], nowMs: number): Promise<void>
}

/** Takes something when there is room, and answers when it is durable. */
function takingWith(store: StoreWriter): <T>(take: () => T) => Promise<T> {
  return async (take) => {
    store.admit()
    const outcome = take()
    await store.commit()
    return outcome
  }
}

function writesOf(
  writer: StoreWriter,
  intake: Intake,
  remoteWrite: RemoteWriteIngest,
  { otlp: otlpOptions, store }: IngestWorkerData,
): Writes {
  const otlp = createOtlpMetricsIngest({ intake, otlp: otlpOptions })
  const limits = { retentionMs: store.retentionTracesMs, spansPerTraceMax: store.spansPerTraceMax }
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
  return {
    remoteWrite: (body, context) => takeAndCommit(() => remoteWrite.write(body, context)),
    otlpMetrics: (body, encoding, context) => takeAndCommit(() => otlp.write(body, encoding, context)),
    otlpTraces: (body, encoding, context) => takeAndCommit(() => traces.write(body, encoding, context)),
    otlpLogs: (body, encoding, context) => takeAndCommit(() => logs.write(body, encoding, context)),
    logs: (records) =>
      takeAndCommit(() => {
        writer.logs.putLogs(records)
      }),
    // Its label sets are new ones each time, so there is nothing to remember.
    ownSeries: createDerivedSender(createDerivedReceiver(writer.appender), 0),
  }
}

function refusalsOf(writer: StoreWriter, intake: Intake, { store }: IngestWorkerData): Refusals {
  return {
    report: (nowMs, top) => {
      const report = intake.report(nowMs, top)
      const series = { option: 'store.series-max', max: store.seriesMax, used: writer.stats().seriesCount }
      return { ...report, limits: [series, ...report.limits] }
    },
    note: (refusal, cluster, nowMs) => {
      intake.note([refusal], cluster, nowMs)
    },
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
    spans: (traces, nowMs) =>
      takeAndCommit(() => {
        spans.replaceSpans(traces, nowMs)
      }),
  }
}

invariant(parentPort !== null, 'the ingest worker runs in a thread')
const data = workerData as IngestWorkerData
try {
  const writer = openWriter(data.store, data.nowMs, (opening) => {
    const share = opening.share()
    data.sharePort.postMessage(share, [share.port])
  })
  const intake = new Intake(writer.appender, data.ingest)
  const remoteWrite = createRemoteWriteIngest({ intake })
  const { facts } = writer
  serve(parentPort, {
    ...facts,
    writes: writesOf(writer, intake, remoteWrite, data),
    refusals: refusalsOf(writer, intake, data),
    store: writer,
  } satisfies IngestServices)
  serveWriteLane(data.lanePort, data.laneMemory, remoteWrite, writer)
  serve(data.queryPort, { ...facts, derived: derivedWritesOf(writer) } satisfies DerivedServices)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  // The query worker waits for it.
  data.sharePort.close()
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
