/**
 * A mapping of a dashboard file, read field by field. A missing field has its default; an invalid field is reported at
 * its position and has its default; an unknown key is a warning, because a later Perses may define it.
 */
import { ownValue } from '../../base/own-value.ts'
import type { Node } from 'yaml'
import { didYouMean } from '../../base/nearest.ts'
import type { UnknownPart } from '../../model/dashboard.ts'
import { parseDuration } from '../../model/duration.ts'
import type { Entry, Range, YamlReader } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'

export interface Part {
  readonly yaml: YamlReader
  /** Its name in messages: `the legend`. */
  readonly what: string
  readonly at: Range
  readonly entries: ReadonlyMap<string, Entry>
}

/** @param known keys that are read or ignored; `undefined`: any key */
export function partOf(
  yaml: YamlReader,
  node: Node | null,
  what: string,
  at: Range,
  known: readonly string[] | undefined,
): Part {
  const entries = yaml.mapping(node, what, at) ?? []
  for (const { key, keyAt } of entries) {
    if (known === undefined || known.includes(key)) continue
    yaml.warning(keyAt, `${what} has the key ${key}, which is not read`, didYouMean(key, known))
  }
  const range = yaml.rangeOf(node, at)
  return { yaml, what, at: range, entries: new Map(entries.map((entry) => [entry.key, entry])) }
}

/** A nested mapping; without entries when it is missing. */
export function partAt(part: Part, key: string, what: string, known?: readonly string[]): Part {
  const entry = part.entries.get(key)
  if (entry === undefined) return { yaml: part.yaml, what, at: part.at, entries: new Map() }
  return partOf(part.yaml, entry.value, what, entry.keyAt, known)
}

export function has({ entries }: Part, key: string): boolean {
  return entries.has(key)
}

/** Items of a nested list, with positions. */
export function itemsAt(part: Part, key: string): readonly { readonly node: Node; readonly at: Range }[] {
  const entry = part.entries.get(key)
  if (entry === undefined) return []
  const nodes = part.yaml.sequence(entry.value, `${key} of ${part.what}`, entry.keyAt) ?? []
  return nodes.map((node) => ({ node, at: part.yaml.rangeOf(node, entry.keyAt) }))
}

export function partsAt(part: Part, key: string, what: string, known?: readonly string[]): readonly Part[] {
  return itemsAt(part, key).map(({ node, at }) => partOf(part.yaml, node, what, at, known))
}

export function yamlTextAt(part: Part, key: string): YamlText | undefined {
  const entry = part.entries.get(key)
  return entry === undefined ? undefined : part.yaml.text(entry.value, `${key} of ${part.what}`, entry.keyAt)
}

export function textAt(part: Part, key: string): string {
  return yamlTextAt(part, key)?.text ?? ''
}

/** A required text. */
export function neededTextAt(part: Part, key: string): string {
  const text = textAt(part, key)
  if (text === '') part.yaml.error(part.entries.get(key)?.keyAt ?? start(part.at), `${part.what} has no ${key}`)
  return text
}

export function textsAt(part: Part, key: string): readonly string[] {
  return itemsAt(part, key).flatMap(
    ({ node, at }) => part.yaml.text(node, `an item of ${key} of ${part.what}`, at)?.text ?? [],
  )
}

export function numberAt(part: Part, key: string): number | undefined {
  const text = yamlTextAt(part, key)
  if (text === undefined || text.text === '') return undefined
  const value = Number(text.text)
  if (Number.isFinite(value)) return value
  part.yaml.error(text, `${key} of ${part.what} is ${JSON.stringify(text.text)}; want a number`)
  return undefined
}

/** A number within bounds; a value outside is reported and replaced by the bound. */
export function boundedAt(part: Part, key: string, least: number, most: number): number | undefined {
  const value = numberAt(part, key)
  if (value === undefined || (value >= least && value <= most)) return value
  part.yaml.warning(part.entries.get(key)!.keyAt, `${key} of ${part.what} is ${value}; want ${least} to ${most}`)
  return Math.min(most, Math.max(least, value))
}

export function flagAt(part: Part, key: string, otherwise = false): boolean {
  const text = yamlTextAt(part, key)
  if (text === undefined || text.text === '') return otherwise
  if (text.text === 'true' || text.text === 'false') return text.text === 'true'
  part.yaml.error(text, `${key} of ${part.what} is ${JSON.stringify(text.text)}; want true or false`)
  return otherwise
}

export function wordAt<const T extends string>(part: Part, key: string, words: readonly T[]): T | undefined {
  const text = yamlTextAt(part, key)
  if (text === undefined || text.text === '') return undefined
  const word = words.find((one) => one === text.text)
  if (word === undefined) {
    part.yaml.error(text, `${key} of ${part.what} is ${JSON.stringify(text.text)}; want ${words.join(', ')}`)
  }
  return word
}

/** The items of a list that are one of the words; others are reported. @param item their name in messages */
export function wordsAt<const T extends string>(part: Part, key: string, item: string, words: readonly T[]): T[] {
  return itemsAt(part, key).flatMap(({ node, at }) => {
    const text = part.yaml.text(node, item, at)?.text ?? ''
    const word = words.find((one) => one === text)
    if (word !== undefined) return [word]
    part.yaml.error(at, `${item} is ${JSON.stringify(text)}; want ${words.join(', ')}`)
    return []
  })
}

/** Seconds of a duration such as `6h`. */
export function secondsAt(part: Part, key: string): number | undefined {
  const text = yamlTextAt(part, key)
  if (text === undefined || text.text === '') return undefined
  const lengthMs = parseDuration(text.text)
  if (lengthMs !== undefined) return lengthMs / 1000
  part.yaml.error(text, `${key} of ${part.what} is ${JSON.stringify(text.text)}; want a duration such as 6h`)
  return undefined
}

/** Reports at its position that a setting is not supported, when it is set. */
export function reportUnsupported(part: Part, key: string, why: string): void {
  const entry = part.entries.get(key)
  if (entry !== undefined) part.yaml.warning(entry.keyAt, `${part.what} sets ${key}, which is not supported: ${why}`)
}

/** The file's text of a value that is not read. */
export function sourceAt(part: Part, key: string): string {
  const entry = part.entries.get(key)
  if (entry === undefined) return ''
  const { from, to } = part.yaml.rangeOf(entry.value, entry.keyAt)
  return part.yaml.source.slice(part.yaml.source.lastIndexOf('\n', from) + 1, to).trimEnd()
}

/** The position of a diagnostic about a whole mapping. */
export function start({ from }: Range): Range {
  return { from, to: from + 1 }
}

/** One row per kind of `kind` and `spec`, the pair of which every part of a Perses dashboard consists. */
export type Kinds<T> = Readonly<Record<string, { readonly keys: readonly string[]; readonly read: (spec: Part) => T }>>

/** @param what its name in messages: `the panel cpu` */
export function readPlugin<T>(plugin: Part, what: string, kinds: Kinds<T>): T | UnknownPart {
  const kind = yamlTextAt(plugin, 'kind')
  if (kind === undefined || kind.text === '') {
    plugin.yaml.error(start(plugin.at), `${what} has no kind`)
    return { kind: 'unknown', name: '', spec: '' }
  }
  const known = ownValue(kinds, kind.text)
  if (known !== undefined) {
    return known.read(partAt(plugin, 'spec', `${kind.text} of ${what}`, known.keys))
  }
  const names = Object.keys(kinds)
  const help = didYouMean(kind.text, names) ?? `known here: ${names.join(', ')}`
  plugin.yaml.warning(kind, `unknown kind ${kind.text}`, help)
  return { kind: 'unknown', name: kind.text, spec: sourceAt(plugin, 'spec') }
}

/** Reports a data source other than the default, which is this server. */
export function reportOtherSource(part: Part): void {
  const source = partAt(part, 'datasource', `the datasource of ${part.what}`, ['kind', 'name'])
  const name = textAt(source, 'name')
  if (name !== '') reportUnsupported(part, 'datasource', `this server is queried, not ${name}`)
}
