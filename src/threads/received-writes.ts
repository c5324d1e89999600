/**
 * Forwards write requests from main to the ingest worker: remote write through the lane, or as a call when the lane has
 * no room; OTLP as calls. At most `pendingMax` requests of all formats wait, because one thread processes them.
 */
import { FleetError } from '../base/errors.ts'
import type { Tracing } from '../base/tracing.ts'
import type { OtlpContext, OtlpEncoding } from '../ingest/otlp/outcome.ts'
import type { WriteOutcome, WriteProtocol } from '../ingest/write-outcome.ts'
import type { AppThreads } from './app-threads.ts'

interface ReceivedWritesParts {
  readonly threads: Pick<AppThreads, 'ingest' | 'lane'>
  readonly tracing: Tracing
  readonly nowMs: () => number
  /** Inclusive. */
  readonly pendingMax: number
}

/** Each call resolves when the accepted data is durable; rejects with FleetError, `overloaded` when too many wait. */
export function createReceivedWrites({ threads, tracing, nowMs, pendingMax }: ReceivedWritesParts) {
  const { lane, ingest } = threads
  let pending = 0
  const settled = (): void => {
    pending--
  }
  /** HOT: one promise and no async function, which would be three more. */
  const bounded = <T>(format: string, write: () => Promise<T>): Promise<T> => {
    if (pending >= pendingMax) {
      const message = `${pending} write requests wait already; ingest.pending-max is ${pendingMax}`
      return Promise.reject(new FleetError('overloaded', message))
    }
    pending++
    const writing = tracing.isOn ? tracing.span(`ingest ${format}`, {}, write) : write()
    writing.then(settled, settled)
    return writing
  }
  const contextOf = (cluster: string | undefined) => ({ nowMs: nowMs(), ...(cluster === undefined ? {} : { cluster }) })
  /** Takes a decompressed body. `cluster`: to which the sender's token is bound. */
  const otlp =
    <O>(format: string, write: (body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext) => Promise<O>) =>
    (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined): Promise<O> =>
      bounded(format, () => write(body, encoding, contextOf(cluster)))
  const { writes } = ingest
  return {
    /** Takes a body as received: compressed and in pieces. */
    remoteWrite: (
      body: readonly Uint8Array[],
      cluster: string | undefined,
      protocol: WriteProtocol,
    ): Promise<WriteOutcome> =>
      bounded(
        'remote write',
        () =>
          lane.write(body, cluster, protocol) ??
          writes.remoteWrite(Buffer.concat(body), { ...contextOf(cluster), protocol }),
      ),
    otlp: {
      metrics: otlp('otlp metrics', writes.otlpMetrics),
      traces: otlp('otlp traces', writes.otlpTraces),
      logs: otlp('otlp logs', writes.otlpLogs),
    },
  }
}
