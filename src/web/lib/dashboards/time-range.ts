import type { ViewField } from '../view-codec.ts'
import type { PrometheusQuery } from '../../../model/dashboard.ts'
import { formatDuration, parseDuration } from '../../../model/duration.ts'
import { stepFor } from '../chart-columns.ts'
import { interpolateText, type VariableValue, type VariableValues } from './interpolate.ts'

/** The time range of a dashboard: a length that ends now (or at the selected moment), or two moments. Pure. */

export type TimeRange =
  | { readonly kind: 'last'; readonly seconds: number }
  | { readonly kind: 'between'; readonly fromMs: number; readonly toMs: number }

export const RANGES = [
  { value: '15m', text: '15 min' },
  { value: '1h', text: '1 h' },
  { value: '6h', text: '6 h' },
  { value: '1d', text: '1 d' },
  { value: '7d', text: '7 d' },
  { value: '30d', text: '30 d' },
  { value: '90d', text: '90 d' },
] as const

export const REFRESHES = ['off', '10s', '30s', '1m', '5m', '15m'] as const

const LONGEST_SECONDS = 366 * 86_400
const SHORTEST_SECONDS = 10

/** `range=6h`, or `from` and `to` in milliseconds; by default and for invalid values the duration of the file. */
export function readTimeRange(search: URLSearchParams, durationSeconds: number): TimeRange {
  const [fromMs, toMs] = [Number(search.get('from') ?? NaN), Number(search.get('to') ?? NaN)]
  const lengthMs = toMs - fromMs
  if (Number.isInteger(fromMs) && lengthMs >= SHORTEST_SECONDS * 1000 && lengthMs <= LONGEST_SECONDS * 1000) {
    return { kind: 'between', fromMs, toMs }
  }
  const seconds = (parseDuration(search.get('range') ?? '') ?? 0) / 1000
  const isUsable = seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS
  return { kind: 'last', seconds: isUsable ? seconds : durationSeconds }
}

/** The parameters of a range. */
export function timeRangeSearch(range: TimeRange, durationSeconds: number): Readonly<Record<string, string>> {
  if (range.kind === 'between') return { from: String(range.fromMs), to: String(range.toMs), range: '' }
  const isOwn = range.seconds === durationSeconds
  return { from: '', to: '', range: isOwn ? '' : formatDuration(range.seconds * 1000) }
}

/** Seconds between refreshes; 0: none. */
export function readRefresh(search: URLSearchParams, refreshSeconds: number): number {
  const asked = search.get('refresh')
  if (asked === null) return refreshSeconds
  return asked === 'off' ? 0 : (parseDuration(asked) ?? refreshSeconds * 1000) / 1000
}

/** The range of a page in its address. */
export function rangeField(durationSeconds: number): ViewField<TimeRange> {
  return {
    read: (params) => readTimeRange(params, durationSeconds),
    write: (range) => timeRangeSearch(range, durationSeconds),
  }
}

/** Seconds between refreshes; by default there is none, so that nothing moves while it is read. */
export const refreshField: ViewField<number> = {
  read: (params) => readRefresh(params, 0),
  write: (seconds) => ({ refresh: seconds === 0 ? '' : formatDuration(seconds * 1000) }),
}

/**
 * Where the last step of a range is: at a multiple of the step, so that a refreshed graph keeps its points, or at the end
 * itself, for the present value. A step of a month's range is hours long.
 */
export type SpanEnd = 'step' | 'now'

/** A range in whole steps, for a request. Seconds since the epoch. */
export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly stepSeconds: number
}

/** @param chosenStepSeconds instead of the one that the length suggests */
export function spanOf(
  range: TimeRange,
  nowMs: number,
  minStepSeconds = 0,
  end: SpanEnd = 'step',
  chosenStepSeconds = 0,
): Span {
  const lengthSeconds = lengthOf(range)
  const stepSeconds = chosenStepSeconds || Math.max(stepFor(lengthSeconds), minStepSeconds)
  const toSeconds = range.kind === 'last' ? nowMs / 1000 : range.toMs / 1000
  const endSeconds = end === 'now' ? Math.floor(toSeconds) : Math.floor(toSeconds / stepSeconds) * stepSeconds
  return {
    startSeconds: endSeconds - Math.max(1, Math.floor(lengthSeconds / stepSeconds)) * stepSeconds,
    endSeconds,
    stepSeconds,
  }
}

/** Seconds. */
export function lengthOf(range: TimeRange): number {
  return range.kind === 'last' ? range.seconds : (range.toMs - range.fromMs) / 1000
}

/** Seconds; 0 when the text of a variable is no duration. */
export function minStepOf(
  { minStepSeconds, minStepText }: Pick<PrometheusQuery, 'minStepSeconds' | 'minStepText'>,
  values: VariableValues,
): number {
  if (minStepText === '') return minStepSeconds
  return (parseDuration(interpolateText(minStepText, values)) ?? 0) / 1000
}

/** The assumed scrape interval of a query without a minimum step. */
const SCRAPE_SECONDS = 60

/** Built-in variables that change every second. */
const OF_THE_MOMENT = new Set(['__from', '__to'])

/** The values without the time: the cache key of a request, which stays while time passes. */
export function lastingValues(values: VariableValues): VariableValues {
  return new Map([...values].filter(([name]) => !OF_THE_MOMENT.has(name)))
}

/**
 * The built-in variables. `$__rate_interval` spans at least four samples, and a step with one sample before it, as in
 * Perses and Grafana.
 */
export function builtIns(
  { startSeconds, endSeconds, stepSeconds }: Span,
  { name, project }: { readonly name: string; readonly project: string },
  minStepSeconds = 0,
): ReadonlyMap<string, VariableValue> {
  const rangeSeconds = Math.max(1, endSeconds - startSeconds)
  const scrapeSeconds = minStepSeconds || SCRAPE_SECONDS
  const texts = {
    __dashboard: name,
    __project: project,
    __from: String(startSeconds * 1000),
    __to: String(endSeconds * 1000),
    __interval: `${stepSeconds}s`,
    __interval_ms: String(stepSeconds * 1000),
    __rate_interval: `${Math.max(stepSeconds + scrapeSeconds, 4 * scrapeSeconds)}s`,
    __range: `${rangeSeconds}s`,
    __range_s: String(rangeSeconds),
    __range_ms: String(rangeSeconds * 1000),
  }
  return new Map(Object.entries(texts).map(([key, text]) => [key, { values: [text], isPattern: true }]))
}
