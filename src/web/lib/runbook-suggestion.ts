import type { BoundRunbook, RunbookSource } from '../../contract/runbooks.ts'
import { formatMoment } from './format-time.ts'

/** A suggested edit for the maintainer of a runbook: the diff, and the alert of the reader. Pure. */
export interface Suggestion {
  /** For `git apply`, with the alert above the diff. */
  readonly patch: string
  /** For an issue or a pull request. */
  readonly markdown: string
}

/**
 * @param instance the alert of the reader; absent where the reader does not disclose its cluster
 * @param link the absolute address of a page
 * @param evidence lines about the outcomes of the runbook; they name no cluster
 */
export function suggestionOf(
  source: RunbookSource,
  text: string,
  instance: BoundRunbook['instance'],
  link: string,
  evidence: readonly string[] = [],
): Suggestion | undefined {
  const diff = unifiedDiff(source.path, source.text, text)
  if (diff === '') return undefined
  const seen =
    instance === undefined
      ? []
      : [
          `Found with ${source.name} on ${instance.cluster === '' ? 'an unnamed cluster' : instance.cluster}, ` +
            `${instance.severity}, active since ${formatMoment(instance.activeAtMs, 'utc')}, value ${String(instance.value)}.`,
          `Seen at ${link}`,
        ]
  const found = [...seen, ...evidence]
  const title = `Suggested edit of the runbook ${source.name}`
  return {
    patch: [title, '', ...found, ...(found.length === 0 ? [] : ['']), diff].join('\n'),
    // The fence around the diff is longer than any fence of the page.
    markdown: [`## ${title}`, '', ...found.flatMap((line) => [line, '']), '````diff', `${diff}\`\`\`\``, ''].join('\n'),
  }
}

/** Unchanged lines around a change. */
const CONTEXT = 3
/** Above this size of the table, all lines between the first and the last difference count as changed. */
const CELLS_MAX = 4_000_000

type Step = { readonly kind: ' ' | '-' | '+'; readonly line: string }

/** The edit of one file as a unified diff; the empty string when nothing changes. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const steps = stepsOf(linesOf(before), linesOf(after))
  const lines = [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`]
  for (const [from, to] of hunksOf(steps)) {
    const count = (end: number, kind: '-' | '+'): number =>
      steps.slice(0, end).filter((step) => step.kind === ' ' || step.kind === kind).length
    const range = (kind: '-' | '+'): string => {
      const [start, length] = [count(from, kind), count(to, kind) - count(from, kind)]
      // An empty range names the line before it.
      return `${length === 0 ? start : start + 1},${length}`
    }
    lines.push(`@@ -${range('-')} +${range('+')} @@`)
    for (const { kind, line } of steps.slice(from, to)) {
      lines.push(`${kind}${line.replace(/\n$/, '')}`)
      if (!line.endsWith('\n')) lines.push('\\ No newline at end of file')
    }
  }
  return `${lines.join('\n')}\n`
}

/** With line ends, so that a missing last line end is a difference. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function stepsOf(before: readonly string[], after: readonly string[]): readonly Step[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail++
  }
  const same = (lines: readonly string[]): Step[] => lines.map((line) => ({ kind: ' ', line }))
  return [
    ...same(before.slice(0, head)),
    ...middleSteps(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ]
}

/** By the longest common subsequence. */
function middleSteps(before: readonly string[], after: readonly string[]): readonly Step[] {
  const [rows, columns] = [before.length, after.length]
  if (rows * columns > CELLS_MAX) {
    return [...before.map((line): Step => ({ kind: '-', line })), ...after.map((line): Step => ({ kind: '+', line }))]
  }
  const width = columns + 1
  const longest = new Uint32Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      longest[i * width + j] =
        before[i] === after[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!)
    }
  }
  const steps: Step[] = []
  let [i, j] = [0, 0]
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) {
      steps.push({ kind: ' ', line: before[i]! })
      i++
      j++
    } else if (j === columns || (i < rows && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      steps.push({ kind: '-', line: before[i++]! })
    } else steps.push({ kind: '+', line: after[j++]! })
  }
  return steps
}

/** Ranges of changes with their context; adjacent ranges are merged. */
function hunksOf(steps: readonly Step[]): readonly (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = []
  for (const [at, { kind }] of steps.entries()) {
    if (kind === ' ') continue
    const [from, to] = [Math.max(0, at - CONTEXT), Math.min(steps.length, at + CONTEXT + 1)]
    const last = hunks.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = to
    else hunks.push([from, to])
  }
  return hunks
}
