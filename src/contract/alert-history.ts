import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** One occurrence of an alert, from the moment its expression held until it resolved. */
export const AlertRun = Type.Object({
  fingerprint: Type.String(),
  alertname: Type.String(),
  cluster: Type.String(),
  severity: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  annotations: Type.Record(Type.String(), Type.String()),
  activeAtMs: Type.Number(),
  firedAtMs: Type.Number(),
  /** Absent while it fires. */
  resolvedAtMs: Type.Optional(Type.Number()),
  acknowledgedBy: Type.Optional(Type.String()),
  /** The note of the acknowledgement; absent when empty. */
  acknowledgedNote: Type.Optional(Type.String()),
})
export type AlertRun = Shape<typeof AlertRun>

/**
 * `GET /api/fleet/v1/alerts/history?fromMs&toMs&alertname&cluster&fingerprint&limit&cursor`: occurrences that fired in
 * the window, newest first.
 */
export const AlertRuns = Type.Object({ runs: Type.Array(AlertRun), nextCursor: Type.Optional(Type.String()) })
export type AlertRuns = Shape<typeof AlertRuns>

/**
 * `GET /api/fleet/v1/alerts/strip?fingerprint=…&fingerprint=…&hours=24&blocks=24`: for each block of time the share of
 * it in which the alert fired, oldest first. At most 500 fingerprints.
 */
export const AlertStrips = Type.Object({
  fromMs: Type.Number(),
  blockMs: Type.Number(),
  strips: Type.Record(Type.String(), Type.Array(Type.Number())),
})
export type AlertStrips = Shape<typeof AlertStrips>

/** `POST /api/fleet/v1/alerts/{fingerprint}/acknowledge` (role responder); `DELETE` reverts it. */
export const AcknowledgeRequest = Type.Object({
  note: Type.String(),
  /** Ignored when the server requires a token. */
  by: Type.Optional(Type.String()),
})
export type AcknowledgeRequest = Shape<typeof AcknowledgeRequest>

/** `GET /api/fleet/v1/audit?limit&cursor`: user actions, newest first. */
export const AuditEntries = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Number(),
      atMs: Type.Number(),
      by: Type.String(),
      action: Type.Union([
        Type.Literal('silence.create'),
        Type.Literal('silence.update'),
        Type.Literal('silence.expire'),
        Type.Literal('alert.acknowledge'),
        Type.Literal('alert.unacknowledge'),
        Type.Literal('alert.remove'),
        Type.Literal('cluster.decommission'),
        Type.Literal('cluster.decommission.withdraw'),
        Type.Literal('cluster.return'),
        Type.Literal('cluster.erase'),
        Type.Literal('cluster.erase.allow'),
        Type.Literal('graph.import'),
        Type.Literal('graph.remove'),
        Type.Literal('configuration.baseline.choose'),
        Type.Literal('configuration.baseline.remove'),
        Type.Literal('runbook.step'),
        Type.Literal('runbook.note'),
        Type.Literal('runbook.outcome'),
        Type.Literal('process.remove'),
        Type.Literal('bundle.make'),
        Type.Literal('rules.reload'),
        Type.Literal('token.add'),
        Type.Literal('token.remove'),
        Type.Literal('session.start'),
        Type.Literal('session.end'),
        Type.Literal('risk.accept'),
        Type.Literal('risk.withdraw'),
      ]),
      subject: Type.String(),
      /** JSON with the written data. */
      detail: Type.String(),
      /** SHA-256 of this entry and the one before it; empty for entries from before the chain. */
      hash: Type.String(),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
})
