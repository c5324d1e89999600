/**
 * Reads a YAML document of an expected shape, and reports deviations: unknown keys with the nearest known key, wrong kinds,
 * repeated keys. Positions are offsets into the file.
 */
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node, type Scalar } from 'yaml'
import { didYouMean } from '../base/nearest.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { parseDuration } from '../model/duration.ts'
import { yamlText, type YamlText } from './yaml-text.ts'

/** Offsets into the file, `to` exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Entry {
  readonly key: string
  readonly keyAt: Range
  readonly value: Node | null
}

/** Maximum length of a sequence or mapping: aliases can make a small file huge. */
const ITEMS_MAX = 10_000

/** A syntax error causes further errors, so only the first is reported, and repeated keys. */
function independent(errors: Document.Parsed['errors']): Document.Parsed['errors'] {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  return errors.filter((error) => error === first || error.code === 'DUPLICATE_KEY')
}

export class YamlReader {
  readonly source: string
  readonly file: string
  readonly diagnostics: Diagnostic[] = []
  readonly #document: Document.Parsed

  constructor(file: string, source: string) {
    this.file = file
    this.source = source
    this.#document = parseDocument(source, { prettyErrors: false, logLevel: 'error', merge: true, stringKeys: true })
    for (const { message, pos } of independent(this.#document.errors)) {
      const text = message.startsWith('Source contains multiple documents')
        ? 'more than one YAML document in the file'
        : message
      this.error({ from: pos[0], to: pos[1] }, text)
    }
  }

  get root(): Node | null {
    return this.#document.contents
  }

  get hasErrors(): boolean {
    return this.diagnostics.some(({ severity }) => severity === 'error')
  }

  error(at: Range, message: string, help?: string): void {
    this.#report('error', at, message, help)
  }

  warning(at: Range, message: string, help?: string): void {
    this.#report('warning', at, message, help)
  }

  /** The entries of a mapping; none for null. Reports other kinds of nodes and returns `undefined`. */
  mapping(node: Node | null, what: string, at: Range): Entry[] | undefined {
    const found = this.#resolve(node)
    if (isNull(found)) return []
    if (!isMap(found)) {
      this.error(this.rangeOf(node, at), `${what} is ${kindOf(found)}; want a mapping`)
      return undefined
    }
    const entries = new Map<string, Entry>()
    for (const { key, value } of found.items) {
      const name = isScalar(key) ? textOf(key) : String(key)
      const keyAt = this.rangeOf(key as Node, at)
      if (name === '<<') {
        for (const merged of this.#merged(value as Node | null, what, keyAt)) {
          if (!entries.has(merged.key)) entries.set(merged.key, merged)
        }
      } else {
        entries.set(name, { key: name, keyAt, value: value as Node | null })
      }
    }
    return [...entries.values()]
  }

  /** The entries of a mapping by key. Reports unknown keys. */
  fields(node: Node | null, what: string, at: Range, known: readonly string[]): Map<string, Entry> | undefined {
    const entries = this.mapping(node, what, at)
    if (entries === undefined) return undefined
    for (const { key, keyAt } of entries) {
      if (known.includes(key)) continue
      const help = didYouMean(key, known) ?? `known keys: ${known.join(', ')}`
      this.error(keyAt, `unknown key ${JSON.stringify(key)} in ${what}`, help)
    }
    return new Map(entries.map((entry) => [entry.key, entry]))
  }

  /** The items of a sequence; none for null. */
  sequence(node: Node | null, what: string, at: Range): Node[] | undefined {
    const found = this.#resolve(node)
    if (isNull(found)) return []
    if (!isSeq(found)) {
      this.error(this.rangeOf(node, at), `${what} is ${kindOf(found)}; want a list`)
      return undefined
    }
    if (found.items.length > ITEMS_MAX) {
      this.error(this.rangeOf(node, at), `${what} has ${found.items.length} items; at most ${ITEMS_MAX} are taken`)
      return undefined
    }
    return found.items as Node[]
  }

  /** A scalar as text, numbers as written; empty for null. */
  text(node: Node | null, what: string, at: Range): YamlText | undefined {
    const found = this.#resolve(node)
    const range = this.rangeOf(node, at)
    if (found === null) return yamlText(this.source, range.from, range.to, '')
    if (!isScalar(found)) {
      this.error(range, `${what} is ${kindOf(found)}; want a text`)
      return undefined
    }
    // Ranges in an aliased text are ranges of its definition.
    const own = this.rangeOf(found, range)
    return yamlText(this.source, own.from, own.to, textOf(found))
  }

  /** The text of an entry, named by its key in messages; `undefined` without an entry. */
  textAt(entry: Entry | undefined, what = entry?.key ?? ''): YamlText | undefined {
    return entry === undefined ? undefined : this.text(entry.value, what, entry.keyAt)
  }

  /** The items of an entry; none without an entry. */
  itemsAt(entry: Entry | undefined, what = entry?.key ?? ''): Node[] {
    return entry === undefined ? [] : (this.sequence(entry.value, what, entry.keyAt) ?? [])
  }

  /** The texts of an entry that is a mapping, by key; none without an entry. */
  textsAt(entry: Entry | undefined): ReadonlyMap<string, YamlText> {
    const entries = entry === undefined ? [] : (this.mapping(entry.value, entry.key, entry.keyAt) ?? [])
    const texts = new Map<string, YamlText>()
    for (const one of entries) {
      const text = this.textAt(one)
      if (text !== undefined) texts.set(one.key, text)
    }
    return texts
  }

  /** Milliseconds of an entry such as `5m`; 0 when it is absent or null. Reports other texts. */
  durationAt(entry: Entry | undefined): number {
    const text = this.textAt(entry)
    if (entry === undefined || text === undefined || (text.text === '' && isNull(entry.value))) return 0
    const durationMs = parseDuration(text.text)
    if (durationMs !== undefined) return durationMs
    const help = 'like 30s, 5m, 1h30m; units are y w d h m s ms'
    this.error(text, `${entry.key} ${JSON.stringify(text.text)} is not a duration`, help)
    return 0
  }

  rangeOf(node: Node | null, otherwise: Range): Range {
    const range = node?.range
    return range === undefined || range === null ? otherwise : { from: range[0], to: Math.max(range[1], range[0] + 1) }
  }

  #resolve(node: Node | null): Node | null {
    return isAlias(node) ? (node.resolve(this.#document) ?? null) : node
  }

  #merged(node: Node | null, what: string, at: Range): Entry[] {
    const found = this.#resolve(node)
    const parts = isSeq(found) ? (found.items as Node[]) : [found]
    return parts.flatMap((part) => this.mapping(part, `<< in ${what}`, at) ?? [])
  }

  #report(severity: Diagnostic['severity'], at: Range, message: string, help: string | undefined): void {
    const { from, to } = at
    this.diagnostics.push({ severity, message, file: this.file, from, to, ...(help === undefined ? {} : { help }) })
  }
}

function isNull(node: Node | null): node is null {
  return node === null || (isScalar(node) && node.value === null)
}

function textOf(scalar: Scalar): string {
  if (typeof scalar.value === 'string') return scalar.value
  if (scalar.value === null) return ''
  return scalar.source ?? JSON.stringify(scalar.value)
}

function kindOf(node: Node | null): string {
  if (isMap(node)) return 'a mapping'
  if (isSeq(node)) return 'a list'
  return isScalar(node) ? `the value ${JSON.stringify(node.value)}` : 'empty'
}
