/** A query that the store answers as a whole. */
import type { Cancellation } from '../base/cancellation.ts'
import { Labels } from '../model/labels.ts'
import type { Expr } from '../promql/ast.ts'
import { typeOf } from '../promql/check.ts'
import type {
  InstantQuery,
  MatrixSeries,
  QueryResult,
  QueryValue,
  RangeQuery,
  StepCount,
} from '../promql/query-engine.ts'
import type { AnsweredSeries, AnswerFrame } from './answer-reader.ts'
import type { RemoteLane } from './client.ts'
import { STORE_LOOKBACK_MS } from './plan.ts'
import type { RemoteStore } from './remote-store.ts'
import { matrixOf, textsOf, valueOf } from './result-reader.ts'
import type { StoreTraits } from './traits.ts'

/** Prometheus refuses a range query with more steps; a longer one is sent in parts. */
export const STEPS_MAX = 11_000

export interface PushedQuery {
  readonly query: InstantQuery | RangeQuery
  readonly expr: Expr
  /** The text for the store. */
  readonly text: string
  readonly traits: StoreTraits
  readonly lookbackMs: number
  readonly timeoutMs: number
  readonly samplesMax: number
  readonly lane: RemoteLane
  readonly signal: Cancellation | undefined
}

export type PushedResult = Pick<QueryResult, 'value' | 'warnings' | 'infos'> & {
  readonly samplesRead: number
  readonly seriesRead: number
  readonly samplesByStep?: readonly StepCount[]
}

export async function push(store: RemoteStore, pushed: PushedQuery): Promise<PushedResult> {
  const { query } = pushed
  if ('timeMs' in query) {
    const { series, frame } = await send(store, pushed, '/api/v1/query', { time: seconds(query.timeMs) })
    return resultOf(valueOf(typeOf(pushed.expr), query.timeMs, series, frame), series, [frame])
  }
  const { startMs, endMs, stepMs } = query
  const parts: AnsweredSeries[][] = []
  const frames: AnswerFrame[] = []
  for (let fromMs = startMs; fromMs <= endMs; fromMs += STEPS_MAX * stepMs) {
    const toMs = Math.min(endMs, fromMs + (STEPS_MAX - 1) * stepMs)
    const times = { start: seconds(fromMs), end: seconds(toMs), step: seconds(stepMs) }
    const { series, frame } = await send(store, pushed, '/api/v1/query_range', times)
    parts.push(series)
    frames.push(frame)
  }
  const series = parts.length === 1 ? parts[0]! : joinedParts(parts)
  const value = matrixOf(typeOf(pushed.expr) === 'scalar' ? [scalarSeriesOf(query, series)] : series)
  return resultOf(value, series, frames)
}

/** A scalar has a value at each step. VictoriaMetrics omits NaN. */
function scalarSeriesOf({ startMs, endMs, stepMs }: RangeQuery, series: readonly AnsweredSeries[]): AnsweredSeries {
  const steps = Math.floor((endMs - startMs) / stepMs) + 1
  const timesMs = Float64Array.from({ length: steps }, (_, i) => startMs + i * stepMs)
  const values = new Float64Array(steps).fill(NaN)
  for (const one of series) {
    one.timesMs.forEach((timeMs, i) => {
      values[Math.round((timeMs - startMs) / stepMs)] = one.values[i]!
    })
  }
  return { labels: Labels.EMPTY, timesMs, values, histogramTimesMs: [], histograms: [] }
}

async function send(
  store: RemoteStore,
  { query, text, traits, lookbackMs, timeoutMs, samplesMax, lane, signal }: PushedQuery,
  path: string,
  times: Readonly<Record<string, string>>,
): Promise<{ readonly series: AnsweredSeries[]; readonly frame: AnswerFrame }> {
  const params = new URLSearchParams({ query: text, ...times, timeout: seconds(timeoutMs) })
  if (traits.lookbackParam !== undefined && (traits.isMetricsQl || lookbackMs !== STORE_LOOKBACK_MS)) {
    params.set(traits.lookbackParam, seconds(lookbackMs))
  }
  // VictoriaMetrics moves the times of a query that it may cache to multiples of the step, and hides the newest samples.
  if (traits.isMetricsQl) params.set('nocache', '1')
  if (query.countsSteps === true) params.set('stats', 'all')
  const series: AnsweredSeries[] = []
  const frame = await store.client.read(
    { method: 'POST', path, params, lane, timeoutMs, signal },
    {
      list: 'result',
      seriesMax: store.options.seriesMax,
      samplesMax,
      items: {
        series: (one) => {
          series.push(one)
        },
      },
    },
  )
  return { series, frame }
}

function resultOf(value: QueryValue, series: readonly AnsweredSeries[], frames: readonly AnswerFrame[]): PushedResult {
  const samplesRead = series.reduce((sum, { timesMs, histograms }) => sum + timesMs.length + histograms.length, 0)
  const samplesByStep = frames.flatMap(stepsOf)
  return {
    value,
    warnings: [...new Set(frames.flatMap(({ warnings }) => textsOf(warnings)))],
    infos: [...new Set(frames.flatMap(({ infos }) => textsOf(infos)))],
    samplesRead,
    seriesRead: series.length,
    ...(samplesByStep.length === 0 ? {} : { samplesByStep }),
  }
}

/** Prometheus' count of samples by step. */
function stepsOf({ data }: AnswerFrame): readonly StepCount[] {
  const { stats } = (data ?? {}) as { stats?: { samples?: { totalQueryableSamplesPerStep?: unknown } } }
  const steps = stats?.samples?.totalQueryableSamplesPerStep
  if (!Array.isArray(steps)) return []
  return steps.map((step) => {
    const [time, samples] = step as [number, number]
    return { timeMs: Math.round(time * 1000), samples }
  })
}

function joinedParts(parts: readonly (readonly AnsweredSeries[])[]): AnsweredSeries[] {
  const byKey = new Map<string, AnsweredSeries[]>()
  for (const one of parts.flat()) byKey.set(one.labels.key, [...(byKey.get(one.labels.key) ?? []), one])
  return Array.from(byKey.values(), (list) => ({
    labels: list[0]!.labels,
    timesMs: joined(list.map(({ timesMs }) => timesMs)),
    values: joined(list.map(({ values }) => values)),
    histogramTimesMs: list.flatMap(({ histogramTimesMs }) => histogramTimesMs),
    histograms: list.flatMap(({ histograms }) => histograms),
  }))
}

function joined(columns: readonly Float64Array[]): MatrixSeries['values'] {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const column of columns) {
    all.set(column, at)
    at += column.length
  }
  return all
}

/** Decimals of a second as the API reads them. */
export function seconds(ms: number): string {
  return String(ms / 1000)
}
