/**
 * Compares the answers of two servers at one moment of the past: instant and range queries over the metrics that the first
 * has, the lists of the fleet, its clusters, alerts and silences. Nothing that a server computes about the present is compared.
 */
import type { Server } from './prometheus-client.ts'
import { requestText } from './prometheus-client.ts'

/** About how many questions there are, where the server has as much to ask about. */
const QUESTIONS = 200
const METRICS_MAX = 60
const CLUSTERS_MAX = 30
const HOUR_MS = 3_600_000
const RANGE_MS = 6 * HOUR_MS
const STEP_SECONDS = 300

interface Difference {
  readonly path: string
  /** The beginning of both answers, from a little before the first difference. */
  readonly texts: readonly [string, string]
}

export interface Comparison {
  readonly asked: number
  readonly differences: readonly Difference[]
}

export interface ComparisonOptions {
  /** Of what is queried; by default all. */
  readonly hasMetrics?: boolean
  readonly hasFacts?: boolean
  /** One of them adds numbers in another order. */
  readonly isRounded?: boolean
}

/** @param one its metrics and clusters are asked about. Throws `NoAnswer` when one of them cannot be reached. */
export async function compareAnswers(
  one: Server,
  other: Server,
  atMs: number,
  { hasMetrics = true, hasFacts = true, isRounded = false }: ComparisonOptions = {},
): Promise<Comparison> {
  const all = await questionsOf(one, atMs)
  const isCompared = (path: string): boolean => {
    if (path.startsWith('/api/fleet/')) return hasFacts
    return hasMetrics && (hasFacts || !OF_FACTS.test(path))
  }
  const paths = all.filter(isCompared).slice(0, QUESTIONS)
  const differences: Difference[] = []
  for (const path of paths) {
    const [a, b] = await Promise.all([answerOf(one, path, atMs), answerOf(other, path, atMs)])
    if (!isAlike(a, b, isRounded))
      differences.push({ path, texts: fromDifference(JSON.stringify(a), JSON.stringify(b)) })
  }
  return { asked: paths.length, differences }
}

async function questionsOf(server: Server, atMs: number): Promise<readonly string[]> {
  const at = encodeURIComponent(new Date(atMs).toISOString())
  const clusters = spread(await clustersOf(server, at), CLUSTERS_MAX)
  const range = `fromMs=${atMs - 7 * 24 * HOUR_MS}&toMs=${atMs}&limit=1000`
  const since = encodeURIComponent(new Date(atMs - RANGE_MS).toISOString())
  const fleet = [
    ...['now', 'clusters', 'upgrades', 'stuck', 'edges', 'stranded', 'gates', 'modifications', 'alerts'].map(
      (list) => `/api/fleet/v1/${list}?at=${at}`,
    ),
    `/api/fleet/v1/alerts/history?${range}`,
    '/api/fleet/v1/silences',
    '/api/fleet/v1/decommissions',
    '/api/fleet/v1/readiness/acceptances',
    `/api/fleet/v1/logs?from=${since}&to=${at}&limit=100`,
    ...clusters.map((cluster) => `/api/fleet/v1/clusters/${encodeURIComponent(cluster)}?at=${at}`),
  ]
  const { data: metrics = [] } = (await answerOf(server, `/api/v1/label/__name__/values?${timesOf(atMs)}`, atMs)) as {
    readonly data?: readonly string[]
  }
  const asked = spread(metrics, METRICS_MAX)
  const perMetric = asked.flatMap((name) => metricQuestions(JSON.stringify(name), atMs))
  return [...fleet, ...perMetric]
}

function metricQuestions(name: string, atMs: number): readonly string[] {
  const selector = `{__name__=${name}}`
  const instant = [`count by (cluster) (${selector})`, `sum(${selector})`].map((query) => {
    return `/api/v1/query?${new URLSearchParams({ query, time: String(atMs / 1000) }).toString()}`
  })
  const ranges = [`sum by (cluster) (rate(${selector}[10m]))`, `count(${selector})`].map((query) => {
    return `/api/v1/query_range?${new URLSearchParams({ query, step: String(STEP_SECONDS) }).toString()}&${timesOf(atMs)}`
  })
  return [...instant, ...ranges]
}

function timesOf(atMs: number): string {
  return `start=${(atMs - RANGE_MS) / 1000}&end=${atMs / 1000}`
}

async function clustersOf(server: Server, at: string): Promise<readonly string[]> {
  const { text } = await requestText(server, `/api/fleet/v1/clusters?at=${at}&limit=1000`)
  const { clusters = [] } = JSON.parse(text) as { readonly clusters?: readonly { readonly cluster: string }[] }
  return clusters.map(({ cluster }) => cluster)
}

/** At most `max` of a list, evenly over all of it. */
function spread<T>(all: readonly T[], max: number): readonly T[] {
  const every = Math.max(1, all.length / max)
  return Array.from({ length: Math.min(all.length, max) }, (_, i) => all[Math.floor(i * every)]!)
}

async function answerOf(server: Server, path: string, atMs: number): Promise<unknown> {
  const { isOk, text } = await requestText(server, path)
  try {
    return { isOk, ...(asOf(JSON.parse(text), atMs) as object) }
  } catch {
    return { isOk, text }
  }
}

/** Metrics that servers compute from facts. */
const OF_FACTS = /__name__%3D%22daytwo_/

/** Fields of answers that are about the moment of the request. `hides`, `state`: of a silence, now. */
const PRESENT = new Set(['asOf', 'asOfMs', 'coverage', 'derivation', 'hides', 'state', 'knownFrom'])

/** An answer without what is about the present, and without what became of it after `atMs`. */
function asOf(value: unknown, atMs: number): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isLater(item, atMs)).map((item) => asOf(item, atMs))
  if (typeof value !== 'object' || value === null) return value
  const isSilence = 'matchers' in value && 'endsAtMs' in value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (PRESENT.has(key) && (isSilence || key !== 'state')) return []
      if (key === 'resolvedAtMs' && Number(item) > atMs) return []
      return [[key, asOf(item, atMs)]]
    }),
  )
}

/** A silence or declaration that was made or changed since. */
function isLater(item: unknown, atMs: number): boolean {
  if (typeof item !== 'object' || item === null) return false
  const { updatedAtMs, saidAt } = item as { readonly updatedAtMs?: number; readonly saidAt?: string }
  return (updatedAtMs ?? 0) > atMs || (saidAt !== undefined && Date.parse(saidAt) > atMs)
}

/** Sums of many numbers in another order differ in their last digits. */
const ROUNDING = 1e-9
/** Notes about the computation of a result. A server with a metrics store has notes that one without it does not have. */
const NOTES = new Set(['infos', 'warnings'])

/** Series may be listed in another order. */
function isAlike(a: unknown, b: unknown, isRounded: boolean): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const [left, right] = [sorted(a), sorted(b)]
    return left.length === right.length && left.every((item, i) => isAlike(item, right[i], isRounded))
  }
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const isCompared = ([key]: readonly [string, unknown]): boolean => !NOTES.has(key)
    const fieldsOf = (one: object): ReadonlyMap<string, unknown> => new Map(Object.entries(one).filter(isCompared))
    const [left, right] = [fieldsOf(a), fieldsOf(b)]
    return (
      left.size === right.size &&
      [...left].every(([key, item]) => right.has(key) && isAlike(item, right.get(key), isRounded))
    )
  }
  if (a === b) return true
  if (!isRounded) return false
  const [x, y] = [numberIn(a), numberIn(b)]
  return Math.abs(x - y) <= ROUNDING * Math.max(Math.abs(x), Math.abs(y))
}

/** Series by their labels; other lists have an order of their own. */
function sorted(list: readonly unknown[]): readonly unknown[] {
  const keyOf = (item: unknown): string | undefined =>
    typeof item === 'object' && item !== null && 'metric' in item
      ? JSON.stringify(Object.entries(item.metric as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : undefined
  if (list.some((item) => keyOf(item) === undefined)) return list
  return list
    .map((item) => ({ item, key: keyOf(item)! }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}

/** A number, or one as text; NaN: neither. */
function numberIn(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN
}

const SHOWN_CHARS = 120

function fromDifference(a: string, b: string): readonly [string, string] {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = Math.max(0, at - SHOWN_CHARS / 3)
  return [a.slice(from, from + SHOWN_CHARS), b.slice(from, from + SHOWN_CHARS)]
}
