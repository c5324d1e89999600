/** The report of the findings: positions as lines and columns, and the number of findings per check. */
import { positionOf } from '../model/diagnostic.ts'
import type { LintSeverity } from '../rules/checks/check.ts'
import { CATALOG_CHECKS } from './checks/catalog-checks.ts'
import type { LintOutcome } from './lint-catalog.ts'

interface ReportedCheck {
  readonly name: string
  readonly title: string
  /** Markdown: the reason and the correction. */
  readonly description: string
  readonly severity: LintSeverity
  readonly findings: number
}

interface ReportedFinding {
  readonly check: string
  readonly severity: LintSeverity
  readonly file: string
  /** Counted from 1, like the columns; the end is exclusive. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly message: string
  readonly hint?: string
  readonly subject?: string
}

export interface LintSummary {
  readonly checks: readonly ReportedCheck[]
  readonly findings: readonly ReportedFinding[]
  readonly counted: LintOutcome['counted']
}

/** @param shownAs the displayed form of a path */
export function reportOf({ findings, counted, textOf }: LintOutcome, shownAs: (path: string) => string): LintSummary {
  return {
    checks: CATALOG_CHECKS.map(({ name, title, why, mend, severity }) => {
      const count = findings.filter(({ check }) => check === name).length
      return { name, title, description: `${why}\n\n${mend}`, severity, findings: count }
    }),
    findings: findings.map(({ check, severity, file, from, to, message, help, subject }) => {
      const text = textOf(file)
      const [start, end] = [positionOf(text, from), positionOf(text, Math.max(from + 1, to))]
      return {
        check,
        severity,
        file: shownAs(file),
        ...start,
        endLine: end.line,
        endColumn: end.column,
        message,
        ...(help === undefined ? {} : { hint: help }),
        ...(subject === undefined ? {} : { subject }),
      }
    }),
    counted,
  }
}
