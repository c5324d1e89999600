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
