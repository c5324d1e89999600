/**
 * The wiring of the ingest worker: the one thread that writes. A write request is decoded and admitted, its samples go
 * to the head and the log, and its answer waits for the group commit. It also keeps the facts (alert states, tokens),
 * because SQLite has one writer. Time comes with each call.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { FleetError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { createDerivedReceiver, createDerivedSender } from './derived-lane.ts'
import type { DerivedBatch } from './derived-lane.ts'
import type { IngestReport } from '../ingest/ingest-report.ts'
import { Intake } from '../ingest/intake.ts'
import type { IngestOptions } from '../ingest/options.ts'
import { createOtlpLogsIngest } from '../ingest/otlp/logs.ts'
import type { OtlpLogsOutcome } from '../ingest/otlp/logs.ts'
import { createOtlpMetricsIngest } from '../ingest/otlp/metrics.ts'
import type { OtlpEncoding, OtlpOutcome } from '../ingest/otlp/metrics.ts'
import type { OtlpContext } from '../ingest/otlp/context.ts'
import type { OtlpItemOutcome } from '../ingest/otlp/item-outcome.ts'
import type { OtlpOptions } from '../ingest/otlp/options.ts'
import { createOtlpTracesIngest } from '../ingest/otlp/traces.ts'
import { createRemoteWriteIngest } from '../ingest/remote-write.ts'
import type { WriteContext } from '../ingest/remote-write.ts'
import type { WriteOutcome } from '../ingest/write-outcome.ts'
import type { AlertRecord } from '../model/alert.ts'
import type { DerivedSample } from '../model/appender.ts'
import type { Refusal } from '../model/refusal.ts'
import type { TokenRecord } from '../model/token.ts'
import { peopleCalls, type PeopleCalls } from './people-calls.ts'
import type { LogRecord } from '../model/log-record.ts'
import { notifyCalls } from './notify-calls.ts'
import type { NotifyCalls } from './notify-calls.ts'
import { observationCalls } from './observation-calls.ts'
import type { ObservationCalls } from './observation-calls.ts'
import { factsCalls } from './fleet-loop-calls.ts'
import type { FactsCalls } from './fleet-loop-calls.ts'
import { carry, serveCalls } from './rpc.ts'
import { spanCalls } from './span-calls.ts'
import type { SpanCalls } from './span-calls.ts'
import type { StoreOptions } from '../store/options.ts'
import { openWriter } from '../store/writer.ts'
import type { StoreStats, StoreWriter } from '../store/writer.ts'
import type { ThreadHello } from './start-thread.ts'
import { serveWriteLane } from './write-lane.ts'
import type { LaneWriter } from './write-lane.ts'

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

/** What main asks. */
export type IngestWorkerCalls = {
  write(body: Uint8Array, context: WriteContext): Promise<WriteOutcome>
  writeOtlpMetrics(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpOutcome>
  writeOtlpTraces(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpItemOutcome>
  writeOtlpLogs(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Promise<OtlpLogsOutcome>
  maintain(nowMs: number): Promise<void>
  stats(): StoreStats
  /** Lists have at most `top` entries. */
  ingestReport(nowMs: number, top: number): IngestReport
  /** Of a body that main did not pass on. `cluster`: the one that the sender's token is bound to. */
  noteRefusal(refusal: Refusal, cluster: string | undefined, nowMs: number): void
  /** Log records that were read and bounded. */
  putLogs(records: readonly LogRecord[]): Promise<void>
  /** Samples about the program itself. */
  appendOwn(samples: readonly DerivedSample[]): Promise<void>
  tokens(): Promise<readonly TokenRecord[]>
  close(): Promise<void>
} & PeopleCalls &
  NotifyCalls &
  SpanCalls

/** What the query worker asks. */
export type DerivedCalls = {
  appendDerived(batch: DerivedBatch): Promise<void>
  loadAlertStates(): Promise<ReadonlyMap<string, readonly AlertRecord[]>>
  replaceAlertStates(groupKey: string, records: readonly AlertRecord[]): Promise<void>
} & SpanCalls &
  ObservationCalls &
  FactsCalls

/** Remote write, for those that come in batches and for those that come alone. */
function laneWriter(writer: StoreWriter, intake: Intake): LaneWriter {
  const ingest = createRemoteWriteIngest({ intake })
  return {
    admit: () => {
      if (writer.isOverloaded) throw new FleetError('overloaded', 'the log cannot keep up; nothing was taken')
    },
    write: (body, context) => ingest.write(body, context),
    commit: () => writer.appender.commit(),
  }
}

/** Takes something when there is room, and answers when it is durable. */
function takingWith(lane: LaneWriter): <T>(take: () => T) => Promise<T> {
  return async (take) => {
    lane.admit()
    const outcome = take()
    await lane.commit()
    return outcome
  }
}

function mainCalls(
  writer: StoreWriter,
  intake: Intake,
  remoteWrite: LaneWriter,
  { otlp: otlpOptions, store }: IngestWorkerData,
): IngestWorkerCalls {
  const otlp = createOtlpMetricsIngest({ intake, otlp: otlpOptions })
  const limits = { keptMs: store.retentionTracesMs, spansPerTraceMax: store.spansPerTraceMax }
  const traces = createOtlpTracesIngest({ intake, otlp: otlpOptions, spans: writer.spans, limits })
  const kept = { objectsKeptMs: store.retentionObjectsMs, logsKeptMs: store.retentionLogsMs }
  const logs = createOtlpLogsIngest({
    intake,
    otlp: otlpOptions,
    observations: writer.observations,
    logs: writer.logs,
    limits: kept,
  })
  const takeAndCommit = takingWith(remoteWrite)
  return {
    ...spanCalls(writer, takeAndCommit),
    ...peopleCalls(writer.facts),
    ...notifyCalls(writer.facts),
    write: (body, context) => takeAndCommit(() => remoteWrite.write(body, context)),
    writeOtlpMetrics: (body, encoding, context) => takeAndCommit(() => otlp.write(body, encoding, context)),
    writeOtlpTraces: (body, encoding, context) => takeAndCommit(() => traces.write(body, encoding, context)),
    writeOtlpLogs: (body, encoding, context) => takeAndCommit(() => logs.write(body, encoding, context)),
    maintain: async (nowMs) => {
      await writer.maintain(nowMs)
    },
    stats: () => writer.stats(),
    ingestReport: (nowMs, top) => {
      const report = intake.report(nowMs, top)
      const series = { option: 'store.series-max', max: store.seriesMax, used: writer.stats().seriesCount }
      return { ...report, limits: [series, ...report.limits] }
    },
    noteRefusal: (refusal, cluster, nowMs) => {
      intake.note([refusal], cluster, nowMs)
    },
    putLogs: (records) =>
      takeAndCommit(() => {
        writer.logs.putLogs(records)
      }),
    // Its label sets are new ones each time, so there is nothing to remember.
    appendOwn: createDerivedSender(createDerivedReceiver(writer.appender), 0),
    tokens: () => writer.facts.tokens.list(),
    close: async () => {
      await writer.close()
    },
  }
}

function derivedCalls(writer: StoreWriter, remoteWrite: LaneWriter): DerivedCalls {
  const { appender, facts } = writer
  return {
    ...spanCalls(writer, takingWith(remoteWrite)),
    ...observationCalls(writer, takingWith(remoteWrite)),
    ...factsCalls(facts),
    appendDerived: createDerivedReceiver(appender),
    loadAlertStates: () => facts.alertStates.load(),
    replaceAlertStates: (groupKey, records) => facts.alertStates.replaceGroup(groupKey, records),
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
  const remoteWrite = laneWriter(writer, intake)
  serveCalls(parentPort, mainCalls(writer, intake, remoteWrite, data))
  serveWriteLane(data.lanePort, data.laneMemory, remoteWrite)
  serveCalls(data.queryPort, derivedCalls(writer, remoteWrite))
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  // The query worker waits for it.
  data.sharePort.close()
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
