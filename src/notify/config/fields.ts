/**
 * Kinds of value in the notification configuration: how a YAML node is read, and what is reported when it is invalid.
 * A record of kinds describes a mapping; the type of its values follows from the kinds.
 */
import { ownValue } from '../../base/own-value.ts'
import type { Node } from 'yaml'
import { parseDuration } from '../../model/duration.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { YamlReader, Range } from '../../yaml/yaml-reader.ts'
import type { Secret } from './secret.ts'

/** One reading of one file; collects diagnostics and the positions of secrets. */
export interface Reading {
  readonly reader: YamlReader
  /** Ranges of texts that must not be shown. */
  readonly secrets: Range[]
  readonly secretValues: Set<string>
  /** Relative paths in the file start here. */
  readonly baseDir: string
  /** Reports the errors of a template. */
  readonly checkTemplate: (text: YamlText, what: string) => void
}

/** Reads one value. Returns `undefined` after reporting why the value is invalid. */
export type Kind<T> = (reading: Reading, node: Node | null, what: string, at: Range) => T | undefined

/** A kind with the value of an absent key. */
interface WithDefault<T> {
  readonly kind: Kind<T>
  readonly otherwise: T
}

export function or<T>(kind: Kind<T>, otherwise: T): WithDefault<T> {
  return { kind, otherwise }
}

export type Kinds = Readonly<Record<string, Kind<unknown> | WithDefault<unknown>>>

type CamelCase<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S
type ValueOf<K> = K extends WithDefault<infer T> ? T : K extends Kind<infer T> ? T : never
/** Keys that are never values: a kind that reports each use, and `x_file` beside `x`. */
type NoValue<K> = { [P in keyof K]: [ValueOf<K[P]>] extends [never] ? P : never }[keyof K]
type FileOf<K> = Extract<keyof K, `${keyof K & string}_file`>
type DefaultOf<K> = { [P in keyof K]: K[P] extends WithDefault<unknown> ? P : never }[keyof K]

/** The values of a mapping by key in camel case. An absent key without a default is absent. Durations are milliseconds. */
export type Values<K extends Kinds> = {
  readonly [P in DefaultOf<K> as CamelCase<P>]: ValueOf<K[P]>
} & {
  readonly [P in Exclude<keyof K, DefaultOf<K> | NoValue<K> | FileOf<K>> as CamelCase<P>]?: ValueOf<K[P]>
}

/** For checks across the keys of one mapping. */
export interface Mapping<Key extends string> {
  /** The name of the mapping in messages. */
  readonly what: string
  readonly reading: Reading
  /** Position of the key, or of the start of the mapping when the key is absent. */
  readonly at: (key: Key) => Range
  readonly fault: (key: Key, message: string, help?: string) => void
  /** Reports the second of several keys that exclude each other. */
  readonly atMostOne: (keys: readonly Key[]) => void
}

/** Reads a mapping with exactly these keys. `x_file` is another way to write `x`: one of the two may be present. */
export function record<K extends Kinds, T>(
  kinds: K,
  build: (values: Values<K>, mapping: Mapping<keyof K & string>) => T | undefined,
): Kind<T> {
  return (reading, node, what, at) => {
    const { reader, secrets } = reading
    const entries = reader.fields(node, what, at, Object.keys(kinds))
    if (entries === undefined) return undefined
    const found = new Map<string, unknown>()
    for (const [key, { keyAt, value }] of entries) {
      const kind = ownValue(kinds, key)
      // A misspelt key may have a secret.
      if (kind === undefined) secrets.push(reader.rangeOf(value, keyAt))
      else if (!isNothing(value)) found.set(key, ('kind' in kind ? kind.kind : kind)(reading, value, key, keyAt))
    }
    const start = headOf(reader.rangeOf(node, at))
    const placeOf = (key: string): Range => (entries.get(key) ?? entries.get(`${key}_file`))?.keyAt ?? start
    const atMostOne = (keys: readonly string[]): void => {
      const second = keys.filter((key) => found.has(key))[1]
      if (second !== undefined) reader.error(placeOf(second), `at most one of ${keys.join(', ')} can be given`)
    }
    const values: Record<string, unknown> = {}
    for (const [key, kind] of Object.entries(kinds)) {
      const fileKey = `${key}_file`
      if (Object.hasOwn(kinds, fileKey)) atMostOne([key, fileKey])
      const value = found.get(key) ?? found.get(fileKey) ?? ('otherwise' in kind ? kind.otherwise : undefined)
      if (value !== undefined) values[camelCase(key)] = value
    }
    const fault = (key: string, message: string, help?: string): void => {
      reader.error(placeOf(key), message, help)
    }
    return build(values as Values<K>, { what, reading, at: placeOf, fault, atMostOne })
  }
}

function camelCase(key: string): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** The values of a mapping in which no key is present. */
export function defaultsOf<K extends Kinds>(kinds: K): Values<K> {
  const defaults = Object.entries(kinds).flatMap(([key, kind]) =>
    'otherwise' in kind ? [[camelCase(key), kind.otherwise] as const] : [],
  )
  return Object.fromEntries(defaults) as Values<K>
}

function isNothing(node: Node | null): boolean {
  return node === null || ('value' in node && node.value === null)
}

/** The start of a long range, for an error about all of it. */
export function headOf({ from }: Range): Range {
  return { from, to: from + 1 }
}

/** Omits invalid items; they are reported, and the file is then not used. */
export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  return (reading, node, what, at) =>
    reading.reader.sequence(node, what, at)?.flatMap((item, i) => {
      const found = kind(reading, item, `${what}[${i}]`, reading.reader.rangeOf(item, at))
      return found === undefined ? [] : [found]
    })
}

export interface Pair<T> {
  readonly name: string
  readonly value: T
  readonly at: Range
}

/** A mapping with names that the user chooses. */
export function pairsOf<T>(kind: Kind<T>): Kind<readonly Pair<T>[]> {
  return (reading, node, what, at) =>
    reading.reader.mapping(node, what, at)?.flatMap(({ key, keyAt, value }) => {
      const found = kind(reading, value, key, keyAt)
      return found === undefined ? [] : [{ name: key, value: found, at: keyAt }]
    })
}

/** A scalar; `read` returns the value, or what it wants instead. */
export function scalar<T>(read: (text: string) => { readonly value: T } | { readonly wanted: string }): Kind<T> {
  return (reading, node, what, at) => {
    const found = reading.reader.text(node, what, at)
    if (found === undefined) return undefined
    const result = read(found.text)
    if ('value' in result) return result.value
    reading.reader.error(found, `${what}: got ${JSON.stringify(found.text)}, want ${result.wanted}`)
    return undefined
  }
}

/** A key of Alertmanager that is an error here: ignoring it would send messages in another way than the file says. */
export function refused(why: string, help?: string): Kind<never> {
  return ({ reader }, _node, what, at) => {
    reader.error(at, `${what} ${why}`, help)
    return undefined
  }
}

export const text: Kind<string> = scalar((value) => ({ value }))

/** A text with its position. */
export const placed: Kind<YamlText> = ({ reader }, node, what, at) => reader.text(node, what, at)

/** Go's YAML reads these words as booleans. */
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

export const duration: Kind<number> = scalar((raw) => {
  const value = parseDuration(raw)
  return value === undefined ? { wanted: 'a duration such as 30s, 5m, 4h' } : { value }
})

export const template: Kind<string> = (reading, node, what, at) => {
  const found = reading.reader.text(node, what, at)
  if (found !== undefined) reading.checkTemplate(found, what)
  return found?.text
}

const HTTP_URL = 'an address that starts with http:// or https://'

export const url: Kind<string> = scalar((value) => (isHttpUrl(value) ? { value } : { wanted: HTTP_URL }))

/** A text that is never shown; Alertmanager shows `<secret>` in its place. */
export const secret: Kind<Secret> = secretThat(() => true)

/** A secret that may have a template, such as PagerDuty's keys. */
export const secretTemplate: Kind<Secret> = (reading, node, what, at) => {
  const found = secret(reading, node, what, at)
  if (found !== undefined) template(reading, node, what, at)
  return found
}

export const secretUrl: Kind<Secret> = secretThat((value) => value === '<secret>' || isHttpUrl(value))

/** A path, absent when empty; the file is read when a message is sent, so that a secret can change without a reload. */
export const secretFile: Kind<Secret> = ({ reader, baseDir }, node, what, at) => {
  const path = reader.text(node, what, at)?.text
  if (path === undefined || path === '') return undefined
  return { kind: 'file', path: path.startsWith('/') ? path : `${baseDir}/${path}` }
}

function secretThat(isValid: (value: string) => boolean): Kind<Secret> {
  return (reading, node, what, at) => {
    const { reader } = reading
    reading.secrets.push(reader.rangeOf(node, at))
    const found = reader.text(node, what, at)
    if (found === undefined) return undefined
    reading.secrets.push({ from: found.from, to: found.to })
    if (found.text !== '<secret>') reading.secretValues.add(found.text)
    if (isValid(found.text)) return { kind: 'text', value: found.text }
    reader.error(found, `${what} cannot be used, want ${HTTP_URL}`)
    return undefined
  }
}

function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^/]/i.test(value) && URL.canParse(value)
}
