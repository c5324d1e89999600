import { keepPreviousData, useQueries, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { DashboardAnswer, DashboardList } from '../../contract/dashboards.ts'
import type { QueryAnswer } from '../../contract/prometheus.ts'
import {
  ALL_VALUES,
  type DashboardModel,
  type ListVariable,
  type PrometheusQuery,
  type Variable,
} from '../../model/dashboard.ts'
import { interpolatePromql, type VariableValue, type VariableValues } from '../lib/dashboards/interpolate.ts'
import { builtIns, lastingValues, minStepOf, spanOf, type Span, type TimeRange } from '../lib/dashboards/time-range.ts'
import {
  chosenOf,
  dependenciesOf,
  inOrder,
  textValueOf,
  toOptions,
  valueOf,
  type Option,
} from '../lib/dashboards/variables.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchData, fetchJson, toFailure, type ApiFailure } from './fetch-json.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './live.ts'

export const DASHBOARDS_PATH = '/api/dashboards/v1'

export function dashboardApiPath(name: string): string {
  return `${DASHBOARDS_PATH}/${encodeURIComponent(name)}`
}

const LIST_POLL_MS = 60_000

export function useDashboards(): UseQueryResult<DashboardList> {
  return useApiAnswer<DashboardList>('dashboards', DASHBOARDS_PATH, { pollMs: LIST_POLL_MS })
}

export function useDashboard(name: string): UseQueryResult<DashboardAnswer, ApiFailure> {
  return useApiAnswer<DashboardAnswer>('dashboard', dashboardApiPath(name), { pollMs: LIST_POLL_MS })
}

/** What the requests of a dashboard's panels have in common. */
export interface PanelContext {
  readonly dashboard: Pick<DashboardModel, 'name' | 'project'>
  readonly range: TimeRange
  readonly values: VariableValues
  /** 0: none. */
  readonly refreshSeconds: number
}

/** The limit of series of one query; the server reports when there are more. */
const SERIES_MAX: Readonly<Record<PanelShape, number>> = { range: 500, latest: 500, instant: 5000 }

export interface PanelAnswers {
  readonly span: Span
  /** The PromQL of each query with its variables replaced, and the request. */
  readonly requests: readonly { readonly expr: string; readonly path: string }[]
  readonly answers: readonly (QueryAnswer | undefined)[]
  /** By query; `undefined` where there is an answer. */
  readonly failures: readonly (ApiFailure | undefined)[]
}

/** `range`: over time. `latest`: over time, with the last step at the end itself. `instant`: only at the end. */
export type PanelShape = 'range' | 'latest' | 'instant'

/**
 * The answers of a panel's queries. The panel fails only when all queries fail.
 * @param isWanted false while the panel is not visible, or its variables are not known
 */
export function usePanelAnswers(
  queries: readonly PrometheusQuery[],
  context: PanelContext,
  shape: PanelShape,
  isWanted: boolean,
): UseQueryResult<PanelAnswers> {
  const at = useMoment()
  const { range, dashboard, values, refreshSeconds } = context
  const isLive = at === undefined && range.kind === 'last'
  const pollMs = usePollMs(PANEL_KEY, refreshSeconds * 1000)
  return useQuery({
    queryKey: [
      PANEL_KEY,
      questionsOf(queries, lastingValues(values)),
      shape,
      range,
      dashboard.name,
      dashboard.project,
      at,
    ],
    queryFn: ({ signal }) => askPanel(queries, context, shape, signal),
    enabled: isWanted && queries.length > 0,
    refetchInterval: isLive && refreshSeconds > 0 ? pollMs : false,
    refetchOnWindowFocus: isLive && refreshSeconds > 0,
    placeholderData: keepPreviousData,
    // Comparing thousands of points costs more than drawing them.
    structuralSharing: false,
    staleTime: isLive ? 0 : Infinity,
  })
}

/** The cache key: it depends on the variables that the queries use, and no others. */
function questionsOf(queries: readonly PrometheusQuery[], values: VariableValues): readonly unknown[] {
  return queries.map((query) => [interpolatePromql(query.expr, values), minStepOf(query, values), query.isInstant])
}

const PANEL_KEY = 'panel'
const VARIABLE_KEY = 'variable'

/** Refetches all of a dashboard. */
export function useRefresh(): () => void {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: [VARIABLE_KEY] })
    void client.invalidateQueries({ queryKey: [PANEL_KEY] })
  }
}

async function askPanel(
  queries: readonly PrometheusQuery[],
  { range, dashboard, values }: PanelContext,
  shape: PanelShape,
  signal: AbortSignal,
): Promise<PanelAnswers> {
  const minSteps = queries.map((query) => minStepOf(query, values))
  const isOfNow = shape !== 'range' || queries.every(({ isInstant }) => isInstant)
  const span = spanOf(range, serverNowMs(), Math.max(0, ...minSteps), isOfNow ? 'now' : 'step')
  const requests = queries.map(({ expr: text, isInstant }, i) => {
    const expr = interpolatePromql(text, new Map([...values, ...builtIns(span, dashboard, minSteps[i])]))
    return { expr, path: queryPath(expr, span, isInstant ? 'instant' : shape) }
  })
  const settled = await Promise.allSettled(requests.map(({ path }) => fetchJson<QueryAnswer>(path, signal)))
  const failures = settled.map((one) => (one.status === 'rejected' ? toFailure(one.reason) : undefined))
  const [first] = failures
  if (first !== undefined && failures.every((failure) => failure !== undefined)) throw first
  return {
    span,
    requests,
    answers: settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)),
    failures,
  }
}

function queryPath(query: string, { startSeconds, endSeconds, stepSeconds }: Span, shape: PanelShape): string {
  const limit = String(SERIES_MAX[shape])
  if (shape === 'instant') {
    return `/api/v1/query?${new URLSearchParams({ query, time: String(endSeconds), limit }).toString()}`
  }
  const times = { start: String(startSeconds), end: String(endSeconds), step: String(stepSeconds) }
  return `/api/v1/query_range?${new URLSearchParams({ query, ...times, limit }).toString()}`
}

export interface VariableState {
  readonly variable: Variable
  readonly options: readonly Option[]
  /** From the address: values, or the word for all of them. */
  readonly chosen: readonly string[]
  readonly isLoading: boolean
  readonly failure: ApiFailure | undefined
}

export interface Variables {
  readonly states: readonly VariableState[]
  /** Without unknown values: queries that need one wait. */
  readonly values: VariableValues
  /** Variables that depend on each other in a ring have no value. */
  readonly ring: readonly string[]
}

const VARIABLE_STALE_MS = 60_000

/** All variables of a dashboard, each requested when its dependencies are known. */
export function useVariables(model: DashboardModel, search: URLSearchParams, range: TimeRange): Variables {
  const client = useQueryClient()
  const at = useMoment()
  const { ordered, ring } = inOrder(model.variables)
  const span = spanOf(range, serverNowMs(), 0, 'now')
  const values = new Map<string, VariableValue>(builtIns(span, model))
  const asks: { readonly variable: ListVariable; readonly key: readonly unknown[]; readonly path: string }[] = []
  const found = new Map<string, readonly Option[]>()
  for (const variable of ordered) {
    if (variable.kind === 'text') {
      values.set(variable.name, textValueOf(variable, search))
      continue
    }
    const path = ring.includes(variable.name) ? undefined : optionsPath(variable, values, model)
    // The time changes with every render: it is in the path and not in the key.
    const what = path === undefined ? undefined : optionsPath(variable, lastingValues(values), model)
    const key = [VARIABLE_KEY, model.name, variable.name, what, range, at]
    if (path !== undefined) asks.push({ variable, key, path: withTimes(path, span) })
    const raw =
      variable.source.kind === 'static'
        ? variable.source.values
        : path === undefined
          ? undefined
          : client.getQueryData<readonly Option[]>(key)
    const options = raw === undefined ? undefined : toOptions(raw, variable)
    if (options !== undefined) found.set(variable.name, options)
    const chosen = chosenOf(variable, search, options ?? [])
    const needsOptions = chosen.length === 0 || (chosen.includes(ALL_VALUES) && variable.customAllValue === '')
    if (options !== undefined || !needsOptions) values.set(variable.name, valueOf(variable, chosen, options ?? []))
  }
  const results = useQueries({
    queries: asks.map(({ variable, key, path }) => ({
      queryKey: key,
      queryFn: ({ signal }: { signal: AbortSignal }) => askOptions(variable, path, signal),
      staleTime: VARIABLE_STALE_MS,
    })),
  })
  const states = model.variables.map((variable): VariableState => {
    const i = asks.findIndex((ask) => ask.variable === variable)
    const result = results[i]
    const options = found.get(variable.name) ?? []
    return {
      variable,
      options,
      chosen:
        variable.kind === 'text' ? (values.get(variable.name)?.values ?? []) : chosenOf(variable, search, options),
      isLoading: result?.isPending ?? false,
      failure: result?.error === null || result === undefined ? undefined : toFailure(result.error),
    }
  })
  return { states, values, ring }
}

/** `undefined` while a dependency is not known, and for static values. */
function optionsPath(variable: ListVariable, values: VariableValues, model: DashboardModel): string | undefined {
  const names = new Set(model.variables.map(({ name }) => name))
  if (dependenciesOf(variable).some((name) => names.has(name) && !values.has(name))) return undefined
  const filled = (text: string): string => interpolatePromql(text, values)
  const { source } = variable
  switch (source.kind) {
    case 'static':
    case 'unknown':
      return undefined
    case 'label-values':
      return `/api/v1/label/${encodeURIComponent(filled(source.labelName))}/values?${matchParams(source.matchers.map(filled))}`
    case 'label-names':
      return `/api/v1/labels?${matchParams(source.matchers.map(filled))}`
    case 'promql':
      return `/api/v1/query?${new URLSearchParams({ query: filled(source.expr) }).toString()}`
  }
}

function matchParams(matchers: readonly string[]): string {
  return new URLSearchParams(matchers.map((matcher) => ['match[]', matcher])).toString()
}

function withTimes(path: string, { startSeconds, endSeconds }: Span): string {
  const times = path.startsWith('/api/v1/query?') ? { time: endSeconds } : { start: startSeconds, end: endSeconds }
  const text = Object.entries(times).map(([name, seconds]) => `${name}=${seconds}`)
  return `${path}${path.endsWith('?') ? '' : '&'}${text.join('&')}`
}

async function askOptions({ source }: ListVariable, path: string, signal: AbortSignal): Promise<readonly Option[]> {
  if (source.kind !== 'promql') {
    return (await fetchData<readonly string[]>(path, signal)).map((value) => ({ value, label: value }))
  }
  const { data } = await fetchJson<QueryAnswer>(path, signal)
  const series = data.resultType === 'vector' ? data.result : []
  return series.flatMap(({ metric, value }) => {
    const text = source.labelName === '' ? (value?.[1] ?? '') : (metric[source.labelName] ?? '')
    return text === '' ? [] : [{ value: text, label: text }]
  })
}
