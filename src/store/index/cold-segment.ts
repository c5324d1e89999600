import { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter, deflate, inflate, MalformedBytesError } from '../bytes.ts'

/**
 * A segment: up to `SEGMENT_SERIES` cold series of one metric, with the texts of their labels, deflated. It needs no other
 * row to be read, so label pairs that only cold series have are not stored as pairs. Drawn in README.md.
 */

/** Enough that they share most texts, few enough that reading one series stays cheap. */
export const SEGMENT_SERIES = 256

const VERSION = 1
/** Of the largest numbers: a ref, a time, the number of a text. */
const NUMBER_BYTES_MAX = 9
const DEFLATE = { level: 6 }

/** A series without samples in memory, and without stored ones other than rollups. */
export interface ColdSeries {
  readonly ref: SeriesRef
  readonly labels: Labels
  /** Time of its newest sample. */
  readonly lastMs: number
  /** It has, or had, native histograms. */
  readonly hasHistograms: boolean
}

const bytes = new ByteWriter()

/** @param series by rising ref, at least one */
export function encodeSegment(series: readonly ColdSeries[]): Uint8Array {
  const numbers = new Map<string, number>()
  for (const { labels } of series) {
    for (const text of labels.flat) if (!numbers.has(text)) numbers.set(text, numbers.size)
  }
  bytes.clear()
  bytes.reserve((4 + numbers.size) * NUMBER_BYTES_MAX)
  bytes.byte(VERSION)
  bytes.unsigned(series.length)
  bytes.unsigned(numbers.size)
  bytes.unsigned(series.reduce((sum, { labels }) => sum + labels.size, 0))
  const texts = Array.from(numbers.keys(), (text) => Buffer.from(text))
  for (const { length } of texts) bytes.unsigned(length)
  for (const text of texts) {
    bytes.reserve(text.length)
    bytes.bytes.set(text, bytes.length)
    bytes.length += text.length
  }
  bytes.reserve(series.length * 4 * NUMBER_BYTES_MAX)
  series.forEach(({ ref }, i) => {
    bytes.unsigned(ref - (series[i - 1]?.ref ?? 0))
  })
  series.forEach(({ lastMs }, i) => {
    bytes.signed(lastMs - (series[i - 1]?.lastMs ?? 0))
  })
  for (const { hasHistograms } of series) bytes.byte(hasHistograms ? 1 : 0)
  let before: readonly number[] = []
  for (const { labels } of series) {
    const own = labels.flat.map((text) => numbers.get(text)!)
    bytes.reserve((own.length + 1) * NUMBER_BYTES_MAX)
    bytes.unsigned(own.length / 2)
    own.forEach((number, i) => {
      bytes.signed(number - (before[i] ?? 0))
    })
    before = own
  }
  return deflate(bytes.bytes.subarray(0, bytes.length), DEFLATE)
}

/** The inflated bytes of a segment: its texts are in them as they are. Throws `MalformedBytesError`. */
export function inflateSegment(deflated: Uint8Array): Buffer {
  const inflated = inflate(deflated)
  return Buffer.from(inflated.buffer, inflated.byteOffset, inflated.byteLength)
}

/** The series of a segment, by rising ref, in columns of `count` entries. */
export class ColdSegment {
  readonly count: number
  readonly refs: Uint32Array
  readonly lastsMs: Float64Array
  readonly #histograms: Uint8Array
  readonly #inflated: Buffer
  /** Where each text ends, and those that were read. */
  readonly #textEnds: Uint32Array
  readonly #texts: (string | undefined)[]
  /** Numbers of texts: of names and values in turn. Those of entry i are `[ends[i - 1] or 0, ends[i])`. */
  readonly labelTexts: Uint32Array
  readonly ends: Uint32Array

  /** @param inflated see `inflateSegment`. Throws `MalformedBytesError` */
  constructor(inflated: Buffer) {
    this.#inflated = inflated
    const from = new ByteReader(inflated)
    const version = from.byte()
    if (version !== VERSION) throw new MalformedBytesError(`a segment of version ${version}, want ${VERSION}`)
    this.count = roomFor(from.unsigned(), from)
    this.#textEnds = new Uint32Array(roomFor(from.unsigned(), from) + 1)
    this.#texts = []
    this.labelTexts = new Uint32Array(roomFor(from.unsigned(), from) * 2)
    for (let i = 0; i < this.textCount; i++) this.#textEnds[i + 1] = from.unsigned()
    this.#textEnds[0] = from.at
    for (let i = 0; i < this.textCount; i++) {
      from.take(this.#textEnds[i + 1]!)
      this.#textEnds[i + 1] = from.at
    }
    this.refs = new Uint32Array(this.count)
    this.lastsMs = new Float64Array(this.count)
    for (let i = 0, ref = 0; i < this.count; i++) this.refs[i] = ref += from.unsigned()
    for (let i = 0, lastMs = 0; i < this.count; i++) this.lastsMs[i] = lastMs += from.signed()
    this.#histograms = from.take(this.count)
    this.ends = new Uint32Array(this.count)
    const { labelTexts, textCount } = this
    let [before, start] = [0, 0]
    for (let i = 0; i < this.count; i++) {
      const end = start + from.unsigned() * 2
      if (end > labelTexts.length)
        throw new MalformedBytesError(`${end / 2} label pairs, want ${labelTexts.length / 2}`)
      for (let at = start; at < end; at++, before++) {
        const number = from.signed() + (before < start ? labelTexts[before]! : 0)
        if (!(number >= 0 && number < textCount)) throw new MalformedBytesError(`no text has number ${number}`)
        labelTexts[at] = number
      }
      before = start
      start = end
      this.ends[i] = end
    }
    if (!from.isAtEnd) throw new MalformedBytesError(`${from.bytesLeft} bytes after the last series`)
  }

  /** How many different names and values there are. */
  get textCount(): number {
    return this.#textEnds.length - 1
  }

  /** A name or a value by its number. */
  textAt(number: number): string {
    return (this.#texts[number] ??= this.#inflated.toString('utf8', this.#textEnds[number], this.#textEnds[number + 1]))
  }

  hasHistogramsAt(entry: number): boolean {
    return this.#histograms[entry] !== 0
  }

  labelsAt(entry: number): Labels {
    const flat: string[] = []
    for (let at = entry === 0 ? 0 : this.ends[entry - 1]!; at < this.ends[entry]!; at++) {
      flat.push(this.textAt(this.labelTexts[at]!))
    }
    return Labels.fromFlat(flat)
  }

  at(entry: number): ColdSeries {
    return {
      ref: this.refs[entry]!,
      labels: this.labelsAt(entry),
      lastMs: this.lastsMs[entry]!,
      hasHistograms: this.hasHistogramsAt(entry),
    }
  }

  /** All series, by rising ref. */
  all(): ColdSeries[] {
    return Array.from(this.refs, (_, entry) => this.at(entry))
  }
}

/** Throws `MalformedBytesError`. */
export function decodeSegment(deflated: Uint8Array): ColdSegment {
  return new ColdSegment(inflateSegment(deflated))
}

/** A number of items of at least a byte each. */
function roomFor(count: number, from: ByteReader): number {
  if (count > from.bytesLeft) throw new MalformedBytesError(`${count} items in ${from.bytesLeft} bytes`)
  return count
}
