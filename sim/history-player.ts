import type { Clock } from '../src/base/clock.ts'
import type { ClusterHistory } from './history/cluster-history.ts'
import type { Shipment } from './history/shipments.ts'
import { createRecordsSender } from './records-sender.ts'
import { createSender } from './sender.ts'
import type { SpansSender } from './spans-sender.ts'

/**
 * Sends shipments of simulated histories as their senders would: samples by remote write, objects as a Collector's logs,
 * spans by OpenTelemetry's SDK.
 */
export interface HistoryPlayer {
  /** In order, one request after the other. Rejects as a Delivery does. */
  send(history: ClusterHistory, shipments: readonly Shipment[]): Promise<void>
  counts(): PlayedCounts
  close(): Promise<void>
}

/** In requests that were answered: taken, and refused for good with what the server said last. */
export type PlayedCounts = Readonly<Record<Shipment['kind'], PlayedCount>>

export interface PlayedCount {
  readonly taken: number
  readonly refused: number
  readonly lastRefusal: string
}

export interface HistoryPlayerOptions {
  /** The server's root. */
  readonly url: string
  readonly token?: string | undefined
  /** Waits before what the server could not take is sent again. */
  readonly clock: Clock
}

export function createHistoryPlayer({ url, token, clock }: HistoryPlayerOptions): HistoryPlayer {
  const samples = createSender({ url, token, clock })
  const records = createRecordsSender({ url, token, clock })
  let spans: SpansSender | undefined
  const openSpans = async (): Promise<SpansSender> => {
    // Large, and few fleets have operators that are instrumented.
    const { createSpansSender } = await import('./spans-sender.ts')
    return (spans ??= createSpansSender({ url, token }))
  }
  return {
    async send({ profile }, shipments) {
      for (const shipment of shipments) {
        if (shipment.kind === 'samples') await samples.send(shipment.runs)
        else if (shipment.kind === 'objects') await records.send(profile, shipment.observations)
        else await (await openSpans()).send(profile, shipment.spans)
      }
    },
    counts: () => ({
      samples: {
        taken: samples.counts.samplesAcked,
        refused: samples.counts.samplesRefused,
        lastRefusal: samples.counts.lastRefusal,
      },
      objects: {
        taken: records.counts.acked,
        refused: records.counts.refused,
        lastRefusal: records.counts.lastRefusal,
      },
      spans: {
        taken: spans?.counts.acked ?? 0,
        refused: spans?.counts.failed ?? 0,
        lastRefusal: spans?.counts.lastFailure ?? '',
      },
    }),
    async close() {
      samples.close()
      records.close()
      await spans?.close()
    },
  }
}
