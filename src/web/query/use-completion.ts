import { useMemo } from 'react'
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { PrometheusClient } from '@prometheus-io/codemirror-promql'
import { EqlRegex, EqlSingle, Neq, NeqRegex } from '@prometheus-io/lezer-promql'
import { selectorText } from '../lib/promql/empty-reason.ts'
import type { ReportedUnit } from '../lib/promql/guess-unit.ts'
import type { MatcherPart } from '../lib/promql/selectors.ts'
import type { MetricMetadata } from '../lib/metric-list.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import type { CheckQuery } from '../ui/promql-editor.tsx'
import { fetchData, fetchJson, toFailure } from './fetch-json.ts'
import { inTime, labelInPath, LIST_STALE_MS, METADATA_PATH, NAMES_PATH } from './use-metrics.ts'
import { useMoment } from './use-moment.ts'

/** Requests of the query editor: names for completion, and the check of a query. */

/** Longer lists are not useful: the reader types on. */
const VALUES_MAX = 2000

/** Empty lists after a failure: completion never blocks typing. */
export function useCompletion(): PrometheusClient {
  const client = useQueryClient()
  const moment = useMoment()
  return useMemo(() => completionOf(client, moment), [client, moment])
}

function completionOf(client: QueryClient, moment: string | undefined): PrometheusClient {
  const ask = async <T>(path: string, empty: T): Promise<T> => {
    try {
      return await client.query({
        queryKey: completionKey(path),
        queryFn: ({ signal }) => fetchData<T>(path, signal),
        staleTime: LIST_STALE_MS,
      })
    } catch {
      return empty
    }
  }
  return {
    metricNames: () => ask<string[]>(inTime(NAMES_PATH, moment), []),
    labelNames: (metric = '') =>
      ask<string[]>(inTime('/api/v1/labels', moment, metric === '' ? {} : { 'match[]': selectorText(metric, []) }), []),
    labelValues: (label, metric = '', matchers = []) => {
      const selector = completionSelector(label, metric, matchers)
      const search = { 'match[]': selector, limit: String(VALUES_MAX) }
      return ask<string[]>(inTime(`/api/v1/label/${labelInPath(label)}/values`, moment, search), [])
    },
    metricMetadata: () => ask<Metadata>(METADATA_PATH, {}),
    series: () => Promise.resolve([]),
    flags: () => Promise.resolve({}),
  }
}

type EditorMatchers = NonNullable<Parameters<PrometheusClient['labelValues']>[2]>

const OPERATORS = new Map<number, MatcherPart['operator']>([
  [EqlSingle, '='],
  [Neq, '!='],
  [EqlRegex, '=~'],
  [NeqRegex, '!~'],
])

/** The series that the other matchers of the selector leave. */
function completionSelector(label: string, metric: string, matchers: EditorMatchers): string {
  const others = matchers.flatMap(({ name, value, type }): readonly MatcherPart[] => {
    const operator = OPERATORS.get(type)
    return operator === undefined || name === label || name === '__name__' || value === ''
      ? []
      : [{ name, operator, value }]
  })
  return selectorText(metric, others)
}

/** The units that senders report for their metrics. */
export function useReportedUnits(): ReportedUnit {
  const { data } = useQuery({
    queryKey: completionKey(METADATA_PATH),
    queryFn: ({ signal }) => fetchData<Metadata>(METADATA_PATH, signal),
    staleTime: LIST_STALE_MS,
  })
  return (metric) => data?.[metric]?.[0]?.unit
}

type Metadata = Record<string, MetricMetadata[]>

function completionKey(path: string): readonly string[] {
  return ['completion', path]
}

/** The server's error about a text that the grammar accepts. */
export const checkQuery: CheckQuery = async (expr, signal) => {
  try {
    await fetchJson<unknown>(withSearch('/api/v1/parse_query', searchOf({ query: expr })), signal)
    return undefined
  } catch (thrown) {
    const failure = toFailure(thrown)
    return failure.status === 400 ? failure.message : undefined
  }
}
