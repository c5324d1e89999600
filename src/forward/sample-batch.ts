import type { SeriesRef } from '../model/series.ts'

/** Samples of one request. */
const SAMPLES_MAX = 10_000
/** Bytes of one request before compression, with the labels of its series. Receivers take 32 MiB and more. */
const BYTES_MAX = 4 * 1024 * 1024
/** The largest a sample is in a request. */
const SAMPLE_BYTES = 23
/** Twice as many places as series at least, a power of 2. */
const TABLE_SIZE = 32_768

/**
 * Samples in columns, in chains of one series each: the samples of a series are together in a request, in order of time.
 * Used again after `clear`. Columns may be read up to their counts.
 */
export class SampleBatch {
  sampleCount = 0
  seriesCount = 0
  /** Log row of the first and of the last sample. */
  firstRow = 0
  lastRow = 0
  /** Newest sample. */
  newestMs = -Infinity
  /** Before compression, at most. */
  bytes = 0
  /** By series: ref, first and last of its samples, how many. */
  readonly refs = new Float64Array(SAMPLES_MAX)
  readonly firsts = new Int32Array(SAMPLES_MAX)
  readonly lasts = new Int32Array(SAMPLES_MAX)
  readonly counts = new Int32Array(SAMPLES_MAX)
  /** By sample, with the next one of its series, or -1. */
  readonly timesMs = new Float64Array(SAMPLES_MAX)
  readonly lows = new Int32Array(SAMPLES_MAX)
  readonly highs = new Int32Array(SAMPLES_MAX)
  readonly nexts = new Int32Array(SAMPLES_MAX)
  /** Series by a hash of their ref, plus 1. */
  readonly #table = new Int32Array(TABLE_SIZE)

  get isFull(): boolean {
    return this.sampleCount === SAMPLES_MAX || this.bytes >= BYTES_MAX
  }

  /** HOT: once per sample. Call only while not full. @param labelBytes of the series @param row rising */
  add(ref: SeriesRef, labelBytes: number, row: number, timeMs: number, low: number, high: number): void {
    if (this.sampleCount === 0) this.firstRow = row
    this.lastRow = row
    const sample = this.sampleCount++
    this.timesMs[sample] = timeMs
    this.lows[sample] = low
    this.highs[sample] = high
    this.nexts[sample] = -1
    this.bytes += SAMPLE_BYTES
    if (timeMs > this.newestMs) this.newestMs = timeMs
    let at = Math.imul(ref, 0x9e3779b1) >>> 17
    let series = this.#table[at]! - 1
    while (series >= 0 && this.refs[series] !== ref) {
      at = (at + 1) & (TABLE_SIZE - 1)
      series = this.#table[at]! - 1
    }
    if (series < 0) {
      series = this.seriesCount++
      this.#table[at] = series + 1
      this.refs[series] = ref
      this.firsts[series] = sample
      this.lasts[series] = sample
      this.counts[series] = 1
      this.bytes += labelBytes + SAMPLE_BYTES
      return
    }
    this.counts[series]!++
    const last = this.lasts[series]!
    if (timeMs >= this.timesMs[last]!) {
      this.nexts[last] = sample
      this.lasts[series] = sample
    } else this.#insert(series, sample)
  }

  clear(): void {
    this.sampleCount = 0
    this.seriesCount = 0
    this.bytes = 0
    this.newestMs = -Infinity
    this.#table.fill(0)
  }

  /** A late sample: the protocol wants the samples of a series in order of time. */
  #insert(series: number, sample: number): void {
    const timeMs = this.timesMs[sample]!
    let before = -1
    let next = this.firsts[series]!
    while (this.timesMs[next]! <= timeMs) {
      before = next
      next = this.nexts[next]!
    }
    this.nexts[sample] = next
    if (before < 0) this.firsts[series] = sample
    else this.nexts[before] = sample
  }
}
