import { grown } from '../base/grown.ts'
import { DecodeError } from './decode-error.ts'

/**
 * The protocol buffers encoding (protobuf.dev/programming-guides/encoding), the basis of all decoders in this folder: a
 * cursor over bytes that reads varints, fixed64 and length-delimited fields and skips unknown fields. Groups and the
 * two unused wire types are errors, as in Go's decoders. No schema, no reflection, no allocation per field.
 */

export const VARINT = 0
export const FIXED64 = 1
export const LENGTH_DELIMITED = 2
export const FIXED32 = 5

const FORMAT = 'protobuf'

/** The largest length that takes one byte. */
const SHORT_BYTES_MAX = 0x7f

/** The tag of a field on the wire; compare it with the result of `tag`. */
export function tagOf(field: number, wireType: number): number {
  return field * 8 + wireType
}

/**
 * A cursor. Fields are plain and writable because hot loops copy them to registers; code that moves `position` keeps it
 * within `[0, bytes.length]`. Every read takes the end (exclusive) of its message and never passes it.
 */
export class ProtobufReader {
  bytes: Uint8Array
  view: DataView
  position = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Restarts on other bytes. `view` must begin where `bytes` does; it may be longer. */
  reset(bytes: Uint8Array, view: DataView): void {
    this.bytes = bytes
    this.view = view
    this.position = 0
  }

  /** HOT. The next field's tag: number times 8 plus wire type. @throws DecodeError on field 0, groups, unused wire types */
  tag(end: number): number {
    const at = this.position
    const tag = this.varint32(end)
    const wireType = tag & 7
    if (tag < 8) throw new DecodeError(FORMAT, 'field number 0', '1 or more', at)
    if (wireType === 3 || wireType === 4 || wireType > 5) {
      throw new DecodeError(FORMAT, `wire type ${wireType} in field ${tag >>> 3}`, 'type 0, 1, 2 or 5', at)
    }
    return tag
  }

  /** HOT. An unsigned varint of at most 32 bits: tags, lengths, uint32 fields. */
  varint32(end: number): number {
    const first = this.position
    if (first < end) {
      const byte = this.bytes[first]!
      if (byte < 0x80) {
        this.position = first + 1
        return byte
      }
    }
    return this.#varint32Rest(end)
  }

  #varint32Rest(end: number): number {
    const first = this.position
    let value = 0
    for (let i = 0; i < 5; i++) {
      if (first + i >= end) throw truncated('a varint', first + i)
      const byte = this.bytes[first + i]!
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) {
        if (value > 0xffffffff) break
        this.position = first + i + 1
        return value
      }
    }
    throw new DecodeError(FORMAT, 'a varint of more than 32 bits', 'at most 32 bits', first)
  }

  /**
   * HOT. A signed 64-bit varint (`int64`, not zigzag; negatives take 10 bytes) as a number. Beyond +-2^53 it is
   * rounded, and never back into the safe range: callers that need exactness check `Number.isSafeInteger`.
   */
  int64(end: number): number {
    const bytes = this.bytes
    const first = this.position
    // Seven bits at a time in three parts of 28, 28 and 8 bits; bitwise arithmetic has 32.
    let low = 0
    let middle = 0
    let high = 0
    for (let i = 0; i < 10; i++) {
      if (first + i >= end) throw truncated('a varint', first + i)
      const byte = bytes[first + i]!
      if (i < 4) low |= (byte & 0x7f) << (7 * i)
      else if (i < 8) middle |= (byte & 0x7f) << (7 * (i - 4))
      else high |= (byte & 0x7f) << (7 * (i - 8))
      if (byte < 0x80) {
        if (high > 0xff) break
        this.position = first + i + 1
        return ((high << 24) >> 24) * 2 ** 56 + middle * 2 ** 28 + low
      }
    }
    throw new DecodeError(FORMAT, 'a varint of more than 64 bits', 'at most 64 bits', first)
  }

  /** An unsigned 64-bit varint (`uint64`), rounded beyond 2^53. */
  uint64(end: number): number {
    const signed = this.int64(end)
    return signed < 0 ? signed + 2 ** 64 : signed
  }

  /** A zigzag varint of 64 bits (`sint64`), rounded beyond +-2^52. */
  sint64(end: number): number {
    const code = this.uint64(end)
    return code % 2 === 0 ? code / 2 : -(code + 1) / 2
  }

  /** A zigzag varint of 32 bits (`sint32`). */
  sint32(end: number): number {
    const code = this.varint32(end)
    return (code >>> 1) ^ -(code & 1)
  }

  /** Eight bytes as a float; may quiet a NaN. */
  double(end: number): number {
    const at = this.position
    if (at + 8 > end) throw truncated('a 64-bit number', at)
    this.position = at + 8
    return this.view.getFloat64(at, true)
  }

  /** HOT. Reads the length of a length-delimited field and returns the end of its content. */
  lengthDelimitedEnd(end: number): number {
    const at = this.position
    const length = this.varint32(end)
    const contentEnd = this.position + length
    if (contentEnd > end)
      throw new DecodeError(FORMAT, `a field of ${length} bytes`, `at most ${end - this.position}`, at)
    return contentEnd
  }

  /** Skips the content of the field whose tag was just read. */
  skip(tag: number, end: number): void {
    const at = this.position
    switch (tag & 7) {
      case VARINT:
        this.int64(end)
        return
      case FIXED64:
        if (at + 8 > end) throw truncated('a fixed64', at)
        this.position = at + 8
        return
      case LENGTH_DELIMITED:
        this.position = this.lengthDelimitedEnd(end)
        return
      default:
        if (at + 4 > end) throw truncated('a fixed32', at)
        this.position = at + 4
    }
  }

  /**
   * Skips the content of an unknown field. `knownFields` has bit n set for each field n that the caller reads: a known
   * field with another wire type is an error, as in Go, and not an unknown field.
   */
  skipUnknown(tag: number, end: number, knownFields: number): void {
    const field = tag >>> 3
    if (field < 32 && ((knownFields >>> field) & 1) === 1) {
      throw new DecodeError(FORMAT, `wire type ${tag & 7} in field ${field}`, 'the type of that field', this.position)
    }
    this.skip(tag, end)
  }
}

export function truncated(what: string, at: number): DecodeError {
  return new DecodeError(FORMAT, 'the end of the message', `the rest of ${what}`, at)
}

/** Writes fields into a buffer that grows. Cold next to the reader: senders here are the simulator and the tests. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  readonly #encoder = new TextEncoder()

  get length(): number {
    return this.#length
  }

  /** A copy of the written bytes; the writer can continue. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  /** Clears the written bytes and keeps the buffer. */
  clear(): void {
    this.#length = 0
  }

  tag(field: number, wireType: number): void {
    this.varint(tagOf(field, wireType))
  }

  /** An unsigned safe integer. */
  varint(value: number): void {
    this.#reserve(10)
    let left = value
    for (; left >= 0x80; left = Math.floor(left / 128)) this.#bytes[this.#length++] = (left % 128) | 0x80
    this.#bytes[this.#length++] = left
  }

  /** A signed safe integer as `int64`: ten bytes when negative. */
  int64(value: number): void {
    if (value >= 0) {
      this.varint(value)
      return
    }
    this.#reserve(10)
    let left = BigInt.asUintN(64, BigInt(value))
    for (; left >= 0x80n; left >>= 7n) this.#bytes[this.#length++] = Number(left & 0x7fn) | 0x80
    this.#bytes[this.#length++] = Number(left)
  }

  /** Eight bytes as two words, which preserves the payload of a NaN. */
  fixed64(high: number, low: number): void {
    this.#reserve(8)
    this.#view.setUint32(this.#length, low, true)
    this.#view.setUint32(this.#length + 4, high, true)
    this.#length += 8
  }

  /** A signed safe integer below 2^52 either way as `sint64` or `sint32`: zigzag. */
  zigzag(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** A length-delimited field. */
  bytes(field: number, content: Uint8Array): void {
    this.tag(field, LENGTH_DELIMITED)
    this.varint(content.length)
    this.raw(content)
  }

  /** Nearly all texts are short and ASCII: those are written in place, without a call of the encoder. */
  text(field: number, text: string): void {
    const { length } = text
    if (length > SHORT_BYTES_MAX) {
      this.bytes(field, this.#encoder.encode(text))
      return
    }
    const start = this.#length
    this.tag(field, LENGTH_DELIMITED)
    this.#reserve(1 + length)
    const bytes = this.#bytes
    let to = this.#length
    bytes[to++] = length
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) {
        this.#length = start
        this.bytes(field, this.#encoder.encode(text))
        return
      }
      bytes[to++] = code
    }
    this.#length = to
  }

  /** Begins a nested message; pass the result to `close` to end it. */
  open(field: number): number {
    this.tag(field, LENGTH_DELIMITED)
    this.#reserve(1)
    return ++this.#length
  }

  /** One byte was left for the length. Longer messages move, which is cheaper than writing each of them twice. */
  close(opened: number): void {
    const content = this.#length - opened
    if (content <= SHORT_BYTES_MAX) {
      this.#bytes[opened - 1] = content
      return
    }
    let extra = 0
    for (let left = content; left >= 0x80; left = Math.floor(left / 128)) extra++
    this.#reserve(extra)
    this.#bytes.copyWithin(opened + extra, opened, this.#length)
    this.#length = opened - 1
    this.varint(content)
    this.#length += content
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    this.#bytes = grown(this.#bytes, Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#view = new DataView(this.#bytes.buffer)
  }
}
