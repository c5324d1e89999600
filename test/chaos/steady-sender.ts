import { Agent, request } from 'node:http'
import { encodeLogsProtobuf, logsOf, plainRecord } from '../support/otlp-logs.ts'
import { encodeTracesJson, otlpSpan, tracesOf } from '../support/otlp-traces.ts'
import { spanIdOf, traceIdOf } from '../support/spans.ts'
import { ScrapeBody } from './scrape-body.ts'

/**
 * A cluster that sends at a pace, whatever it is answered: a scrape each time, and in turn log records or spans. A request
 * leaves when it is due, also while earlier ones have no answer yet, up to a number of them.
 */
export interface Pace {
  readonly url: string
  readonly token: string
  readonly cluster: string
  readonly requestsPerSecond: number
  readonly samplesPerRequest: number
  readonly inFlightMax: number
}

export interface SentCounts {
  /** By status; 0: no answer. */
  readonly statuses: Map<number, number>
  /** Of requests that were answered 2xx. */
  readonly latenciesMs: number[]
  /** Requests that were due while too many had no answer. */
  notSent: number
}

const OTHERS_EVERY = 5
const RECORDS = 20

interface Sending {
  readonly path: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export class SteadySender {
  readonly #pace: Pace
  readonly #agent: Agent
  readonly #scrape: ScrapeBody
  #counts: SentCounts = noCounts()
  #inFlight = 0
  #number = 0
  #isOver = false

  constructor(pace: Pace) {
    this.#pace = pace
    this.#agent = new Agent({ keepAlive: true, maxSockets: pace.inFlightMax })
    this.#scrape = new ScrapeBody(pace.cluster, pace.samplesPerRequest)
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    const startMs = performance.now()
    const everyMs = 1000 / this.#pace.requestsPerSecond
    for (let due = 0; !this.#isOver; due++) {
      const waitMs = startMs + due * everyMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      if (this.#inFlight >= this.#pace.inFlightMax) this.#counts.notSent++
      else void this.#send(this.#next(Math.round(performance.timeOrigin + startMs + due * everyMs)))
    }
    while (this.#inFlight > 0) await pause(10)
    this.#agent.destroy()
  }

  stop(): void {
    this.#isOver = true
  }

  /** What was counted since the last call. */
  take(): SentCounts {
    const counts = this.#counts
    this.#counts = noCounts()
    return counts
  }

  /** @param timeMs of the scrape: as senders align them, evenly apart */
  #next(timeMs: number): Sending {
    const number = this.#number++
    const { cluster } = this.#pace
    if (number % OTHERS_EVERY !== 0) {
      const headers = {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
      }
      return { path: '/api/v1/write', body: this.#scrape.at(timeMs), headers }
    }
    const timeNs = BigInt(timeMs) * 1_000_000n
    if (number % (2 * OTHERS_EVERY) === 0) {
      const records = Array.from({ length: RECORDS }, (_, i) =>
        plainRecord({ timeNs: timeNs + BigInt(i), observedNs: timeNs, body: `reconciled ${number} ${i}` }),
      )
      const body = encodeLogsProtobuf({ resources: [logsOf(records, { 'k8s.cluster.uid': cluster })] })
      return { path: '/v1/logs', body: Buffer.from(body), headers: { 'content-type': 'application/x-protobuf' } }
    }
    const traceId = traceIdOf(1 + Math.floor(Math.random() * 2 ** 48))
    const spans = Array.from({ length: RECORDS }, (_, i) =>
      otlpSpan({ traceId, spanId: spanIdOf(1 + i), startNs: timeNs, endNs: timeNs + 1000n }),
    )
    const body = Buffer.from(encodeTracesJson(tracesOf({ 'service.name': 'overload', cluster }, ...spans)))
    return { path: '/v1/traces', body, headers: { 'content-type': 'application/json' } }
  }

  async #send({ path, body, headers }: Sending): Promise<void> {
    const counts = this.#counts
    const startMs = performance.now()
    this.#inFlight++
    const status = await this.#post(path, body, headers)
    this.#inFlight--
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    if (status >= 200 && status < 300) counts.latenciesMs.push(performance.now() - startMs)
  }

  #post(path: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
    const { url, token } = this.#pace
    return new Promise((resolve) => {
      const sent = request(url + path, {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': body.length },
      })
      sent.on('response', (response) => {
        response.resume().on('end', () => {
          resolve(response.statusCode ?? 0)
        })
        response.on('error', () => {
          resolve(0)
        })
      })
      sent.on('error', () => {
        resolve(0)
      })
      sent.end(body)
    })
  }
}

const noCounts = (): SentCounts => ({ statuses: new Map(), latenciesMs: [], notSent: 0 })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
