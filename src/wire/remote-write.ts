import { DecodeError, LimitError } from './decode-error.ts'
import { LENGTH_DELIMITED, ProtobufReader, tagOf } from './protobuf.ts'
import { readSample } from './sample-field.ts'
import { WriteBatch } from './write-batch.ts'

/**
 * Remote write 1.0, the receiving side: the bytes of a WriteRequest (prometheus/prompb remote.proto and types.proto)
 * to columns. The walk ends before the first sample is used, so a body that breaks in the middle leaves nothing behind.
 * Label sets are not looked into here: see label-fields.ts. Exemplars, histograms and metadata are counted and not read.
 */

const FORMAT = 'remote write'

const REQUEST_SERIES = tagOf(1, LENGTH_DELIMITED)
const REQUEST_METADATA = tagOf(3, LENGTH_DELIMITED)
const REQUEST_FIELDS = 0b1010
/**
 * Where 2.0 keeps its symbols and series, with 1 to 3 reserved so that the two can be told apart. Skipped as unknown
 * fields they would make an empty request, and a sender whose content type got lost would lose all of its samples.
 */
const REQUEST_2_SYMBOLS = tagOf(4, LENGTH_DELIMITED)
const REQUEST_2_SERIES = tagOf(5, LENGTH_DELIMITED)

const SERIES_LABEL = tagOf(1, LENGTH_DELIMITED)
const SERIES_SAMPLE = tagOf(2, LENGTH_DELIMITED)
const SERIES_EXEMPLAR = tagOf(3, LENGTH_DELIMITED)
const SERIES_HISTOGRAM = tagOf(4, LENGTH_DELIMITED)
const SERIES_FIELDS = 0b11110

export interface WriteRequestLimits {
  /** Inclusive. A stock sender puts 2,000 samples into a request; two bytes can stand for one, so this bounds the columns. */
  readonly samplesMax: number
  /** Inclusive. Series without samples count too. */
  readonly seriesMax: number
}

/** Decodes one request after the other into one batch. */
export class WriteRequestDecoder {
  readonly #limits: WriteRequestLimits
  readonly #reader = new ProtobufReader(new Uint8Array(0))
  readonly #batch = new WriteBatch()

  constructor(limits: WriteRequestLimits) {
    this.#limits = limits
  }

  /**
   * The request as columns: this decoder's own, valid until the next call and as long as `bytes` is not written to.
   * @param view begins where `bytes` does and may be longer
   * @throws DecodeError when it is not a WriteRequest or holds more than the limits allow
   */
  decode(bytes: Uint8Array, view: DataView): WriteBatch {
    const reader = this.#reader
    const batch = this.#batch
    reader.reset(bytes, view)
    batch.reset(view)
    const end = bytes.length
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === REQUEST_SERIES) this.#series(reader.lengthDelimitedEnd(end))
      else if (tag === REQUEST_METADATA) {
        reader.position = reader.lengthDelimitedEnd(end)
        batch.metadataCount++
      } else if (tag === REQUEST_2_SYMBOLS || tag === REQUEST_2_SERIES) {
        throw new DecodeError(FORMAT, 'a request of remote write 2.0', 'one of 1.0', reader.position)
      } else reader.skipUnknown(tag, end, REQUEST_FIELDS)
    }
    return batch
  }

  /**
   * HOT: once per series and request. The fast path is what every stock sender writes: all labels, then the samples.
   * When labels stand apart from each other they are collected in a second walk.
   */
  #series(end: number): void {
    const reader = this.#reader
    const batch = this.#batch
    const start = reader.position
    // Labels in front, of at most 127 bytes each: no call, no check but that they end inside.
    const bytes = reader.bytes
    let labelEnd = start
    while (labelEnd + 1 < end && bytes[labelEnd] === SERIES_LABEL && bytes[labelEnd + 1]! < 0x80) {
      labelEnd += 2 + bytes[labelEnd + 1]!
    }
    if (labelEnd > end) labelEnd = start // the walk below says what is wrong with it
    reader.position = labelEnd
    let labelStart = start
    let isScattered = false
    let histograms = 0
    while (reader.position < end) {
      const at = reader.position
      const tag = reader.tag(end)
      if (tag === SERIES_LABEL) {
        if (labelEnd === labelStart) labelStart = at
        else if (labelEnd !== at) isScattered = true
        reader.position = labelEnd = reader.lengthDelimitedEnd(end)
      } else if (tag === SERIES_SAMPLE) this.#sample(reader.lengthDelimitedEnd(end))
      else if (tag === SERIES_HISTOGRAM || tag === SERIES_EXEMPLAR) {
        reader.position = reader.lengthDelimitedEnd(end)
        if (tag === SERIES_HISTOGRAM) histograms++
        else batch.exemplarCount++
      } else reader.skipUnknown(tag, end, SERIES_FIELDS)
    }
    const series = batch.seriesCount
    if (series === this.#limits.seriesMax) throw tooMany('series', series)
    if (series === batch.sampleEnd.length) batch.growSeries()
    if (isScattered) {
      const parts = this.#labelFields(start, end)
      batch.labelStart[series] = batch.spill(parts)
      batch.labelBytes[series] = parts.reduce((sum, part) => sum + part.length, 0)
    } else {
      batch.labelStart[series] = labelStart
      batch.labelBytes[series] = labelEnd - labelStart
    }
    batch.histograms[series] = histograms
    batch.histogramCount += histograms
    batch.sampleEnd[series] = batch.sampleCount
    batch.seriesCount = series + 1
  }

  #sample(end: number): void {
    const batch = this.#batch
    const sample = batch.sampleCount
    if (sample === this.#limits.samplesMax) throw tooMany('samples', sample)
    if (sample === batch.timesMs.length) batch.growSamples()
    readSample(this.#reader, end, batch)
  }

  /** The label fields of a series that was walked before, in wire order. */
  #labelFields(start: number, end: number): Uint8Array[] {
    const reader = this.#reader
    const parts: Uint8Array[] = []
    reader.position = start
    while (reader.position < end) {
      const at = reader.position
      const tag = reader.tag(end)
      reader.skip(tag, end)
      if (tag === SERIES_LABEL) parts.push(reader.bytes.subarray(at, reader.position))
    }
    return parts
  }
}

/** What a request holds too many of, and how many it may. */
export function tooMany(what: 'series' | 'samples', most: number): LimitError {
  return new LimitError(FORMAT, `more than ${most} ${what} in one request`, what, most)
}
