/**
 * What a lint check is: a name, why it matters, how to mend it, and a function from the content to its findings. Each
 * file beside this one defines one or a few that belong together; README.md has a section for each.
 */
import type { Range } from '../../yaml/yaml-reader.ts'

export const LINT_SEVERITIES = ['error', 'warning', 'info'] as const
export type LintSeverity = (typeof LINT_SEVERITIES)[number]

export interface Check<Content> {
  /** Stable, kebab-case: suppressions and other programs name it. */
  readonly name: string
  /** What is wrong where it finds something, in a few words. */
  readonly title: string
  readonly severity: LintSeverity
  /** Markdown, as are the next two. */
  readonly why: string
  readonly mend: string
  /** A piece of a file that it finds. */
  readonly example: string
  run(content: Content): Iterable<CheckFinding>
}

/** One place. The offsets are into the text of `file`. */
export interface CheckFinding extends Range {
  readonly file: string
  readonly message: string
  readonly help?: string
  /** The alert, record, runbook or dashboard it is about. */
  readonly subject?: string
}

export interface Finding extends CheckFinding {
  readonly check: string
  readonly severity: LintSeverity
}

/** Runs checks over their content; findings in the order of files and places, each once. */
export function runChecks<Content>(checks: readonly Check<Content>[], content: Content): Finding[] {
  const found = checks.flatMap((check) =>
    [...check.run(content)].map((finding): Finding => {
      return { ...finding, check: check.name, severity: check.severity }
    }),
  )
  const once = new Map(found.map((finding) => [keyOf(finding), finding]))
  return [...once.values()].sort(byPlace)
}

/** A file has two rules with one anchor, a page two names of one alert: the same place is told once. */
function keyOf({ check, file, from, to, message }: Finding): string {
  return JSON.stringify([check, file, from, to, message])
}

export function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.from - b.from || (a.check < b.check ? -1 : 1)
}
