import { invariant } from '../../base/invariant.ts'

/**
 * The layout of the head in shared memory: the ingest worker writes while the query worker reads. Drawn in README.md.
 * One writer; words that change while a reader may access them are stored and loaded with `Atomics`, and all other
 * words are written before the store that makes them reachable.
 */

/** A slot is the head's place for one series: newest page, newest out-of-order page, last flushed time. */
export const SLOT_WORDS = 4
export const SLOT_LAST_PAGE = 0
export const SLOT_LAST_OLDER_PAGE = 1
const SLOTS_PER_SEGMENT_BITS = 12
export const SLOTS_PER_SEGMENT = 1 << SLOTS_PER_SEGMENT_BITS
const SLOT_MASK = SLOTS_PER_SEGMENT - 1

/** A page is 128 bytes: the page before it, its number of runs, and five runs of 24 bytes. */
const PAGE_WORDS = 32
export const PAGE_BYTES = PAGE_WORDS * 4
export const PAGE_BEFORE = 0
export const PAGE_RUNS = 1
export const PAGE_FIRST_RUN = 2
export const RUN_WORDS = 6
export const RUNS_PER_PAGE = 5
/** Words of a run, after the two of its start time. */
export const RUN_LOW = 2
export const RUN_HIGH = 3
export const RUN_DELTA = 4
export const RUN_COUNT = 5
const PAGES_PER_SEGMENT_BITS = 13
export const PAGES_PER_SEGMENT = 1 << PAGES_PER_SEGMENT_BITS
const PAGE_MASK = PAGES_PER_SEGMENT - 1

/**
 * The control block: the epoch, then one word per reader (0 when not reading, else the epoch in which the read began),
 * then the number of series with native histograms.
 */
const CONTROL_EPOCH = 0
const CONTROL_FIRST_PIN = 1
export const READERS_MAX = 15
const CONTROL_HISTOGRAM_SERIES = CONTROL_FIRST_PIN + READERS_MAX
const CONTROL_WORDS = CONTROL_HISTOGRAM_SERIES + 1

/** In a slot's last word: nothing of the series is flushed. Below every time a sample may have. */
const NEVER = -(2n ** 62n)

/** What crosses to another thread: the same memory, no copy. */
export interface HeadBuffers {
  readonly control: SharedArrayBuffer
  readonly slots: readonly SharedArrayBuffer[]
  readonly pages: readonly SharedArrayBuffer[]
}

/** A view of the head's memory; each thread makes its own over the same buffers. */
export class HeadMemory {
  readonly control: Int32Array
  readonly #controlBuffer: SharedArrayBuffer
  readonly #slotBuffers: SharedArrayBuffer[] = []
  readonly #pageBuffers: SharedArrayBuffer[] = []
  readonly #slotWords: Int32Array[] = []
  readonly #slotTimes: BigInt64Array[] = []
  readonly #pageWords: Int32Array[] = []
  readonly #pageFloats: Float64Array[] = []

  constructor(buffers?: HeadBuffers) {
    this.#controlBuffer = buffers?.control ?? new SharedArrayBuffer(CONTROL_WORDS * 4)
    this.control = new Int32Array(this.#controlBuffer)
    if (buffers === undefined) Atomics.store(this.control, CONTROL_EPOCH, 1)
    buffers?.slots.forEach((buffer) => {
      this.addSlots(buffer)
    })
    buffers?.pages.forEach((buffer) => {
      this.addPages(buffer)
    })
  }

  get buffers(): HeadBuffers {
    return { control: this.#controlBuffer, slots: [...this.#slotBuffers], pages: [...this.#pageBuffers] }
  }

  get slotCapacity(): number {
    return this.#slotBuffers.length * SLOTS_PER_SEGMENT
  }

  get pageCapacity(): number {
    return this.#pageBuffers.length * PAGES_PER_SEGMENT
  }

  addSlots(buffer: SharedArrayBuffer): void {
    this.#slotBuffers.push(buffer)
    this.#slotWords.push(new Int32Array(buffer))
    this.#slotTimes.push(new BigInt64Array(buffer))
  }

  addPages(buffer: SharedArrayBuffer): void {
    this.#pageBuffers.push(buffer)
    this.#pageWords.push(new Int32Array(buffer))
    this.#pageFloats.push(new Float64Array(buffer))
  }

  /** HOT. The words of a slot's segment; the slot begins at `slotAt(slot)`. */
  slotWords(slot: number): Int32Array {
    return this.#slotWords[slot >>> SLOTS_PER_SEGMENT_BITS]!
  }

  slotAt(slot: number): number {
    return (slot & SLOT_MASK) * SLOT_WORDS
  }

  /** HOT. The words of a page's segment, or `undefined` until this thread has received the segment. */
  pageWords(page: number): Int32Array | undefined {
    return this.#pageWords[page >>> PAGES_PER_SEGMENT_BITS]
  }

  /** The same memory as `pageWords`, as floats: a run at word `w` has its start time at float `w / 2`. */
  pageFloats(page: number): Float64Array {
    return this.#pageFloats[page >>> PAGES_PER_SEGMENT_BITS]!
  }

  pageAt(page: number): number {
    return (page & PAGE_MASK) * PAGE_WORDS
  }

  /** The time of the newest flushed sample of a slot, or -Infinity. Cold: it is a BigInt so that it cannot tear. */
  flushedUntilMs(slot: number): number {
    const flushed = Atomics.load(this.#slotTimes[slot >>> SLOTS_PER_SEGMENT_BITS]!, (slot & SLOT_MASK) * 2 + 1)
    return flushed === NEVER ? -Infinity : Number(flushed)
  }

  setFlushedUntilMs(slot: number, timeMs: number): void {
    const flushed = timeMs === -Infinity ? NEVER : BigInt(timeMs)
    Atomics.store(this.#slotTimes[slot >>> SLOTS_PER_SEGMENT_BITS]!, (slot & SLOT_MASK) * 2 + 1, flushed)
  }

  /** Reader: from now on, nothing reachable is reused. */
  pin(reader: number): void {
    // Stored before the check: a writer that advances in between sees either the pin or the second load.
    for (;;) {
      const epoch = Atomics.load(this.control, CONTROL_EPOCH)
      Atomics.store(this.control, CONTROL_FIRST_PIN + reader, epoch)
      if (Atomics.load(this.control, CONTROL_EPOCH) === epoch) return
    }
  }

  unpin(reader: number): void {
    Atomics.store(this.control, CONTROL_FIRST_PIN + reader, 0)
  }

  /** Writer: ends the epoch and returns its number; everything unlinked so far belongs to it. */
  endEpoch(): number {
    const ended = Atomics.add(this.control, CONTROL_EPOCH, 1)
    invariant(ended < 0x7ffffff0, 'the epoch fits a word; one ends at most a few times a second')
    return ended
  }

  /** How often a series was given its first native histogram: added to before that can be read. */
  get histogramSeries(): number {
    return Atomics.load(this.control, CONTROL_HISTOGRAM_SERIES)
  }

  addHistogramSeries(count: number): void {
    Atomics.add(this.control, CONTROL_HISTOGRAM_SERIES, count)
  }

  /** The oldest epoch with an active reader, or Infinity. Pages unlinked in an earlier epoch are free. */
  oldestPinnedEpoch(): number {
    let oldest = Infinity
    for (let reader = 0; reader < READERS_MAX; reader++) {
      const pinned = Atomics.load(this.control, CONTROL_FIRST_PIN + reader)
      if (pinned !== 0 && pinned < oldest) oldest = pinned
    }
    return oldest
  }
}
