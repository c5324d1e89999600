import { invariant } from '../../base/invariant.ts'
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
  SLOT_LAST_OLDER_PAGE,
  SLOT_LAST_PAGE,
} from './head-memory.ts'
import { countUpTo, mergeRuns, RunList } from './run-list.ts'

/**
 * The reader's side of the head. Use only between `pin` and `unpin`. A read of a series sees a prefix of its chain, up
 * to a moment during the call or later: never half a sample, never a sample without its predecessors.
 */
export class HeadReader {
  readonly #memory: HeadMemory
  readonly #receive: () => void
  readonly #pages: number[] = []
  readonly #inOrder = new RunList()
  readonly #late = new RunList()
  readonly #merged = new RunList()

  /** @param receive receives the writer's messages: a page may be in a segment that this thread has not received yet */
  constructor(memory: HeadMemory, receive: () => void) {
    this.#memory = memory
    this.#receive = receive
  }

  /** The slow path of `HeadRows.newest`: there are late samples. */
  newestOfMerged(
    slot: number,
    fromMs: number,
    toMs: number,
    row: number,
    timesMs: Float64Array,
    words: Int32Array,
  ): void {
    const { startsMs, deltasMs, counts, lows, highs, count } = this.merged(slot, fromMs)
    for (let run = count - 1; run >= 0; run--) {
      const nth = countUpTo(toMs, startsMs[run]!, deltasMs[run]!, counts[run]!)
      if (nth === 0) continue
      const newestMs = startsMs[run]! + deltasMs[run]! * (nth - 1)
      if (newestMs < fromMs) return
      timesMs[row] = newestMs
      words[row * 2] = lows[run]!
      words[row * 2 + 1] = highs[run]!
      return
    }
  }

  /** All samples of a slot from `fromMs` on, or some more, in order. Valid until the next call. */
  merged(slot: number, fromMs: number): RunList {
    const words = this.#memory.slotWords(slot)
    const at = this.#memory.slotAt(slot)
    const lastOlder = Atomics.load(words, at + SLOT_LAST_OLDER_PAGE)
    this.#mergeChains(Atomics.load(words, at + SLOT_LAST_PAGE), lastOlder, fromMs)
    return this.#merged
  }

  /** The words of a page, after receiving its segment if necessary. */
  wordsOf(page: number): Int32Array {
    return this.#memory.pageWords(page) ?? this.#unknownPage(page)
  }

  #mergeChains(last: number, lastOlder: number, fromMs: number): void {
    collect(this.#inOrder, (push) => {
      this.#eachRun(last, fromMs, push)
    })
    collect(this.#late, (push) => {
      this.#eachRun(lastOlder, -Infinity, push)
    })
    mergeRuns(this.#inOrder, this.#late, this.#merged)
  }

  /** Whether a slot has a sample with a time in `[fromMs, toMs]`. */
  hasSample(slot: number, fromMs: number, toMs: number): boolean {
    const words = this.#memory.slotWords(slot)
    const at = this.#memory.slotAt(slot)
    const lastOlder = Atomics.load(words, at + SLOT_LAST_OLDER_PAGE)
    const last = Atomics.load(words, at + SLOT_LAST_PAGE)
    return this.#chainHasSample(last, fromMs, fromMs, toMs) || this.#chainHasSample(lastOlder, -Infinity, fromMs, toMs)
  }

  #chainHasSample(last: number, orderedFromMs: number, fromMs: number, toMs: number): boolean {
    let found = 0
    this.#eachRun(last, orderedFromMs, (startMs, deltaMs, count) => {
      if (countUpTo(toMs, startMs, deltaMs, count) > countUpTo(fromMs - 1, startMs, deltaMs, count)) found++
    })
    return found > 0
  }

  /** HOT. Runs of a chain, oldest first; pages that end before `fromMs` are left out, as far as the chain is in order. */
  #eachRun(
    last: number,
    fromMs: number,
    visit: (startMs: number, deltaMs: number, count: number, low: number, high: number) => void,
  ): void {
    const memory = this.#memory
    const pages = this.#pages
    pages.length = 0
    for (let page = last; page !== 0;) {
      pages.push(page)
      const words = memory.pageWords(page) ?? this.#unknownPage(page)
      const at = memory.pageAt(page)
      if (memory.pageFloats(page)[(at + PAGE_FIRST_RUN) >> 1]! <= fromMs) break
      page = words[at + PAGE_BEFORE]!
    }
    for (let i = pages.length - 1; i >= 0; i--) {
      const page = pages[i]!
      const words = memory.pageWords(page)!
      const floats = memory.pageFloats(page)
      const at = memory.pageAt(page)
      const runs = Atomics.load(words, at + PAGE_RUNS)
      for (let run = 0; run < runs; run++) {
        const runAt = at + PAGE_FIRST_RUN + run * RUN_WORDS
        // The count before the delta: a delta is written before the count becomes 2, and never again.
        const count = Atomics.load(words, runAt + RUN_COUNT)
        visit(floats[runAt >> 1]!, words[runAt + RUN_DELTA]!, count, words[runAt + RUN_LOW]!, words[runAt + RUN_HIGH]!)
      }
    }
  }

  #unknownPage(page: number): Int32Array {
    this.#receive()
    const words = this.#memory.pageWords(page)
    invariant(words !== undefined, 'new memory is announced before a page in it is linked')
    return words
  }
}

type PushRun = (startMs: number, deltaMs: number, count: number, low: number, high: number) => void

function collect(into: RunList, each: (push: PushRun) => void): void {
  into.clear()
  each((startMs, deltaMs, count, low, high) => {
    into.pushRun(startMs, deltaMs, count, low, high)
  })
}
