/**
 * Forwards write requests from main to the ingest worker: remote write through the lane, or as a call when the lane has
 * no room; OTLP as calls. At most `pendingMax` requests of all formats wait, because one thread processes them.
 */
import { FleetError } from '../base/errors.ts'
import type { Tracing } from '../base/tracing.ts'
import type { OtlpEncoding, OtlpOutcome } from '../ingest/otlp/metrics.ts'
import type { OtlpItemOutcome } from '../ingest/otlp/item-outcome.ts'
import type { OtlpLogsOutcome } from '../ingest/otlp/logs.ts'
import type { WriteOutcome, WriteProtocol } from '../ingest/write-outcome.ts'
import type { AppThreads } from './app-threads.ts'

/** Takes a decompressed OTLP body. `cluster`: to which the sender's token is bound. */
type WriteOtlp<Outcome> = (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined) => Promise<Outcome>

/** Each call resolves when the accepted data is durable; rejects with FleetError, `overloaded` when too many wait. */
interface ReceivedWrites {
  /** Takes a body as received: compressed and in pieces. */
  readonly remoteWrite: (
    body: readonly Uint8Array[],
    cluster: string | undefined,
    protocol: WriteProtocol,
  ) => Promise<WriteOutcome>
  readonly otlpMetrics: WriteOtlp<OtlpOutcome>
  readonly otlpTraces: WriteOtlp<OtlpItemOutcome>
  readonly otlpLogs: WriteOtlp<OtlpLogsOutcome>
}

interface ReceivedWritesParts {
  readonly threads: Pick<AppThreads, 'ingest' | 'lane'>
  readonly tracing: Tracing
  readonly nowMs: () => number
  /** Inclusive. */
  readonly pendingMax: number
}

export function createReceivedWrites({ threads, tracing, nowMs, pendingMax }: ReceivedWritesParts): ReceivedWrites {
  const { lane, ingest } = threads
  let pending = 0
  const bounded = async <T>(format: string, write: () => Promise<T>): Promise<T> => {
    if (pending >= pendingMax) {
      throw new FleetError('overloaded', `${pending} write requests wait already; ingest.pending-max is ${pendingMax}`)
    }
    pending++
    try {
      return await tracing.span(`ingest ${format}`, {}, write)
    } finally {
      pending--
    }
  }
  const contextOf = (cluster: string | undefined) => ({ nowMs: nowMs(), ...(cluster === undefined ? {} : { cluster }) })
  return {
    remoteWrite: (body, cluster, protocol) =>
      bounded(
        'remote write',
        () =>
          lane.write(body, cluster, protocol) ??
          ingest.writes.remoteWrite(Buffer.concat(body), { ...contextOf(cluster), protocol }),
      ),
    otlpMetrics: (body, encoding, cluster) =>
      bounded('otlp metrics', () => ingest.writes.otlpMetrics(body, encoding, contextOf(cluster))),
    otlpTraces: (body, encoding, cluster) =>
      bounded('otlp traces', () => ingest.writes.otlpTraces(body, encoding, contextOf(cluster))),
    otlpLogs: (body, encoding, cluster) =>
      bounded('otlp logs', () => ingest.writes.otlpLogs(body, encoding, contextOf(cluster))),
  }
}
