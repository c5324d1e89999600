import type Database from 'better-sqlite3'
import { encodeChunk } from './chunk-codec.ts'
import type { ChunkWriter } from './chunks.ts'
import type { Head } from './head.ts'
import { RunList } from './run-list.ts'
import { statePageOf, type SeriesRows, type SeriesState } from './series-rows.ts'
import type { SeriesTable } from './series-table.ts'

/** Work of one transaction: about ten milliseconds, so that an acknowledgement never waits much longer. */
const SAMPLES_PER_STEP = 100_000

/** What a step takes of one series. */
interface Flushed extends SeriesState {
  readonly slot: number
  readonly fromMs: number
  readonly sampleCount: number
  readonly payload: Uint8Array
}

/**
 * Moves samples up to a time from the head into chunks, a few hundred series per transaction. A transaction writes the
 * chunks and how far their series are flushed; only after it the samples leave the head, so at any moment a sample is
 * in one of the two, or in both.
 */
export class Flush {
  readonly #db: Database.Database
  readonly #head: Head
  readonly #table: SeriesTable
  readonly #rows: SeriesRows
  readonly #chunks: ChunkWriter
  readonly #cutMs: number
  /** Slots by rising ref, as they were at the start: later series are for the next flush. */
  readonly #slots: Int32Array
  readonly #refs: Float64Array
  readonly #older = new RunList()
  readonly #newer = new RunList()
  #next = 0
  #flushId: number | undefined

  constructor(
    db: Database.Database,
    parts: { head: Head; table: SeriesTable; rows: SeriesRows; chunks: ChunkWriter },
    cutMs: number,
  ) {
    this.#db = db
    this.#head = parts.head
    this.#table = parts.table
    this.#rows = parts.rows
    this.#chunks = parts.chunks
    this.#cutMs = cutMs
    this.#refs = parts.table.sortedRefs()
    this.#slots = Int32Array.from(this.#refs, (ref) => parts.table.refs.get(ref))
  }

  /**
   * Flushes the next series; false when there are none left. All series must be written down. A failure leaves the
   * step undone, and it can be tried again.
   */
  step(): boolean {
    const flushed: Flushed[] = []
    let next = this.#next
    let samples = 0
    // Whole pages of `series_state` where possible: a page is written again for each step that touches it.
    const page = next < this.#refs.length ? statePageOf(this.#refs[next]!) : -1
    while (next < this.#refs.length && statePageOf(this.#refs[next]!) === page && samples < SAMPLES_PER_STEP) {
      const slot = this.#slots[next]!
      const isSame = this.#table.refOf(slot) === this.#refs[next]
      next++
      if (!isSame || this.#head.isEmpty(slot)) continue
      const one = this.#olderOf(slot)
      if (one === undefined) continue
      samples += one.sampleCount
      flushed.push(one)
    }
    if (flushed.length > 0) {
      const write = this.#db.transaction(() => this.#write(flushed, page))
      this.#flushId = write.immediate()
      for (const one of flushed) this.#leaveHead(one)
    }
    this.#next = next
    return next < this.#refs.length
  }

  #olderOf(slot: number): Flushed | undefined {
    const older = this.#split(slot)
    if (older.count === 0) return undefined
    const last = older.count - 1
    return {
      slot,
      ref: this.#table.refOf(slot),
      fromMs: older.startsMs[0]!,
      flushedUntilMs: older.lastMsOf(last),
      low: older.lows[last]!,
      high: older.highs[last]!,
      sampleCount: older.sampleCount,
      payload: encodeChunk(older),
    }
  }

  /** The samples up to the cut; what is newer is left in `#newer`. */
  #split(slot: number): RunList {
    this.#head.collect(slot, this.#newer)
    this.#older.clear()
    this.#newer.splitOlder(this.#cutMs, this.#older)
    return this.#older
  }

  #write(flushed: readonly Flushed[], page: number): number {
    const fromMs = flushed.reduce((least, one) => Math.min(least, one.fromMs), Infinity)
    const toMs = flushed.reduce((most, one) => Math.max(most, one.flushedUntilMs), -Infinity)
    const flushId = this.#flushId ?? this.#chunks.begin(fromMs, toMs)
    if (this.#flushId !== undefined) this.#chunks.widen(flushId, fromMs, toMs)
    const states = this.#statesOf(page)
    for (const one of flushed) {
      this.#chunks.insert(flushId, one.ref, one.fromMs, one.flushedUntilMs, one.payload)
      states.set(one.ref, one)
    }
    this.#rows.putStates(page, [...states.values()])
    return flushId
  }

  /** The states of all series of a page as they are. */
  #statesOf(page: number): Map<number, SeriesState> {
    const states = new Map<number, SeriesState>()
    // Refs are sorted, and the page is where this step is: look both ways from here.
    let from = this.#next
    while (from > 0 && statePageOf(this.#refs[from - 1]!) === page) from--
    for (let i = from; i < this.#refs.length && statePageOf(this.#refs[i]!) === page; i++) {
      const ref = this.#refs[i]!
      const slot = this.#slots[i]!
      if (this.#table.refOf(slot) !== ref) continue
      states.set(ref, { ref, ...this.#head.flushed(slot) })
    }
    return states
  }

  #leaveHead(one: Flushed): void {
    this.#head.setFlushed(one.slot, one.flushedUntilMs, one.low, one.high)
    this.#split(one.slot)
    this.#head.replace(one.slot, this.#newer)
    this.#head.sampleCount -= one.sampleCount
  }
}
