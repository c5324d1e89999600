import { ByteReader, ByteWriter, highWordOf, lowWordOf, MalformedBytesError } from './bytes.ts'

/**
 * The payload of a log row: the samples appended between two commits, in the order they were accepted. A row stands
 * alone: what an entry leaves out is taken from the entry before it in the same row. Drawn in README.md.
 */
const LOG_VERSION = 1

/** Head byte of an entry: how the value is written, and what is as before. */
const VALUE_MASK = 3
const VALUE_SAME = 0
const VALUE_INTEGER = 1
const VALUE_BITS = 2
const IS_SAME_TIME = 4
const IS_NEXT_REF = 8
/** A head byte, two numbers and a value. */
const ENTRY_BYTES_MAX = 1 + 9 + 9 + 9

/** Collects what is accepted until it is durable. */
export class LogBuffer {
  readonly #bytes = new ByteWriter(64 * 1024)
  #sampleCount = 0
  #maxMs = -Infinity
  #ref = 0
  #timeMs = 0
  #low = 0
  #high = 0

  get sampleCount(): number {
    return this.#sampleCount
  }

  /** Newest time in the buffer. */
  get maxMs(): number {
    return this.#maxMs
  }

  get byteLength(): number {
    return this.#bytes.length
  }

  /** HOT: once per sample. */
  append(ref: number, timeMs: number, value: number, low: number, high: number): void {
    const bytes = this.#bytes
    bytes.reserve(ENTRY_BYTES_MAX + 1)
    if (this.#sampleCount === 0) bytes.byte(LOG_VERSION)
    let head = VALUE_BITS
    if (low === this.#low && high === this.#high) head = VALUE_SAME
    // Minus zero is not an integer here: its sign would be lost. Its low word is 0, its high word is not.
    else if (Number.isSafeInteger(value) && (value !== 0 || high === 0)) head = VALUE_INTEGER
    if (timeMs === this.#timeMs) head |= IS_SAME_TIME
    if (ref === this.#ref + 1) head |= IS_NEXT_REF
    bytes.byte(head)
    if ((head & IS_NEXT_REF) === 0) bytes.unsigned(ref)
    if ((head & IS_SAME_TIME) === 0) bytes.signed(timeMs)
    if ((head & VALUE_MASK) === VALUE_INTEGER) bytes.signed(value)
    else if ((head & VALUE_MASK) === VALUE_BITS) bytes.words(low, high)
    this.#ref = ref
    this.#timeMs = timeMs
    this.#low = low
    this.#high = high
    this.#sampleCount++
    if (timeMs > this.#maxMs) this.#maxMs = timeMs
  }

  /** A view of the row's payload; valid until the next append. */
  get payload(): Uint8Array {
    return this.#bytes.bytes.subarray(0, this.#bytes.length)
  }

  clear(): void {
    this.#bytes.clear()
    this.#sampleCount = 0
    this.#maxMs = -Infinity
    this.#ref = 0
    this.#timeMs = 0
    this.#low = 0
    this.#high = 0
  }
}

/** Calls `sample` with each sample of a row, in order. Throws `MalformedBytesError`. */
export function readLogPayload(
  payload: Uint8Array,
  sample: (ref: number, timeMs: number, low: number, high: number) => void,
): void {
  const bytes = new ByteReader(payload)
  const version = bytes.byte()
  if (version !== LOG_VERSION) throw new MalformedBytesError(`log version ${version}, want ${LOG_VERSION}`)
  let ref = 0
  let timeMs = 0
  let low = 0
  let high = 0
  while (!bytes.isAtEnd) {
    const head = bytes.byte()
    if (head > (VALUE_MASK | IS_SAME_TIME | IS_NEXT_REF)) throw new MalformedBytesError(`unknown head byte ${head}`)
    ref = (head & IS_NEXT_REF) === 0 ? bytes.unsigned() : ref + 1
    if ((head & IS_SAME_TIME) === 0) timeMs = bytes.signed()
    switch (head & VALUE_MASK) {
      case VALUE_SAME:
        break
      case VALUE_INTEGER: {
        const value = bytes.signed()
        low = lowWordOf(value)
        high = highWordOf(value)
        break
      }
      case VALUE_BITS:
        low = bytes.word()
        high = bytes.word()
        break
      default:
        throw new MalformedBytesError(`unknown kind of value in head byte ${head}`)
    }
    sample(ref, timeMs, low, high)
  }
}
