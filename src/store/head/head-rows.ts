import { grown } from '../../base/grown.ts'
import type { RunTails } from '../../model/queryable.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import {
  type HeadMemory,
  PAGE_BEFORE,
  PAGE_FIRST_RUN,
  PAGE_RUNS,
  RUN_COUNT,
  RUN_DELTA,
  RUN_HIGH,
  RUN_LOW,
  RUN_WORDS,
  RUNS_PER_PAGE,
  SLOT_LAST_OLDER_PAGE,
  SLOT_LAST_PAGE,
} from './head-memory.ts'
import type { HeadReader } from './head-reader.ts'
import { countUpTo } from './run-list.ts'

/**
 * The head for fleet queries: one metric of all clusters, whose slots and pages are far apart. Reading one series takes
 * a few loads that each miss the cache, so many series are read side by side: first all slots, then the first page of
 * each, then the earlier pages. Independent loads overlap; measured, they are more than half the cost of a rule. Use
 * only between `pin` and `unpin`, as `HeadReader`.
 */

/*
 * `Atomics.load` is a call of some 14 ns, many times the cost of a load, so it is used where order is not given otherwise. The
 * writer links a page or adds a run by an atomic store, after their words are written. A load whose address comes from
 * the linked word is ordered after the load of that word, on every processor; words of two independent addresses are
 * not. A run does not change any more when another follows it.
 */

/** Series that are read side by side: their pages should stay in the second-level cache. */
const ROWS = 512

export class HeadRows {
  readonly #memory: HeadMemory
  readonly #reader: HeadReader
  /** Newest pages; 0 when the slot is empty. */
  readonly #lasts = new Int32Array(ROWS)
  readonly #haveLate = new Uint8Array(ROWS)
  /** Pages by level and row: level 0 is the newest. */
  #pages = new Int32Array(ROWS * 4)
  readonly #depths = new Int32Array(ROWS)
  readonly #active = new Int32Array(ROWS)

  constructor(memory: HeadMemory, reader: HeadReader) {
    this.#memory = memory
    this.#reader = reader
  }

  /** The samples of slots with times in `[fromMs, toMs]`, a row each; an empty row for slot -1. */
  readRows(slots: Int32Array, fromMs: number, toMs: number, into: RunColumns): void {
    for (let from = 0; from < slots.length; from += ROWS) {
      const rows = Math.min(ROWS, slots.length - from)
      this.#loadSlots(slots, from, rows)
      this.#walk(rows, fromMs)
      for (let row = 0; row < rows; row++) {
        if (this.#haveLate[row] === 1) this.#pushMerged(slots[from + row]!, fromMs, toMs, into)
        else this.#pushPages(row, fromMs, toMs, into)
        into.endRow()
      }
    }
  }

  /** The newest sample of each slot in `[fromMs, toMs]`: its time by row, NaN for none, and its bits into `words`. */
  newest(slots: Int32Array, fromMs: number, toMs: number, timesMs: Float64Array, words: Int32Array): void {
    timesMs.fill(NaN)
    for (let from = 0; from < slots.length; from += ROWS) {
      const rows = Math.min(ROWS, slots.length - from)
      this.#loadSlots(slots, from, rows)
      for (let row = 0; row < rows; row++) {
        if (this.#haveLate[row] === 1) {
          this.#reader.newestOfMerged(slots[from + row]!, fromMs, toMs, from + row, timesMs, words)
        } else this.#newestOfChain(this.#lasts[row]!, fromMs, toMs, from + row, timesMs, words)
      }
    }
  }

  /** How each slot ends: see `RunTails`. */
  tails(slots: Int32Array, into: RunTails): void {
    const words = new Int32Array(into.values.buffer, into.values.byteOffset, into.values.length * 2)
    for (let from = 0; from < slots.length; from += ROWS) {
      const rows = Math.min(ROWS, slots.length - from)
      this.#loadSlots(slots, from, rows)
      for (let row = 0; row < rows; row++) {
        const at = from + row
        into.late[at] = this.#haveLate[row] === 1 ? this.#lateMark(slots[at]!) : 0
        this.#tailOf(this.#lasts[row]!, at, into, words)
      }
    }
  }

  /** HOT: once per series of a fleet query. */
  #tailOf(page: number, row: number, into: RunTails, bits: Int32Array): void {
    into.startsMs[row] = NaN
    into.lastsMs[row] = NaN
    into.beforeStartsMs[row] = NaN
    into.beforeLastsMs[row] = NaN
    if (page === 0) return
    const memory = this.#memory
    const words = memory.pageWords(page) ?? this.#reader.wordsOf(page)
    const at = memory.pageAt(page)
    const runs = Atomics.load(words, at + PAGE_RUNS)
    if (runs === 0) return
    const runAt = at + PAGE_FIRST_RUN + (runs - 1) * RUN_WORDS
    const startMs = memory.pageFloats(page)[runAt >> 1]!
    const count = Atomics.load(words, runAt + RUN_COUNT)
    const stepMs = count === 1 ? 0 : words[runAt + RUN_DELTA]!
    into.startsMs[row] = startMs
    into.lastsMs[row] = startMs + stepMs * (count - 1)
    into.stepsMs[row] = stepMs
    bits[row * 2] = words[runAt + RUN_LOW]!
    bits[row * 2 + 1] = words[runAt + RUN_HIGH]!
    if (runs > 1) this.#tailBefore(page, runs - 2, row, into)
    else if (words[at + PAGE_BEFORE]! !== 0) this.#tailBefore(words[at + PAGE_BEFORE]!, RUNS_PER_PAGE - 1, row, into)
  }

  #tailBefore(page: number, run: number, row: number, into: RunTails): void {
    const memory = this.#memory
    const words = memory.pageWords(page) ?? this.#reader.wordsOf(page)
    const runAt = memory.pageAt(page) + PAGE_FIRST_RUN + run * RUN_WORDS
    const startMs = memory.pageFloats(page)[runAt >> 1]!
    const count = words[runAt + RUN_COUNT]!
    into.beforeStartsMs[row] = startMs
    into.beforeLastsMs[row] = count === 1 ? startMs : startMs + words[runAt + RUN_DELTA]! * (count - 1)
  }

  /**
   * Late runs are only added, until they are merged or flushed: the newest page and its run count identify the state.
   */
  #lateMark(slot: number): number {
    const page = Atomics.load(this.#memory.slotWords(slot), this.#memory.slotAt(slot) + SLOT_LAST_OLDER_PAGE)
    if (page === 0) return 0
    const words = this.#memory.pageWords(page) ?? this.#reader.wordsOf(page)
    const at = this.#memory.pageAt(page)
    const runs = Atomics.load(words, at + PAGE_RUNS)
    const count = runs === 0 ? 0 : Atomics.load(words, at + PAGE_FIRST_RUN + (runs - 1) * RUN_WORDS + RUN_COUNT)
    return (Math.imul(page, 0x9e3779b1) ^ (runs << 24) ^ (count << 1)) | 1
  }

  /** The samples of one slot, to the row that `into` is at. */
  readRuns(slot: number, fromMs: number, toMs: number, into: RunColumns): void {
    this.#loadSlots(Int32Array.of(slot), 0, 1)
    this.#walk(1, fromMs)
    if (this.#haveLate[0] === 1) this.#pushMerged(slot, fromMs, toMs, into)
    else this.#pushPages(0, fromMs, toMs, into)
  }

  /** HOT. The newest page of each slot. Late samples first: the writer moves them, and clears their word after that. */
  #loadSlots(slots: Int32Array, from: number, rows: number): void {
    const memory = this.#memory
    const lasts = this.#lasts
    const haveLate = this.#haveLate
    for (let row = 0; row < rows; row++) {
      const slot = slots[from + row]!
      if (slot < 0) {
        lasts[row] = 0
        haveLate[row] = 0
        continue
      }
      const words = memory.slotWords(slot)
      const at = memory.slotAt(slot)
      haveLate[row] = Atomics.load(words, at + SLOT_LAST_OLDER_PAGE) === 0 ? 0 : 1
      lasts[row] = words[at + SLOT_LAST_PAGE]!
    }
  }

  /** HOT. The pages of all rows back to the one that begins at or before `fromMs`, level by level. */
  #walk(rows: number, fromMs: number): void {
    const memory = this.#memory
    const depths = this.#depths
    const active = this.#active
    let count = 0
    for (let row = 0; row < rows; row++) {
      depths[row] = 0
      const last = this.#lasts[row]!
      if (last === 0 || this.#haveLate[row] === 1) continue
      this.#pages[row] = last
      active[count++] = row
    }
    for (let level = 0; count > 0; level++) {
      if ((level + 2) * ROWS > this.#pages.length) this.#addLevels()
      const pages = this.#pages
      const here = level * ROWS
      let left = 0
      for (let i = 0; i < count; i++) {
        const row = active[i]!
        const page = pages[here + row]!
        const words = memory.pageWords(page) ?? this.#reader.wordsOf(page)
        const at = memory.pageAt(page)
        const before = words[at + PAGE_BEFORE]!
        depths[row] = level + 1
        if (before === 0 || memory.pageFloats(page)[(at + PAGE_FIRST_RUN) >> 1]! <= fromMs) continue
        pages[here + ROWS + row] = before
        active[left++] = row
      }
      count = left
    }
  }

  #addLevels(): void {
    this.#pages = grown(this.#pages, this.#pages.length * 2)
  }

  /** HOT: once per series of a range. */
  #pushPages(row: number, fromMs: number, toMs: number, into: RunColumns): void {
    const depth = this.#depths[row]!
    if (depth === 0) return
    into.reserve(depth * RUNS_PER_PAGE)
    // Only the newest run of the newest page still changes.
    for (let level = depth - 1; level > 0; level--) {
      const page = this.#pages[level * ROWS + row]!
      this.#pushPage(page, this.#memory.pageWords(page)!, RUNS_PER_PAGE, fromMs, toMs, into)
    }
    const page = this.#pages[row]!
    const words = this.#memory.pageWords(page)!
    const at = this.#memory.pageAt(page)
    const newest = Atomics.load(words, at + PAGE_RUNS) - 1
    this.#pushPage(page, words, newest, fromMs, toMs, into)
    const runAt = at + PAGE_FIRST_RUN + newest * RUN_WORDS
    // The count before the delta: a delta is written before the count becomes 2, and never again.
    const count = Atomics.load(words, runAt + RUN_COUNT)
    const startMs = this.#memory.pageFloats(page)[runAt >> 1]!
    const deltaMs = words[runAt + RUN_DELTA]!
    into.pushCut(startMs, deltaMs, count, words[runAt + RUN_LOW]!, words[runAt + RUN_HIGH]!, fromMs, toMs)
  }

  /** HOT: once per page. The first `runs` runs of a page, which do not change any more. */
  #pushPage(page: number, words: Int32Array, runs: number, fromMs: number, toMs: number, into: RunColumns): void {
    const floats = this.#memory.pageFloats(page)
    const { startsMs, counts, words: bits } = into
    let to = into.count
    let runAt = this.#memory.pageAt(page) + PAGE_FIRST_RUN
    for (const end = runAt + runs * RUN_WORDS; runAt < end; runAt += RUN_WORDS) {
      const startMs = floats[runAt >> 1]!
      const low = words[runAt + RUN_LOW]!
      const high = words[runAt + RUN_HIGH]!
      const count = words[runAt + RUN_COUNT]!
      if (count > 1) {
        into.count = to
        into.pushCut(startMs, words[runAt + RUN_DELTA]!, count, low, high, fromMs, toMs)
        to = into.count
        continue
      }
      if (startMs < fromMs || startMs > toMs) continue
      startsMs[to] = startMs
      counts[to] = 1
      bits[to * 2] = low
      bits[to * 2 + 1] = high
      to++
    }
    into.count = to
  }

  #pushMerged(slot: number, fromMs: number, toMs: number, into: RunColumns): void {
    const { startsMs, deltasMs, counts, lows, highs, count } = this.#reader.merged(slot, fromMs)
    for (let run = 0; run < count; run++) {
      into.pushCut(startsMs[run]!, deltasMs[run]!, counts[run]!, lows[run]!, highs[run]!, fromMs, toMs)
    }
  }

  /** HOT: once per series of a rule. */
  #newestOfChain(
    last: number,
    fromMs: number,
    toMs: number,
    row: number,
    timesMs: Float64Array,
    words: Int32Array,
  ): void {
    const memory = this.#memory
    for (let page = last; page !== 0;) {
      const paged = memory.pageWords(page) ?? this.#reader.wordsOf(page)
      const floats = memory.pageFloats(page)
      const at = memory.pageAt(page)
      for (let run = paged[at + PAGE_RUNS]! - 1; run >= 0; run--) {
        const runAt = at + PAGE_FIRST_RUN + run * RUN_WORDS
        const startMs = floats[runAt >> 1]!
        if (startMs > toMs) continue
        const count = paged[runAt + RUN_COUNT]!
        // The distance is written before the count becomes 2, and is 0 until then.
        const deltaMs = count === 1 ? 0 : paged[runAt + RUN_DELTA]! || deltaOf(paged, runAt)
        const newestMs = count === 1 ? startMs : startMs + deltaMs * (countUpTo(toMs, startMs, deltaMs, count) - 1)
        if (newestMs < fromMs) return
        timesMs[row] = newestMs
        words[row * 2] = paged[runAt + RUN_LOW]!
        words[row * 2 + 1] = paged[runAt + RUN_HIGH]!
        return
      }
      page = paged[at + PAGE_BEFORE]!
    }
  }
}

/** The distance of a run of at least two samples. */
function deltaOf(words: Int32Array, runAt: number): number {
  Atomics.load(words, runAt + RUN_COUNT)
  return words[runAt + RUN_DELTA]!
}
