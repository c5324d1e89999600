/** How OTLP metrics become series. The first four are what stock receivers let people choose, with their defaults. */
export const OTLP_STRATEGIES = [
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation',
] as const
export type OtlpStrategy = (typeof OTLP_STRATEGIES)[number]

export interface OtlpOptions {
  /** How metric and label names are written; named as Prometheus' `otlp.translation_strategy`. */
  readonly strategy: OtlpStrategy
  /** Resource attributes that become labels of every series, by their OTLP names. Those that name the cluster always do. */
  readonly promoteAttributes: readonly string[]
  /** Whether series carry `otel_scope_name` and what else is known of the instrumentation scope. */
  readonly promoteScope: boolean
  /** Streams of delta points whose sums are kept; inclusive. One more is refused as `delta_limit`. */
  readonly deltaStreamsMax: number
  /** A delta stream that was silent for this long may be forgotten when there is no room, and then counts from 0 again. */
  readonly deltaIdleMs: number
  /** Streams recognised without making their labels anew; half of them go when there are this many. */
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
