import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { searchOf, withSearch } from '../lib/address.ts'
import { lengthOf } from '../lib/dashboards/time-range.ts'
import { emptyReasons, matches, selectorText } from '../lib/promql/empty-reason.ts'
import type { EmptyReason, LabelFacts, SelectorFacts } from '../lib/promql/empty-reason.ts'
import { selectorsIn } from '../lib/promql/selectors.ts'
import type { MatcherPart, SelectorPart } from '../lib/promql/selectors.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { labelInPath, NAMES_PATH } from './use-metrics.ts'
import type { AskedQuery } from './use-query-answers.ts'

/** Selectors that are looked into: a query of more is long, and its first ones tell enough. */
const SELECTORS_MAX = 4
const VALUES_MAX = 1000

/** Why a query answers nothing, found out by asking the server about each of its selectors. */
export function useEmptyReasons({ expr, range }: AskedQuery): UseQueryResult<readonly EmptyReason[]> {
  return useQuery({
    queryKey: ['promql-empty', expr, range],
    queryFn: async ({ signal }) => {
      const ask = <T>(path: string): Promise<T> => fetchData<T>(path, signal)
      const endMs = range.kind === 'between' ? range.toMs : serverNowMs()
      const time = { start: String(endMs / 1000 - lengthOf(range)), end: String(endMs / 1000) }
      const selectors = selectorsIn(expr).slice(0, SELECTORS_MAX)
      const facts = await Promise.all(selectors.map((selector) => factsOf(selector, time, ask)))
      const names = facts.some(({ isMetricStored }) => !isMetricStored) ? await ask<readonly string[]>(NAMES_PATH) : []
      return emptyReasons(expr, facts, names)
    },
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  })
}

type Ask = <T>(path: string) => Promise<T>

async function fetchData<T>(path: string, signal: AbortSignal): Promise<T> {
  return (await fetchJson<{ readonly data: T }>(path, signal)).data
}

/** Each question is asked only when the one before says no. */
async function factsOf(
  selector: SelectorPart,
  time: Readonly<Record<string, string>>,
  ask: Ask,
): Promise<SelectorFacts> {
  const { metric, matchers } = selector
  const has = async (text: string, within: Readonly<Record<string, string>>): Promise<boolean> => {
    const path = withSearch('/api/v1/series', searchOf({ 'match[]': text, limit: '1', ...within }))
    return (await ask<readonly unknown[]>(path)).length > 0
  }
  const known = { selector, isInTime: false, isStored: true, isMetricStored: true, values: [] }
  const text = selectorText(metric, matchers)
  if (await has(text, time)) return { ...known, isInTime: true }
  if (await has(text, {})) return known
  const own = selectorText(metric, [])
  if (metric !== '' && matchers.length > 0 && !(await has(own, {}))) {
    return { ...known, isStored: false, isMetricStored: false }
  }
  if (matchers.length === 0) return { ...known, isStored: false, isMetricStored: false }
  const values = await Promise.all(
    // What may be absent is not what is missing.
    matchers.filter((matcher) => !matches(matcher, '')).map((matcher) => valuesOf(matcher, own, ask)),
  )
  return { ...known, isStored: false, values }
}

async function valuesOf(matcher: MatcherPart, ofMetric: string, ask: Ask): Promise<LabelFacts> {
  const search = searchOf({ 'match[]': ofMetric, limit: String(VALUES_MAX) })
  const values = await ask<readonly string[]>(withSearch(`/api/v1/label/${labelInPath(matcher.name)}/values`, search))
  return { matcher, values }
}
