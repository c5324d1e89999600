import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { DebugSeries } from '../../contract/debug.ts'
import type { KnownMetricItems } from '../../contract/metric-catalog.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { metricRows, selectorOf, type MetricMetadata, type MetricRow } from '../lib/metric-list.ts'
import { fetchData, fetchJson, toFailure } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'

/** Series with samples in this time before a moment count as sent at that moment. */
const BEFORE_MS = 3_600_000
const COUNTED_MAX = 1000
export const LIST_STALE_MS = 60_000

export const NAMES_PATH = '/api/v1/label/__name__/values'
export const METADATA_PATH = '/api/v1/metadata'
export const KNOWN_METRICS_PATH = '/api/fleet/v1/metrics'
const COUNTS_PATH = `/debug/series?top=${COUNTED_MAX}`

/** `said`: metadata from senders; `known`: the catalog; `counted`: numbers of series. */
export interface MissingPart {
  readonly part: 'said' | 'known' | 'counted'
  readonly reason: string
}

export interface MetricList {
  readonly rows: readonly MetricRow[]
  /** Parts that could not be loaded. */
  readonly missing: readonly MissingPart[]
  /** Only the largest metrics are counted. */
  readonly isCountCut: boolean
}

/** All metrics, at present or at the selected moment. Counts of series are of the present. */
export function useMetrics(): UseQueryResult<MetricList> {
  const moment = useMoment()
  return useQuery({
    queryKey: ['metrics', moment],
    queryFn: async ({ signal }): Promise<MetricList> => {
      const missing: MissingPart[] = []
      const orElse = async <T>(part: MissingPart['part'], path: string, empty: T): Promise<T> => {
        try {
          return await fetchJson<T>(path, signal)
        } catch (thrown) {
          signal.throwIfAborted()
          missing.push({ part, reason: toFailure(thrown).message })
          return empty
        }
      }
      const [names, metadata, known, counts] = await Promise.all([
        fetchData<readonly string[]>(inTime(NAMES_PATH, moment), signal),
        orElse<{ readonly data: Readonly<Record<string, readonly MetricMetadata[]>> }>('said', METADATA_PATH, {
          data: {},
        }),
        orElse<KnownMetricItems>('known', KNOWN_METRICS_PATH, { metrics: [] }),
        orElse<Pick<DebugSeries, 'metrics'>>('counted', COUNTS_PATH, {
          metrics: { count: 0, top: [], growing: [] },
        }),
      ])
      const seriesByName = new Map(counts.metrics.top.map(({ value, series }) => [value, series]))
      const rows = metricRows({ names, metadata: metadata.data, known: known.metrics, seriesByName })
      return { rows, missing, isCountCut: counts.metrics.count > counts.metrics.top.length }
    },
    staleTime: LIST_STALE_MS,
    refetchOnWindowFocus: false,
  })
}

export interface LabelValues {
  readonly label: string
  /** `undefined`: loading. */
  readonly values: readonly string[] | undefined
  /** There are more values. */
  readonly isCut: boolean
}

const VALUES_MAX = 1000

/** The labels of a metric's series. */
export function useMetricLabels(metric: string): UseQueryResult<readonly string[]> {
  const moment = useMoment()
  const path = labelsCall(metric, moment)
  return useQuery({
    queryKey: ['metric-labels', path],
    queryFn: async ({ signal }) => {
      const labels = await fetchData<readonly string[]>(path, signal)
      return labels.filter((label) => label !== '__name__')
    },
    staleTime: LIST_STALE_MS,
  })
}

/** The values of each label, in the order of the labels. */
export function useLabelValues(metric: string, labels: readonly string[]): readonly LabelValues[] {
  const moment = useMoment()
  return useQueries({
    queries: labels.map((label) => {
      const path = inTime(`/api/v1/label/${labelInPath(label)}/values`, moment, {
        'match[]': selectorOf(metric),
        limit: String(VALUES_MAX),
      })
      return {
        queryKey: ['metric-label-values', path],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          fetchJson<{ readonly data: readonly string[]; readonly warnings?: readonly string[] }>(path, signal),
        staleTime: LIST_STALE_MS,
      }
    }),
    combine: (results) =>
      results.map(({ data }, i) => ({
        label: labels[i] ?? '',
        values: data?.data,
        isCut: (data?.warnings ?? []).length > 0,
      })),
  })
}

export function labelsCall(metric: string, moment: string | undefined): string {
  return inTime('/api/v1/labels', moment, { 'match[]': selectorOf(metric) })
}

/** A request about the series sent at a moment; without one, about all that are stored. */
export function inTime(
  path: string,
  moment: string | undefined,
  search: Readonly<Record<string, string>> = {},
): string {
  const range =
    moment === undefined ? {} : { start: new Date(Date.parse(moment) - BEFORE_MS).toISOString(), end: moment }
  return withSearch(path, searchOf({ ...search, ...range }))
}

/** A label name in a path, as Prometheus escapes it. */
export function labelInPath(label: string): string {
  if (/^[A-Za-z_]\w*$/.test(label) && !label.startsWith('U__')) return label
  const escaped = label.replace(/[^A-Za-z0-9]/gu, (sign) =>
    sign === '_' ? '__' : `_${sign.codePointAt(0)!.toString(16)}_`,
  )
  return `U__${escaped}`
}
