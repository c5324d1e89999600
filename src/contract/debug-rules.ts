import { Type } from 'typebox'
import type { Shape } from './common.ts'

const DebugRule = Type.Object({
  name: Type.String(),
  kind: Type.Union([Type.Literal('alerting'), Type.Literal('recording')]),
  /** The formatted expression. */
  query: Type.String(),
  /** `unknown` until the first evaluation. */
  health: Type.Union([Type.Literal('ok'), Type.Literal('err'), Type.Literal('unknown')]),
  lastError: Type.Optional(Type.String()),
  warnings: Type.Array(Type.String()),
  evaluationMs: Type.Number(),
  lastEvaluationMs: Type.Optional(Type.Number()),
  /** Samples the last evaluation wrote, stale markers apart. */
  lastSamples: Type.Number(),
  /** The number of alerts of an alerting rule, by state. */
  alerts: Type.Optional(Type.Object({ pending: Type.Number(), firing: Type.Number() })),
})

/**
 * `/debug/rules`: the status of evaluation. Groups in the order of their files; times are milliseconds since the epoch,
 * durations milliseconds.
 */
export const DebugRules = Type.Object({
  asOfMs: Type.Number(),
  /** The last reload of rules, runbooks and dashboards. */
  reload: Type.Object({
    isSuccessful: Type.Boolean(),
    /** When the content in use was read. */
    lastSuccessMs: Type.Number(),
    lastAttemptMs: Type.Optional(Type.Number()),
    /** `request`, `signal` or `files`; absent: no reload since the start. */
    cause: Type.Optional(Type.String()),
    /** With the carets. */
    error: Type.Optional(Type.String()),
  }),
  groups: Type.Array(
    Type.Object({
      name: Type.String(),
      file: Type.String(),
      intervalMs: Type.Number(),
      limit: Type.Number(),
      queryOffsetMs: Type.Number(),
      evaluationMs: Type.Number(),
      lastEvaluationMs: Type.Optional(Type.Number()),
      /** Absent: no `for`. */
      nextEvaluationMs: Type.Optional(Type.Number()),
      /** Skipped evaluations since the start. */
      missed: Type.Number(),
      rules: Type.Array(DebugRule),
    }),
  ),
})
export type DebugRules = Shape<typeof DebugRules>
