import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { searchOf, withSearch } from '../lib/address.ts'
import { lengthOf, type Span } from '../lib/dashboards/time-range.ts'
import {
  emptyReasons,
  matches,
  selectorText,
  sinceLastStep,
  type EmptyReason,
  type EmptyTime,
  type LabelFacts,
  type SelectorFacts,
} from '../lib/promql/empty-reason.ts'
import { selectorsIn, type MatcherPart, type SelectorPart } from '../lib/promql/selectors.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchData } from './fetch-json.ts'
import type { PanelShape } from './use-dashboards.ts'
import { labelInPath, NAMES_PATH } from './use-metrics.ts'
import type { QueryRequest } from './use-query-answers.ts'

/** Selectors that are checked; of a longer query the first are enough. */
const SELECTORS_MAX = 4
const VALUES_MAX = 1000

/** A longer step may have samples that no step sees. */
const LOOKBACK_SECONDS = 300
/** Parts of a query that read samples of another time than the step's. */
const OTHER_TIME = /\[|\boffset\b|@/

/**
 * Why the result of a query is empty, by requests about each of its selectors.
 * @param span of a graph; absent for an instant query
 */
export function useEmptyReasons({ expr, range }: QueryRequest, span?: Span): UseQueryResult<readonly EmptyReason[]> {
  return useQuery({
    queryKey: ['promql-empty', expr, range, span],
    queryFn: async ({ signal }) => {
      const ask = <T>(path: string): Promise<T> => fetchData<T>(path, signal)
      const endMs = range.kind === 'between' ? range.toMs : serverNowMs()
      const time = { start: String(endMs / 1000 - lengthOf(range)), end: String(endMs / 1000) }
      return reasonsOf({ expr, within: time, span }, 'range', ask)
    },
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  })
}

/** The requests of a panel without any result. */
export interface EmptyPanel {
  readonly exprs: readonly string[]
  readonly span: Span
  readonly shape: PanelShape
}

/** Why a panel is empty, without duplicates among its queries. */
export function useEmptyPanelReasons({ exprs, span, shape }: EmptyPanel): UseQueryResult<readonly EmptyReason[]> {
  return useQuery({
    queryKey: ['panel-empty', exprs, span, shape],
    queryFn: async ({ signal }) => {
      const ask = <T>(path: string): Promise<T> => fetchData<T>(path, signal)
      if (shape === 'range' && (await isSinceLastStep(exprs, span, ask))) return [sinceLastStep(span)]
      const time = shape === 'instant' ? 'end' : 'range'
      const { startSeconds, endSeconds } = span
      const start = shape === 'instant' ? endSeconds - LOOKBACK_SECONDS : startSeconds
      const within = { start: String(start), end: String(endSeconds) }
      const reasons = await Promise.all(exprs.map((expr) => reasonsOf({ expr, within, span }, time, ask)))
      return [...new Map(reasons.flat().map((reason) => [reason.text, reason])).values()]
    },
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
}

/** The last step of a graph of a month is hours ago: series that began later are not drawn. */
async function isSinceLastStep(exprs: readonly string[], { endSeconds }: Span, ask: Ask): Promise<boolean> {
  const nowSeconds = Math.floor(serverNowMs() / 1000)
  if (nowSeconds <= endSeconds) return false
  const answers = await Promise.all(
    exprs.map((query) => {
      const search = searchOf({ query, time: String(nowSeconds), limit: '1' })
      return ask<{ readonly result: readonly unknown[] }>(withSearch('/api/v1/query', search))
    }),
  )
  return answers.some(({ result }) => result.length > 0)
}

type Ask = <T>(path: string) => Promise<T>

interface EmptyQuery {
  readonly expr: string
  /** The time parameters in which samples count. */
  readonly within: Readonly<Record<string, string>>
  /** Of a range query. */
  readonly span: Span | undefined
}

async function reasonsOf(
  { expr, within, span }: EmptyQuery,
  time: EmptyTime,
  ask: Ask,
): Promise<readonly EmptyReason[]> {
  const selectors = selectorsIn(expr).slice(0, SELECTORS_MAX)
  const isBetween = time === 'range' && span !== undefined && span.stepSeconds > LOOKBACK_SECONDS
  const steps = isBetween && !OTHER_TIME.test(expr) ? span : undefined
  const facts = await Promise.all(selectors.map((selector) => factsOf(selector, within, steps, ask)))
  const names = facts.some(({ isMetricStored }) => !isMetricStored) ? await ask<readonly string[]>(NAMES_PATH) : []
  return emptyReasons(expr, facts, names, steps?.stepSeconds, time)
}

/** Each request is sent only when the one before finds nothing. */
async function factsOf(
  selector: SelectorPart,
  time: Readonly<Record<string, string>>,
  steps: Span | undefined,
  ask: Ask,
): Promise<SelectorFacts> {
  const { metric, matchers } = selector
  const has = async (text: string, within: Readonly<Record<string, string>>): Promise<boolean> => {
    const path = withSearch('/api/v1/series', searchOf({ 'match[]': text, limit: '1', ...within }))
    return (await ask<readonly unknown[]>(path)).length > 0
  }
  const known = { selector, isInTime: false, isAtSteps: true, isStored: true, isMetricStored: true, values: [] }
  const text = selectorText(metric, matchers)
  if (await has(text, time)) {
    return { ...known, isInTime: true, isAtSteps: steps === undefined || (await hasAtSteps(text, steps, ask)) }
  }
  if (await has(text, {})) return known
  const own = selectorText(metric, [])
  if (metric !== '' && matchers.length > 0 && !(await has(own, {}))) {
    return { ...known, isStored: false, isMetricStored: false }
  }
  if (matchers.length === 0) return { ...known, isStored: false, isMetricStored: false }
  const values = await Promise.all(
    // A matcher that matches an absent label is not the cause.
    matchers.filter((matcher) => !matches(matcher, '')).map((matcher) => valuesOf(matcher, own, ask)),
  )
  return { ...known, isStored: false, values }
}

async function hasAtSteps(text: string, { startSeconds, endSeconds, stepSeconds }: Span, ask: Ask): Promise<boolean> {
  const search = searchOf({
    query: `count(${text})`,
    start: String(startSeconds),
    end: String(endSeconds),
    step: String(stepSeconds),
  })
  return (
    (await ask<{ readonly result: readonly unknown[] }>(withSearch('/api/v1/query_range', search))).result.length > 0
  )
}

async function valuesOf(matcher: MatcherPart, ofMetric: string, ask: Ask): Promise<LabelFacts> {
  const search = searchOf({ 'match[]': ofMetric, limit: String(VALUES_MAX) })
  const values = await ask<readonly string[]>(withSearch(`/api/v1/label/${labelInPath(matcher.name)}/values`, search))
  return { matcher, values }
}
