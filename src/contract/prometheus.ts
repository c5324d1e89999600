import { Type, type TSchema } from 'typebox'
import type { Shape } from './common.ts'

/** Prometheus' answers, as its clients read them (HTTP API v1). Values are strings, times are seconds. */

const Envelope = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    data,
    warnings: Type.Optional(Type.Array(Type.String())),
    infos: Type.Optional(Type.Array(Type.String())),
  })

export const PrometheusError = Type.Object({
  status: Type.Literal('error'),
  errorType: Type.String(),
  error: Type.String(),
})
export type PrometheusError = Shape<typeof PrometheusError>

const LabelSet = Type.Record(Type.String(), Type.String())
/** Seconds since the epoch with a fraction, and the value as text (`NaN`, `+Inf`). */
const Point = Type.Tuple([Type.Number(), Type.String()])
/** A native histogram: values are strings, buckets from the lowest up, without empty ones. */
const SampleHistogram = Type.Object({
  count: Type.String(),
  sum: Type.String(),
  buckets: Type.Optional(
    Type.Array(
      Type.Tuple([
        /** 0: only the upper bound is inclusive; 1: only the lower; 2: neither; 3: both. */
        Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
        Type.String(),
        Type.String(),
        Type.String(),
      ]),
    ),
  ),
})
const HistogramPoint = Type.Tuple([Type.Number(), SampleHistogram])

/** A sample is a `value` or a `histogram`; a series has `values`, `histograms`, or both. */
export const QueryData = Type.Union([
  Type.Object({ resultType: Type.Literal('scalar'), result: Point }),
  Type.Object({ resultType: Type.Literal('string'), result: Point }),
  Type.Object({
    resultType: Type.Literal('vector'),
    result: Type.Array(
      Type.Object({ metric: LabelSet, value: Type.Optional(Point), histogram: Type.Optional(HistogramPoint) }),
    ),
  }),
  Type.Object({
    resultType: Type.Literal('matrix'),
    result: Type.Array(
      Type.Object({
        metric: LabelSet,
        values: Type.Optional(Type.Array(Point)),
        histograms: Type.Optional(Type.Array(HistogramPoint)),
      }),
    ),
  }),
])
export type QueryData = Shape<typeof QueryData>
export const QueryAnswer = Envelope(QueryData)
export type QueryAnswer = Shape<typeof QueryAnswer>

export const TextList = Envelope(Type.Array(Type.String()))
export const SeriesList = Envelope(Type.Array(LabelSet))

export const ExemplarList = Envelope(
  Type.Array(
    Type.Object({
      seriesLabels: LabelSet,
      exemplars: Type.Array(Type.Object({ labels: LabelSet, value: Type.String(), timestamp: Type.Number() })),
    }),
  ),
)

/** By metric family: the distinct metadata from senders, newest first. */
export const MetadataMap = Envelope(
  Type.Record(
    Type.String(),
    Type.Array(Type.Object({ type: Type.String(), help: Type.String(), unit: Type.String() })),
  ),
)

export const PrometheusAlert = Type.Object({
  labels: LabelSet,
  annotations: LabelSet,
  state: Type.Union([Type.Literal('pending'), Type.Literal('firing')]),
  activeAt: Type.String(),
  keepFiringSince: Type.Optional(Type.String()),
  /** `%e` style, as Prometheus prints it. */
  value: Type.String(),
})
export type PrometheusAlert = Shape<typeof PrometheusAlert>
export const AlertList = Envelope(Type.Object({ alerts: Type.Array(PrometheusAlert) }))

const RuleCommon = {
  name: Type.String(),
  query: Type.String(),
  labels: LabelSet,
  health: Type.Union([Type.Literal('ok'), Type.Literal('err'), Type.Literal('unknown')]),
  lastError: Type.Optional(Type.String()),
  evaluationTime: Type.Number(),
  lastEvaluation: Type.String(),
}
const PrometheusAlertingRule = Type.Object({
  ...RuleCommon,
  type: Type.Literal('alerting'),
  state: Type.Union([Type.Literal('inactive'), Type.Literal('pending'), Type.Literal('firing')]),
  /** Seconds. */
  duration: Type.Number(),
  keepFiringFor: Type.Number(),
  annotations: LabelSet,
  alerts: Type.Array(PrometheusAlert),
})
const PrometheusRecordingRule = Type.Object({ ...RuleCommon, type: Type.Literal('recording') })
export const PrometheusRuleGroup = Type.Object({
  name: Type.String(),
  file: Type.String(),
  interval: Type.Number(),
  limit: Type.Number(),
  evaluationTime: Type.Number(),
  lastEvaluation: Type.String(),
  rules: Type.Array(Type.Union([PrometheusAlertingRule, PrometheusRecordingRule])),
})
export type PrometheusRuleGroup = Shape<typeof PrometheusRuleGroup>
export const RuleList = Envelope(Type.Object({ groups: Type.Array(PrometheusRuleGroup) }))
