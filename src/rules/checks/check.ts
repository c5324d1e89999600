/**
 * The interface of a lint check: a name, its reason, the correction, and a function from the content to findings. Each file
 * in this folder has the checks of one subject; README.md has a section for each check.
 */
import type { Range } from '../../yaml/yaml-reader.ts'

export type LintSeverity = 'error' | 'warning' | 'info'

export interface Check<Content> {
  /** Stable, in kebab case: suppressions and other programs refer to it. */
  readonly name: string
  /** The fault, in a few words. */
  readonly title: string
  readonly severity: LintSeverity
  /** Markdown, as are the next two. */
  readonly why: string
  readonly fix: string
  /** Text of a file with the fault. */
  readonly example: string
  run(content: Content): Iterable<CheckFinding>
}

/** The offsets are into the text of `file`. */
export interface CheckFinding extends Range {
  readonly file: string
  readonly message: string
  readonly help?: string
  /** Name of the alert, recorded metric, runbook or dashboard. */
  readonly subject?: string
}

export interface Finding extends CheckFinding {
  readonly check: string
  readonly severity: LintSeverity
}

/** Runs checks over their content. Returns the distinct findings, ordered by file and position. */
export function runChecks<Content>(checks: readonly Check<Content>[], content: Content): Finding[] {
  const found = checks.flatMap((check) =>
    [...check.run(content)].map((finding): Finding => {
      return { ...finding, check: check.name, severity: check.severity }
    }),
  )
  const once = new Map(found.map((finding) => [keyOf(finding), finding]))
  return [...once.values()].sort(byPlace)
}

/** Two rules of a file may share one anchor, and a page may have two names of one alert: the finding is reported once. */
function keyOf({ check, file, from, to, message }: Finding): string {
  return JSON.stringify([check, file, from, to, message])
}

export function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.from - b.from || (a.check < b.check ? -1 : 1)
}
