import type { Clock } from '../src/base/clock.ts'
import { encodeWriteRequest } from '../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../src/wire/snappy.ts'
import { createDelivery } from './http-delivery.ts'
import type { SampleRun } from './sim-prometheus.ts'

/**
 * Remote write 1.0 as a Prometheus sends it: at most 2000 samples a request over kept-alive connections; what the server
 * cannot take now (429, 5xx, no connection) is repeated with growing pauses for as long as it takes, what it will never
 * take (any other 4xx) is dropped and counted.
 */
export interface Sender {
  /**
   * Sends runs of one Prometheus, or of several that share a relay, in order, one request after the other; resolves when each request is answered for good.
   * Rejects with a FleetError when no write can ever succeed there (wrong address or token), and when it was closed.
   */
  send(runs: readonly SampleRun[]): Promise<void>
  readonly counts: Readonly<SenderCounts>
  /** Gives up what is waiting, closes the connections. */
  close(): void
}

export interface SenderCounts {
  requests: number
  retries: number
  /** In requests the server took. */
  samplesAcked: number
  /** In requests the server refused for good. */
  samplesRefused: number
  /** What the server said to the last of those. */
  lastRefusal: string
}

export interface SenderOptions {
  /** The server's root, `http://127.0.0.1:9428`; `/api/v1/write` is added when the path is empty. */
  readonly url: string
  readonly token?: string | undefined
  /** Waits between repetitions; the sender reads no other clock. */
  readonly clock: Clock
  /** Open connections at most. */
  readonly connections?: number
  /** Of one request; `SAMPLES_PER_REQUEST_MAX` when absent. */
  readonly samplesPerRequestMax?: number
}

export const SAMPLES_PER_REQUEST_MAX = 2000

export function createSender(options: SenderOptions): Sender {
  const { samplesPerRequestMax = SAMPLES_PER_REQUEST_MAX } = options
  const delivery = createDelivery({
    url: writeUrlOf(options.url),
    what: 'samples',
    headers: {
      'Content-Encoding': 'snappy',
      'Content-Type': 'application/x-protobuf',
      'X-Prometheus-Remote-Write-Version': '0.1.0',
    },
    ...{ token: options.token, clock: options.clock, connections: options.connections },
  })
  return {
    counts: {
      get requests() {
        return delivery.counts.requests
      },
      get retries() {
        return delivery.counts.retries
      },
      get samplesAcked() {
        return delivery.counts.acked
      },
      get samplesRefused() {
        return delivery.counts.refused
      },
      get lastRefusal() {
        return delivery.counts.lastRefusal
      },
    },
    async send(runs) {
      for (const batch of batchesOf(runs, samplesPerRequestMax)) {
        await delivery.deliver(encodeSnappy(encodeWriteRequest(batch.series)), batch.samples)
      }
    },
    close: () => {
      delivery.close()
    },
  }
}

interface Batch {
  readonly series: SampleRun[]
  samples: number
}

/** Cuts runs into requests; a run stays whole unless it alone is too long. */
function batchesOf(runs: readonly SampleRun[], samplesMax: number): readonly Batch[] {
  const batches: Batch[] = []
  let batch: Batch | undefined
  for (const run of runs) {
    for (let at = 0; at < run.samples.length; at += samplesMax) {
      const samples = run.samples.slice(at, at + samplesMax)
      if (batch === undefined || batch.samples + samples.length > samplesMax) {
        batch = { series: [], samples: 0 }
        batches.push(batch)
      }
      batch.series.push({ labels: run.labels, samples })
      batch.samples += samples.length
    }
  }
  return batches
}

function writeUrlOf(text: string): URL {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/api/v1/write'
  return url
}
