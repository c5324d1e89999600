import { Type } from 'typebox'
import { DeliveryItem } from './deliveries.ts'
import { MOMENT_PARAMS, PAST_FIELD, SampleValue, type Shape } from './common.ts'

/** `/api/fleet/v1/alerts`: every alert of the fleet, with context beyond its labels. */

/** What suppresses the notifications of an alert, and its acknowledgement. No mark hides an alert: each has its reason. */
export const AlertMarks = Type.Object({
  /** Ids of active silences. */
  silencedBy: Type.Array(Type.String()),
  /** Fingerprints of the alerts that inhibit it. */
  inhibitedBy: Type.Array(Type.String()),
  /** Names of the time intervals that mute it now. */
  mutedBy: Type.Array(Type.String()),
  acknowledged: Type.Optional(Type.Object({ by: Type.String(), atMs: Type.Number(), note: Type.String() })),
  /** A healthy upgrade is expected to raise it, in this phase and on this cluster only. */
  expected: Type.Optional(
    Type.Object({
      /** Its id, as in `/api/fleet/v1/upgrades/{id}`. */
      upgrade: Type.String(),
      /** For display: `east from 1.16.0 to 1.17.0`. */
      title: Type.String(),
      phase: Type.String(),
      reason: Type.String(),
    }),
  ),
  /** Names of the receivers of its route; empty without a configuration. */
  receivers: Type.Array(Type.String()),
  /** The last notification decision for each receiver. */
  decisions: Type.Array(
    Type.Object({ receiver: Type.String(), sends: Type.Boolean(), reason: Type.String(), atMs: Type.Number() }),
  ),
})
export type AlertMarks = Shape<typeof AlertMarks>

export const AlertItem = Type.Object({
  fingerprint: Type.String(),
  alertname: Type.String(),
  /** The cluster key, or the empty string when the series carried no identity. */
  cluster: Type.String(),
  severity: Type.Union([Type.Literal('critical'), Type.Literal('warning'), Type.Literal('info'), Type.Literal('none')]),
  /** The impact on the operator; independent of severity. */
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
  /** The runbook of the alert; absent when no page has the alert's name. */
  runbook: Type.Optional(Type.String()),
  /** `external`: POSTed, for example by a cluster's own Prometheus; `rule.expr` is empty then. Absent means `rule`. */
  source: Type.Optional(Type.Union([Type.Literal('rule'), Type.Literal('external')])),
  /** The `generatorURL` of an external alert. */
  generatorUrl: Type.Optional(Type.String()),
  /** Absent until it is first computed. */
  marks: Type.Optional(AlertMarks),
})
export type AlertItem = Shape<typeof AlertItem>

/**
 * `GET /api/fleet/v1/alerts`: all firing, pending and recently resolved alerts. With `at` the alerts that fired then, from
 * the stored occurrences.
 */
export const AlertsQuery = Type.Object(MOMENT_PARAMS)

export const AlertItems = Type.Object({
  asOfMs: Type.Number(),
  ...PAST_FIELD,
  alerts: Type.Array(AlertItem),
  /** Rules whose last evaluation failed: the list may be incomplete. */
  failing: Type.Array(Type.Object({ group: Type.String(), rule: Type.String(), error: Type.String() })),
})
export type AlertItems = Shape<typeof AlertItems>

/** A change on the alert's cluster before the start of the alert. */
export const AlertChange = Type.Object({
  /** When the change was first seen, exact to `resolutionMs`. */
  atMs: Type.Number(),
  resolutionMs: Type.Number(),
  /**
   * `version`: another version of a component. `label`: another label of an information series. `modification`: an
   * out-of-band modification of an operand, which the operator reverted. `alert`: the start of another alert.
   */
  kind: Type.Union([
    Type.Literal('version'),
    Type.Literal('label'),
    Type.Literal('modification'),
    Type.Literal('alert'),
  ]),
  /** A sentence. */
  text: Type.String(),
  /** The source series, in PromQL notation. */
  series: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  /** Of the other alert. */
  fingerprint: Type.Optional(Type.String()),
})
export type AlertChange = Shape<typeof AlertChange>

/** A trait that the clusters with this alert share more than the others. */
const SharedLabel = Type.Object({
  /** For example `version`, `region`, `platform`. */
  label: Type.String(),
  value: Type.String(),
  /** Clusters with the alert and the trait, of those that report the trait. */
  having: Type.Number(),
  havingOf: Type.Number(),
  /** The same for the rest of the fleet. */
  restHaving: Type.Number(),
  restOf: Type.Number(),
  /** Share among clusters with the alert over the share in the whole fleet; above 1 the trait is typical of the alert. */
  lift: Type.Number(),
})
type SharedLabel = Shape<typeof SharedLabel>

/** `GET /api/fleet/v1/alerts/{fingerprint}`: one alert with its context. 404 when there is no such alert. */
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
      /** The compared expression, as PromQL. */
      expr: Type.String(),
      /** `0.93 is above the threshold 0.9`. */
      text: Type.String(),
    }),
  ),
  /** In the 60 minutes before its start, newest first; at most 50. */
  changes: Type.Array(AlertChange),
  changesFromMs: Type.Number(),
  changesToMs: Type.Number(),
  /** What could not be read, as sentences: an empty list of changes then proves nothing. */
  unknown: Type.Array(Type.String()),
  elsewhere: Type.Object({
    /** Other clusters on which an alert of this name is firing or pending, newest first; at most 200 alerts. */
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
    /** Known clusters. */
    clustersOf: Type.Number(),
    /** Traits with a lift above 1, the strongest first; empty when the alert is on one cluster only. */
    shared: Type.Array(SharedLabel),
  }),
  /** The last notifications about it, newest first; at most 20. */
  deliveries: Type.Array(DeliveryItem),
  /** Duplicates of the alert: a rule's alert for an external one, and vice versa. */
  reportedAlsoBy: Type.Array(
    Type.Object({ fingerprint: Type.String(), source: Type.Union([Type.Literal('rule'), Type.Literal('external')]) }),
  ),
})
export type AlertDetail = Shape<typeof AlertDetail>
