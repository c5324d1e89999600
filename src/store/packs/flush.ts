import type Database from 'better-sqlite3'
import type { BlockRows } from './blocks.ts'
import { encodeChunk } from './chunk-codec.ts'
import type { Head } from '../head/head.ts'
import { encodePack, PackFiller, type Chunk, type Pack } from './pack-codec.ts'
import { RunList } from '../head/run-list.ts'
import { statePageOf, type SeriesState } from '../index/series-rows.ts'
import type { SeriesTable } from '../index/series-table.ts'
import { inTransaction } from '../database.ts'

/** Work of one transaction: about ten milliseconds, so that an acknowledgement never waits much longer. */
const SAMPLES_PER_STEP = 100_000
const SERIES_PER_STEP = 1024
/** The same of runs that remain in the head: they are read too. */
const RUNS_LEFT_PER_STEP = 50_000

/** One series' part of a step. */
interface Flushed extends SeriesState, Chunk {
  readonly slot: number
  readonly sampleCount: number
  /** No newer samples stay in the head. */
  readonly isWhole: boolean
}

interface MetricPack {
  readonly metric: number
  readonly pack: Pack
}

/**
 * Moves samples up to a time from the head into packs, a few per transaction, metric by metric. Only after the
 * transaction the samples leave the head, so at any moment a sample is in one of the two, or in both. The block stays
 * open until the states of its series are written down (`StatePages`); until then they are read from its chunks.
 */
export class Flush {
  /** Pages of `series_state` with a series that was flushed. */
  readonly pages = new Set<number>()
  readonly #db: Database.Database
  readonly #head: Head
  readonly #table: SeriesTable
  readonly #blocks: BlockRows
  readonly #cutMs: number
  /** Slots and refs by metric, and by rising ref in it, as they were at the start: later series are for the next flush. */
  readonly #slots: Int32Array
  readonly #refs: Float64Array
  readonly #metrics: Float64Array
  readonly #older = new RunList()
  readonly #newer = new RunList()
  #next = 0
  /** Read in this step and left in the head. */
  #runsLeft = 0
  #block: number | undefined

  constructor(db: Database.Database, parts: { head: Head; table: SeriesTable; blocks: BlockRows }, cutMs: number) {
    this.#db = db
    this.#head = parts.head
    this.#table = parts.table
    this.#blocks = parts.blocks
    this.#cutMs = cutMs
    const { slots, refs, metrics } = byMetric(parts.table)
    this.#slots = slots
    this.#refs = refs
    this.#metrics = metrics
  }

  /** The block that was written; undefined while there was nothing to flush. */
  get block(): number | undefined {
    return this.#block
  }

  /**
   * Flushes the next series; false when none are left. All series must be stored. A failed step has no effect and can
   * be repeated.
   */
  step(): boolean {
    const flushed: Flushed[] = []
    const packs: MetricPack[] = []
    const end = Math.min(this.#refs.length, this.#next + SERIES_PER_STEP)
    let next = this.#next
    let samples = 0
    this.#runsLeft = 0
    const isOver = (): boolean => next >= end || samples >= SAMPLES_PER_STEP || this.#runsLeft >= RUNS_LEFT_PER_STEP
    while (!isOver()) {
      const metric = this.#metrics[next]!
      const filler = new PackFiller()
      while (!isOver() && this.#metrics[next] === metric && !filler.isFull) {
        const one = this.#olderOf(next++)
        if (one === undefined) continue
        samples += one.sampleCount
        flushed.push(one)
        filler.push(one)
      }
      if (filler.chunks.length > 0) packs.push({ metric, pack: encodePack(filler.chunks) })
    }
    if (packs.length > 0) {
      this.#block = inTransaction(this.#db, () => this.#write(packs))
      for (const one of flushed) this.#leaveHead(one)
    }
    this.#next = next
    return next < this.#refs.length
  }

  #olderOf(index: number): Flushed | undefined {
    const slot = this.#slots[index]!
    const ref = this.#refs[index]!
    if (this.#table.refOf(slot) !== ref || this.#head.firstMs[slot]! > this.#cutMs) return undefined
    const older = this.#split(slot)
    if (older.count === 0) return undefined
    const last = older.count - 1
    const toMs = older.lastMsOf(last)
    return {
      slot,
      ref,
      fromMs: older.startsMs[0]!,
      toMs,
      flushedUntilMs: toMs,
      low: older.lows[last]!,
      high: older.highs[last]!,
      sampleCount: older.sampleCount,
      isWhole: this.#newer.count === 0,
      runs: older.count,
      payload: encodeChunk(older),
    }
  }

  /** The samples up to the cut; newer samples stay in `#newer`. */
  #split(slot: number): RunList {
    this.#head.collect(slot, this.#newer)
    this.#older.clear()
    this.#newer.splitOlder(this.#cutMs, this.#older)
    this.#runsLeft += this.#newer.count
    return this.#older
  }

  #write(packs: readonly MetricPack[]): number {
    const fromMs = packs.reduce((least, { pack }) => Math.min(least, pack.fromMs), Infinity)
    const toMs = packs.reduce((most, { pack }) => Math.max(most, pack.toMs), -Infinity)
    const block = this.#block ?? this.#blocks.begin(this.#cutMs, fromMs, toMs)
    if (this.#block !== undefined) this.#blocks.widen(block, fromMs, toMs)
    for (const { metric, pack } of packs) this.#blocks.insert(block, metric, pack)
    return block
  }

  #leaveHead(one: Flushed): void {
    this.#head.setFlushed(one.slot, one.flushedUntilMs, one.low, one.high)
    if (one.isWhole) this.#newer.clear()
    else this.#split(one.slot)
    this.#head.replace(one.slot, this.#newer)
    this.#head.sampleCount -= one.sampleCount
    this.pages.add(statePageOf(one.ref))
  }
}

/** All series, metric after metric. Counting places first: half a million series are no reason to compare. */
function byMetric(table: SeriesTable): {
  readonly slots: Int32Array
  readonly refs: Float64Array
  readonly metrics: Float64Array
} {
  const all = table.sortedRefs()
  const metricOfRef = new Float64Array(all.length)
  const counts = new Map<number, number>()
  all.forEach((ref, i) => {
    const metric = table.metricOf(table.refs.get(ref))
    metricOfRef[i] = metric
    counts.set(metric, (counts.get(metric) ?? 0) + 1)
  })
  const places = new Map<number, number>()
  let place = 0
  for (const [metric, count] of counts) {
    places.set(metric, place)
    place += count
  }
  const slots = new Int32Array(all.length)
  const refs = new Float64Array(all.length)
  const metrics = new Float64Array(all.length)
  all.forEach((ref, i) => {
    const metric = metricOfRef[i]!
    const at = places.get(metric)!
    places.set(metric, at + 1)
    slots[at] = table.refs.get(ref)
    refs[at] = ref
    metrics[at] = metric
  })
  return { slots, refs, metrics }
}
