import { isStaleWords } from '../../model/sample.ts'
import { DecodeError, LimitError, VALUE_DEPTH_MAX, type DecodeLimit } from '../decode-error.ts'
import type { AttributeValue, KeyValue } from '../../model/attribute.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufReader, VARINT, tagOf, truncated } from '../protobuf.ts'

/**
 * The common parts of all OTLP messages in protobuf: texts, 64-bit numbers, times, attributes (common.proto). Reading
 * moves the cursor past the field.
 */

const FORMAT = 'otlp'

const KEY = tagOf(1, LENGTH_DELIMITED)
const VALUE = tagOf(2, LENGTH_DELIMITED)
const KEY_VALUE_FIELDS = 0b110

const STRING = tagOf(1, LENGTH_DELIMITED)
const BOOL = tagOf(2, VARINT)
const INT = tagOf(3, VARINT)
const DOUBLE = tagOf(4, FIXED64)
const LIST = tagOf(5, LENGTH_DELIMITED)
const MAP = tagOf(6, LENGTH_DELIMITED)
const BYTES = tagOf(7, LENGTH_DELIMITED)
const VALUE_FIELDS = 0b1111_1110
const ITEMS = tagOf(1, LENGTH_DELIMITED)
const ITEMS_FIELDS = 0b10

// Without `ignoreBOM` a leading byte order mark would vanish, and two label sets would become one.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Recently read texts: keys and most values repeat those of the previous request, and looking them up is cheaper than
 * decoding them. Each place holds its last text; places and lengths are bounded, to half a megabyte in total.
 */
const RECENT_TEXTS = 8192
const RECENT_TEXT_BYTES_MAX = 64
const recentTexts: string[] = Array.from({ length: RECENT_TEXTS }, () => '')

export class OtlpReader extends ProtobufReader {
  readonly #buffer: Buffer
  readonly #attributesMax: number
  #attributes = 0
  /** Keys whose values are skipped in the current value. */
  #skippedKeys: ReadonlySet<string> | undefined

  /** @param attributesMax limit for attributes and nested values in the whole message */
  constructor(bytes: Uint8Array, attributesMax: number) {
    super(bytes)
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#attributesMax = attributesMax
  }

  /** A string field's content. @throws DecodeError when it is not UTF-8 */
  text(end: number): string {
    const contentEnd = this.lengthDelimitedEnd(end)
    const start = this.position
    this.position = contentEnd
    const { bytes } = this
    let at = start
    // FNV-1a, only to choose a place: texts are compared completely.
    let hash = 0x811c9dc5
    while (at < contentEnd && bytes[at]! < 0x80) hash = Math.imul(hash ^ bytes[at++]!, 0x01000193)
    // Nearly all texts are ASCII, and for short ones this is four times as fast as a TextDecoder.
    if (at === contentEnd) return this.#asciiText(start, contentEnd, (hash ^ (hash >>> 15)) & (RECENT_TEXTS - 1))
    try {
      return UTF8.decode(bytes.subarray(start, contentEnd))
    } catch {
      throw new DecodeError(FORMAT, 'a text that is not UTF-8', 'UTF-8', start)
    }
  }

  /** HOT: several times per point. @param place the place for texts with this hash */
  #asciiText(start: number, end: number, place: number): string {
    if (end - start > RECENT_TEXT_BYTES_MAX) return this.#buffer.toString('latin1', start, end)
    const recent = recentTexts[place]!
    if (recent.length === end - start) {
      const { bytes } = this
      let i = 0
      while (i < recent.length && recent.charCodeAt(i) === bytes[start + i]) i++
      if (i === recent.length) return recent
    }
    return (recentTexts[place] = this.#buffer.toString('latin1', start, end))
  }

  /** A double, or `undefined` for a stale marker: a float that passes through a register may lose what makes it one. */
  doubleOrStale(end: number): number | undefined {
    const at = this.#fixed64(end)
    const isStale = isStaleWords(this.view.getUint32(at + 4, true), this.view.getUint32(at, true))
    return isStale ? undefined : this.view.getFloat64(at, true)
  }

  /** A fixed64 as the nearest double. */
  unsigned64(end: number): number {
    const at = this.#fixed64(end)
    return this.view.getUint32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true)
  }

  /** An sfixed64 as the nearest double. */
  signed64(end: number): number {
    const at = this.#fixed64(end)
    return this.view.getInt32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true)
  }

  /**
   * Nanoseconds since the epoch in a fixed64, as milliseconds, rounded down. Exact: a double of nanoseconds would be
   * off by up to 128, and so in the wrong millisecond now and then. 2^32 ns are 4,294 ms and 967,296 ns.
   */
  timeMs(end: number): number {
    const at = this.#fixed64(end)
    const high = this.view.getUint32(at + 4, true)
    return high * 4294 + Math.floor((high * 967_296 + this.view.getUint32(at, true)) / 1e6)
  }

  /** Nanoseconds since the epoch in a fixed64, exact. */
  nanoseconds(end: number): bigint {
    return this.view.getBigUint64(this.#fixed64(end), true)
  }

  /** A fixed32 as an unsigned number. */
  fixed32(end: number): number {
    const at = this.position
    if (at + 4 > end) throw truncated('a 32-bit number', at)
    this.position = at + 4
    return this.view.getUint32(at, true)
  }

  /** A bytes field in hexadecimal, as ids are written; empty for more than 16 bytes, which no id has. */
  hex(end: number): string {
    const contentEnd = this.lengthDelimitedEnd(end)
    const start = this.position
    this.position = contentEnd
    return contentEnd - start > 16 ? '' : this.#buffer.toString('hex', start, contentEnd)
  }

  /** Reads the fields of a message; `read` returns false for unknown ones. */
  fields(end: number, known: number, read: (tag: number) => boolean): void {
    while (this.position < end) {
      const tag = this.tag(end)
      if (!read(tag)) this.skipUnknown(tag, end, known)
    }
  }

  /** Reads the content of an AnyValue field. @param skippedKeys keys whose values are skipped, at any depth */
  value(end: number, skippedKeys?: ReadonlySet<string>): AttributeValue {
    this.#skippedKeys = skippedKeys
    try {
      return this.#value(end, 0)
    } finally {
      this.#skippedKeys = undefined
    }
  }

  keyValue(end: number, depth = 0): KeyValue {
    this.countValue()
    const messageEnd = this.lengthDelimitedEnd(end)
    let key = ''
    let value: AttributeValue
    while (this.position < messageEnd) {
      const tag = this.tag(messageEnd)
      if (tag === KEY) key = this.text(messageEnd)
      else if (tag === VALUE) {
        if (this.#skippedKeys?.has(key) === true) this.skip(tag, messageEnd)
        else value = this.#value(messageEnd, depth)
      } else this.skipUnknown(tag, messageEnd, KEY_VALUE_FIELDS)
    }
    return { key, value }
  }

  #value(end: number, depth: number): AttributeValue {
    const messageEnd = this.lengthDelimitedEnd(end)
    if (depth > VALUE_DEPTH_MAX) {
      throw new DecodeError(FORMAT, 'values inside values', `at most ${VALUE_DEPTH_MAX} levels`, this.position)
    }
    let value: AttributeValue
    while (this.position < messageEnd) {
      const tag = this.tag(messageEnd)
      if (tag === STRING) value = this.text(messageEnd)
      else if (tag === INT) value = this.#exactInt64(messageEnd)
      else if (tag === DOUBLE) value = this.double(messageEnd)
      else if (tag === BOOL) value = this.int64(messageEnd) !== 0
      else if (tag === BYTES) value = this.#bytes(messageEnd)
      else if (tag === LIST) value = this.#items(messageEnd, (itemsEnd) => this.#item(itemsEnd, depth))
      else if (tag === MAP)
        value = { entries: this.#items(messageEnd, (itemsEnd) => this.keyValue(itemsEnd, depth + 1)) }
      else this.skipUnknown(tag, messageEnd, VALUE_FIELDS)
    }
    return value
  }

  #item(end: number, depth: number): AttributeValue {
    this.countValue()
    return this.#value(end, depth + 1)
  }

  #items<T>(end: number, read: (end: number) => T): T[] {
    const messageEnd = this.lengthDelimitedEnd(end)
    const items: T[] = []
    while (this.position < messageEnd) {
      const tag = this.tag(messageEnd)
      if (tag === ITEMS) items.push(read(messageEnd))
      else this.skipUnknown(tag, messageEnd, ITEMS_FIELDS)
    }
    return items
  }

  #exactInt64(end: number): number | bigint {
    const start = this.position
    const rounded = this.int64(end)
    if (Number.isSafeInteger(rounded)) return rounded
    let exact = 0n
    for (let at = this.position - 1; at >= start; at--) exact = (exact << 7n) | BigInt(this.bytes[at]! & 0x7f)
    return BigInt.asIntN(64, exact)
  }

  #bytes(end: number): Uint8Array {
    const contentEnd = this.lengthDelimitedEnd(end)
    // Not `slice`, which of a Buffer is no copy.
    const content = Uint8Array.from(this.bytes.subarray(this.position, contentEnd))
    this.position = contentEnd
    return content
  }

  /** Skips eight bytes and returns their start. */
  #fixed64(end: number): number {
    const at = this.position
    if (at + 8 > end) throw truncated('a 64-bit number', at)
    this.position = at + 8
    return at
  }

  /** One more of what `attributesMax` limits. */
  countValue(): void {
    if (++this.#attributes > this.#attributesMax) throw tooMany('attributes', this.#attributesMax)
  }
}

/** The limited items of a request, and the names of their limits. */
const LIMITED = {
  'data points': 'samples',
  exemplars: 'samples',
  attributes: 'attributes',
  spans: 'spans',
  'log records': 'logRecords',
} as const satisfies Readonly<Record<string, DecodeLimit>>

export function tooMany(what: keyof typeof LIMITED, most: number): LimitError {
  return new LimitError(FORMAT, `more than ${most} ${what} in one request`, LIMITED[what], most)
}

/** Bits of the fields a message may have, for `skipUnknown`. */
export function fieldBits(...numbers: readonly number[]): number {
  return numbers.reduce((bits, field) => bits | (1 << field), 0)
}
