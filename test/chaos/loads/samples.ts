import { Labels } from '../../../src/model/labels.ts'
import type { MetricsRequest } from '../../../src/wire/otlp/metrics.ts'
import { encodeWriteRequestV2 } from '../../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../../src/wire/snappy.ts'
import { encodeRequestProtobuf } from '../../support/otlp.ts'
import { writeBody } from '../../support/remote-write.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import type { Load } from './load.ts'

/** Samples, by the three protocols: one step of all series a request, at old times, so that a minute of them takes less. */

const SERIES = 20
const STEP_SECONDS = 10
const STEP_MS = STEP_SECONDS * 1000

export type SampleProtocol = 'write1' | 'write2' | 'otlp'

interface Request {
  readonly path: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const valueAt = (step: number, series: number): number => step * 1000 + series
const traceIdAt = (step: number): string => step.toString(16).padStart(32, 'a')

export class SampleLoad implements Load {
  readonly name: string
  readonly ledger = new Ledger()
  readonly pauseMs = 0
  readonly #protocol: SampleProtocol
  readonly #baseMs: number
  #step = 1

  /** @param baseMs the first step is ten seconds later; whole seconds */
  constructor(protocol: SampleProtocol, number: number, baseMs = 0) {
    this.#protocol = protocol
    this.#baseMs = baseMs
    this.name = `${protocol}-${number}`
  }

  async step(target: Target): Promise<void> {
    const step = this.#step
    const { path, body, headers } = requestOf(this.#protocol, this.name, step, this.#baseMs)
    this.ledger.sent(`step ${step}`, target.position())
    const text = await send(target, path, { body, headers })
    if (text !== '') throw new Error(`${this.name}: got ${JSON.stringify(text)}, want an empty answer`)
    this.ledger.acked(`step ${step}`, target.position())
    this.#step++
  }

  /** A step is stored when all its series have it, with their values; the parts of another one are named. */
  async stored(target: Target): Promise<Iterable<string>> {
    const range = `${this.#step * STEP_SECONDS}s`
    const form = new URLSearchParams({
      query: `chaos{cluster="${this.name}"}[${range}]`,
      time: this.#timeOf(this.#step),
    })
    const { data } = await get<Matrix>(target, `/api/v1/query?${form.toString()}`)
    const counts = new Map<number, number>()
    const faults: string[] = []
    for (const { metric, values } of data.result) {
      const series = Number(metric['series'])
      for (const [seconds, text] of values) {
        const step = this.#stepAt(seconds)
        counts.set(step, (counts.get(step) ?? 0) + 1)
        if (Number(text) !== valueAt(step, series)) faults.push(`step ${step} series ${series} value ${text}`)
      }
    }
    const histograms = this.#protocol === 'otlp' ? await this.#histograms(target) : undefined
    const exemplars = this.#protocol === 'otlp' ? await this.#exemplars(target) : undefined
    for (const [step, count] of counts) {
      const isWhole = count === SERIES && histograms?.get(step) !== false && exemplars?.has(step) !== false
      const parts = `${count} series, histogram ${histograms?.get(step)}, exemplar ${exemplars?.has(step)}`
      faults.push(isWhole ? `step ${step}` : `step ${step}: ${parts}`)
    }
    return faults
  }

  /** Whether the native histogram of each step has the count of that step: between two it is that of the one before. */
  async #histograms(target: Target): Promise<ReadonlyMap<number, boolean>> {
    const seen = new Map<number, boolean>()
    const width = 5000
    for (let first = 1; first <= this.#step; first += width) {
      const form = new URLSearchParams({
        query: `histogram_count(chaos_histogram{cluster="${this.name}"})`,
        start: this.#timeOf(first),
        end: this.#timeOf(Math.min(first + width - 1, this.#step)),
        step: String(STEP_SECONDS),
      })
      const { data } = await get<Matrix>(target, `/api/v1/query_range?${form.toString()}`)
      for (const [seconds, text] of data.result[0]?.values ?? []) {
        seen.set(this.#stepAt(seconds), Number(text) === this.#stepAt(seconds))
      }
    }
    return seen
  }

  async #exemplars(target: Target): Promise<ReadonlySet<number>> {
    const query = `chaos_requests_total{cluster="${this.name}"}`
    const form = new URLSearchParams({ query, start: this.#timeOf(0), end: this.#timeOf(this.#step) })
    const { data } = await get<Exemplars>(target, `/api/v1/query_exemplars?${form.toString()}`)
    return new Set(data.flatMap(({ exemplars }) => exemplars.map(({ timestamp }) => this.#stepAt(timestamp))))
  }

  /** In seconds. */
  #timeOf(step: number): string {
    return String(this.#baseMs / 1000 + step * STEP_SECONDS)
  }

  #stepAt(seconds: number): number {
    return (seconds - this.#baseMs / 1000) / STEP_SECONDS
  }
}

interface Matrix {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly values: readonly (readonly [number, string])[]
    }[]
  }
}

interface Exemplars {
  readonly data: readonly { readonly exemplars: readonly { readonly timestamp: number }[] }[]
}

function requestOf(protocol: SampleProtocol, cluster: string, step: number, baseMs: number): Request {
  const series = Array.from({ length: SERIES }, (_, i) => ({
    labels: { __name__: 'chaos', cluster, series: String(i) },
    samples: [{ timeMs: baseMs + step * STEP_MS, value: valueAt(step, i) }],
  }))
  switch (protocol) {
    case 'write1':
      return {
        path: '/api/v1/write',
        body: writeBody(series),
        headers: {
          'content-type': 'application/x-protobuf',
          'content-encoding': 'snappy',
          'x-prometheus-remote-write-version': '0.1.0',
        },
      }
    case 'write2':
      return {
        path: '/api/v1/write',
        body: encodeSnappy(
          encodeWriteRequestV2(series.map(({ labels, samples }) => ({ labels: Labels.of(labels), samples }))),
        ),
        headers: {
          'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
          'content-encoding': 'snappy',
          'x-prometheus-remote-write-version': '2.0.0',
        },
      }
    case 'otlp':
      return {
        path: '/v1/metrics',
        body: encodeRequestProtobuf(metricsOf(cluster, step, baseMs)),
        headers: { 'content-type': 'application/x-protobuf' },
      }
  }
}

/** Exemplars of one series are limited: as many series take turns as a long run needs. */
const EXEMPLAR_SERIES = 200

function metricsOf(cluster: string, step: number, baseMs: number): MetricsRequest {
  const timeMs = baseMs + step * STEP_MS
  const point = { startMs: 0, timeMs, isStale: false }
  const buckets = { offset: 0, counts: [step] }
  const none = { offset: 0, counts: [] }
  const metric = { description: '', unit: '' }
  return {
    resources: [
      {
        attributes: [{ key: 'cluster', value: cluster }],
        scopes: [
          {
            scope: { name: '', version: '', attributes: [], schemaUrl: '' },
            metrics: [
              {
                ...metric,
                name: 'chaos',
                data: {
                  kind: 'gauge',
                  points: Array.from({ length: SERIES }, (_, i) => ({
                    ...point,
                    attributes: [{ key: 'series', value: String(i) }],
                    value: valueAt(step, i),
                  })),
                },
              },
              {
                ...metric,
                name: 'chaos_histogram',
                data: {
                  kind: 'exponential_histogram',
                  temporality: 'cumulative',
                  points: [
                    {
                      ...{ ...point, attributes: [], count: step, sum: step, scale: 0, zeroCount: 0, zeroThreshold: 0 },
                      ...{ positive: buckets, negative: none },
                    },
                  ],
                },
              },
              {
                ...metric,
                name: 'chaos_requests',
                data: {
                  ...{ kind: 'sum', isMonotonic: true, temporality: 'cumulative' },
                  points: [
                    {
                      ...{
                        ...point,
                        attributes: [{ key: 'series', value: String(step % EXEMPLAR_SERIES) }],
                        value: step,
                      },
                      exemplars: [{ attributes: [], timeMs, value: step, traceId: traceIdAt(step), spanId: '' }],
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
    pointCount: SERIES + 2,
    exemplarCount: 1,
  }
}
