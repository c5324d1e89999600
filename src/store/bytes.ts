import { grown } from '../base/grown.ts'
import { crc32, deflateSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib'
import { messageOf } from '../base/errors.ts'

/**
 * Variable-length numbers. Unsigned: seven bits per byte, lowest first, the top bit marks that more follow. Signed: the
 * first byte uses bit 6 for the sign. Both are exact over all safe integers, unlike shifts.
 */

/** Malformed stored bytes. The caller knows the row and turns this into a failure. */
export class MalformedBytesError extends Error {
  override readonly name = 'MalformedBytesError'
}

/** Largest inflated size of a row: a damaged length must not exhaust memory. */
export const INFLATED_BYTES_MAX = 256 * 1024 * 1024

/** Low bits of the first byte of zlib's format (RFC 1950). No raw stream of zlib has them: a stored block begins with 0. */
const ZLIB_FORMAT = 8

/** Whether `inflate` verifies a checksum. */
export function hasChecksum(deflated: Uint8Array): boolean {
  return (deflated[0]! & 0x0f) === ZLIB_FORMAT
}

/** In zlib's format: four bytes at the end are a checksum, which `inflate` verifies. */
export function deflate(bytes: Uint8Array | string, options: ZlibOptions): Uint8Array {
  return deflateSync(bytes, options)
}

/**
 * Bytes of `deflate`, or of earlier versions without a checksum. Throws `MalformedBytesError`, also when the checksum
 * differs or the result is longer than `bytesMax`.
 */
export function inflate(deflated: Uint8Array, bytesMax = INFLATED_BYTES_MAX, options: ZlibOptions = {}): Uint8Array {
  const read = hasChecksum(deflated) ? inflateSync : inflateRawSync
  try {
    return read(deflated, { ...options, maxOutputLength: Math.max(1, bytesMax) })
  } catch (thrown) {
    throw new MalformedBytesError(`does not inflate: ${messageOf(thrown)}`)
  }
}

/** Of bytes that are stored as they are, in a column beside them. */
export function checksumOf(bytes: Uint8Array): number {
  return crc32(bytes)
}

/** @param checksum null: stored by a version without checksums. Throws `MalformedBytesError`. */
export function verifyChecksum(bytes: Uint8Array, checksum: number | null): void {
  if (checksum === null) return
  const found = crc32(bytes)
  if (found !== checksum) throw new MalformedBytesError(`checksum ${found}, want ${checksum}`)
}

/** Room for the longest number: a safe integer has 53 bits, and 6 + 7 * 7 = 55. */
const NUMBER_BYTES_MAX = 8

/** A growing buffer that is used again after `clear`. */
export class ByteWriter {
  /** `[0, length)` is written. Replaced when it grows. */
  bytes: Uint8Array<ArrayBuffer>
  length = 0

  constructor(capacityBytes = 4096) {
    this.bytes = new Uint8Array(capacityBytes)
  }

  clear(): void {
    this.length = 0
  }

  /** HOT. Makes room for `bytes` more; the writes below do not check. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return
    this.bytes = grown(this.bytes, Math.max(this.bytes.length * 2, this.length + bytes))
  }

  byte(value: number): void {
    this.bytes[this.length++] = value
  }

  /** HOT. A safe integer from 0. */
  unsigned(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.length++] = rest
  }

  /** HOT. Any safe integer; the sign of zero is lost. */
  signed(value: number): void {
    const size = Math.abs(value)
    const low = (size % 0x40) | (value < 0 ? 0x40 : 0)
    if (size < 0x40) {
      this.bytes[this.length++] = low
      return
    }
    this.bytes[this.length++] = low | 0x80
    this.unsigned(Math.floor(size / 0x40))
  }

  /** HOT. The two words of a 64-bit float, low word first. */
  words(low: number, high: number): void {
    const bytes = this.bytes
    let at = this.length
    bytes[at++] = low
    bytes[at++] = low >>> 8
    bytes[at++] = low >>> 16
    bytes[at++] = low >>> 24
    bytes[at++] = high
    bytes[at++] = high >>> 8
    bytes[at++] = high >>> 16
    bytes[at++] = high >>> 24
    this.length = at
  }

  /** A copy of the written bytes. */
  take(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }
}

/** Reads what `ByteWriter` wrote. Throws `MalformedBytesError`, never reads outside. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Bytes read so far. */
  get at(): number {
    return this.#at
  }

  get bytesLeft(): number {
    return this.#bytes.length - this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at]
    if (value === undefined) throw new MalformedBytesError(`ends at byte ${this.#at}, want one more`)
    this.#at++
    return value
  }

  /** HOT. Most numbers take one byte. */
  unsigned(): number {
    const from = this.#at
    const first = this.#bytes[from]
    if (first !== undefined && first < 0x80) {
      this.#at = from + 1
      return first
    }
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) break
      scale *= 0x80
      if (this.#at - from > NUMBER_BYTES_MAX) throw new MalformedBytesError(`number at byte ${from} does not end`)
    }
    if (!Number.isSafeInteger(value)) throw new MalformedBytesError(`number at byte ${from} is too large`)
    return value
  }

  signed(): number {
    const first = this.byte()
    const size = (first & 0x3f) + (first >= 0x80 ? this.unsigned() * 0x40 : 0)
    if (!Number.isSafeInteger(size)) throw new MalformedBytesError(`number before byte ${this.#at} is too large`)
    return (first & 0x40) !== 0 ? -size : size
  }

  /** The next bytes, as a view. */
  take(byteLength: number): Uint8Array {
    const end = this.#at + byteLength
    if (end > this.#bytes.length) throw new MalformedBytesError(`ends at byte ${this.#bytes.length}, want ${end}`)
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** One 32-bit word as a signed integer, as `Int32Array` holds it. */
  word(): number {
    return this.byte() | (this.byte() << 8) | (this.byte() << 16) | (this.byte() << 24)
  }
}

const float = new Float64Array(1)
const floatWords = new Int32Array(float.buffer)

/**
 * HOT. The low word of a float, as a signed integer; `highWordOf` is the other. Preserves all bits, including NaN
 * payloads.
 */
export function lowWordOf(value: number): number {
  float[0] = value
  return floatWords[0]!
}

export function highWordOf(value: number): number {
  float[0] = value
  return floatWords[1]!
}

/** The float of two words. A NaN's payload survives only until the first computation with it. */
export function floatOf(low: number, high: number): number {
  floatWords[0] = low
  floatWords[1] = high
  return float[0]!
}

/** HOT. One of the eight bytes of two words; 0 is the lowest of the low word. */
export function byteOf(low: number, high: number, index: number): number {
  return index < 4 ? (low >>> (index * 8)) & 0xff : (high >>> ((index - 4) * 8)) & 0xff
}
