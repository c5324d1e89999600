import type { Steps } from '../base/thread-slices.ts'
import { DecodeError, LimitError } from './decode-error.ts'
import { readExemplar } from './exemplar-field.ts'
import { readHistogram } from './histogram-field.ts'
import { MetadataMemo, readMetadata } from './metadata-field.ts'
import { LENGTH_DELIMITED, ProtobufReader, tagOf } from './protobuf.ts'
import { readSample } from './sample-field.ts'
import { WriteBatch } from './write-batch.ts'

/**
 * Remote write 1.0, the receiving side: decodes the bytes of a WriteRequest (prometheus/prompb remote.proto and
 * types.proto) to columns. Decoding ends before the first sample is used, so a malformed body has no effect. Label sets
 * are not decoded here: see label-fields.ts. Native histograms are only validated here; `WriteBatch.histogramAt`
 * decodes them, one at a time.
 */

const FORMAT = 'remote write'

const REQUEST_SERIES = tagOf(1, LENGTH_DELIMITED)
const REQUEST_METADATA = tagOf(3, LENGTH_DELIMITED)
const REQUEST_FIELDS = 0b1010
/**
 * The numbers of symbols and series in 2.0, where 1 to 3 are reserved so that the protocols can be distinguished. If
 * they were skipped as unknown fields, the request would be empty, and a sender with a wrong content type would lose
 * all of its samples.
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
   * Inclusive, for samples, native histograms and exemplars. A stock sender sends 2,000 per request; each can take as
   * little as two bytes, so this limit bounds the columns.
   */
  readonly samplesMax: number
  /** Inclusive, for series, including those without samples, and for metadata. */
  readonly seriesMax: number
}

/** Bytes that are read in one step: some 2 ms. */
export const STEP_BYTES = 256 * 1024

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
   * Decodes a request to columns, owned by this decoder and valid until the next call or write to `bytes`.
   * @param view begins where `bytes` does and may be longer
   * @throws DecodeError when it is not a WriteRequest or exceeds the limits
   */
  decode(bytes: Uint8Array, view: DataView): WriteBatch {
    this.#begin(bytes, view)
    this.#read(bytes.length, bytes.length)
    return this.#batch
  }

  /** `decode` in steps. Another request must not be decoded meanwhile. */
  *decodeInSteps(bytes: Uint8Array, view: DataView): Steps<WriteBatch> {
    this.#begin(bytes, view)
    while (this.#reader.position < bytes.length) {
      this.#read(bytes.length, this.#reader.position + STEP_BYTES)
      yield false
    }
    return this.#batch
  }

  #begin(bytes: Uint8Array, view: DataView): void {
    this.#reader.reset(bytes, view)
    this.#batch.reset(view)
  }

  /** Reads up to `pauseAt` or a little more. */
  #read(end: number, pauseAt: number): void {
    const reader = this.#reader
    const until = Math.min(end, pauseAt)
    while (reader.position < until) {
      const tag = reader.tag(end)
      if (tag === REQUEST_SERIES) this.#series(reader.lengthDelimitedEnd(end))
      else if (tag === REQUEST_METADATA) this.#metadata(reader.lengthDelimitedEnd(end))
      else if (tag === REQUEST_2_SYMBOLS || tag === REQUEST_2_SERIES) {
        throw new DecodeError(FORMAT, 'a request of remote write 2.0', 'one of 1.0', reader.position)
      } else reader.skipUnknown(tag, end, REQUEST_FIELDS)
    }
  }

  /** Metadata that was read before is read again. */
  forgetMetadata(): void {
    this.#memo.forget()
  }

  /**
   * HOT: once per series and request. The fast path is the order of every stock sender: all labels, then the samples.
   * Labels that are not contiguous are collected in a second pass.
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
  // Only validates: a malformed body must fail before its first sample is used.
  readHistogram(reader, end, 0)
}
