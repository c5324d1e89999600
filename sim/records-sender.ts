import { gzipSync } from 'node:zlib'
import type { Clock } from '../src/base/clock.ts'
import type { ObjectObservation } from '../src/model/observation.ts'
import { encodeLogsRequest } from '../src/wire/otlp/logs-encode.ts'
import type { ClusterProfile } from './cluster-profile.ts'
import { collectorRecords } from './history/collector-records.ts'
import { createDelivery, type DeliveryCounts } from './http-delivery.ts'

/** Log records of objects over OTLP/HTTP, protobuf and gzip, as a Collector's exporter sends them. */
export interface RecordsSender {
  /** In order, one request after the other; rejects as a Delivery does. */
  send(profile: Pick<ClusterProfile, 'id' | 'name'>, observations: readonly ObjectObservation[]): Promise<void>
  readonly counts: Readonly<DeliveryCounts>
  close(): void
}

export interface RecordsSenderOptions {
  /** The server's root; `/v1/logs` is added when the path is empty. */
  readonly url: string
  readonly token?: string | undefined
  readonly clock: Clock
  readonly connections?: number
}

const RECORDS_PER_REQUEST_MAX = 500

export function createRecordsSender(options: RecordsSenderOptions): RecordsSender {
  const url = new URL(options.url)
  if (url.pathname === '/') url.pathname = '/v1/logs'
  const delivery = createDelivery({
    ...{ url, what: 'objects' },
    headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-protobuf' },
    ...{ token: options.token, clock: options.clock, connections: options.connections },
  })
  return {
    counts: delivery.counts,
    async send(profile, observations) {
      for (let at = 0; at < observations.length; at += RECORDS_PER_REQUEST_MAX) {
        const some = observations.slice(at, at + RECORDS_PER_REQUEST_MAX)
        await delivery.deliver(gzipSync(encodeLogsRequest(collectorRecords(profile, some)), { level: 1 }), some.length)
      }
    },
    close: () => {
      delivery.close()
    },
  }
}
