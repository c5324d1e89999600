import type { Steps } from '../base/thread-slices.ts'
import { DecodeError, LimitError } from './decode-error.ts'

/**
 * Snappy, the block format (google/snappy format_description.txt): what remote write compresses its body with.
 * A varint with the decoded length, then literals and copies. The framed format is another one and is refused by name.
 * The decoder is ours so that it writes into one reused buffer and can refuse a length before it allocates; the encoder
 * is that of forwarding and of the simulated fleet.
 */

/** Starts the text of every refusal: Prometheus' words for it. */
const FORMAT = 'snappy: corrupt input'

/** A stream in the framed format starts with this chunk: type ff, length 6, "sNaPpY". */
const FRAME_HEADER = [0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59]

/**
 * The maximum expansion of any element of the format: a copy of 3 bytes produces 64. A larger announced length cannot
 * be valid, so a six-byte body cannot make the server reserve megabytes.
 */
const EXPANSION_MAX = 64 / 3

/** Literals at least this long are moved by the engine; a loop is quicker below. */
const BULK_BYTES = 128
/** Whole words are copied, so up to this many bytes after the decoded ones are overwritten. */
const SLACK_BYTES = 15

/** Decoded bytes of one step: some 2 ms. */
const STEP_BYTES = 512 * 1024

const FRAGMENT_BYTES = 65_536
const HASH_BITS = 14
/** A fragment's last bytes are always literals, so that the matcher can read 4 bytes without a check. */
const TAIL_BYTES = 15

/** Decodes blocks, one after the other, into its own buffer, which grows up to `decodedBytesMax` and is reused. */
export class SnappyDecoder {
  readonly decodedBytesMax: number
  #buffer = new Uint8Array(64 * 1024)
  #view = new DataView(this.#buffer.buffer)
  /** How far the block is read and the buffer filled. */
  #from = 0
  #to = 0

  /** @param decodedBytesMax a block that announces more is refused before anything is allocated; inclusive */
  constructor(decodedBytesMax: number) {
    this.decodedBytesMax = decodedBytesMax
  }

  /**
   * Covers the buffer of the result of `decode`, with the same offsets. Changes whenever `decode` has to grow the
   * buffer.
   */
  get view(): DataView {
    return this.#view
  }

  /**
   * The decoded block: a view of this decoder's buffer, valid until the next call. Do not retain.
   * @throws DecodeError on anything but one complete block of at most `decodedBytesMax`
   */
  decode(block: Uint8Array): Uint8Array {
    const length = this.#begin(block)
    this.#read(block, length, length + 1)
    return this.#buffer.subarray(0, length)
  }

  /** `decode` in steps. Another block must not be decoded meanwhile. */
  *decodeInSteps(block: Uint8Array): Steps<Uint8Array> {
    const length = this.#begin(block)
    while (this.#from < block.length) {
      this.#read(block, length, this.#to + STEP_BYTES)
      yield false
    }
    return this.#buffer.subarray(0, length)
  }

  /** Returns the decoded length, for which there is room. */
  #begin(block: Uint8Array): number {
    if (isFramed(block)) throw new DecodeError(FORMAT, 'a framed stream', 'a block', 0)
    const [length, start] = announcedLength(block)
    if (length > this.decodedBytesMax) {
      throw new LimitError(FORMAT, `a block of ${length} bytes`, 'decodedBytes', this.decodedBytesMax)
    }
    if (length > (block.length - start) * EXPANSION_MAX) {
      throw new DecodeError(FORMAT, `${block.length - start} bytes that announce ${length}`, 'enough to fill them', 0)
    }
    this.#reserve(length)
    this.#from = start
    this.#to = 0
    return length
  }

  #reserve(length: number): void {
    if (this.#buffer.length >= length + SLACK_BYTES) return
    const doubled = Math.min(this.decodedBytesMax, Math.max(length, this.#buffer.length * 2))
    this.#buffer = new Uint8Array(doubled + SLACK_BYTES)
    this.#view = new DataView(this.#buffer.buffer)
  }

  /**
   * HOT: once per byte of every request. Fills the buffer up to `pauseAt` or a little more, and at the end of the block
   * `[0, length)` exactly; may overwrite the `SLACK_BYTES` after it. Short runs are copied four bytes at a time, the last
   * word past the end of the run: the next element overwrites the excess. For 60-byte copies that is four times as fast
   * as single bytes and needs no call.
   */
  #read(block: Uint8Array, length: number, pauseAt: number): void {
    const target = this.#buffer
    const view = this.#view
    const source = new DataView(block.buffer, block.byteOffset, block.byteLength)
    const end = block.length
    let from = this.#from
    let to = this.#to
    while (from < end && to < pauseAt) {
      const tag = block[from++]!
      let size = (tag >>> 2) + 1
      if ((tag & 3) === 0) {
        if (size > 60) {
          const width = size - 60
          if (from + width > end) throw truncated(from)
          size = littleEndian(block, from, width) + 1
          from += width
        }
        if (from + size > end) throw truncated(from)
        if (to + size > length) throw tooMuch(from, length)
        if (size < BULK_BYTES && from + size + SLACK_BYTES <= end) {
          for (let done = 0; done < size; done += 16) moveSixteen(source, from + done, view, to + done)
        } else target.set(block.subarray(from, from + size), to)
        from += size
        to += size
        continue
      }
      let offset: number
      if ((tag & 3) === 1) {
        if (from >= end) throw truncated(from)
        size = ((tag >>> 2) & 7) + 4
        offset = ((tag >>> 5) << 8) | block[from++]!
      } else if ((tag & 3) === 2) {
        if (from + 2 > end) throw truncated(from)
        offset = block[from]! | (block[from + 1]! << 8)
        from += 2
      } else {
        if (from + 4 > end) throw truncated(from)
        offset = littleEndian(block, from, 4)
        from += 4
      }
      if (offset === 0 || offset > to) throw new DecodeError(FORMAT, `a copy from ${offset} back`, `1..${to}`, from)
      if (to + size > length) throw tooMuch(from, length)
      const stop = to + size
      if (offset >= 4) {
        for (; to < stop; to += 16) moveSixteen(view, to - offset, view, to)
        to = stop
      } else {
        // The copy repeats its own output: byte by byte, on purpose.
        for (; to < stop; to++) target[to] = target[to - offset]!
      }
    }
    if (from === end && to !== length) {
      throw new DecodeError(FORMAT, `${to} decoded bytes`, `${length} as announced`, from)
    }
    this.#from = from
    this.#to = to
  }
}

function isFramed(block: Uint8Array): boolean {
  return block.length >= FRAME_HEADER.length && FRAME_HEADER.every((byte, i) => block[i] === byte)
}

/** The decoded length that the first bytes of a block announce, which may be wrong. @param pieces of the block */
export function announcedBytes(pieces: readonly Uint8Array[]): number {
  let [length, factor] = [0, 1]
  for (const piece of pieces) {
    for (const byte of piece) {
      length += (byte & 0x7f) * factor
      factor *= 128
      if (byte < 0x80 || factor > 2 ** 28) return length
    }
  }
  return length
}

/** The decoded length, and where the elements start. */
function announcedLength(block: Uint8Array): readonly [length: number, start: number] {
  let length = 0
  for (let i = 0; i < 5; i++) {
    if (i === block.length) throw new DecodeError(FORMAT, 'the end of the body', 'the decoded length', i)
    const byte = block[i]!
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) {
      if (length > 0xffffffff) break
      return [length, i + 1]
    }
  }
  throw new DecodeError(FORMAT, 'a decoded length of more than 32 bits', 'at most 32 bits', 0)
}

/** HOT. Word by word and in order, so that a source four bytes before its target repeats correctly. */
function moveSixteen(source: DataView, from: number, target: DataView, to: number): void {
  target.setInt32(to, source.getInt32(from, true), true)
  target.setInt32(to + 4, source.getInt32(from + 4, true), true)
  target.setInt32(to + 8, source.getInt32(from + 8, true), true)
  target.setInt32(to + 12, source.getInt32(from + 12, true), true)
}

function littleEndian(block: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + block[at + i]!
  return value
}

function truncated(at: number): DecodeError {
  return new DecodeError(FORMAT, 'the end of the body', 'the rest of an element', at)
}

function tooMuch(at: number, length: number): DecodeError {
  return new DecodeError(FORMAT, 'more decoded bytes than announced', `${length}`, at)
}

/**
 * One block; a new array that the caller owns. Real matching with the reference encoder's speed-over-size choices
 * (fragments of 64 KiB, a table of 4-byte hashes without chains, longer strides where nothing matches), so that what
 * the simulator sends weighs what a stock sender's body does.
 */
export function encodeSnappy(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(32 + input.length + Math.ceil(input.length / 6))
  let to = 0
  let left = input.length
  for (; left >= 0x80; left = Math.floor(left / 128)) output[to++] = (left % 128) | 0x80
  output[to++] = left
  const table = new Uint16Array(1 << HASH_BITS)
  const source = new DataView(input.buffer, input.byteOffset, input.byteLength)
  const target = new DataView(output.buffer)
  for (let start = 0; start < input.length; start += FRAGMENT_BYTES) {
    table.fill(0)
    to = encodeFragment(source, start, Math.min(start + FRAGMENT_BYTES, input.length), table, target, output, to)
  }
  return output.subarray(0, to)
}

/** HOT: once per byte. Encodes `source[start, end)` and returns the end of the output. Table entries are relative to `start`. */
function encodeFragment(
  source: DataView,
  start: number,
  end: number,
  table: Uint16Array,
  target: DataView,
  output: Uint8Array,
  outputStart: number,
): number {
  let to = outputStart
  let literalStart = start
  const last = end - TAIL_BYTES
  let at = start + 1
  let misses = 32
  while (at < last) {
    const word = source.getInt32(at, true)
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS)
    const candidate = start + table[slot]!
    table[slot] = at - start
    if (candidate >= at || source.getInt32(candidate, true) !== word) {
      at += misses++ >>> 5
      continue
    }
    let [from, back] = [at + 4, candidate + 4]
    const lastWord = end - 4
    while (from <= lastWord && source.getInt32(from, true) === source.getInt32(back, true)) {
      from += 4
      back += 4
    }
    while (from < end && source.getUint8(from) === source.getUint8(back)) {
      from++
      back++
    }
    to = writeLiteral(source, literalStart, at, target, to)
    to = writeCopy(at - candidate, from - at, output, to)
    at = from
    literalStart = at
    misses = 32
  }
  return writeLiteral(source, literalStart, end, target, to)
}

/** HOT. Whole words are written, so up to `SLACK_BYTES` after the literal are overwritten, for which the output has room. */
function writeLiteral(source: DataView, start: number, end: number, target: DataView, outputStart: number): number {
  let to = outputStart
  const length = end - start
  if (length === 0) return to
  // A fragment is at most 64 KiB, so two bytes of length are enough.
  if (length <= 60) target.setUint8(to++, (length - 1) << 2)
  else if (length <= 256) {
    target.setUint8(to++, 60 << 2)
    target.setUint8(to++, length - 1)
  } else {
    target.setUint8(to++, 61 << 2)
    target.setUint16(to, length - 1, true)
    to += 2
  }
  const after = to + length
  let from = start
  for (const lastSixteen = source.byteLength - 16; from < end && from <= lastSixteen; from += 16, to += 16) {
    moveSixteen(source, from, target, to)
  }
  for (; from < end; from++, to++) target.setUint8(to, source.getUint8(from))
  return after
}

function writeCopy(offset: number, length: number, output: Uint8Array, outputStart: number): number {
  let to = outputStart
  let left = length
  while (left > 0) {
    if (left >= 4 && left <= 11 && offset < 2048) {
      output[to++] = ((offset >>> 8) << 5) | ((left - 4) << 2) | 1
      output[to++] = offset & 0xff
      return to
    }
    // Never leaves less than 4: the short form above cannot encode it, and 3 more bytes would be necessary.
    const size = left > 64 && left < 68 ? 60 : Math.min(left, 64)
    output[to++] = ((size - 1) << 2) | 2
    output[to++] = offset & 0xff
    output[to++] = offset >>> 8
    left -= size
  }
  return to
}
