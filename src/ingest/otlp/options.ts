/** How OTLP metrics become series. The first four options exist in stock receivers, with the same defaults. */
export const OTLP_STRATEGIES = [
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation',
] as const
export type OtlpStrategy = (typeof OTLP_STRATEGIES)[number]

export interface OtlpOptions {
  /** The style of metric and label names, by the values of Prometheus' `otlp.translation_strategy`. */
  readonly strategy: OtlpStrategy
  /**
   * Resource attributes that become labels of every series, by their OTLP names. Those that name the cluster always do.
   */
  readonly promoteAttributes: readonly string[]
  /** Whether series carry `otel_scope_name` and other attributes of the instrumentation scope. */
  readonly promoteScope: boolean
  /** Limit for delta streams with sums; inclusive. Further ones are refused as `delta_limit`. */
  readonly deltaStreamsMax: number
  /** A delta stream silent for this long may be evicted when there is no room, and then counts from 0 again. */
  readonly deltaIdleMs: number
  /** Limit for cached streams; half of them are evicted when it is reached. */
  readonly streamsMax: number
  /** Of one histogram or summary point, and of one side of an exponential histogram; inclusive. */
  readonly bucketsMax: number
  /** Attributes of one request, of all levels together, and buckets of its exponential histograms; inclusive. */
  readonly attributesMax: number
}

export const OTLP_DEFAULTS: OtlpOptions = {
  strategy: 'UnderscoreEscapingWithSuffixes',
  promoteAttributes: [
    'k8s.cluster.uid',
    'k8s.cluster.name',
    'service.version',
    'k8s.namespace.name',
    'k8s.pod.name',
    'deployment.environment.name',
  ],
  promoteScope: false,
  deltaStreamsMax: 100_000,
  deltaIdleMs: 3_600_000,
  streamsMax: 400_000,
  bucketsMax: 1000,
  attributesMax: 2_000_000,
}
