import { DecodeError, LimitError, VALUE_DEPTH_MAX } from '../decode-error.ts'
import type { Steps } from '../../base/thread-slices.ts'
import { parseJsonInSteps } from '../json-steps.ts'
import type { AttributeValue, KeyValue } from '../../model/attribute.ts'

/**
 * What all OTLP messages are made of, in JSON (OTLP 1.x, "JSON Protobuf Encoding"): 64-bit integers as decimal texts or
 * numbers, doubles as numbers or the three words JSON has no number for, bytes in base64. Keys are lowerCamelCase only.
 * `null` is an absent field, unknown fields are passed over.
 */

const FORMAT = 'otlp json'

export type JsonObject = Readonly<Record<string, unknown>>

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** A body to its outermost object. @throws DecodeError when it is not JSON, not UTF-8 or not an object */
export function* parseJsonObject(bytes: Uint8Array): Steps<JsonObject> {
  let value: unknown
  try {
    value = yield* parseJsonInSteps(UTF8.decode(bytes))
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? thrown.message : 'a text that is not UTF-8'
    throw new DecodeError(FORMAT, why, 'a JSON object')
  }
  return objectOf(value, 'the body')
}

/** A list of messages, in a step each. */
export function* mapInSteps<T>(messages: readonly JsonObject[], read: (message: JsonObject) => Steps<T>): Steps<T[]> {
  const items: T[] = []
  for (const message of messages) {
    items.push(yield* read(message))
    yield false
  }
  return items
}

export function objectOf(value: unknown, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw wrong(value, what, 'an object')
}

/** A message field: absent is the empty message. */
export function messageField(parent: JsonObject, name: string): JsonObject {
  const value = parent[name] ?? undefined
  return value === undefined ? {} : objectOf(value, name)
}

export function hasField(parent: JsonObject, name: string): boolean {
  return (parent[name] ?? undefined) !== undefined
}

/** A repeated field: absent is the empty list. */
export function listField(parent: JsonObject, name: string): readonly unknown[] {
  const value = parent[name] ?? undefined
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw wrong(value, name, 'a list')
}

/** A repeated field of messages. */
export function messagesField(parent: JsonObject, name: string): JsonObject[] {
  return listField(parent, name).map((item) => objectOf(item, name))
}

export function textField(parent: JsonObject, name: string): string {
  const value = parent[name] ?? ''
  if (typeof value === 'string') return wellFormed(value)
  throw wrong(value, name, 'a text')
}

export function booleanField(parent: JsonObject, name: string): boolean {
  const value = parent[name] ?? false
  if (typeof value === 'boolean') return value
  throw wrong(value, name, 'true or false')
}

/** Enums and 32-bit integers. */
export function smallIntegerField(parent: JsonObject, name: string): number {
  const value = parent[name] ?? 0
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= 0xffffffff) return number
  throw wrong(value, name, 'an integer of at most 32 bits')
}

/** 32-bit counts and flags. */
export function unsigned32Field(parent: JsonObject, name: string): number {
  const number = smallIntegerField(parent, name)
  if (number >= 0) return number
  throw wrong(parent[name], name, 'an unsigned integer of at most 32 bits')
}

/** Exact, whatever its size, when it was sent as a text. */
function exactInteger(value: unknown, what: string, min: bigint, max: bigint): bigint {
  let exact: bigint | undefined
  if (typeof value === 'number' && Number.isInteger(value)) exact = BigInt(value)
  else if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) exact = BigInt(value)
  if (exact !== undefined && exact >= min && exact <= max) return exact
  throw wrong(value, what, 'a 64-bit integer, as a decimal text or a number')
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const UINT64_MAX = 2n ** 64n - 1n

/** A uint64 as the nearest double; absent is 0. */
export function unsigned64Field(parent: JsonObject, name: string): number {
  return unsigned64(parent[name] ?? 0, name)
}

export function unsigned64(value: unknown, what: string): number {
  // The common case, without a bigint.
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return Number(exactInteger(value, what, 0n, UINT64_MAX))
}

/** An int64 as the nearest double. */
export function signed64(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  return Number(exactInteger(value, what, INT64_MIN, INT64_MAX))
}

/** Nanoseconds since the epoch as milliseconds, rounded down; absent is 0. */
export function timeMsField(parent: JsonObject, name: string): number {
  const value = parent[name] ?? 0
  return value === 0 ? 0 : Number(exactInteger(value, name, 0n, UINT64_MAX) / 1_000_000n)
}

/** Nanoseconds since the epoch, exact when they were sent as a text; absent is 0. */
export function timeNsField(parent: JsonObject, name: string): bigint {
  return exactInteger(parent[name] ?? 0, name, 0n, UINT64_MAX)
}

/** An id as lower-case hexadecimal of at most 16 bytes; empty for an invalid one. */
export function idField(parent: JsonObject, name: string): string {
  const id = textField(parent, name).toLowerCase()
  return /^([0-9a-f]{2}){1,16}$/.test(id) ? id : ''
}

const WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity }),
)

export function double(value: unknown, what: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') {
    const word = WORDS.get(value)
    if (word !== undefined) return word
    if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value)
  }
  throw wrong(value, what, 'a number, "NaN", "Infinity" or "-Infinity"')
}

export function doubleField(parent: JsonObject, name: string): number {
  return double(parent[name] ?? 0, name)
}

/** Reads attributes, and counts them and their nested values. */
export class JsonAttributes {
  readonly #most: number
  #count = 0
  /** Keys whose values are skipped in the current value. */
  #skippedKeys: ReadonlySet<string> | undefined

  constructor(attributesMax: number) {
    this.#most = attributesMax
  }

  read(parent: JsonObject, name = 'attributes', depth = 0): KeyValue[] {
    return listField(parent, name).map((item) => {
      this.countValue()
      const entry = objectOf(item, name)
      const key = textField(entry, 'key')
      if (this.#skippedKeys?.has(key) === true) return { key, value: undefined }
      return { key, value: this.#value(messageField(entry, 'value'), depth) }
    })
  }

  /** Reads an AnyValue field. @param skippedKeys keys whose values are skipped, at any depth */
  value(parent: JsonObject, name: string, skippedKeys?: ReadonlySet<string>): AttributeValue {
    this.#skippedKeys = skippedKeys
    try {
      return this.#value(messageField(parent, name), 0)
    } finally {
      this.#skippedKeys = undefined
    }
  }

  #value(message: JsonObject, depth: number): AttributeValue {
    if (depth > VALUE_DEPTH_MAX) {
      throw new DecodeError(FORMAT, 'values inside values', `at most ${VALUE_DEPTH_MAX} levels`)
    }
    let value: AttributeValue
    // In the order in which they were sent: of a oneof the last one holds.
    for (const [name, content] of Object.entries(message)) {
      if (content === null) continue
      if (name === 'stringValue') value = textField(message, name)
      else if (name === 'intValue') value = integerValue(content)
      else if (name === 'doubleValue') value = double(content, name)
      else if (name === 'boolValue') value = booleanField(message, name)
      else if (name === 'bytesValue') value = bytesValue(content)
      else if (name === 'arrayValue') {
        value = listField(objectOf(content, name), 'values').map((item) => {
          this.countValue()
          return this.#value(objectOf(item, 'values'), depth + 1)
        })
      } else if (name === 'kvlistValue') value = { entries: this.read(objectOf(content, name), 'values', depth + 1) }
    }
    return value
  }

  /** One more of what `attributesMax` limits. */
  countValue(): void {
    if (++this.#count > this.#most) {
      throw new LimitError(FORMAT, `more than ${this.#most} attributes in one request`, 'attributes', this.#most)
    }
  }
}

function integerValue(value: unknown): number | bigint {
  const exact = exactInteger(value, 'intValue', INT64_MIN, INT64_MAX)
  const number = Number(exact)
  return Number.isSafeInteger(number) ? number : exact
}

function bytesValue(value: unknown): Uint8Array {
  // Both alphabets, as protobuf's JSON mapping allows; `Buffer` reads both.
  if (typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) {
    return Uint8Array.from(Buffer.from(value, 'base64'))
  }
  throw wrong(value, 'bytesValue', 'base64')
}

/** Half a surrogate pair is no character, and no other encoding can carry it. */
function wellFormed(text: string): string {
  if (!/[\ud800-\udfff]/.test(text) || Buffer.from(text).toString() === text) return text
  throw new DecodeError(FORMAT, 'a text with half a surrogate pair', 'Unicode')
}

function wrong(value: unknown, what: string, want: string): DecodeError {
  return new DecodeError(FORMAT, `${shownValue(value)} as ${what}`, want)
}

const SHOWN_CHARS_MAX = 40

/** The start of a text, or what kind of value it is: a list or an object may be too deep to be printed. */
function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > SHOWN_CHARS_MAX ? `${value.slice(0, SHOWN_CHARS_MAX)}...` : value)
}
