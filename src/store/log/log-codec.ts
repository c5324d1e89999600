import { ByteReader, ByteWriter, floatOf, highWordOf, lowWordOf, MalformedBytesError } from '../bytes.ts'

/**
 * The payload of a log row: the samples appended between two commits, in order of arrival. Each row can be decoded
 * alone: an entry omits only what equals the previous entry of the same row. Drawn in README.md.
 */
const LOG_VERSION = 2

/** Head byte of an entry: the encoding of the value, and what equals the previous entry. */
const VALUE_MASK = 3
const VALUE_SAME = 0
const VALUE_INTEGER = 1
const VALUE_BITS = 2
/** The difference to the value before. */
const VALUE_STEP = 3
const IS_SAME_TIME = 4
const IS_NEXT_REF = 8
const IS_SAME_REF = 16
/** As far after the time before as that was, when it last differed, after the one before it. */
const IS_TIME_STEP = 32
/** Not as a difference, which would not be exact. */
const IS_TIME_WHOLE = 64
const HEAD_MAX = 0x7f
/** A head byte, two numbers and a value. */
const ENTRY_BYTES_MAX = 1 + 9 + 9 + 9

/** Collects accepted samples until they are durable. */
export class LogBuffer {
  readonly #bytes = new ByteWriter(64 * 1024)
  #sampleCount = 0
  #minMs = Infinity
  #maxMs = -Infinity
  #ref = 0
  #timeMs = 0
  #stepMs = 0
  #value = 0
  #low = 0
  #high = 0

  get sampleCount(): number {
    return this.#sampleCount
  }

  /** Oldest time in the buffer. */
  get minMs(): number {
    return this.#minMs
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
    const stepMs = timeMs - this.#timeMs
    const valueStep = value - this.#value
    let head = VALUE_BITS
    if (low === this.#low && high === this.#high) head = VALUE_SAME
    // Minus zero is not an integer here: its sign would be lost. Its low word is 0, its high word is not.
    else if (Number.isSafeInteger(value) && (value !== 0 || high === 0)) {
      head = Math.abs(valueStep) < Math.abs(value) ? VALUE_STEP : VALUE_INTEGER
    }
    if (stepMs === 0) head |= IS_SAME_TIME
    else if (!Number.isSafeInteger(stepMs)) head |= IS_TIME_WHOLE
    else if (stepMs === this.#stepMs) head |= IS_TIME_STEP
    if (ref === this.#ref + 1) head |= IS_NEXT_REF
    else if (ref === this.#ref) head |= IS_SAME_REF
    bytes.byte(head)
    if ((head & (IS_NEXT_REF | IS_SAME_REF)) === 0) bytes.unsigned(ref)
    if ((head & IS_TIME_WHOLE) !== 0) bytes.signed(timeMs)
    else if ((head & (IS_SAME_TIME | IS_TIME_STEP)) === 0) bytes.signed(stepMs)
    if ((head & VALUE_MASK) === VALUE_INTEGER) bytes.signed(value)
    else if ((head & VALUE_MASK) === VALUE_STEP) bytes.signed(valueStep)
    else if ((head & VALUE_MASK) === VALUE_BITS) bytes.words(low, high)
    this.#ref = ref
    this.#timeMs = timeMs
    if (stepMs !== 0) this.#stepMs = stepMs
    // A value that is not an integer is excluded from differences: the next difference is from 0, so the next value is
    // stored in full.
    this.#value = Number.isSafeInteger(value) ? value : 0
    this.#low = low
    this.#high = high
    this.#sampleCount++
    if (timeMs < this.#minMs) this.#minMs = timeMs
    if (timeMs > this.#maxMs) this.#maxMs = timeMs
  }

  /** A view of the row's payload; valid until the next append. */
  get payload(): Uint8Array {
    return this.#bytes.bytes.subarray(0, this.#bytes.length)
  }

  clear(): void {
    this.#bytes.clear()
    this.#sampleCount = 0
    this.#minMs = Infinity
    this.#maxMs = -Infinity
    this.#ref = 0
    this.#timeMs = 0
    this.#stepMs = 0
    this.#value = 0
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
  let stepMs = 0
  let value = 0
  let low = 0
  let high = 0
  while (!bytes.isAtEnd) {
    const head = bytes.byte()
    if (head > HEAD_MAX || isContradictory(head)) throw new MalformedBytesError(`unknown head byte ${head}`)
    if ((head & IS_NEXT_REF) !== 0) ref++
    else if ((head & IS_SAME_REF) === 0) ref = bytes.unsigned()
    if ((head & IS_SAME_TIME) === 0) {
      const beforeMs = timeMs
      if ((head & IS_TIME_STEP) !== 0) timeMs += stepMs
      else if ((head & IS_TIME_WHOLE) !== 0) timeMs = bytes.signed()
      else timeMs += bytes.signed()
      stepMs = timeMs - beforeMs
    }
    switch (head & VALUE_MASK) {
      case VALUE_SAME:
        break
      case VALUE_BITS:
        low = bytes.word()
        high = bytes.word()
        value = floatOf(low, high)
        if (!Number.isSafeInteger(value)) value = 0
        break
      default:
        if ((head & VALUE_MASK) === VALUE_INTEGER) value = bytes.signed()
        else value += bytes.signed()
        low = lowWordOf(value)
        high = highWordOf(value)
    }
    sample(ref, timeMs, low, high)
  }
}

function isContradictory(head: number): boolean {
  const times = head & (IS_SAME_TIME | IS_TIME_STEP | IS_TIME_WHOLE)
  const refs = head & (IS_NEXT_REF | IS_SAME_REF)
  return (times & (times - 1)) !== 0 || (refs & (refs - 1)) !== 0
}
