import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import { rfc3339Ms } from './rfc3339.ts'

/**
 * Reads a Kubernetes object as a Collector sends it: maps, lists and scalars of OTLP. A missing field, or one of the
 * wrong type, is `undefined`: a malformed field does not affect the others.
 */
export type ObjectValue = AttributeValue

/** Limit for texts of an object; a condition's message can quote a whole manifest. */
const TEXT_CHARS_MAX = 1000
/** Limit for the entries of one list of an object. */
const LIST_MAX = 200

const NO_ENTRIES: Attributes = []

/** The entries of a map; empty for any other value. */
export function entriesOf(value: ObjectValue): Attributes {
  return isMap(value) ? value.entries : NO_ENTRIES
}

/** Whether it is a map, maybe an empty one. */
export function isMap(value: ObjectValue): value is { readonly entries: Attributes } {
  // Bytes and lists have a method of the name `entries`.
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** The value at a path of keys. */
export function at(value: ObjectValue, ...path: readonly string[]): ObjectValue {
  let here = value
  for (const key of path) here = entriesOf(here).findLast((entry) => entry.key === key)?.value
  return here
}

/** A text that is not empty, cut when it is long. */
export function textAt(value: ObjectValue, ...path: readonly string[]): string | undefined {
  const text = at(value, ...path)
  return typeof text === 'string' && text !== '' ? clipped(text) : undefined
}

/** As `textAt`, but the empty text for a missing value. */
export function textOr(value: ObjectValue, ...path: readonly string[]): string {
  return textAt(value, ...path) ?? ''
}

/** A safe integer. JSON's numbers may arrive as doubles. */
export function integerAt(value: ObjectValue, ...path: readonly string[]): number | undefined {
  const number = at(value, ...path)
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** A count: Go leaves a zero out. */
export function countAt(value: ObjectValue, ...path: readonly string[]): number {
  return Math.max(0, integerAt(value, ...path) ?? 0)
}

export function booleanAt(value: ObjectValue, ...path: readonly string[]): boolean | undefined {
  const flag = at(value, ...path)
  return typeof flag === 'boolean' ? flag : undefined
}

/** A time as Kubernetes writes it, in milliseconds. */
export function timeMsAt(value: ObjectValue, ...path: readonly string[]): number | undefined {
  const text = at(value, ...path)
  return typeof text === 'string' ? rfc3339Ms(text) : undefined
}

/** The last `LIST_MAX` entries of a list; `undefined` for any other value. */
export function listAt(value: ObjectValue, ...path: readonly string[]): readonly ObjectValue[] | undefined {
  const list = at(value, ...path)
  return Array.isArray(list) ? (list as readonly ObjectValue[]).slice(-LIST_MAX) : undefined
}

/** The texts of a list; `undefined` for any other value. */
export function textsAt(value: ObjectValue, ...path: readonly string[]): readonly string[] | undefined {
  return listAt(value, ...path)?.flatMap((item) => (typeof item === 'string' ? [clipped(item)] : []))
}

export function labelAt(object: ObjectValue, label: string): string | undefined {
  const text = at(object, 'metadata', 'labels', label)
  return typeof text === 'string' ? clipped(text) : undefined
}

export function annotationAt(object: ObjectValue, annotation: string): string | undefined {
  const text = at(object, 'metadata', 'annotations', annotation)
  return typeof text === 'string' ? text : undefined
}

/** Removes undefined fields, so that equal facts are equal bytes. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  const facts: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) facts[name] = value
  return facts as T
}

/** A record in the order of its keys. */
export function sortedRecord<V>(entries: Iterable<readonly [string, V]>): Readonly<Record<string, V>> {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(sorted)
}

function clipped(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text
  // Half a surrogate pair is no character.
  const end = (text.charCodeAt(TEXT_CHARS_MAX - 1) & 0xfc00) === 0xd800 ? TEXT_CHARS_MAX - 1 : TEXT_CHARS_MAX
  return `${text.slice(0, end)}…`
}
