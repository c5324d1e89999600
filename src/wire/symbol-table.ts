import { grown } from '../base/grown.ts'
import { METRIC_NAME } from '../model/labels.ts'
import { LENGTH_DELIMITED, tagOf } from './protobuf.ts'

/**
 * The symbols of one remote write 2.0 request: texts by number, where they lie in its bytes. They are not decoded; a
 * pair of them is written as the label field that remote write 1.0 has for it:
 *
 * ```
 * 0a len  ( 0a len name )  ( 12 len value )        an empty text is left out, as stock senders do
 * ```
 */
const LABEL_FIELD = tagOf(1, LENGTH_DELIMITED)
const NAME_FIELD = tagOf(1, LENGTH_DELIMITED)
const VALUE_FIELD = tagOf(2, LENGTH_DELIMITED)

const METRIC_NAME_BYTES = new TextEncoder().encode(METRIC_NAME)
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class SymbolTable {
  count = 0
  /** The number of the symbol `__name__`; -1 if absent. */
  metricName = -1
  #bytes: Uint8Array = new Uint8Array(0)
  /** Per symbol, `[start, end)` in the bytes. */
  #bounds = new Int32Array(1024)

  /** Starts over on a request's bytes, for as long as the table is read. */
  reset(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.count = 0
    this.metricName = -1
  }

  add(start: number, end: number): void {
    const count = this.count
    if (count * 2 === this.#bounds.length) this.#bounds = grown(this.#bounds, count * 4)
    this.#bounds[count * 2] = start
    this.#bounds[count * 2 + 1] = end
    this.count = count + 1
    if (end - start === METRIC_NAME_BYTES.length && this.#isMetricName(start)) this.metricName = count
  }

  #isMetricName(start: number): boolean {
    return METRIC_NAME_BYTES.every((byte, i) => this.#bytes[start + i] === byte)
  }

  /** The offset of a symbol in the request. */
  startOf(ref: number): number {
    return this.#bounds[ref * 2]!
  }

  endOf(ref: number): number {
    return this.#bounds[ref * 2 + 1]!
  }

  /** `undefined` when it is longer than `bytesMax`, or not UTF-8. */
  textOf(ref: number, bytesMax: number): string | undefined {
    if (this.lengthOf(ref) > bytesMax) return undefined
    try {
      return UTF8.decode(this.#bytes.subarray(this.startOf(ref), this.endOf(ref)))
    } catch {
      return undefined
    }
  }

  /** HOT. In bytes. */
  lengthOf(ref: number): number {
    return this.#bounds[ref * 2 + 1]! - this.#bounds[ref * 2]!
  }

  /** HOT. How many bytes `writeLabel` writes. */
  labelBytes(name: number, value: number): number {
    const content = textBytes(this.lengthOf(name)) + textBytes(this.lengthOf(value))
    return 1 + varintBytes(content) + content
  }

  /** HOT. Writes one label field at `at` and returns its end. */
  writeLabel(name: number, value: number, into: Uint8Array, at: number): number {
    const content = textBytes(this.lengthOf(name)) + textBytes(this.lengthOf(value))
    into[at] = LABEL_FIELD
    const start = writeVarint(content, into, at + 1)
    return this.#writeText(VALUE_FIELD, value, into, this.#writeText(NAME_FIELD, name, into, start))
  }

  #writeText(tag: number, ref: number, into: Uint8Array, start: number): number {
    const from = this.#bounds[ref * 2]!
    const until = this.#bounds[ref * 2 + 1]!
    if (from === until) return start
    into[start] = tag
    let at = writeVarint(until - from, into, start + 1)
    // Label texts are short: a loop is faster than a view for `set`, which costs an object.
    const bytes = this.#bytes
    for (let i = from; i < until; i++) into[at++] = bytes[i]!
    return at
  }
}

/** Of a text with its tag and length; none when it is empty. */
function textBytes(length: number): number {
  return length === 0 ? 0 : 1 + varintBytes(length) + length
}

function varintBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5
}

/** Returns its end. `value` is below 2^31. */
function writeVarint(value: number, into: Uint8Array, start: number): number {
  let at = start
  let left = value
  for (; left >= 0x80; left >>>= 7) into[at++] = (left & 0x7f) | 0x80
  into[at++] = left
  return at
}
