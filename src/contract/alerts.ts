import { Type, type Static } from 'typebox'
import { AlertMarks } from './alert-marks.ts'
import { SampleValue } from './sample-value.ts'

/** `/api/fleet/v1/alerts`: every alert of the fleet with what a person needs beside its labels. */

export const AlertItem = Type.Object({
  fingerprint: Type.String(),
  alertname: Type.String(),
  /** The cluster key, or the empty string when the series carried no identity. */
  cluster: Type.String(),
  severity: Type.Union([Type.Literal('critical'), Type.Literal('warning'), Type.Literal('info'), Type.Literal('none')]),
  /** What it does to the operator; independent of severity. */
  healthImpact: Type.Union([Type.Literal('critical'), Type.Literal('warning'), Type.Literal('none')]),
  state: Type.Union([Type.Literal('pending'), Type.Literal('firing'), Type.Literal('resolved')]),
  activeAtMs: Type.Number(),
  firedAtMs: Type.Optional(Type.Number()),
  resolvedAtMs: Type.Optional(Type.Number()),
  value: SampleValue,
  labels: Type.Record(Type.String(), Type.String()),
  annotations: Type.Record(Type.String(), Type.String()),
  rule: Type.Object({
    group: Type.String(),
    file: Type.String(),
    expr: Type.String(),
    forMs: Type.Number(),
    keepFiringForMs: Type.Number(),
  }),
  /** Name of the runbook page, absent when no page has the alert's name. */
  runbook: Type.Optional(Type.String()),
  /** `external`: somebody POSTed it, such as a cluster's own Prometheus; `rule.expr` is empty then. Absent means `rule`. */
  source: Type.Optional(Type.Union([Type.Literal('rule'), Type.Literal('external')])),
  /** Where an external alert comes from, its `generatorURL`. */
  generatorUrl: Type.Optional(Type.String()),
  /** Absent before the first look at it. */
  marks: Type.Optional(AlertMarks),
})
export type AlertItem = Static<typeof AlertItem>

export const AlertItems = Type.Object({
  asOfMs: Type.Number(),
  alerts: Type.Array(AlertItem),
  /** Rules that could not be evaluated last time: the list may be incomplete, and says so. */
  failing: Type.Array(Type.Object({ group: Type.String(), rule: Type.String(), error: Type.String() })),
})
export type AlertItems = Static<typeof AlertItems>
