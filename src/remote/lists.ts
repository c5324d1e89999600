/** Series, labels, values, exemplars and metadata of the store, as the Prometheus API lists them. */
import type { Exemplar, ExemplarSeries } from '../model/exemplar.ts'
import { Labels } from '../model/labels.ts'
import { METRIC_TYPES, type MetricFamily, type MetricMetadata } from '../model/metadata.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Selectors } from '../promql/query-engine.ts'
import type { AnswerItems } from './answer-reader.ts'
import type { RemoteRequest } from './client.ts'
import { JsonStreamError } from './json-stream.ts'
import { selectorText } from './matchers-text.ts'
import { seconds } from './push.ts'
import type { RemoteStore } from './remote-store.ts'
import { NoSuchAddress } from './store-failure.ts'

type Caller = Pick<RemoteRequest, 'lane' | 'signal' | 'timeoutMs'>

/** Within what stores read as a time; 9999-12-31. */
const [OLDEST_MS, NEWEST_MS] = [0, 253_402_300_799_000]

export async function listSeries(
  store: RemoteStore,
  selectors: Selectors,
  range: TimeRange,
  caller: Caller,
): Promise<readonly Labels[]> {
  const found: Labels[] = []
  await list(
    store,
    { ...caller, method: 'POST', path: '/api/v1/series', params: paramsOf(selectors, range) },
    {
      labels: (labels) => found.push(labels),
    },
  )
  return found
}

/** No selector: of all series. */
export async function listLabelNames(
  store: RemoteStore,
  selectors: Selectors,
  range: TimeRange,
  caller: Caller,
): Promise<readonly string[]> {
  const found: string[] = []
  await list(
    store,
    { ...caller, method: 'POST', path: '/api/v1/labels', params: paramsOf(selectors, range) },
    {
      text: (text) => found.push(text),
    },
  )
  return found
}

/** No selector: of all series. */
export async function listLabelValues(
  store: RemoteStore,
  name: string,
  selectors: Selectors,
  range: TimeRange,
  caller: Caller,
): Promise<readonly string[]> {
  // Prometheus 3 reads names beyond the classic characters in this form only.
  const path = `/api/v1/label/${/^[A-Za-z_]\w*$/.test(name) ? name : escapedName(name)}/values`
  const found: string[] = []
  await list(
    store,
    { ...caller, method: 'GET', path, params: paramsOf(selectors, range) },
    {
      text: (text) => found.push(text),
    },
  )
  return found
}

/** `U__` with each other character as its code between underscores, and underscores doubled. */
function escapedName(name: string): string {
  const escaped = Array.from(name, (char) => {
    if (char === '_') return '__'
    return /[A-Za-z0-9]/.test(char) ? char : `_${char.codePointAt(0)!.toString(16)}_`
  })
  return `U__${escaped.join('')}`
}

export async function listExemplars(
  store: RemoteStore,
  selectors: Selectors,
  range: TimeRange,
  caller: Caller,
): Promise<readonly ExemplarSeries[]> {
  const { start, end } = timesOf(range)
  const params = new URLSearchParams({ query: selectors.map(selectorText).join(' or '), start, end })
  const found: ExemplarSeries[] = []
  const request = { ...caller, method: 'POST', path: '/api/v1/query_exemplars', params } as const
  await ifThere(list(store, request, { value: (value) => found.push(exemplarSeriesOf(value)) }))
  return found
}

export async function listMetadata(
  store: RemoteStore,
  name: string | undefined,
  caller: Caller,
): Promise<readonly MetricFamily[]> {
  const params = new URLSearchParams(name === undefined ? {} : { metric: name })
  const request = { ...caller, method: 'GET', path: '/api/v1/metadata', params } as const
  const { data } = (await ifThere(store.client.read(request, shape(store, {})))) ?? {}
  return Object.entries(data ?? {}).map(([family, all]) => ({ name: family, metadata: metadataOf(all) }))
}

/** `undefined`: the store does not have this list. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof NoSuchAddress) return undefined
    throw thrown
  }
}

function list(store: RemoteStore, request: RemoteRequest, items: AnswerItems): Promise<unknown> {
  return store.client.read(request, shape(store, items))
}

function shape({ options }: RemoteStore, items: AnswerItems) {
  return { list: 'data', items, seriesMax: options.seriesMax, samplesMax: options.samplesMax } as const
}

function paramsOf(selectors: Selectors, range: TimeRange): URLSearchParams {
  const params = new URLSearchParams(timesOf(range))
  for (const matchers of selectors) params.append('match[]', selectorText(matchers))
  return params
}

function timesOf({ fromMs, toMs }: TimeRange): { readonly start: string; readonly end: string } {
  return { start: seconds(Math.max(OLDEST_MS, fromMs)), end: seconds(Math.min(NEWEST_MS, toMs)) }
}

function exemplarSeriesOf(value: unknown): ExemplarSeries {
  const { seriesLabels, exemplars } = (value ?? {}) as { seriesLabels?: unknown; exemplars?: unknown }
  if (!Array.isArray(exemplars)) throw new JsonStreamError('a series has no exemplars')
  return { labels: labelsOf(seriesLabels), exemplars: exemplars.map(exemplarOf) }
}

function exemplarOf(value: unknown): Exemplar {
  const { labels, value: sample, timestamp } = (value ?? {}) as Record<string, unknown>
  const number = typeof sample === 'string' ? Number(sample.replace(/Inf$/, 'Infinity')) : sample
  if (typeof number !== 'number' || typeof timestamp !== 'number') {
    throw new JsonStreamError('an exemplar has no value or no time')
  }
  return { labels: labelsOf(labels), value: number, timeMs: Math.round(timestamp * 1000) }
}

function labelsOf(value: unknown): Labels {
  const pairs = Object.entries(value ?? {}) as [string, unknown][]
  return Labels.fromPairs(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

function metadataOf(value: unknown): readonly MetricMetadata[] {
  if (!Array.isArray(value)) return []
  return value.map((one) => {
    const { type, help, unit } = (one ?? {}) as Record<string, unknown>
    return {
      type: METRIC_TYPES.find((known) => known === type) ?? 'unknown',
      help: typeof help === 'string' ? help : '',
      unit: typeof unit === 'string' ? unit : '',
    }
  })
}
