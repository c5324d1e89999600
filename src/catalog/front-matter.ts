/**
 * The optional YAML at the start of a runbook page, between two lines `---`. Two keys: `aliases`, the names of this
 * alert in other versions, and `without_rule`, the reason why no rule here has the page's name.
 */
import { isMap, isScalar, isSeq, parseDocument, type Node, type Pair } from 'yaml'
import { didYouMean } from '../base/nearest.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { lineAt } from './markdown-scan.ts'

interface FrontMatter {
  readonly aliases: readonly string[]
  readonly withoutRule?: string
  /** Offset of the page's text after the front matter. */
  readonly bodyFrom: number
  readonly diagnostics: readonly Diagnostic[]
}

const KEYS = ['aliases', 'without_rule']

/** Offsets of the diagnostics are into `text`; invalid values are omitted. */
export function readFrontMatter(text: string): FrontMatter {
  const block = frontMatterBlock(text)
  if (block === undefined) return { aliases: [], bodyFrom: 0, diagnostics: [] }
  const { yaml, from, bodyFrom } = block
  const document = parseDocument(yaml)
  const diagnostics = document.errors.map((error): Diagnostic => {
    const [start, end] = error.pos
    const [message = ''] = error.message.split('\n', 1)
    return { severity: 'error', message, from: from + start, to: from + Math.max(end, start + 1) }
  })
  const root = document.contents
  if (diagnostics.length > 0 || root === null) return { aliases: [], bodyFrom, diagnostics }
  if (!isMap<Node, Node | null>(root)) {
    diagnostics.push({ severity: 'error', message: 'front matter must be keys and values', ...rangeOf(root, from) })
    return { aliases: [], bodyFrom, diagnostics }
  }
  return { ...readKeys(root.items, from, diagnostics), bodyFrom, diagnostics }
}

function readKeys(
  pairs: readonly Pair<Node, Node | null>[],
  from: number,
  diagnostics: Diagnostic[],
): { aliases: readonly string[]; withoutRule?: string } {
  let aliases: readonly string[] = []
  let withoutRule: string | undefined
  for (const { key, value } of pairs) {
    const name = isScalar(key) ? String(key.value) : ''
    const texts = textsOf(value)
    const report = (message: string): void => {
      diagnostics.push({ severity: 'error', message, ...rangeOf(value ?? key, from) })
    }
    if (name === 'aliases' && isSeq(value) && texts !== undefined) aliases = texts
    else if (name === 'aliases') report('aliases must be a list of alert names')
    else if (name === 'without_rule' && isScalar(value) && texts?.[0] !== undefined) withoutRule = texts[0]
    else if (name === 'without_rule') report('without_rule must be the reason, in words')
    else {
      const message = `unknown key ${JSON.stringify(name)} in the front matter`
      const help = didYouMean(name, KEYS) ?? `the keys are ${KEYS.join(' and ')}`
      diagnostics.push({ severity: 'error', message, help, ...rangeOf(key, from) })
    }
  }
  return withoutRule === undefined ? { aliases } : { aliases, withoutRule }
}

/** The non-empty texts of a scalar or a list of scalars; `undefined` for other nodes. */
function textsOf(value: Node | null): readonly string[] | undefined {
  const items = isSeq(value) ? value.items : [value]
  const texts = items.map((item) => (isScalar(item) && typeof item.value === 'string' ? item.value.trim() : ''))
  return texts.includes('') ? undefined : texts
}

function rangeOf(node: Node, from: number): { from: number; to: number } {
  const [start, end] = node.range ?? [0, 1]
  return { from: from + start, to: from + Math.max(end, start + 1) }
}

function frontMatterBlock(text: string): { yaml: string; from: number; bodyFrom: number } | undefined {
  const first = lineAt(text, 0)
  if (first.text.trimEnd() !== '---') return undefined
  for (let at = first.next; at < text.length;) {
    const line = lineAt(text, at)
    if (line.text.trimEnd() === '---')
      return { yaml: text.slice(first.next, at), from: first.next, bodyFrom: line.next }
    at = line.next
  }
  return undefined
}
