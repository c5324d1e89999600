import { invariant } from '../../base/invariant.ts'
import {
  APPENDED,
  APPENDED_BEFORE,
  type AppendOutcome,
  type Appender,
  REFUSED_DUPLICATE,
  REFUSED_OUT_OF_ORDER,
  REFUSED_TOO_OLD,
} from '../../model/appender.ts'
import type { Exemplar } from '../../model/exemplar.ts'
import type { Histogram } from '../../model/histogram.ts'
import type { Labels } from '../../model/labels.ts'
import type { MetricMetadata } from '../../model/metadata.ts'
import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../../model/sample.ts'
import type { SeriesRef } from '../../model/series.ts'
import { highWordOf, lowWordOf } from '../bytes.ts'
import type { Exemplars } from './exemplars.ts'
import type { Head } from './head.ts'
import { HISTOGRAM_HIGH_WORD } from './histogram-codec.ts'
import type { Histograms } from './histograms.ts'
import type { LogBuffer } from '../log/log-codec.ts'
import type { Metadata } from '../index/metadata.ts'
import type { ColdSeriesRows } from '../index/cold-series.ts'
import type { SeriesTable } from '../index/series-table.ts'

interface AppenderParts {
  readonly head: Head
  readonly table: SeriesTable
  readonly cold: ColdSeriesRows
  readonly buffer: LogBuffer
  readonly histograms: Histograms
  readonly exemplars: Exemplars
  readonly metadata: Metadata
  readonly outOfOrderMs: number
  readonly seriesMax: number
  readonly commit: () => Promise<void>
  /** The labels of an ended series whose ref a caller still holds; undefined: they are damaged. */
  readonly labelsOfEnded: (ref: SeriesRef) => Labels | undefined
}

/**
 * Appends samples, by these rules of order:
 *
 * - equal time and equal bits: a repeat, which is a success (the bits of a native histogram are a hash);
 * - equal time and other bits: a duplicate, the first stays;
 * - newer than all samples of its series: accepted, however large the gap;
 * - older: accepted within `outOfOrderMs` of the newest sample of its series, unless the series is flushed up to that
 *   time. The flush leaves at least that window, counted from the clock, in the head, so that repeats of every
 *   acceptable sample are recognised.
 */
export class StoreAppender implements Appender {
  /** Times before this are refused: the retention's edge as of the last `maintain`. */
  floorMs = -Infinity
  readonly #head: Head
  readonly #table: SeriesTable
  readonly #buffer: LogBuffer
  readonly #parts: AppenderParts
  /** Series that were erased: callers may still have their refs. */
  readonly #erased = new Set<SeriesRef>()
  /** Words of the sample that `find` found. */
  #foundLow = 0
  #foundHigh = 0
  #isFound = false

  constructor(parts: AppenderParts) {
    this.#parts = parts
    this.#head = parts.head
    this.#table = parts.table
    this.#buffer = parts.buffer
  }

  resolve(labels: Labels): SeriesRef | undefined {
    const slot = this.#table.find(labels)
    if (slot >= 0) return this.#table.refOf(slot)
    if (this.#table.seriesCount >= this.#parts.seriesMax) return undefined
    return this.#table.refOf(this.#create(labels))
  }

  find(labels: Labels): SeriesRef | undefined {
    const slot = this.#table.find(labels)
    return slot < 0 ? undefined : this.#table.refOf(slot)
  }

  seriesOf(cluster: string): number {
    return this.#table.seriesOf(cluster)
  }

  newestMs(ref: SeriesRef): number {
    const slot = this.#table.refs.get(ref)
    return slot < 0 ? -Infinity : this.#head.lastMs[slot]!
  }

  append(ref: SeriesRef, timeMs: number, value: number): AppendOutcome {
    const high = highWordOf(value)
    // A sender may choose the payload of its NaNs: none of them is read as a histogram.
    if (high === HISTOGRAM_HIGH_WORD) return this.append(ref, timeMs, NaN)
    return this.#appendWords(ref, timeMs, value, lowWordOf(value), high)
  }

  appendStale(ref: SeriesRef, timeMs: number): AppendOutcome {
    return this.#appendWords(ref, timeMs, NaN, STALE_LOW_WORD, STALE_HIGH_WORD)
  }

  appendHistogram(ref: SeriesRef, timeMs: number, histogram: Histogram): AppendOutcome {
    const encoded = this.#parts.histograms.encode(histogram)
    let slot = this.#table.refs.get(ref)
    if (slot < 0) slot = this.#reviveSlot(ref, timeMs)
    if (slot < 0) return REFUSED_TOO_OLD
    const current = this.#table.refOf(slot)
    // Before the sample: a reader that sees the sample must know that it is a histogram.
    this.#parts.histograms.willAppend(current)
    const outcome = this.#appendWords(current, timeMs, NaN, encoded.hash, HISTOGRAM_HIGH_WORD)
    if (outcome === APPENDED) this.#parts.histograms.append(current, timeMs, encoded)
    return outcome
  }

  appendExemplar(ref: SeriesRef, exemplar: Exemplar): boolean {
    const slot = this.#table.refs.get(ref)
    if (slot < 0 || exemplar.timeMs < this.floorMs) return false
    return this.#parts.exemplars.append(this.#table.refOf(slot), exemplar)
  }

  describe(family: string, metadata: MetricMetadata): boolean {
    return this.#parts.metadata.describe(family, metadata)
  }

  commit(): Promise<void> {
    return this.#parts.commit()
  }

  /** A sample from the log: it was accepted once, so only repeats and flushed samples are left out. */
  replay(slot: number, timeMs: number, low: number, high: number): void {
    const head = this.#head
    if (timeMs <= head.flushedUntilMs[slot]!) return
    if (timeMs > head.lastMs[slot]!) head.append(slot, timeMs, low, high)
    else if (!this.#find(slot, timeMs)) head.insertOlder(slot, timeMs, low, high)
  }

  // HOT: once per sample. Allocates nothing on the way of a sample in order; bench/store.ts holds the number.
  #appendWords(ref: SeriesRef, timeMs: number, value: number, low: number, high: number): AppendOutcome {
    const head = this.#head
    let slot = this.#table.refs.get(ref)
    if (slot < 0) slot = this.#reviveSlot(ref, timeMs)
    if (slot < 0 || timeMs < this.floorMs) return REFUSED_TOO_OLD
    const lastMs = head.lastMs[slot]!
    if (timeMs > lastMs) {
      if (!Number.isSafeInteger(timeMs)) invariant(false, 'times are integer milliseconds')
      head.append(slot, timeMs, low, high)
    } else if (timeMs === lastMs) {
      const isSame = head.lastWords[slot * 2] === low && head.lastWords[slot * 2 + 1] === high
      return isSame ? APPENDED_BEFORE : REFUSED_DUPLICATE
    } else {
      const refused = this.#insertOlder(slot, timeMs, low, high)
      if (refused !== APPENDED) return refused
    }
    this.#buffer.append(this.#table.refOf(slot), timeMs, value, low, high)
    return APPENDED
  }

  #insertOlder(slot: number, timeMs: number, low: number, high: number): AppendOutcome {
    invariant(Number.isSafeInteger(timeMs), 'times are integer milliseconds')
    const head = this.#head
    const flushed = head.flushed(slot)
    if (timeMs === flushed.flushedUntilMs) {
      return flushed.low === low && flushed.high === high ? APPENDED_BEFORE : REFUSED_DUPLICATE
    }
    if (timeMs < flushed.flushedUntilMs) return REFUSED_OUT_OF_ORDER
    if (this.#find(slot, timeMs)) {
      return this.#foundLow === low && this.#foundHigh === high ? APPENDED_BEFORE : REFUSED_DUPLICATE
    }
    if (timeMs < head.lastMs[slot]! - this.#parts.outOfOrderMs) return REFUSED_OUT_OF_ORDER
    head.insertOlder(slot, timeMs, low, high)
    return APPENDED
  }

  #find(slot: number, timeMs: number): boolean {
    this.#isFound = false
    this.#head.find(slot, timeMs, this.#onFound)
    return this.#isFound
  }

  readonly #onFound = (low: number, high: number): void => {
    this.#isFound = true
    this.#foundLow = low
    this.#foundHigh = high
  }

  /** Samples of these series are refused from now on, as too old. */
  erase(refs: ReadonlySet<SeriesRef>): void {
    for (const ref of refs) this.#erased.add(ref)
  }

  /**
   * The slot of a ref whose series ended or is cold. The series limit does not hold here: the caller was given this ref. -1:
   * the sample is too old, the series was erased, or its labels are damaged.
   */
  #reviveSlot(ref: SeriesRef, timeMs: number): number {
    if (timeMs < this.floorMs || this.#erased.has(ref)) return -1
    const labels = this.#parts.cold.get(ref)?.labels ?? this.#parts.labelsOfEnded(ref)
    if (labels === undefined) return -1
    let slot = this.#table.find(labels)
    if (slot < 0) slot = this.#create(labels)
    if (this.#table.refOf(slot) !== ref) this.#table.addAlias(ref, slot)
    return slot
  }

  /** The slot of a series without one: it was cold, or is new. */
  #create(labels: Labels): number {
    const slot = this.#head.takeSlot()
    const known = this.#parts.cold.find(labels)
    if (known === undefined || this.#erased.has(known.ref)) {
      this.#table.create(labels, slot)
      return slot
    }
    this.#table.create(labels, slot, known.ref)
    this.#parts.cold.becomesWarm()
    // The bits of that sample are not stored: what is that old is refused anyway.
    this.#head.setFlushed(slot, known.lastMs, 0, 0)
    if (known.hasHistograms) this.#parts.histograms.willAppend(known.ref)
    return slot
  }
}
