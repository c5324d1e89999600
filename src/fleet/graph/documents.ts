/**
 * Splits files of a catalog into its documents: a stream of YAML documents, of JSON objects one after the other, or both. Files
 * of a hundred megabytes are usual, and most of their documents belong to other packages: these are left out unparsed.
 */
import { parseDocument } from 'yaml'
import { FleetError, messageOf } from '../../base/errors.ts'
import { refused, shownValue } from './fields.ts'

export interface CatalogDocument {
  readonly file: string
  /** On which it starts, from 1 on. */
  readonly line: number
  readonly value: Readonly<Record<string, unknown>>
}

/** Of all files of one import together. */
export interface DocumentLimits {
  readonly bytesMax: number
  readonly documentsMax: number
}

export const CATALOG_LIMITS: DocumentLimits = { bytesMax: 100 * 1024 * 1024, documentsMax: 100_000 }

/** What is known of a document before it is parsed; absent: not written where it can be read without. */
export interface DocumentHead {
  readonly schema?: string
  readonly package?: string
}

interface Part {
  readonly text: string
  readonly line: number
}

/** Aliases that a document may use: YAML's own protection against documents that grow when they are read. */
const ALIASES_MAX = 100

export class DocumentReader {
  #bytes = 0
  #documents = 0
  readonly #limits: DocumentLimits
  readonly #isWanted: (head: DocumentHead) => boolean

  /** @param isWanted false: the document is left out */
  constructor(limits: DocumentLimits, isWanted: (head: DocumentHead) => boolean) {
    this.#limits = limits
    this.#isWanted = isWanted
  }

  /** The wanted documents of one file. Throws `bad_request` with file and line, and `too_large` above a limit. */
  *read(file: string, text: string): Generator<CatalogDocument> {
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.#limits.bytesMax) {
      throw new FleetError(
        'too_large',
        `${file}: got more than ${this.#limits.bytesMax} bytes, want at most as many in all files`,
      )
    }
    for (const part of yamlParts(text)) {
      if (!this.#isWanted(headOf(part.text))) {
        this.#count(file, part.line)
        continue
      }
      for (const document of parse(file, part)) {
        this.#count(file, document.line)
        yield document
      }
    }
  }

  #count(file: string, line: number): void {
    this.#documents++
    if (this.#documents <= this.#limits.documentsMax) return
    const max = this.#limits.documentsMax
    throw new FleetError(
      'too_large',
      `${file}:${line}: got more than ${max} documents, want at most as many in all files`,
    )
  }
}

/** The texts between lines `---`; a text of a document cannot contain such a line at its start. */
function* yamlParts(text: string): Generator<Part> {
  let [from, line, partLine] = [0, 1, 1]
  let at = 0
  while (at <= text.length) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length + 1 : end + 1
    const isMark = text.startsWith('---', at) && /^(?:$|[\s])/.test(text.charAt(at + 3))
    const isEnd = text.startsWith('...', at) && /^(?:$|[\s])/.test(text.charAt(at + 3))
    if (isMark || isEnd) {
      if (from < at) yield { text: text.slice(from, at), line: partLine }
      from = isMark ? at + 3 : next
      partLine = isMark ? line : line + 1
    }
    at = next
    line++
  }
  if (from < text.length) yield { text: text.slice(from), line: partLine }
}

/** Only plain values of keys at the start of a line; other documents are parsed. */
function headOf(text: string): DocumentHead {
  const schema = /^schema: *([\w.-]+) *\r?$/m.exec(text)?.[1]
  const name = /^package: *([\w.-]+) *\r?$/m.exec(text)?.[1]
  return { ...(schema === undefined ? {} : { schema }), ...(name === undefined ? {} : { package: name }) }
}

function* parse(file: string, part: Part): Generator<CatalogDocument> {
  const start = part.text.search(/\S/)
  if (start === -1) return
  if (part.text[start] === '{') {
    for (const object of jsonParts(part, start)) yield { file, line: object.line, value: parseJson(file, object) }
    return
  }
  const value = parseYaml(file, part)
  // Comments alone are no document.
  if (value !== undefined) yield { file, line: part.line + linesIn(part.text, start), value }
}

/** Top-level objects that follow each other. What is not closed is one part too, whose error the parser finds. */
function* jsonParts({ text, line }: Part, start: number): Generator<Part> {
  let depth = 0
  let from = start
  let isText = false
  let atLine = line + linesIn(text, start)
  let fromLine = atLine
  for (let i = start; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 10) atLine++
    if (isText) {
      if (char === 92) i++
      else if (char === 34) isText = false
    } else if (char === 34) isText = true
    else if (char === 123) {
      if (depth === 0 && text.slice(from, i).trim() === '') [from, fromLine] = [i, atLine]
      depth++
    } else if (char === 125) {
      depth--
      if (depth > 0) continue
      yield { text: text.slice(from, i + 1), line: fromLine }
      ;[from, fromLine, depth] = [i + 1, atLine, 0]
    }
  }
  const rest = text.slice(from)
  if (rest.trim() !== '') yield { text: rest, line: fromLine + linesIn(rest, rest.search(/\S/)) }
}

function parseJson(file: string, part: Part): CatalogDocument['value'] {
  try {
    return mappingOf(file, part.line, JSON.parse(part.text))
  } catch (thrown) {
    if (thrown instanceof FleetError) throw thrown
    // A flow mapping of YAML, or an error whose place YAML's parser reports.
    return parseYaml(file, { ...part, text: part.text.trim() }) ?? mappingOf(file, part.line, undefined)
  }
}

function parseYaml(file: string, { text, line }: Part): CatalogDocument['value'] | undefined {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error', stringKeys: true })
    const [error] = document.errors
    if (error !== undefined) {
      throw refused(`${file}:${line + linesIn(text, error.pos[0])}`, `invalid YAML (${error.message})`, 'a document')
    }
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX })
    return document.contents === null ? undefined : mappingOf(file, line, value)
  } catch (thrown) {
    if (thrown instanceof FleetError) throw thrown
    // Thousands of mappings inside each other exhaust the stack; too many aliases are an error of the library.
    const got = thrown instanceof RangeError ? 'too many values inside each other' : messageOf(thrown)
    throw refused(`${file}:${line}`, got, 'a document of a catalog')
  }
}

function mappingOf(file: string, line: number, value: unknown): CatalogDocument['value'] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CatalogDocument['value']
  throw refused(`${file}:${line}`, shownValue(value), 'a mapping with the key schema')
}

/** Line ends before an offset. */
function linesIn(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}
