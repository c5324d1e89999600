/**
 * What the store is: its product and version as far as it reports them, and what it does, by queries of which the answer is
 * known. Run at the start and when the store answers again after a failure: it may have been updated.
 */
import { FleetError } from '../base/errors.ts'
import { encodeSnappy } from '../wire/snappy.ts'
import type { AnswerItems } from './answer-reader.ts'
import type { RemoteClient, RemoteRequest } from './client.ts'
import { FEATURES, lackingFeatures, PROBED_METRIC } from './features.ts'
import { NoSuchAddress } from './store-failure.ts'
import type { Product, StoreTraits } from './traits.ts'

/** A time that is a multiple of a minute: subqueries have steps there. */
const PROBE_TIME_SECONDS = 1_600_000_020
const PROBE_TIMEOUT_MS = 10_000
/** A default of VictoriaMetrics (`-search.maxQueryLen`). */
const METRICSQL_BYTES_MAX = 16 * 1024

export async function probeStore(client: RemoteClient): Promise<StoreTraits> {
  const build = await buildOf(client)
  const isMetricsQl = await accepts(client, 'WITH (x = 1) x')
  const product = await productOf(client, build, isMetricsQl)
  const lacks = new Set(await lackingFeatures(FEATURES, (expr) => accepts(client, expr)))
  return {
    product,
    version: build.version,
    lacks,
    isMetricsQl,
    isLeftOpen: (await valueOf(client, 'count_over_time(vector(1)[2m:1m])')) === 2,
    lookbackParam: isMetricsQl ? 'max_lookback' : (await refusesLookback(client)) ? 'lookback_delta' : undefined,
    samplesFrom: await samplesFrom(client, isMetricsQl),
    queryBytesMax: isMetricsQl ? METRICSQL_BYTES_MAX : Infinity,
  }
}

interface Build {
  readonly application: string
  readonly version: string
}

async function buildOf(client: RemoteClient): Promise<Build> {
  const frame = await attempt(() => client.read(probe('GET', '/api/v1/status/buildinfo'), nothing()))
  const { application, version } = (frame?.data ?? {}) as { application?: unknown; version?: unknown }
  return {
    application: typeof application === 'string' ? application : '',
    version: typeof version === 'string' ? version : '',
  }
}

async function productOf(
  client: RemoteClient,
  { application, version }: Build,
  isMetricsQl: boolean,
): Promise<Product> {
  if (isMetricsQl) return 'VictoriaMetrics'
  if (/mimir|cortex/i.test(application)) return 'Mimir'
  // The version of Thanos is below 1, and only Thanos lists the stores that it queries.
  if (!version.startsWith('0.')) return 'Prometheus'
  return (await attempt(() => client.read(probe('GET', '/api/v1/stores'), nothing()))) === undefined
    ? 'Prometheus'
    : 'Thanos'
}

async function samplesFrom(client: RemoteClient, isMetricsQl: boolean): Promise<StoreTraits['samplesFrom']> {
  const drain = async (body: AsyncIterable<Uint8Array>): Promise<true> => {
    const chunks = body[Symbol.asyncIterator]()
    while ((await chunks.next()).done !== true);
    return true
  }
  if (isMetricsQl) {
    const params = new URLSearchParams({ 'match[]': PROBED_METRIC })
    const call = { ...probe('GET', '/api/v1/export'), params }
    return (await attempt(() => client.stream(call, drain))) === undefined ? 'ranges' : 'export'
  }
  const request = { ...probe('POST', '/api/v1/read'), ...READ_HEADERS, body: encodeSnappy(new Uint8Array(0)) }
  return (await attempt(() => client.stream(request, drain))) === undefined ? 'ranges' : 'read'
}

/** Of remote read 0.1.0. */
export const READ_HEADERS = {
  contentType: 'application/x-protobuf',
  headers: { 'content-encoding': 'snappy', 'x-prometheus-remote-read-version': '0.1.0' },
} as const

/** A store with the parameter refuses what is no duration. */
async function refusesLookback(client: RemoteClient): Promise<boolean> {
  return !(await accepts(client, 'vector(1)', { lookback_delta: 'x' }))
}

async function accepts(
  client: RemoteClient,
  expr: string,
  more: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  return (await attempt(() => client.read(instant(expr, more), nothing()))) !== undefined
}

/** The value of the only series; `undefined`: there is none. */
async function valueOf(client: RemoteClient, expr: string): Promise<number | undefined> {
  let value: number | undefined
  await attempt(() => client.read(instant(expr), nothing({ series: ({ values }) => (value = values[0]) })))
  return value
}

/** `undefined`: the store answered that it does not have this. Rejects when the store does not answer. */
async function attempt<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send()
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown
    if (thrown.code === 'query_execution' || thrown.code === 'query_limit') return undefined
    if (thrown instanceof NoSuchAddress) return undefined
    throw thrown
  }
}

function probe(method: 'GET' | 'POST', path: string): RemoteRequest {
  return { method, path, lane: 'requests', timeoutMs: PROBE_TIMEOUT_MS }
}

function instant(expr: string, more: Readonly<Record<string, string>> = {}): RemoteRequest {
  const params = new URLSearchParams({ query: expr, time: String(PROBE_TIME_SECONDS), ...more })
  return { ...probe('POST', '/api/v1/query'), params }
}

function nothing(items: AnswerItems = {}) {
  return { list: 'result', items, seriesMax: 1000, samplesMax: 1000 } as const
}
