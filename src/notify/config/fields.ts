/**
 * Kinds of value in the notification configuration: how a node of YAML is read, and what is reported when it cannot be.
 * A record of kinds describes a mapping, and its values have the types that the kinds say.
 */
import type { Node } from 'yaml'
import { parseDuration } from '../../model/duration.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { YamlReader, Range } from '../../yaml/yaml-reader.ts'
import type { Secret } from './secret.ts'

/** One reading of one file; faults and the places of secrets are collected on the way. */
export interface Reading {
  readonly reader: YamlReader
  /** Ranges of texts that nobody may see. */
  readonly secrets: Range[]
  readonly secretValues: Set<string>
  /** Relative paths in the file start here. */
  readonly baseDir: string
  /** Reports what is wrong with a template's text. */
  readonly checkTemplate: (text: YamlText, what: string) => void
}

/** Answers `undefined` when it has reported why it cannot answer. */
export interface Kind<T> {
  read(reading: Reading, node: Node | null, what: string, at: Range): T | undefined
}

export type Kinds = Readonly<Record<string, Kind<unknown>>>
/** What `record` answers: a key that is not written is absent. */
export type Values<K extends Kinds> = { readonly [P in keyof K]?: K[P] extends Kind<infer T> ? T : never }

/** What was read of a mapping, with where each key stands, for what is checked across keys. */
export interface RecordOf<K extends Kinds> {
  readonly values: Values<K>
  /** Of the key when it is written, else of the whole. */
  readonly at: (key: keyof K & string) => Range
}

/** Reads a mapping with exactly these keys. */
export function readRecord<K extends Kinds>(
  reading: Reading,
  node: Node | null,
  what: string,
  at: Range,
  kinds: K,
): RecordOf<K> | undefined {
  const { reader } = reading
  const entries = reader.fields(node, what, at, Object.keys(kinds))
  if (entries === undefined) return undefined
  const values: Record<string, unknown> = {}
  const whole = reader.rangeOf(node, at)
  for (const [key, { keyAt, value }] of entries) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (kind === undefined) {
      // Perhaps a secret under a misspelt key.
      reading.secrets.push(reader.rangeOf(value, keyAt))
      continue
    }
    const found = isNothing(value) ? undefined : kind.read(reading, value, key, keyAt)
    if (found !== undefined) values[key] = found
  }
  return { values: values as Values<K>, at: (key) => entries.get(key)?.keyAt ?? headOf(whole) }
}

function isNothing(node: Node | null): boolean {
  return node === null || ('value' in node && node.value === null)
}

/** The beginning of something long, for a fault of the whole. */
export function headOf({ from }: Range): Range {
  return { from, to: from + 1 }
}

export function record<K extends Kinds, T>(
  kinds: K,
  build: (read: RecordOf<K>, reading: Reading, what: string) => T | undefined,
): Kind<T> {
  return {
    read: (reading, node, what, at) => {
      const read = readRecord(reading, node, what, at, kinds)
      return read === undefined ? undefined : build(read, reading, what)
    },
  }
}

/** Items that cannot be read are left out; they are reported, and then the file is not used. */
export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  return {
    read: (reading, node, what, at) =>
      reading.reader.sequence(node, what, at)?.flatMap((item, i) => {
        const found = kind.read(reading, item, `${what}[${i}]`, reading.reader.rangeOf(item, at))
        return found === undefined ? [] : [found]
      }),
  }
}

export interface Pair<T> {
  readonly name: string
  readonly value: T
  readonly at: Range
}

/** A mapping with names of the user's own. */
export function pairsOf<T>(kind: Kind<T>): Kind<readonly Pair<T>[]> {
  return {
    read: (reading, node, what, at) =>
      reading.reader.mapping(node, what, at)?.flatMap(({ key, keyAt, value }) => {
        const found = kind.read(reading, value, key, keyAt)
        return found === undefined ? [] : [{ name: key, value: found, at: keyAt }]
      }),
  }
}

/** A scalar read by a function that answers the value, or says what it wanted. */
export function scalar<T>(read: (text: string) => { readonly value: T } | { readonly wanted: string }): Kind<T> {
  return {
    read: (reading, node, what, at) => {
      const found = reading.reader.text(node, what, at)
      if (found === undefined) return undefined
      const result = read(found.text)
      if ('value' in result) return result.value
      reading.reader.error(found, `${what}: got ${JSON.stringify(found.text)}, want ${result.wanted}`)
      return undefined
    },
  }
}

export const text: Kind<string> = scalar((value) => ({ value }))

/** A text with its place. */
export const placed: Kind<YamlText> = {
  read: (reading, node, what, at) => reading.reader.text(node, what, at),
}

/** Go's YAML takes these words for a boolean. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', 'n'].map((word) => [word, false] as const),
])

export const flag: Kind<boolean> = scalar((raw) => {
  const value = FLAGS.get(raw.toLowerCase())
  return value === undefined ? { wanted: 'true or false' } : { value }
})

export const count: Kind<number> = scalar((raw) =>
  /^\d+$/.test(raw) && Number.isSafeInteger(Number(raw))
    ? { value: Number(raw) }
    : { wanted: 'a whole number, 0 or more' },
)

/** Milliseconds. */
export const duration: Kind<number> = scalar((raw) => {
  const value = parseDuration(raw)
  return value === undefined ? { wanted: 'a duration such as 30s, 5m, 4h' } : { value }
})

export const template: Kind<string> = {
  read: (reading, node, what, at) => {
    const found = reading.reader.text(node, what, at)
    if (found !== undefined) reading.checkTemplate(found, what)
    return found?.text
  },
}

const HTTP_URL = 'an address that starts with http:// or https://'

export const url: Kind<string> = scalar((value) => (isHttpUrl(value) ? { value } : { wanted: HTTP_URL }))

/** A text that is shown to nobody; `<secret>` is what Alertmanager shows in its place. */
export const secret: Kind<Secret> = secretThat(() => undefined)

/** A secret that may hold a template, as PagerDuty's keys may. */
export const secretTemplate: Kind<Secret> = {
  read: (reading, node, what, at) => {
    const found = secret.read(reading, node, what, at)
    if (found !== undefined) {
      const text = reading.reader.text(node, what, at)
      if (text !== undefined) reading.checkTemplate(text, what)
    }
    return found
  },
}

export const secretUrl: Kind<Secret> = secretThat((value) =>
  value === '<secret>' || isHttpUrl(value) ? undefined : HTTP_URL,
)

/** A path; it is read when a message is sent, so that a secret can be changed without a reload. */
export const secretFile: Kind<Secret> = {
  read: (reading, node, what, at) => {
    const path = filePath.read(reading, node, what, at)
    return path === undefined ? undefined : { kind: 'file', path }
  },
}

/** A path, relative to the folder of the configuration. */
export const filePath: Kind<string> = {
  read: (reading, node, what, at) => {
    const path = reading.reader.text(node, what, at)?.text
    return path === undefined || path === '' || path.startsWith('/') ? path : `${reading.baseDir}/${path}`
  },
}

function secretThat(faultOf: (value: string) => string | undefined): Kind<Secret> {
  return {
    read: (reading, node, what, at) => {
      const { reader } = reading
      reading.secrets.push(reader.rangeOf(node, at))
      const found = reader.text(node, what, at)
      if (found === undefined) return undefined
      reading.secrets.push({ from: found.from, to: found.to })
      if (found.text !== '<secret>') reading.secretValues.add(found.text)
      const wanted = faultOf(found.text)
      if (wanted !== undefined) {
        reader.error(found, `${what} cannot be used, want ${wanted}`)
        return undefined
      }
      return { kind: 'text', value: found.text }
    },
  }
}

function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^/]/i.test(value) && URL.canParse(value)
}

/** A secret that is written under `key`, or in the file that `key_file` names; a fault when it is both. */
export function secretOf<K extends Kinds>(
  read: RecordOf<K>,
  reading: Reading,
  key: keyof K & string,
): Secret | undefined {
  const fileKey = `${key}_file`
  atMostOne(read, reading, [key, fileKey])
  return (read.values[key] ?? read.values[fileKey]) as Secret | undefined
}

/** Reports a second one of keys of which at most one may be written. */
export function atMostOne<K extends Kinds>(
  { values, at }: RecordOf<K>,
  reading: Reading,
  keys: readonly (keyof K & string)[],
): void {
  const written = keys.filter((key) => values[key] !== undefined)
  if (written.length > 1) {
    reading.reader.error(at(written[1]!), `at most one of ${keys.join(', ')} can be given`)
  }
}
