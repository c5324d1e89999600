import { Type, type Static } from 'typebox'
import { AlertMarks } from './alert-marks.ts'
import { DeliveryItem } from './deliveries.ts'
import { MOMENT_PARAMS, PAST_FIELD } from './fleet-common.ts'
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

/**
 * `GET /api/fleet/v1/alerts`: every alert that fires, waits or is just over. With `at` those that fired then, of the runs
 * that are kept.
 */
export const AlertsQuery = Type.Object(MOMENT_PARAMS)

export const AlertItems = Type.Object({
  asOfMs: Type.Number(),
  ...PAST_FIELD,
  alerts: Type.Array(AlertItem),
  /** Rules that could not be evaluated last time: the list may be incomplete, and says so. */
  failing: Type.Array(Type.Object({ group: Type.String(), rule: Type.String(), error: Type.String() })),
})
export type AlertItems = Static<typeof AlertItems>

/** Something that changed on the alert's cluster before the alert began. */
export const AlertChange = Type.Object({
  /** When it was first seen changed; exact to `resolutionMs`. */
  atMs: Type.Number(),
  resolutionMs: Type.Number(),
  /**
   * `version`: a component runs another version. `label`: another label of an information series changed.
   * `modification`: somebody changed an operand by hand, and the operator changed it back. `alert`: another alert began.
   */
  kind: Type.Union([
    Type.Literal('version'),
    Type.Literal('label'),
    Type.Literal('modification'),
    Type.Literal('alert'),
  ]),
  /** A sentence. */
  text: Type.String(),
  /** The series it was read from, as PromQL writes it. */
  series: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  /** Of the other alert. */
  fingerprint: Type.Optional(Type.String()),
})
export type AlertChange = Static<typeof AlertChange>

/** What the clusters with this alert have in common, and the others do not. */
const SharedLabel = Type.Object({
  /** Such as `version`, `region`, `platform`. */
  label: Type.String(),
  value: Type.String(),
  /** Clusters with the alert that have it, of those that say anything about it. */
  having: Type.Number(),
  havingOf: Type.Number(),
  /** The same of the rest of the fleet. */
  restHaving: Type.Number(),
  restOf: Type.Number(),
  /** Share among those with the alert over the share in the whole fleet; above 1 it is a trait of this alert. */
  lift: Type.Number(),
})
type SharedLabel = Static<typeof SharedLabel>

/** `GET /api/fleet/v1/alerts/{fingerprint}`: one alert and what helps to understand it. 404 when it is not among the alerts. */
export const AlertDetail = Type.Object({
  asOfMs: Type.Number(),
  alert: AlertItem,
  /** Value against threshold: the expression's last comparison with a number. Absent when it has none. */
  comparison: Type.Optional(
    Type.Object({
      value: SampleValue,
      operator: Type.Union([
        Type.Literal('>'),
        Type.Literal('>='),
        Type.Literal('<'),
        Type.Literal('<='),
        Type.Literal('=='),
        Type.Literal('!='),
      ]),
      threshold: SampleValue,
      /** What is compared, as PromQL. */
      expr: Type.String(),
      /** `0.93 is above the threshold 0.9`. */
      text: Type.String(),
    }),
  ),
  /** In the 60 minutes before it began, newest first; at most 50. */
  changes: Type.Array(AlertChange),
  changesFromMs: Type.Number(),
  changesToMs: Type.Number(),
  /** What could not be looked at, as sentences: an empty list of changes is then no proof. */
  unknown: Type.Array(Type.String()),
  elsewhere: Type.Object({
    /** Other clusters on which an alert of this name fires or waits, the newest first; at most 200 alerts. */
    alerts: Type.Array(
      Type.Object({
        fingerprint: Type.String(),
        cluster: Type.String(),
        state: Type.String(),
        activeAtMs: Type.Number(),
        value: SampleValue,
      }),
    ),
    /** Clusters with an alert of this name, this one included. */
    clusters: Type.Number(),
    /** Clusters known. */
    clustersOf: Type.Number(),
    /** Traits with a lift above 1, the strongest first; empty when the alert is on one cluster only. */
    shared: Type.Array(SharedLabel),
  }),
  /** The last ones that told of it, newest first; at most 20. */
  deliveries: Type.Array(DeliveryItem),
  /** The same condition reported by somebody else: a rule's alert for an external one, and the other way round. */
  reportedAlsoBy: Type.Array(
    Type.Object({ fingerprint: Type.String(), source: Type.Union([Type.Literal('rule'), Type.Literal('external')]) }),
  ),
})
export type AlertDetail = Static<typeof AlertDetail>
