/**
 * Finds the bound values in a runbook, so that a reader sees which words are about this alert, and the unbound placeholders.
 * Works on text after Markdown parsing, where values are unescaped. Pure.
 */
export type MarkedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'filled'; readonly text: string; readonly title: string }
  | { readonly kind: 'unbound'; readonly text: string; readonly title: string }

export interface Markable {
  readonly bindings: readonly { readonly name: string; readonly value: string; readonly source: string }[]
  readonly unbound: readonly string[]
}

/** Shorter values occur in too many ordinary words. */
const MARKED_LENGTH_MIN = 3

/** Splits text at the values of one page; created once per page. */
export type MarkValues = (text: string) => readonly MarkedPart[]

export function createMarker({ bindings, unbound }: Markable): MarkValues {
  const marks = new Map<string, MarkedPart>()
  for (const name of unbound) {
    const text = `<${name}>`
    marks.set(text, { kind: 'unbound', text, title: `${name}: value not known, enter it by hand` })
  }
  for (const { name, value, source } of bindings) {
    // The first binding of a value wins: equal texts cannot be distinguished.
    if (value.length < MARKED_LENGTH_MIN || marks.has(value)) continue
    marks.set(value, { kind: 'filled', text: value, title: `${name}, from ${source}` })
  }
  if (marks.size === 0) return (text) => (text === '' ? [] : [{ kind: 'text', text }])
  // Longest first: a value may contain another value.
  const texts = [...marks.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(texts.map(asWholeWord).join('|'), 'g')
  return (text) => cut(text, pattern, marks)
}

function cut(text: string, pattern: RegExp, marks: ReadonlyMap<string, MarkedPart>): MarkedPart[] {
  const parts: MarkedPart[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) parts.push({ kind: 'text', text: text.slice(at, match.index) })
    parts.push(marks.get(match[0])!)
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) })
  return parts
}

/** `prod` must not match inside `product`; a value that begins or ends with a symbol needs no word boundary there. */
function asWholeWord(value: string): string {
  const escaped = value.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
  return `${/^\w/.test(value) ? '(?<!\\w)' : ''}${escaped}${/\w$/.test(value) ? '(?!\\w)' : ''}`
}
