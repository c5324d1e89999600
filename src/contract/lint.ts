import { Type, type Static } from 'typebox'

/** `GET /api/lint`: what `daytwo lint` finds in the content that is loaded now. */
export const LintReport = Type.Object({
  asOfMs: Type.Number(),
  checks: Type.Array(
    Type.Object({
      /** Such as `runbook-missing`. */
      name: Type.String(),
      title: Type.String(),
      /** Why it matters and how to mend it: a few sentences of Markdown. */
      description: Type.String(),
      severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
      findings: Type.Number(),
    }),
  ),
  findings: Type.Array(
    Type.Object({
      check: Type.String(),
      severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
      /** Below the content folder, such as `alert-rules/hco.yaml`. */
      file: Type.String(),
      /** From 1. */
      line: Type.Number(),
      column: Type.Number(),
      message: Type.String(),
      hint: Type.Optional(Type.String()),
      /** The alert, runbook or dashboard it is about. */
      subject: Type.Optional(Type.String()),
    }),
  ),
  counted: Type.Object({ alerts: Type.Number(), runbooks: Type.Number(), dashboards: Type.Number() }),
})
export type LintReport = Static<typeof LintReport>
