import { Type, type Static } from 'typebox'

/** `POST /api/fleet/v1/rules/replay`: a rule run over what is stored, beside the one that is loaded. */
export const ReplayRequest = Type.Object({
  /** The loaded rule, by its alert name; with `group` and `severity` when names repeat. */
  alertname: Type.Optional(Type.String()),
  group: Type.Optional(Type.String()),
  /** Without it the edited rule's severity decides, or the first of the name is taken. */
  severity: Type.Optional(Type.String()),
  /** An edited or new alerting rule, one YAML mapping as it would stand below `rules:`. At least one of the two. */
  rule: Type.Optional(Type.String()),
  fromMs: Type.Number(),
  toMs: Type.Number(),
  /** Evaluated every so often; the group's interval, or coarser for a long window, when absent. */
  stepMs: Type.Optional(Type.Number()),
})
export type ReplayRequest = Static<typeof ReplayRequest>

export const ReplayOutcome = Type.Object({
  expr: Type.String(),
  forMs: Type.Number(),
  keepFiringForMs: Type.Number(),
  /** Runs that reached firing. */
  fires: Type.Number(),
  /** Runs that fired again within an hour after the same alert had resolved. */
  flaps: Type.Number(),
  /** Runs that never fired: `for` held them back. */
  neverFired: Type.Number(),
  clusters: Type.Number(),
  /** Fires of one cluster at one step are one page. */
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
  /** For each of at most 200 blocks of the window, the most alerts firing at once. */
  firingByBlock: Type.Array(Type.Number()),
})
export type ReplayOutcome = Static<typeof ReplayOutcome>

export const Replay = Type.Object({
  fromMs: Type.Number(),
  toMs: Type.Number(),
  stepMs: Type.Number(),
  blockMs: Type.Number(),
  present: Type.Optional(ReplayOutcome),
  edited: Type.Optional(ReplayOutcome),
})
export type Replay = Static<typeof Replay>

/** `GET /api/fleet/v1/rules/tests?alertname=…`: the unit tests that mention an alert, run now. */
export const RuleTests = Type.Object({
  tests: Type.Array(
    Type.Object({
      file: Type.String(),
      name: Type.String(),
      passed: Type.Boolean(),
      /** Moments at which the alert is expected, with how many alerts. */
      cases: Type.Array(Type.Object({ evalTime: Type.String(), alerts: Type.Number() })),
      failures: Type.Array(Type.String()),
    }),
  ),
})
export type RuleTests = Static<typeof RuleTests>
