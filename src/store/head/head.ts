import { grown } from '../../base/grown.ts'
import {
  HeadMemory,
  PAGE_BEFORE,
  PAGE_BYTES,
  PAGE_FIRST_RUN,
  PAGE_RUNS,
  PAGES_PER_SEGMENT,
  RUN_COUNT,
  RUN_DELTA,
  RUN_HIGH,
  RUN_LOW,
  RUN_WORDS,
  RUNS_PER_PAGE,
  SLOT_LAST_OLDER_PAGE,
  SLOT_LAST_PAGE,
  SLOT_WORDS,
  SLOTS_PER_SEGMENT,
} from './head-memory.ts'
import { PageSet } from './page-set.ts'
import { countUpTo, deltaToExtend, mergeRuns, RunList } from './run-list.ts'

/**
 * The writer's side of the head: the samples that are not flushed yet. A series has two chains of pages, newest page
 * first: samples in order, and late samples ("older") in order of arrival. `replace` replaces a whole chain with one
 * store, so a reader sees either the old chain or the new one.
 */

/** Past this many pages of late samples they are merged in, so that recognising a repeat stays cheap. */
const OLDER_PAGES_MAX = 16

/** Receives new segments, to pass them to readers. */
export interface HeadListener {
  slotsAdded(buffer: SharedArrayBuffer): void
  pagesAdded(buffer: SharedArrayBuffer): void
}

interface Retired {
  readonly epoch: number
  readonly chains: readonly number[]
  readonly slots: readonly number[]
}

export class Head {
  readonly memory = new HeadMemory()
  /** Newest time of a slot, flushed or not; -Infinity when it never had a sample. */
  lastMs = new Float64Array(0)
  /** Time of the oldest sample of a slot that is in the head; Infinity: there is none. */
  firstMs = new Float64Array(0)
  /** Bits of the newest sample: low and high word. */
  lastWords = new Int32Array(0)
  /**
   * Time of the newest flushed sample of a slot; samples at or before it are rejected. -Infinity: nothing is flushed.
   */
  flushedUntilMs = new Float64Array(0)
  sampleCount = 0
  #flushedWords = new Int32Array(0)
  #olderPages = new Uint8Array(0)
  #slotCount = 0
  #freeSlots: number[] = []
  #pageCount = 1 // page 0 is "none"
  readonly #freePages = new PageSet()
  #unlinkedChains: number[] = []
  #unlinkedSlots: number[] = []
  #retired: Retired[] = []
  readonly #listener: HeadListener
  readonly #runs = new RunList()
  readonly #late = new RunList()

  constructor(listener: HeadListener) {
    this.#listener = listener
  }

  /** Bytes of pages in use, including those that wait for readers. */
  get usedBytes(): number {
    return (this.#pageCount - 1 - this.#freePages.size) * PAGE_BYTES
  }

  /** An empty slot. */
  takeSlot(): number {
    const slot = this.#freeSlots.pop() ?? this.#slotCount++
    if (slot >= this.memory.slotCapacity) this.#addSlots()
    this.lastMs[slot] = -Infinity
    this.firstMs[slot] = Infinity
    this.#olderPages[slot] = 0
    const words = this.memory.slotWords(slot)
    const at = this.memory.slotAt(slot)
    Atomics.store(words, at + SLOT_LAST_PAGE, 0)
    Atomics.store(words, at + SLOT_LAST_OLDER_PAGE, 0)
    this.setFlushed(slot, -Infinity, 0, 0)
    return slot
  }

  /** Gives an empty slot back; it is used again when no reader can hold it any more. */
  leaveSlot(slot: number): void {
    this.#unlinkedSlots.push(slot)
  }

  /** How far a slot is flushed, with the bits of the sample at that time. */
  flushed(slot: number): { readonly flushedUntilMs: number; readonly low: number; readonly high: number } {
    const words = this.#flushedWords
    return { flushedUntilMs: this.flushedUntilMs[slot]!, low: words[slot * 2]!, high: words[slot * 2 + 1]! }
  }

  setFlushed(slot: number, untilMs: number, low: number, high: number): void {
    this.flushedUntilMs[slot] = untilMs
    this.#flushedWords[slot * 2] = low
    this.#flushedWords[slot * 2 + 1] = high
    this.memory.setFlushedUntilMs(slot, untilMs)
    if (untilMs <= this.lastMs[slot]!) return
    this.lastMs[slot] = untilMs
    this.lastWords[slot * 2] = low
    this.lastWords[slot * 2 + 1] = high
  }

  isEmpty(slot: number): boolean {
    const words = this.memory.slotWords(slot)
    const at = this.memory.slotAt(slot)
    return words[at + SLOT_LAST_PAGE] === 0 && words[at + SLOT_LAST_OLDER_PAGE] === 0
  }

  /** HOT: once per sample. The caller has checked that `timeMs` is newer than `lastMs[slot]`. */
  append(slot: number, timeMs: number, low: number, high: number): void {
    this.lastMs[slot] = timeMs
    this.lastWords[slot * 2] = low
    this.lastWords[slot * 2 + 1] = high
    this.#appendTo(slot, SLOT_LAST_PAGE, timeMs, low, high)
  }

  /** Appends a late sample. The caller has checked that no sample has its time (`find`). */
  insertOlder(slot: number, timeMs: number, low: number, high: number): void {
    if (timeMs < this.firstMs[slot]!) this.firstMs[slot] = timeMs
    const isNewPage = this.#appendTo(slot, SLOT_LAST_OLDER_PAGE, timeMs, low, high)
    if (isNewPage && ++this.#olderPages[slot]! > OLDER_PAGES_MAX) {
      this.collect(slot, this.#runs)
      this.replace(slot, this.#runs)
    }
  }

  /** Calls `found` with the words of the sample of exactly this time, if the head has one. */
  find(slot: number, timeMs: number, found: (low: number, high: number) => void): void {
    const memory = this.memory
    const words = memory.slotWords(slot)
    const at = memory.slotAt(slot)
    for (const chain of [SLOT_LAST_PAGE, SLOT_LAST_OLDER_PAGE]) {
      walkPages(memory, words[at + chain]!, (id) => {
        const page = memory.pageWords(id)!
        const floats = memory.pageFloats(id)
        const pageAt = memory.pageAt(id)
        for (let run = page[pageAt + PAGE_RUNS]! - 1; run >= 0; run--) {
          const runAt = pageAt + PAGE_FIRST_RUN + run * RUN_WORDS
          const startMs = floats[runAt >> 1]!
          const deltaMs = page[runAt + RUN_DELTA]!
          const nth = countUpTo(timeMs, startMs, deltaMs, page[runAt + RUN_COUNT]!)
          if (nth > 0 && startMs + deltaMs * (nth - 1) === timeMs) {
            found(page[runAt + RUN_LOW]!, page[runAt + RUN_HIGH]!)
            return false
          }
          // In the ordered chain everything before is older still; late samples are in order of arrival.
          if (chain === SLOT_LAST_PAGE && startMs < timeMs) return false
        }
        return true
      })
    }
  }

  /** All samples of a slot, late ones in their place, into `into` (cleared first). */
  collect(slot: number, into: RunList): void {
    const words = this.memory.slotWords(slot)
    const at = this.memory.slotAt(slot)
    if (words[at + SLOT_LAST_OLDER_PAGE] === 0) {
      this.#collectChain(words[at + SLOT_LAST_PAGE]!, into)
      return
    }
    const inOrder = new RunList()
    this.#collectChain(words[at + SLOT_LAST_PAGE]!, inOrder)
    this.#collectChain(words[at + SLOT_LAST_OLDER_PAGE]!, this.#late)
    mergeRuns(inOrder, this.#late, into)
  }

  /** Replaces all samples of the slot with `runs`. The caller subtracts omitted samples from `sampleCount`. */
  replace(slot: number, runs: RunList): void {
    const words = this.memory.slotWords(slot)
    const at = this.memory.slotAt(slot)
    const oldPage = words[at + SLOT_LAST_PAGE]!
    const oldOlderPage = words[at + SLOT_LAST_OLDER_PAGE]!
    let last = 0
    for (let from = 0; from < runs.count; from += RUNS_PER_PAGE) last = this.#writePage(runs, from, last)
    // In this order: a reader reads the late chain first, so it may see a sample twice but never misses one.
    Atomics.store(words, at + SLOT_LAST_PAGE, last)
    Atomics.store(words, at + SLOT_LAST_OLDER_PAGE, 0)
    this.firstMs[slot] = runs.count === 0 ? Infinity : runs.startsMs[0]!
    this.#olderPages[slot] = 0
    if (oldPage !== 0) this.#unlinkedChains.push(oldPage)
    if (oldOlderPage !== 0) this.#unlinkedChains.push(oldOlderPage)
  }

  /** The samples of an empty slot, none of them flushed. */
  fill(slot: number, runs: RunList): void {
    const last = runs.count - 1
    this.replace(slot, runs)
    this.sampleCount += runs.sampleCount
    this.lastMs[slot] = runs.lastMsOf(last)
    this.lastWords[slot * 2] = runs.lows[last]!
    this.lastWords[slot * 2 + 1] = runs.highs[last]!
  }

  /** Frees unlinked pages that no reader can reach any more. Bounded by the number of unlinked pages. */
  reclaim(): void {
    if (this.#unlinkedChains.length > 0 || this.#unlinkedSlots.length > 0) {
      const epoch = this.memory.endEpoch()
      this.#retired.push({ epoch, chains: this.#unlinkedChains, slots: this.#unlinkedSlots })
      this.#unlinkedChains = []
      this.#unlinkedSlots = []
    }
    const oldest = this.memory.oldestPinnedEpoch()
    while (this.#retired.length > 0 && this.#retired[0]!.epoch < oldest) {
      const { chains, slots } = this.#retired.shift()!
      this.#freeSlots.push(...slots)
      for (const last of chains) this.#freeChain(last)
    }
  }

  #freeChain(last: number): void {
    walkPages(this.memory, last, (page) => {
      this.#freePages.add(page)
      return true
    })
  }

  #collectChain(last: number, into: RunList): void {
    into.clear()
    const pages: number[] = []
    walkPages(this.memory, last, (page) => pages.push(page) > 0)
    while (pages.length > 0) {
      const page = pages.pop()!
      const words = this.memory.pageWords(page)!
      const floats = this.memory.pageFloats(page)
      const at = this.memory.pageAt(page)
      for (let run = 0; run < words[at + PAGE_RUNS]!; run++) {
        const runAt = at + PAGE_FIRST_RUN + run * RUN_WORDS
        into.pushRun(
          floats[runAt >> 1]!,
          words[runAt + RUN_DELTA]!,
          words[runAt + RUN_COUNT]!,
          words[runAt + RUN_LOW]!,
          words[runAt + RUN_HIGH]!,
        )
      }
    }
  }

  /** HOT. Returns whether a new page was needed. */
  #appendTo(slot: number, chain: number, timeMs: number, low: number, high: number): boolean {
    const memory = this.memory
    this.sampleCount++
    const slotWords = memory.slotWords(slot)
    const slotAt = memory.slotAt(slot) + chain
    const page = slotWords[slotAt]!
    if (page !== 0) {
      const words = memory.pageWords(page)!
      const floats = memory.pageFloats(page)
      const at = memory.pageAt(page)
      const runs = words[at + PAGE_RUNS]!
      const runAt = at + PAGE_FIRST_RUN + (runs - 1) * RUN_WORDS
      if (words[runAt + RUN_LOW] === low && words[runAt + RUN_HIGH] === high) {
        const count = words[runAt + RUN_COUNT]!
        const deltaMs = deltaToExtend(timeMs, floats[runAt >> 1]!, words[runAt + RUN_DELTA]!, count)
        if (deltaMs !== 0) {
          if (count === 1) words[runAt + RUN_DELTA] = deltaMs
          Atomics.store(words, runAt + RUN_COUNT, count + 1)
          return false
        }
      }
      if (runs < RUNS_PER_PAGE) {
        writeRun(words, floats, runAt + RUN_WORDS, timeMs, 0, 1, low, high)
        Atomics.store(words, at + PAGE_RUNS, runs + 1)
        return false
      }
    }
    if (timeMs < this.firstMs[slot]!) this.firstMs[slot] = timeMs
    const next = this.#takePage()
    const words = memory.pageWords(next)!
    const at = memory.pageAt(next)
    words[at + PAGE_BEFORE] = page
    words[at + PAGE_RUNS] = 1
    writeRun(words, memory.pageFloats(next), at + PAGE_FIRST_RUN, timeMs, 0, 1, low, high)
    Atomics.store(slotWords, slotAt, next)
    return true
  }

  /** A page of the runs from `from`, after the page `before`; not reachable yet. */
  #writePage(runs: RunList, from: number, before: number): number {
    const page = this.#takePage()
    const words = this.memory.pageWords(page)!
    const floats = this.memory.pageFloats(page)
    const at = this.memory.pageAt(page)
    const count = Math.min(RUNS_PER_PAGE, runs.count - from)
    words[at + PAGE_BEFORE] = before
    words[at + PAGE_RUNS] = count
    for (let i = 0; i < count; i++) {
      const run = from + i
      const runAt = at + PAGE_FIRST_RUN + i * RUN_WORDS
      const { startsMs, deltasMs, counts, lows, highs } = runs
      writeRun(words, floats, runAt, startsMs[run]!, deltasMs[run]!, counts[run]!, lows[run]!, highs[run]!)
    }
    return page
  }

  #takePage(): number {
    const free = this.#freePages.take(this.#pageCount)
    if (free !== 0) return free
    if (this.#pageCount >= this.memory.pageCapacity) {
      const buffer = new SharedArrayBuffer(PAGES_PER_SEGMENT * PAGE_BYTES)
      this.memory.addPages(buffer)
      this.#listener.pagesAdded(buffer)
    }
    return this.#pageCount++
  }

  #addSlots(): void {
    const buffer = new SharedArrayBuffer(SLOTS_PER_SEGMENT * SLOT_WORDS * 4)
    this.memory.addSlots(buffer)
    this.#listener.slotsAdded(buffer)
    const capacity = this.memory.slotCapacity
    if (this.lastMs.length >= capacity) return
    const size = Math.max(capacity, this.lastMs.length * 2)
    this.lastMs = grown(this.lastMs, size)
    this.firstMs = grown(this.firstMs, size)
    this.lastWords = grown(this.lastWords, size * 2)
    this.flushedUntilMs = grown(this.flushedUntilMs, size)
    this.#flushedWords = grown(this.#flushedWords, size * 2)
    this.#olderPages = grown(this.#olderPages, size)
  }
}

/** Calls `visit` with each page of a chain, newest first, until it returns false. */
function walkPages(memory: HeadMemory, last: number, visit: (page: number) => boolean): void {
  for (let page = last; page !== 0;) {
    if (!visit(page)) return
    page = memory.pageWords(page)![memory.pageAt(page) + PAGE_BEFORE]!
  }
}

/** HOT. */
function writeRun(
  words: Int32Array,
  floats: Float64Array,
  at: number,
  startMs: number,
  deltaMs: number,
  count: number,
  low: number,
  high: number,
): void {
  floats[at >> 1] = startMs
  words[at + RUN_LOW] = low
  words[at + RUN_HIGH] = high
  words[at + RUN_DELTA] = deltaMs
  words[at + RUN_COUNT] = count
}
