import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** `GET /api/lint`: the findings of `daytwo lint` in the loaded content. */
export const LintReport = Type.Object({
  asOfMs: Type.Number(),
  checks: Type.Array(
    Type.Object({
      /** For example `runbook-missing`. */
      name: Type.String(),
      title: Type.String(),
      /** The reason and the fix: a few sentences of Markdown. */
      description: Type.String(),
      severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
      findings: Type.Number(),
    }),
  ),
  findings: Type.Array(
    Type.Object({
      check: Type.String(),
      severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
      /** Relative to the parent of the content folder, for example `alert-rules/hco.yaml`. */
      file: Type.String(),
      /** From 1. */
      line: Type.Number(),
      column: Type.Number(),
      message: Type.String(),
      hint: Type.Optional(Type.String()),
      /** The name of the alert, runbook or dashboard. */
      subject: Type.Optional(Type.String()),
    }),
  ),
  counted: Type.Object({ alerts: Type.Number(), runbooks: Type.Number(), dashboards: Type.Number() }),
})
export type LintReport = Shape<typeof LintReport>
