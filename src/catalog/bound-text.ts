/**
 * A section of a page with its placeholders replaced, each value quoted for its position. Records the open placeholders
 * and the source offset of each character, so that an error in the result refers to the page.
 */
import { codeSpansOf, type Fence } from './markdown-scan.ts'
import { placeholdersOf, unboundText, type PlaceholderUse } from './placeholder.ts'
import { promqlContexts, type PromqlContext } from './promql-context.ts'
import {
  codeSpan,
  escapeLink,
  escapeMarkdown,
  escapePromqlString,
  escapeRegex,
  escapeShellDouble,
  escapeShellSingle,
  quoteShellWord,
} from '../base/quoting.ts'
import { shellContexts, type ShellContext } from './shell-context.ts'

/** The value of a placeholder; `undefined` when it is unknown. */
export type ValueOf = (name: string) => string | undefined

export interface BoundText {
  readonly text: string
  /** Names of open placeholders, in order, with repeats. */
  readonly unbound: readonly string[]
  /** Maps an offset of `text` to the unbound source. */
  sourceOffset(offset: number): number
}

/** How a fence is bound, by the first word of its info string. */
type FenceLanguage = 'shell' | 'promql' | 'other'

export function languageOf(fence: Fence): FenceLanguage {
  const [word = ''] = fence.info.split(/\s+/)
  if (/^(bash|sh|shell|console)$/.test(word)) return 'shell'
  return word === 'promql' ? 'promql' : 'other'
}

/** Binds the content of a fence. */
export function bindCode(source: string, language: FenceLanguage, valueOf: ValueOf): BoundText {
  const uses = placeholdersOf(source)
  return applyEdits(source, editsOf(source, uses, language, valueOf))
}

function editsOf(
  source: string,
  uses: readonly PlaceholderUse[],
  language: FenceLanguage,
  valueOf: ValueOf,
): readonly Edit[] {
  switch (language) {
    case 'shell':
      return shellContexts(source, uses).map((context, i) => shellEdit(uses[i]!, context, valueOf(uses[i]!.name)))
    case 'promql':
      return promqlContexts(source, uses).map((context, i) => promqlEdit(uses[i]!, context, valueOf(uses[i]!.name)))
    case 'other':
      return uses.map((use) => otherEdit(use, valueOf(use.name)))
  }
}

/** Binds prose with its code spans and links. */
export function bindProse(source: string, valueOf: ValueOf): BoundText {
  const spans = codeSpansOf(source)
  const linkTargets = [...source.matchAll(/\]\([^()\s]*/g)]
  const isIn = (use: PlaceholderUse, from: number, to: number): boolean => from <= use.from && use.to <= to
  const inProse = placeholdersOf(source)
    .filter((use) => !spans.some((span) => isIn(use, span.from, span.to)))
    .map((use) => {
      const isLink = linkTargets.some((match) => isIn(use, match.index, match.index + match[0].length))
      return edit(use, valueOf(use.name), isLink ? escapeLink : escapeMarkdown)
    })
  const inSpans = spans
    .filter((span) => placeholdersOf(span.text).length > 0)
    .map(({ from, to, text }): Edit => {
      const inner = applyEdits(text, spanEdits(text, valueOf))
      return { from, to, text: codeSpan(inner.text), unbound: inner.unbound }
    })
  const all = [...inProse, ...inSpans].sort((a, b) => a.from - b.from)
  return applyEdits(source, all)
}

/**
 * A code span may be a command, and people copy it: values are quoted as in a shell. Names and paths need no quotes. An open
 * placeholder is our own text, and stays readable.
 */
function spanEdits(text: string, valueOf: ValueOf): readonly Edit[] {
  const uses = placeholdersOf(text)
  return shellContexts(text, uses).map((context, i) => {
    const use = uses[i]!
    const value = valueOf(use.name)
    return value === undefined ? edit(use, undefined, same) : shellEdit(use, context, value)
  })
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly unbound: readonly string[]
}

function edit(use: PlaceholderUse, value: string | undefined, write: (text: string) => string): Edit {
  return {
    from: use.from,
    to: use.to,
    text: write(value ?? unboundText(use.name)),
    unbound: value === undefined ? [use.name] : [],
  }
}

/** Open placeholders are quoted too: a bare `<name>` would be a redirection. */
function shellEdit(use: PlaceholderUse, context: ShellContext, value: string | undefined): Edit {
  switch (context) {
    case 'word':
      return edit(use, value, quoteShellWord)
    case 'single':
      return edit(use, value, escapeShellSingle)
    case 'double':
      return edit(use, value, escapeShellDouble)
    case 'comment':
      return edit(use, value, same)
    case 'unknown':
      return edit(use, undefined, quoteShellWord)
  }
}

function promqlEdit(use: PlaceholderUse, context: PromqlContext, value: string | undefined): Edit {
  switch (context) {
    case 'string':
      return edit(use, value, escapePromqlString)
    case 'regex':
      return edit(use, value, (text) => escapePromqlString(escapeRegex(text)))
    case 'outside':
      return edit(use, undefined, same)
  }
}

/** The quoting rules of this language are unknown, so only a value that needs no quoting is bound. */
function otherEdit(use: PlaceholderUse, value: string | undefined): Edit {
  return edit(use, value !== undefined && /^[\w./:-]+$/.test(value) ? value : undefined, same)
}

function same(text: string): string {
  return text
}

/** @param edits in order, not overlapping */
function applyEdits(source: string, edits: readonly Edit[]): BoundText {
  let text = ''
  let copied = 0
  const marks: { readonly bound: number; readonly source: number; readonly isEdit: boolean }[] = []
  for (const one of edits) {
    marks.push({ bound: text.length, source: copied, isEdit: false })
    text += source.slice(copied, one.from)
    marks.push({ bound: text.length, source: one.from, isEdit: true })
    text += one.text
    copied = one.to
  }
  marks.push({ bound: text.length, source: copied, isEdit: false })
  text += source.slice(copied)
  return {
    text,
    unbound: edits.flatMap((one) => one.unbound),
    sourceOffset(offset) {
      const mark = marks.findLast((one) => one.bound <= offset) ?? marks[0]!
      return mark.isEdit ? mark.source : mark.source + offset - mark.bound
    },
  }
}
