import { grown } from '../base/grown.ts'
import type { Exemplar } from '../model/exemplar.ts'
import { readHistogram, type DecodedHistogram } from './histogram-field.ts'
import type { DecodedMetadata } from './metadata-field.ts'
import { ProtobufReader } from './protobuf.ts'

/** An exemplar, and the index of its series in the batch. */
interface BatchExemplar {
  readonly series: number
  readonly exemplar: Exemplar
}

/**
 * One WriteRequest as columns: filled by remote-write.ts, read by `ingest`, reused from request to request. Label sets
 * stay raw bytes, because a known label set is recognised by its bytes and never parsed.
 *
 * ```
 * series   0            1                2
 * samples  0 1 2        3                (none: exemplars only)
 *          sampleEnd[0] = 3, sampleEnd[1] = 4, sampleEnd[2] = 4
 * ```
 */
export class WriteBatch {
  seriesCount = 0
  sampleCount = 0
  /** Number received; `exemplars` contains the valid ones. */
  exemplarCount = 0
  histogramCount = 0
  /** Number received; `metadata` contains the new ones. */
  metadataCount = 0
  exemplars: BatchExemplar[] = []
  metadata: DecodedMetadata[] = []

  /** Per series, its samples are `[sampleEnd[i - 1], sampleEnd[i])`; the first starts at 0. */
  sampleEnd = new Int32Array(256)
  /** Native histograms per series; not filled while `histogramCount` is 0. */
  histograms = new Int32Array(256)
  /** Bounds of the native histograms in `view`, start and end, alternating, series after series. */
  histogramBounds = new Int32Array(64)
  /** Per series, where its label fields start: in `view`, or, when negative, at `-1 - start` in the spill. */
  labelStart = new Int32Array(256)
  /** Per series, how many bytes its label fields take, tags and lengths included. */
  labelBytes = new Int32Array(256)
  /** Per series, four words: the hash of its label bytes (label-hash.ts). */
  hashes = new Int32Array(1024)

  /** Per sample, as sent: any 64-bit integer, rounded beyond +-2^53. Not checked here. */
  timesMs = new Float64Array(1024)
  /** Per sample. Stale markers are here by their bits. */
  values = new Float64Array(1024)
  /** The bits of `values`, two words each (`bitsOf`). */
  valueBits = new Uint32Array(this.values.buffer)

  #view: DataView = new DataView(new ArrayBuffer(0))
  #spill = new Uint8Array(0)
  #spillView = new DataView(this.#spill.buffer)
  #spillBytes = 0

  /** Starts a request whose label bytes are in `view`, which must stay unchanged while this batch is read. */
  reset(view: DataView): void {
    this.#view = view
    if (this.exemplarCount > 0) this.exemplars = []
    if (this.metadataCount > 0) this.metadata = []
    this.seriesCount = 0
    this.sampleCount = 0
    this.exemplarCount = 0
    this.histogramCount = 0
    this.metadataCount = 0
    this.#spillBytes = 0
  }

  /** HOT. The bytes that hold the label fields of a series, from `labelOffset` on, `labelBytes` long. */
  labelView(series: number): DataView {
    return this.labelStart[series]! < 0 ? this.#spillView : this.#view
  }

  /** HOT. */
  labelOffset(series: number): number {
    const start = this.labelStart[series]!
    return start < 0 ? -1 - start : start
  }

  /** HOT. The first sample of a series. */
  sampleStart(series: number): number {
    return series === 0 ? 0 : this.sampleEnd[series - 1]!
  }

  /** Makes room for one more series. */
  growSeries(): void {
    this.sampleEnd = doubled(this.sampleEnd)
    this.histograms = doubled(this.histograms)
    this.labelStart = doubled(this.labelStart)
    this.labelBytes = doubled(this.labelBytes)
    this.hashes = doubled(this.hashes)
  }

  /** Makes room for one more sample. */
  growSamples(): void {
    this.timesMs = grown(this.timesMs, this.timesMs.length * 2)
    // Words, not floats: setting floats may quiet a NaN.
    this.valueBits = grown(this.valueBits, this.valueBits.length * 2)
    this.values = new Float64Array(this.valueBits.buffer)
  }

  /** Notes a histogram of the series that is being read. */
  addHistogram(start: number, end: number): void {
    const at = this.histogramCount * 2
    if (at === this.histogramBounds.length) this.histogramBounds = doubled(this.histogramBounds)
    this.histogramBounds[at] = start
    this.histogramBounds[at + 1] = end
    this.histogramCount++
  }

  /**
   * Decodes a native histogram by its index in the batch. A new object each time: all buckets of a body might not fit
   * into memory at once.
   * @param bucketsMax see `readHistogram`
   */
  histogramAt(number: number, bucketsMax: number): DecodedHistogram {
    const { buffer, byteOffset, byteLength } = this.#view
    const reader = new ProtobufReader(new Uint8Array(buffer, byteOffset, byteLength))
    reader.position = this.histogramBounds[number * 2]!
    return readHistogram(reader, this.histogramBounds[number * 2 + 1]!, bucketsMax)
  }

  /** Stores label fields that are not contiguous; returns their `labelStart`. */
  spill(parts: readonly Uint8Array[]): number {
    const start = this.#spillBytes
    const bytes = parts.reduce((sum, part) => sum + part.length, 0)
    const spill = this.spillRoom(bytes)
    let at = start
    for (const part of parts) {
      spill.set(part, at)
      at += part.length
    }
    return this.spilled(bytes)
  }

  /** Where the next spilled bytes start. */
  get spillBytes(): number {
    return this.#spillBytes
  }

  /** HOT. The spill with room for `bytes` more from `spillBytes` on; write there, then call `spilled`. */
  spillRoom(bytes: number): Uint8Array {
    const end = this.#spillBytes + bytes
    if (end > this.#spill.length) {
      this.#spill = grown(this.#spill, Math.max(end, this.#spill.length * 2, 4096))
      this.#spillView = new DataView(this.#spill.buffer)
    }
    return this.#spill
  }

  /** HOT. Accounts for `bytes` that were written into the spill; returns their `labelStart`. */
  spilled(bytes: number): number {
    const start = this.#spillBytes
    this.#spillBytes = start + bytes
    return -1 - start
  }
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  return grown(column, column.length * 2)
}
