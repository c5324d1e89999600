/**
 * Suppressions: a comment that names a check and states the reason why its findings are intended.
 *
 *   # daytwo-lint: ignore cluster-dropped: the fleet as a whole is asked            in YAML
 *   <!-- daytwo-lint: ignore runbook-orphan: raised by the cluster itself -->        in Markdown
 *
 * At the end of a line it covers that line. On its own line it covers the following element: in YAML the item or key that
 * starts on the next line with everything below it, in Markdown the next paragraph or fence, or, before a heading, the whole
 * section. A suppression without a reason, of an unknown check, or without an effect is a finding itself.
 */
import { didYouMean } from '../../base/nearest.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { Check, Finding } from './check.ts'

interface Suppression extends Range {
  readonly file: string
  readonly check: string
  readonly reason: string
  /** The range of the text whose findings it suppresses. */
  readonly covers: Range
}

/** `applySuppressions` creates its findings; this is its entry in the list of checks. */
export const suppressionCheck: Check<unknown> = {
  name: 'suppression',
  title: 'A suppression has no reason, or suppresses nothing',
  severity: 'error',
  why: 'Without a reason, a suppression is never removed. A suppression that matches no finding will hide the next one.',
  fix: 'Write `daytwo-lint: ignore CHECK: reason`, or remove the comment.',
  example: '# daytwo-lint: ignore metric-unknown',
  run: () => [],
}

const COMMENT = {
  yaml: /#[ \t]*daytwo-lint:[ \t]*(.*?)[ \t]*$/gm,
  markdown: /<!--[ \t]*daytwo-lint:[ \t]*(.*?)[ \t]*-->/g,
} as const

export function suppressionsIn(file: string, text: string): Suppression[] {
  const isMarkdown = file.endsWith('.md')
  return [...text.matchAll(isMarkdown ? COMMENT.markdown : COMMENT.yaml)].flatMap((match) => {
    const from = match.index
    const to = from + match[0].length
    const [, checks = '', reason = ''] =
      /^ignore\s+([\w-]+(?:\s*,\s*[\w-]+)*)\s*(?::\s*(.*))?$/.exec(match[1] ?? '') ?? []
    const covers = coveredBy(text, from, to, isMarkdown)
    const names = checks === '' ? [''] : checks.split(/\s*,\s*/)
    return names.map((check) => ({ file, check, reason: reason.trim(), from, to, covers }))
  })
}

/** The findings that are not suppressed, and those about suppressions. `ran` are the names of the checks that ran. */
export function applySuppressions(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  ran: ReadonlySet<string>,
): Finding[] {
  const used = new Set<Suppression>()
  const left = findings.filter((finding) => {
    const hiding = suppressions.filter((suppression) => hides(suppression, finding))
    for (const suppression of hiding) used.add(suppression)
    return hiding.length === 0
  })
  const { name: check, severity } = suppressionCheck
  const faults = suppressions.flatMap((suppression): Finding[] => {
    const { file, from, to } = suppression
    const fault = faultOf(suppression, used.has(suppression), ran)
    return fault === undefined ? [] : [{ check, severity, file, from, to, ...fault }]
  })
  return [...left, ...faults]
}

function hides({ file, check, reason, covers }: Suppression, finding: Finding): boolean {
  return (
    file === finding.file &&
    check === finding.check &&
    reason !== '' &&
    covers.from <= finding.from &&
    finding.from < covers.to
  )
}

function faultOf(
  { check, reason }: Suppression,
  isUsed: boolean,
  ran: ReadonlySet<string>,
): { message: string; help?: string } | undefined {
  if (check === '') return { message: 'not a suppression', help: 'write daytwo-lint: ignore CHECK: reason' }
  if (!ran.has(check)) {
    const help = didYouMean(check, ran)
    return { message: `no check is called ${check}`, ...(help === undefined ? {} : { help }) }
  }
  if (reason === '') return { message: `${check} is suppressed without a reason`, help: 'add the reason after a colon' }
  return isUsed ? undefined : { message: `the suppression of ${check} hides nothing`, help: 'remove it' }
}

function coveredBy(text: string, from: number, to: number, isMarkdown: boolean): Range {
  const lineFrom = text.lastIndexOf('\n', from - 1) + 1
  const lineEnd = endOfLine(text, to)
  if (text.slice(lineFrom, from).trim() !== '') return { from: lineFrom, to: lineEnd }
  const next = nextText(text, lineEnd + 1, isMarkdown)
  return { from: next, to: isMarkdown ? blockEnd(text, next) : nodeEnd(text, next) }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** The start of the next line that is neither blank nor a comment. */
function nextText(text: string, from: number, isMarkdown: boolean): number {
  let at = from
  while (at < text.length) {
    const line = text.slice(at, endOfLine(text, at)).trim()
    const isComment = isMarkdown ? /^<!--.*-->$/.test(line) : line.startsWith('#')
    if (line !== '' && !isComment) return at
    at = endOfLine(text, at) + 1
  }
  return text.length
}

/** The end of a YAML item or key: the next line without deeper indentation. */
function nodeEnd(text: string, from: number): number {
  const indentOf = (line: string): number => line.length - line.trimStart().length
  const first = text.slice(from, endOfLine(text, from))
  const indent = indentOf(first)
  // The items of a list may have the indentation of their key.
  const ownsItems = !first.trimStart().startsWith('-') && first.trimEnd().endsWith(':')
  for (let at = endOfLine(text, from) + 1; at < text.length; at = endOfLine(text, at) + 1) {
    const line = text.slice(at, endOfLine(text, at))
    const words = line.trim()
    if (words === '' || words.startsWith('#') || indentOf(line) > indent) continue
    if (ownsItems && indentOf(line) === indent && words.startsWith('-')) continue
    return at
  }
  return text.length
}

/** The end of a Markdown section, fence or paragraph. */
function blockEnd(text: string, from: number): number {
  const first = text.slice(from, endOfLine(text, from))
  const level = /^(#{1,6})\s/.exec(first)?.[1]?.length
  const fence = /^\s*(`{3,}|~{3,})/.exec(first)?.[1]
  for (let at = endOfLine(text, from) + 1; at < text.length; at = endOfLine(text, at) + 1) {
    const line = text.slice(at, endOfLine(text, at))
    if (fence !== undefined) {
      if (line.trim() === fence) return endOfLine(text, at)
    } else if (level !== undefined) {
      const other = /^(#{1,6})\s/.exec(line)?.[1]?.length
      if (other !== undefined && other <= level) return at
    } else if (line.trim() === '') return at
  }
  return text.length
}
