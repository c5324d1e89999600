import { DecodeError, LimitError } from './decode-error.ts'
import { readExemplar } from './exemplar-field.ts'
import { readHistogram } from './histogram-field.ts'
import { MetadataMemo, readMetadata } from './metadata-field.ts'
import { LENGTH_DELIMITED, ProtobufReader, tagOf } from './protobuf.ts'
import { readSample } from './sample-field.ts'
import { WriteBatch } from './write-batch.ts'

/**
 * Remote write 1.0, the receiving side: the bytes of a WriteRequest (prometheus/prompb remote.proto and types.proto)
 * to columns. The walk ends before the first sample is used, so a body that breaks in the middle leaves nothing behind.
 * Label sets are not looked into here: see label-fields.ts. Native histograms are read here only to find out whether they
 * break the body; `WriteBatch.histogramAt` makes them, one after the other.
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
  /**
   * Inclusive, of samples, of native histograms and of exemplars. A stock sender puts 2,000 into a request; two bytes can
   * stand for one, so this bounds the columns.
   */
  readonly samplesMax: number
  /** Inclusive, of series, those without samples too, and of metadata. */
  readonly seriesMax: number
}

/** Decodes one request after the other into one batch. */
export class WriteRequestDecoder {
  readonly #limits: WriteRequestLimits
  readonly #reader = new ProtobufReader(new Uint8Array(0))
  readonly #batch = new WriteBatch()
  readonly #memo = new MetadataMemo()

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
      else if (tag === REQUEST_METADATA) this.#metadata(reader.lengthDelimitedEnd(end))
      else if (tag === REQUEST_2_SYMBOLS || tag === REQUEST_2_SERIES) {
        throw new DecodeError(FORMAT, 'a request of remote write 2.0', 'one of 1.0', reader.position)
      } else reader.skipUnknown(tag, end, REQUEST_FIELDS)
    }
    return batch
  }

  /** Metadata that was read before is read again. */
  forgetMetadata(): void {
    this.#memo.forget()
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
      else if (tag === SERIES_HISTOGRAM) {
        recordHistogram(reader, reader.lengthDelimitedEnd(end), batch, this.#limits.samplesMax)
        histograms++
      } else if (tag === SERIES_EXEMPLAR) this.#exemplar(reader.lengthDelimitedEnd(end))
      else reader.skipUnknown(tag, end, SERIES_FIELDS)
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
    batch.sampleEnd[series] = batch.sampleCount
    batch.seriesCount = series + 1
  }

  #exemplar(end: number): void {
    const batch = this.#batch
    if (batch.exemplarCount++ === this.#limits.samplesMax) throw tooMany('exemplars', this.#limits.samplesMax)
    const exemplar = readExemplar(this.#reader, end)
    if (exemplar !== undefined) batch.exemplars.push({ series: batch.seriesCount, exemplar })
  }

  #metadata(end: number): void {
    const batch = this.#batch
    if (batch.metadataCount++ === this.#limits.seriesMax) throw tooMany('metadata', this.#limits.seriesMax)
    const metadata = readMetadata(this.#reader, end, this.#memo)
    if (metadata !== undefined) batch.metadata.push(metadata)
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
export function tooMany(
  what: 'series' | 'samples' | 'histograms' | 'exemplars' | 'metadata',
  most: number,
): LimitError {
  const limit = what === 'series' || what === 'metadata' ? 'series' : 'samples'
  return new LimitError(FORMAT, `more than ${most} ${what} in one request`, limit, most)
}

/**
 * Reads a native histogram past, and notes where it lies.
 * @throws DecodeError when it is not one
 */
export function recordHistogram(reader: ProtobufReader, end: number, batch: WriteBatch, most: number): void {
  if (batch.histogramCount === most) throw tooMany('histograms', most)
  batch.addHistogram(reader.position, end)
  // Nothing of it is kept: a body breaks before its first sample is used, or not at all.
  readHistogram(reader, end, 0)
}
