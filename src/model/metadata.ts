/** Metric types, as in Prometheus' `/api/v1/metadata`, in the order of remote write's numbers. */
export const METRIC_TYPES = [
  'unknown',
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'summary',
  'info',
  'stateset',
] as const

export type MetricType = (typeof METRIC_TYPES)[number]

export interface MetricMetadata {
  readonly type: MetricType
  readonly help: string
  readonly unit: string
}

/** The distinct metadata of one metric family, newest first: the clusters of a fleet run different versions. */
export interface MetricFamily {
  /** Without the suffixes of a histogram's or summary's series. */
  readonly name: string
  readonly metadata: readonly MetricMetadata[]
}

/** What senders append to the name of a family for its series. */
const SERIES_SUFFIX = /_(?:bucket|sum|count|total|created|info)$/

/** The families of which a series has the name, or the name with a suffix. Metadata is stored without its sender. */
export function familiesNamed(families: readonly MetricFamily[], names: readonly string[]): readonly MetricFamily[] {
  const shown = new Set(names.flatMap((name) => [name, name.replace(SERIES_SUFFIX, '')]))
  return families.filter(({ name }) => shown.has(name))
}
