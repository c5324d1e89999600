/**
 * Forwards write requests from main to the ingest worker: remote write through the lane, or as a call when the lane has
 * no room; OTLP as calls. One thread processes them, so a bounded amount is under way and the rest waits here, sender by
 * sender (fair-queue.ts). Large requests have a queue of their own: they take seconds, with pauses for the others.
 */
import type { Clock } from '../base/clock.ts'
import type { Tracing } from '../base/tracing.ts'
import type { HeadOwner, HeadShares } from '../ingest/head-shares.ts'
import { decodedBytesOf, isLargeWrite } from '../ingest/large-write.ts'
import type { OtlpContext, OtlpEncoding } from '../ingest/otlp/outcome.ts'
import type { WriteOutcome, WriteProtocol } from '../ingest/write-outcome.ts'
import type { AppThreads } from './app-threads.ts'
import { FairQueue, type Queued } from './fair-queue.ts'

interface ReceivedWritesParts {
  readonly threads: Pick<AppThreads, 'ingest' | 'lane'>
  readonly tracing: Tracing
  readonly clock: Clock
  /** Of the time that a request may wait here; inclusive. */
  readonly waitMsMax: number
  readonly headShares: HeadShares
  /** Called for each refused request: it waited too long, or its sender fills the head. With the kind of the sender. */
  readonly onRefused: (reason: 'waited' | 'head', ownerKind: string) => void
}

/** A request, with its bytes as received, and its sender by name. */
type Sent = Queued & { readonly owner: HeadOwner }

/** The request as work for so many decoded bytes. */
function workOf(sent: Queued, bytes: number): Queued {
  return { owner: sent.owner, bytes, whenGone: (listener) => sent.whenGone(listener) }
}

/**
 * Of decoded bodies: a hundred scrapes of 60 samples, or ten requests of 2,000: some 30 ms of work, which a request of
 * another sender waits. The compressed size is not the work: repeated labels are compressed to a tenth.
 */
const UNDER_WAY_BYTES_MAX = 4 * 1024 * 1024
/** A larger OTLP request takes seconds, and ten times its size in memory while it is decoded: one at a time. */
const LARGE_BYTES = 512 * 1024

/** Each call resolves when the accepted data is durable; rejects with FleetError, `overloaded` when it waited too long. */
export function createReceivedWrites(parts: ReceivedWritesParts) {
  const { threads, tracing, clock, waitMsMax, headShares } = parts
  const { lane, ingest } = threads
  const onRefused = (ownerKind: string): void => {
    parts.onRefused('waited', ownerKind)
  }
  const queue = new FairQueue({ bytesMax: UNDER_WAY_BYTES_MAX, waitMsMax, clock, onRefused })
  const largeQueue = new FairQueue({ bytesMax: 0, waitMsMax, clock, onRefused })
  const traced =
    <T>(format: string, write: () => Promise<T>) =>
    (): Promise<T> =>
      tracing.span(`ingest ${format}`, {}, write)
  const run = <T>(to: FairQueue, queued: Queued, format: string, write: () => Promise<T>): Promise<T> =>
    to.run(queued, tracing.isOn ? traced(format, write) : write)
  /** Of samples: the sender has its share of the head, or is refused. */
  const withShare = async <O>(
    { owner }: Sent,
    samplesOf: (outcome: O) => number,
    write: () => Promise<O>,
  ): Promise<O> => {
    const refusal = headShares.refusal(owner, clock.nowMs())
    if (refusal !== undefined) {
      parts.onRefused('head', owner.kind)
      throw refusal
    }
    const outcome = await write()
    headShares.add(owner, samplesOf(outcome), clock.nowMs())
    return outcome
  }
  const contextOf = (cluster: string | undefined) => {
    return { nowMs: clock.nowMs(), ...(cluster === undefined ? {} : { cluster }) }
  }
  /** Takes a decompressed body. `cluster`: to which the sender's token is bound. */
  const otlp =
    <O>(format: string, write: (body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext) => Promise<O>) =>
    (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined, queued: Queued): Promise<O> =>
      run(body.length < LARGE_BYTES ? queue : largeQueue, workOf(queued, body.length), format, () =>
        write(body, encoding, contextOf(cluster)),
      )
  const { writes } = ingest
  const otlpMetrics = otlp('otlp metrics', writes.otlpMetrics)
  return {
    /** Takes a body as received: compressed and in pieces. */
    remoteWrite: (
      body: readonly Uint8Array[],
      cluster: string | undefined,
      protocol: WriteProtocol,
      sent: Sent,
    ): Promise<WriteOutcome> => {
      const call = (write: typeof writes.remoteWrite): Promise<WriteOutcome> =>
        write(Buffer.concat(body), { ...contextOf(cluster), protocol })
      const decodedBytes = decodedBytesOf(body)
      const work = workOf(sent, Math.max(decodedBytes, sent.bytes))
      const write = (): Promise<WriteOutcome> =>
        isLargeWrite(decodedBytes)
          ? run(largeQueue, work, 'remote write', () => call(writes.largeRemoteWrite))
          : run(queue, work, 'remote write', () => lane.write(body, cluster, protocol) ?? call(writes.remoteWrite))
      return withShare(sent, ({ samplesTaken }) => samplesTaken, write)
    },
    otlp: {
      metrics: (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined, sent: Sent) =>
        withShare(
          sent,
          ({ itemsTaken }) => itemsTaken,
          () => otlpMetrics(body, encoding, cluster, sent),
        ),
      traces: otlp('otlp traces', writes.otlpTraces),
      logs: otlp('otlp logs', writes.otlpLogs),
    },
  }
}
