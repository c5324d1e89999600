import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** `POST /api/fleet/v1/rules/replay`: evaluates a rule over stored samples and compares it with the loaded one. */
export const ReplayRequest = Type.Object({
  /** The loaded rule, by its alert name; with `group` and `severity` when names repeat. */
  alertname: Type.Optional(Type.String()),
  group: Type.Optional(Type.String()),
  /** Without it the edited rule's severity decides, or the first rule of the name is used. */
  severity: Type.Optional(Type.String()),
  /** An edited or new alerting rule, one YAML mapping as below `rules:`. At least one of the two. */
  rule: Type.Optional(Type.String()),
  fromMs: Type.Number(),
  toMs: Type.Number(),
  /** The step of the evaluation; by default the group's interval, or coarser for a long window. */
  stepMs: Type.Optional(Type.Number()),
})
export type ReplayRequest = Shape<typeof ReplayRequest>

export const ReplayOutcome = Type.Object({
  expr: Type.String(),
  forMs: Type.Number(),
  keepFiringForMs: Type.Number(),
  /** Occurrences that fired. */
  fires: Type.Number(),
  /** Occurrences that fired again within an hour after the same alert had resolved. */
  flaps: Type.Number(),
  /** Occurrences that never fired, because of `for`. */
  neverFired: Type.Number(),
  clusters: Type.Number(),
  /** Alerts of one cluster that start firing at one step count as one page. */
  pagesPerWeek: Type.Number(),
  firingSeconds: Type.Number(),
  mostAtOnce: Type.Number(),
  /** The last ones, newest first, at most 200. */
  runs: Type.Array(
    Type.Object({
      labels: Type.Record(Type.String(), Type.String()),
      activeAtMs: Type.Number(),
      firedAtMs: Type.Number(),
      resolvedAtMs: Type.Optional(Type.Number()),
      value: Type.String(),
    }),
  ),
  /** For each of at most 200 blocks of the window, the maximum of alerts firing at once. */
  firingByBlock: Type.Array(Type.Number()),
})
export type ReplayOutcome = Shape<typeof ReplayOutcome>

const OneSide = Type.Object({
  /** Periods in which an alert fires under this rule alone, and the clusters with one. */
  periods: Type.Integer(),
  clusters: Type.Integer(),
  seconds: Type.Number(),
  /** The last ones, newest first, at most 200. */
  items: Type.Array(
    Type.Object({ labels: Type.Record(Type.String(), Type.String()), fromMs: Type.Number(), untilMs: Type.Number() }),
  ),
})

/** Alerts that fire under one of the two rules alone, with times. */
export const ReplayDifference = Type.Object({
  onlyPresent: OneSide,
  onlyEdited: OneSide,
  bothSeconds: Type.Number(),
  /** Alerts correspond when these labels are equal: those of both rules' alerts, without those that a rule sets. */
  comparedBy: Type.Array(Type.String()),
  /** A rule has more than 50,000 periods, of which the first are compared. */
  cut: Type.Boolean(),
})
export type ReplayDifference = Shape<typeof ReplayDifference>

export const Replay = Type.Object({
  fromMs: Type.Number(),
  toMs: Type.Number(),
  stepMs: Type.Number(),
  blockMs: Type.Number(),
  present: Type.Optional(ReplayOutcome),
  edited: Type.Optional(ReplayOutcome),
  /** Present when both rules were replayed. */
  difference: Type.Optional(ReplayDifference),
})
export type Replay = Shape<typeof Replay>

/** `GET /api/fleet/v1/rules/tests?alertname=…`: runs the unit tests that mention an alert. */
export const RuleTests = Type.Object({
  tests: Type.Array(
    Type.Object({
      file: Type.String(),
      name: Type.String(),
      passed: Type.Boolean(),
      /** Times at which the alert is expected, with the number of alerts. */
      cases: Type.Array(Type.Object({ evalTime: Type.String(), alerts: Type.Number() })),
      failures: Type.Array(Type.String()),
    }),
  ),
})
export type RuleTests = Shape<typeof RuleTests>
