/**
 * A store with the API of Prometheus over HTTP, in this process: the language of Prometheus 3, remote read, and answers that a test
 * replaces. What real Prometheus and VictoriaMetrics answer is tested with these (`pushdown.test.ts`).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answersOver } from '../../src/api/prometheus/query-answers.ts'
import { systemClock } from '../../src/base/clock.ts'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Matcher } from '../../src/model/matcher.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { bitsOf, isStaleAt } from '../../src/model/sample.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../src/promql/engine-options.ts'
import { parseSelector } from '../../src/promql/parse.ts'
import { NO_LAG, type Lag } from '../../src/remote/lag.ts'
import { REMOTE_STORE_DEFAULTS, type RemoteStoreOptions } from '../../src/remote/options.ts'
import { createRemoteEngine, type RemoteEngineParts } from '../../src/remote/remote-engine.ts'
import { RemoteStore } from '../../src/remote/remote-store.ts'
import { ProtobufReader, ProtobufWriter } from '../../src/wire/protobuf.ts'
import { encodeLabels, writeSample } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy, SnappyDecoder } from '../../src/wire/snappy.ts'
import { histogramBytes, sentOf } from '../support/histograms.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly params: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

export class FakeStore {
  readonly memory = new MemoryQueryable()
  readonly requests: SeenRequest[] = []
  /** In place of the usual answer, by path. */
  readonly answers = new Map<string, Answer>()
  readonly #server: Server
  url = ''

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response)
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The texts of the queries that it was sent, without those of the probe. */
  queries(): readonly string[] {
    return this.requests
      .filter(({ path, params }) => path.startsWith('/api/v1/query') && !isOfProbe(params))
      .map(({ params }) => params.get('query')!)
  }

  /** The last request to a path that is not of the probe. */
  lastTo(path: string): SeenRequest | undefined {
    return this.requests.filter((one) => one.path === path && !isOfProbe(one.params)).at(-1)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = new URL(request.url!, this.url)
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    const params = isForm ? new URLSearchParams(body.toString()) : url.searchParams
    const seen = { method: request.method!, path: url.pathname, params, headers: request.headers }
    this.requests.push(seen)
    const answer = isOfProbe(params) ? undefined : this.answers.get(url.pathname)
    if (answer !== undefined) {
      await answer(seen, response)
      return
    }
    try {
      const bytes = url.pathname === '/api/v1/read' ? this.#read(body) : await this.#api(seen)
      response.end(bytes)
    } catch (thrown) {
      if (!(thrown instanceof FleetError)) throw thrown
      response.statusCode = thrown.status
      response.end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: thrown.message }))
    }
  }

  async #api({ path, params }: SeenRequest): Promise<Uint8Array> {
    const options = { ...DEFAULT_ENGINE_OPTIONS, experimental: true }
    const engine = createLocalEngine({ queryable: this.memory, options, nowMs: () => 0 })
    const answers = answersOver(engine, Infinity)
    const ms = (name: string): number => Math.round(Number(params.get(name)) * 1000)
    const request = { limit: Infinity, stats: params.get('stats') ?? '', waitedMs: 0 }
    const lookback = params.get('lookback_delta')
    if (lookback !== null && Number.isNaN(Number(lookback)))
      throw new FleetError('bad_request', 'invalid lookback_delta')
    const counting = params.get('stats') === 'all' ? { countsSteps: true } : {}
    const more = { ...counting, ...(lookback === null ? {} : { lookbackMs: Number(lookback) * 1000 }) }
    const expr = params.get('query') ?? ''
    const selectors = params.getAll('match[]').map((text) => parseSelector(text))
    const range = { fromMs: ms('start'), toMs: ms('end') }
    const values = /^\/api\/v1\/label\/(.+)\/values$/.exec(path)
    const parts = async (): Promise<readonly Uint8Array[]> => {
      if (path === '/api/v1/query') return answers.instant({ expr, timeMs: ms('time'), ...more }, request)
      if (path === '/api/v1/query_range') {
        return answers.range({ expr, startMs: ms('start'), endMs: ms('end'), stepMs: ms('step'), ...more }, request)
      }
      if (path === '/api/v1/series') return answers.series(selectors, range, Infinity)
      if (path === '/api/v1/labels') return answers.labelNames(selectors, range, Infinity)
      if (values !== null) return answers.labelValues(values[1]!, selectors, range, Infinity)
      if (path === '/api/v1/status/buildinfo') return [Buffer.from('{"status":"success","data":{"version":"3.5.0"}}')]
      throw new FleetError('not_found', `no ${path}`)
    }
    return Buffer.concat(await parts())
  }

  #read(body: Buffer): Uint8Array {
    const request = new SnappyDecoder(1 << 20).decode(body)
    if (request.length === 0) return encodeSnappy(new Uint8Array(0))
    const { matchers, fromMs, toMs } = readRequestOf(request)
    const answer = new ProtobufWriter()
    const result = answer.open(1)
    for (const series of this.memory.select({ matchers, fromMs, toMs, maxSamples: Infinity })) {
      const one = answer.open(1)
      answer.raw(encodeLabels(series.labels))
      const bits = bitsOf(series.values)
      for (let i = 0; i < series.count; i++) {
        const histogram = series.histograms?.[i]
        const timeMs = series.timesMs[i]!
        if (histogram !== undefined) answer.bytes(4, histogramBytes(sentOf(histogram, timeMs)))
        else {
          const sample = answer.open(2)
          writeSample(answer, { timeMs, value: series.values[i]!, isStale: isStaleAt(bits, i) })
          answer.close(sample)
        }
      }
      answer.close(one)
    }
    answer.close(result)
    return encodeSnappy(answer.finish())
  }
}

function isOfProbe(params: URLSearchParams): boolean {
  return /daytwo_probe|^WITH |^vector\(1\)$|\(vector\(1\)\[/.test(`${params.get('query')}`)
}

const OPS = ['=', '!=', '=~', '!~'] as const

/** A ReadRequest with one query. */
function readRequestOf(bytes: Uint8Array): { matchers: Matcher[]; fromMs: number; toMs: number } {
  const reader = new ProtobufReader(bytes)
  reader.tag(bytes.length)
  const end = reader.lengthDelimitedEnd(bytes.length)
  const request = { matchers: [] as Matcher[], fromMs: 0, toMs: 0 }
  while (reader.position < end) {
    const field = reader.tag(end) >>> 3
    if (field === 1) request.fromMs = reader.int64(end)
    else if (field === 2) request.toMs = reader.int64(end)
    else {
      const matcherEnd = reader.lengthDelimitedEnd(end)
      let [op, name, value] = [0, '', '']
      while (reader.position < matcherEnd) {
        const part = reader.tag(matcherEnd) >>> 3
        if (part === 1) op = reader.varint32(matcherEnd)
        else {
          const textEnd = reader.lengthDelimitedEnd(matcherEnd)
          const text = Buffer.from(bytes.subarray(reader.position, textEnd)).toString()
          reader.position = textEnd
          if (part === 2) name = text
          else value = text
        }
      }
      request.matchers.push({ name, op: OPS[op]!, value })
    }
  }
  return request
}

export const NO_SERIES: Queryable = { select: () => [], series: () => [], labelNames: () => [], labelValues: () => [] }

export function storeAt(
  url: string,
  options: Partial<RemoteStoreOptions> = {},
  lagOf = (): Lag => NO_LAG,
): RemoteStore {
  return new RemoteStore({
    options: { ...REMOTE_STORE_DEFAULTS, url, ...options },
    nowMs: () => performance.now(),
    after: (delayMs, run) => systemClock.after(delayMs, run),
    lagOf,
  })
}

export function engineOver(
  store: RemoteStore,
  parts: Partial<RemoteEngineParts> = {},
  options: Partial<EngineOptions> = {},
) {
  return createRemoteEngine({
    ...{ store, facts: NO_SERIES, ownNames: [], buffer: NO_SERIES, hasHistograms: () => false, lane: 'requests' },
    ...{ options: { ...DEFAULT_ENGINE_OPTIONS, experimental: true, ...options }, nowMs: () => performance.now() },
    ...{ serverMetrics: new Set<string>(), ...parts },
  })
}

export const series = (name: string, labels: Readonly<Record<string, string>> = {}): Labels =>
  Labels.of({ __name__: name, ...labels })
