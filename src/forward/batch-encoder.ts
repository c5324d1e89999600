import { grown } from '../base/grown.ts'
import type { Histogram } from '../model/histogram.ts'
import { Labels } from '../model/labels.ts'
import { isStaleWords } from '../model/sample.ts'
import { writeHistogramFields } from '../wire/histogram-encode.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../wire/protobuf.ts'
import type { WriteSample } from '../wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../wire/remote-write-v2-encode.ts'
import type { LabelBytes } from './label-bytes.ts'
import type { SampleBatch } from './sample-batch.ts'
import type { SampleSource } from './sample-source.ts'

/** Series `[fromSeries, toSeries)` of a batch; of a single series, its samples `[fromSample, toSample)` in order of time. */
export interface BatchPart {
  readonly fromSeries: number
  readonly toSeries: number
  readonly fromSample: number
  readonly toSample: number
}

type HistogramSource = Pick<SampleSource, 'histogramHighWord' | 'histogramOf'>

/** Bytes of a sample without its time: its tag and length, tag and bytes of the value, tag of the time. */
const SAMPLE_BYTES = 12
const TWO_28 = 2 ** 28
const WORDS = new DataView(new ArrayBuffer(8))

/** Encodes a part of a batch as a request of remote write, not compressed. A result is valid until the next call. */
export class BatchEncoder {
  readonly #source: HistogramSource
  readonly #labels: LabelBytes
  #bytes = new Uint8Array(256 * 1024)
  #view = new DataView(this.#bytes.buffer)

  constructor(source: HistogramSource, labels: LabelBytes) {
    this.#source = source
    this.#labels = labels
  }

  /**
   * HOT: once per sample. A WriteRequest of remote write 1.0. Values are written as their words, which preserves what a NaN
   * carries: stale markers.
   */
  v1(batch: SampleBatch, { fromSeries, toSeries, fromSample, toSample }: BatchPart): Uint8Array {
    this.#reserve(0, batch.bytes)
    let to = 0
    const { refs, firsts, nexts, timesMs, lows, highs } = batch
    const { histogramHighWord } = this.#source
    for (let series = fromSeries; series < toSeries; series++) {
      const ref = refs[series]!
      const labelBytes = this.#labels.byteLength(ref)
      if (labelBytes === 0) continue
      let content = labelBytes
      let hasHistograms = false
      let place = 0
      for (let at = firsts[series]!; at >= 0; at = nexts[at]!, place++) {
        if (place < fromSample || place >= toSample) continue
        content += SAMPLE_BYTES + timeBytes(timesMs[at]!)
        if (highs[at] === histogramHighWord) hasHistograms = true
      }
      if (hasHistograms) {
        to = this.#appendMixed(batch, series, fromSample, toSample, to)
        continue
      }
      // Labels may have been loaded since the batch was filled, not yet counted in it.
      const bytes = this.#reserve(to, content + 8)
      const view = this.#view
      bytes[to++] = 0x0a
      let left = content
      for (; left >= 0x80; left >>>= 7) bytes[to++] = (left & 0x7f) | 0x80
      bytes[to++] = left
      to = this.#labels.write(ref, view, to)
      place = 0
      for (let at = firsts[series]!; at >= 0; at = nexts[at]!, place++) {
        if (place < fromSample || place >= toSample) continue
        const timeMs = timesMs[at]!
        bytes[to++] = 0x12
        bytes[to++] = SAMPLE_BYTES - 2 + timeBytes(timeMs)
        bytes[to++] = 0x09
        view.setInt32(to, lows[at]!, true)
        view.setInt32(to + 4, highs[at]!, true)
        bytes[to + 8] = 0x10
        to = writeTime(bytes, to + 9, timeMs)
      }
    }
    return this.#bytes.subarray(0, to)
  }

  /** A Request of remote write 2.0. Cold: texts are decoded and numbered. */
  v2(batch: SampleBatch, part: BatchPart): Uint8Array {
    return encodeWriteRequestV2(this.#seriesOf(batch, part))
  }

  *#seriesOf(batch: SampleBatch, { fromSeries, toSeries, fromSample, toSample }: BatchPart) {
    for (let series = fromSeries; series < toSeries; series++) {
      if (this.#labels.byteLength(batch.refs[series]!) === 0) continue
      const samples: WriteSample[] = []
      const histograms: { timeMs: number; histogram: Histogram }[] = []
      let place = 0
      for (let at = batch.firsts[series]!; at >= 0; at = batch.nexts[at]!, place++) {
        if (place < fromSample || place >= toSample) continue
        const [timeMs, low, high] = [batch.timesMs[at]!, batch.lows[at]!, batch.highs[at]!]
        const histogram = this.#histogramAt(batch, series, at)
        if (histogram === undefined) {
          WORDS.setInt32(0, low, true)
          WORDS.setInt32(4, high, true)
          samples.push({ timeMs, value: WORDS.getFloat64(0, true), isStale: isStaleWords(high, low) })
        } else if (histogram !== 'removed') histograms.push({ timeMs, histogram })
      }
      const labels = Labels.fromFlat([...this.#labels.flatOf(batch.refs[series]!)])
      // The protocol has one kind in a series.
      if (samples.length > 0) yield { labels, samples }
      if (histograms.length > 0) yield { labels, samples: [], histograms }
    }
  }

  #histogramAt(batch: SampleBatch, series: number, at: number) {
    if (batch.highs[at] !== this.#source.histogramHighWord) return undefined
    return this.#source.histogramOf(batch.refs[series]!, batch.timesMs[at]!) ?? 'removed'
  }

  /** A series that has histograms, which are read from the buffer one by one. */
  #appendMixed(batch: SampleBatch, series: number, fromSample: number, toSample: number, start: number): number {
    const writer = new ProtobufWriter()
    const one = writer.open(1)
    writer.raw(this.#labels.fieldsOf(batch.refs[series]!))
    let place = 0
    for (let at = batch.firsts[series]!; at >= 0; at = batch.nexts[at]!, place++) {
      if (place < fromSample || place >= toSample) continue
      const histogram = this.#histogramAt(batch, series, at)
      if (histogram === 'removed') continue
      const field = writer.open(histogram === undefined ? 2 : 4)
      if (histogram !== undefined) writeHistogramFields(writer, histogram, batch.timesMs[at]!)
      else {
        writer.tag(1, FIXED64)
        writer.fixed64(batch.highs[at]! >>> 0, batch.lows[at]! >>> 0)
        writer.tag(2, VARINT)
        writer.int64(batch.timesMs[at]!)
      }
      writer.close(field)
    }
    writer.close(one)
    const bytes = writer.finish()
    this.#reserve(start, bytes.length).set(bytes, start)
    return start + bytes.length
  }

  /** The buffer, with room for `more` bytes after `length`. */
  #reserve(length: number, more: number): Uint8Array {
    if (length + more > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Math.max(this.#bytes.length * 2, length + more))
      this.#view = new DataView(this.#bytes.buffer)
    }
    return this.#bytes
  }
}

/** HOT. Bytes of a time as `int64`: six at present, ten when it is negative. */
function timeBytes(timeMs: number): number {
  if (timeMs >= 2 ** 35 && timeMs < 2 ** 42) return 6
  if (timeMs < 0) return 10
  let size = 1
  for (let left = timeMs; left >= 0x80; left = Math.floor(left / 0x80)) size++
  return size
}

/** HOT. */
function writeTime(bytes: Uint8Array, start: number, timeMs: number): number {
  let to = start
  if (timeMs >= TWO_28 && timeMs < TWO_28 * TWO_28) {
    // In two words of 28 bits, so that no division is necessary for each byte.
    let low = timeMs % TWO_28
    let high = (timeMs - low) / TWO_28
    for (let i = 0; i < 4; i++, low >>>= 7) bytes[to++] = (low & 0x7f) | 0x80
    for (; high >= 0x80; high >>>= 7) bytes[to++] = (high & 0x7f) | 0x80
    bytes[to++] = high
    return to
  }
  if (timeMs >= 0) {
    let left = timeMs
    for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes[to++] = (left % 0x80) | 0x80
    bytes[to++] = left
    return to
  }
  let left = BigInt.asUintN(64, BigInt(timeMs))
  for (; left >= 0x80n; left >>= 7n) bytes[to++] = Number(left & 0x7fn) | 0x80
  bytes[to++] = Number(left)
  return to
}
