import { RunColumns } from '../../model/run-columns.ts'
import type { MissingListener, RunSelection, RunTails } from '../../model/queryable.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { ReadTally } from '../../model/read-tally.ts'
import { readRuns } from '../packs/chunk-reader.ts'
import type { HeadMemory } from '../head/head-memory.ts'
import type { HeadRows } from '../head/head-rows.ts'
import { HISTOGRAM_HIGH_WORD } from '../head/histogram-codec.ts'
import { dropHistograms } from '../head/histogram-reader.ts'
import type { PackReader, PlacedChunk } from '../packs/pack-reader.ts'
import type { SelectedRows } from './selected-rows.ts'

/** What a selection reads with: the parts of one reader. */
export interface RunSources {
  readonly memory: HeadMemory
  readonly head: HeadRows
  readonly packs: PackReader
  /** Whether one of the series has native histograms by now. */
  readonly hasHistograms: (rows: SelectedRows) => boolean
  /** Runs `work`; until it returns, nothing of the head is reused. */
  pinned<T>(work: () => T): T
  /** Runs `work`; its errors are reported as storage failures. */
  readingPacks<T>(work: () => T): T
  /** Reports to a query which times are missing, because samples of some rows in the range are damaged. */
  reportMissing(rows: SelectedRows, refs: Uint32Array, range: TimeRange, missing: MissingListener | undefined): void
}

/** Selections of up to this many rows check the head row by row first: asking the database costs as much. */
const ASKED_ROWS_MAX = 32

/** Whether all samples of some series from a time on are in the head. Call while it is pinned. */
export function isOnlyInHead(slots: Int32Array, fromMs: number, memory: HeadMemory): boolean {
  if (slots.length === 0 || slots.length > ASKED_ROWS_MAX) return false
  return slots.every((slot) => slot >= 0 && memory.flushedUntilMs(slot) < fromMs)
}

/** Runs of the head while packs are read; its content is undefined between two reads. */
const inHead = new RunColumns()
const NO_CHUNKS: readonly number[] = []

/**
 * The runs of one selector, in portions: first from the head, then from packs, in the order in which a flush moves
 * them.
 */
export class StoreRunSelection implements RunSelection {
  readonly rows: SelectedRows
  readonly hasHistograms: boolean
  readonly #range: TimeRange
  readonly #runsMax: number
  readonly #sources: RunSources
  readonly #tally: ReadTally | undefined
  readonly #missing: MissingListener | undefined

  constructor(
    rows: SelectedRows,
    range: TimeRange,
    runsMax: number,
    sources: RunSources,
    tally?: ReadTally,
    missing?: MissingListener,
  ) {
    this.rows = rows
    this.#range = range
    this.#runsMax = runsMax
    this.#sources = sources
    this.#tally = tally
    this.#missing = missing
    this.hasHistograms = sources.hasHistograms(rows)
  }

  /** Floats only: also for a series whose histograms began after `hasHistograms` was read. */
  readRuns(from: number, to: number, into: RunColumns): void {
    const { fromMs, toMs } = this.#range
    const { memory, head, packs } = this.#sources
    into.clear(this.#runsMax)
    const isWhole = this.#sources.pinned(() => {
      const slots = this.rows.slots().subarray(from, to)
      head.readRows(slots, fromMs, toMs, into)
      // After the head: samples that a flush removed before this read are flushed by now.
      return isOnlyInHead(slots, fromMs, memory)
    })
    const refs = this.rows.refs.subarray(from, to)
    const chunks = isWhole
      ? []
      : this.#sources.readingPacks(() => packs.chunksOf(refs, this.rows.metricOf, fromMs, toMs, this.#tally))
    const headRuns = into.count
    if (chunks.length > 0) this.#join(refs, chunks, into)
    if (this.#sources.hasHistograms(this.rows)) dropHistograms(into)
    this.#sources.reportMissing(this.rows, refs, this.#range, this.#missing)
    if (this.#tally === undefined) return
    // Runs in both count as runs of packs.
    this.#tally.packRuns += chunks.length === 0 ? 0 : Math.max(0, into.count - headRuns)
    this.#tally.headRuns += Math.min(headRuns, into.count)
  }

  /** Counts chunks that are completely in the range; the head is small compared with any limit. */
  runsAtLeast(from: number, to: number): number {
    const { fromMs, toMs } = this.#range
    const { packs } = this.#sources
    const { refs, metricOf } = this.rows
    return this.#sources.readingPacks(() => packs.runsWithin(refs.subarray(from, to), metricOf, fromMs, toMs))
  }

  readNewest(timesMs: Float64Array, values: Float64Array): void {
    const { fromMs, toMs } = this.#range
    const { memory, head } = this.#sources
    const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
    const flushed: number[] = []
    this.#sources.pinned(() => {
      const slots = this.rows.slots()
      head.newest(slots, fromMs, toMs, timesMs, words)
      for (let row = 0; row < slots.length; row++) {
        if (timesMs[row] === timesMs[row] || slots[row]! < 0) continue
        // After the head: samples that a flush removed before this read are flushed by now.
        if (memory.flushedUntilMs(slots[row]!) >= fromMs) flushed.push(row)
      }
    })
    const inHeadCount = this.#tally === undefined ? 0 : countOf(timesMs)
    if (flushed.length > 0) this.#newestOfPacks(flushed, timesMs, words)
    if (this.#sources.hasHistograms(this.rows)) this.#newestFloats(timesMs, words)
    this.#sources.reportMissing(this.rows, this.rows.refs, this.#range, this.#missing)
    if (this.#tally === undefined) return
    this.#tally.headRuns += inHeadCount
    this.#tally.packRuns += countOf(timesMs) - inHeadCount
  }

  get refs(): Uint32Array {
    return this.rows.refs
  }

  readTails(into: RunTails): void {
    this.#sources.pinned(() => {
      this.#sources.head.tails(this.rows.slots(), into)
    })
  }

  /** Where the newest sample is a native histogram: the newest float, if any. */
  #newestFloats(timesMs: Float64Array, words: Int32Array): void {
    const runs = new RunColumns()
    for (let row = 0; row < timesMs.length; row++) {
      if (words[row * 2 + 1] !== HISTOGRAM_HIGH_WORD || Number.isNaN(timesMs[row]!)) continue
      this.readRuns(row, row + 1, runs)
      const run = runs.count - 1
      timesMs[row] = run < 0 ? NaN : runs.startsMs[run]! + (runs.counts[run]! - 1) * runs.deltasMs[run]!
      words[row * 2] = runs.words[run * 2] ?? 0
      words[row * 2 + 1] = runs.words[run * 2 + 1] ?? 0
    }
  }

  /** Puts the runs of chunks before those of the head in `into`; samples in both are added once. */
  #join(refs: Uint32Array, chunks: readonly PlacedChunk[], into: RunColumns): void {
    const { fromMs, toMs } = this.#range
    inHead.exchange(into)
    into.clear(this.#runsMax)
    const byPlace = chunksByPlace(chunks, refs.length)
    for (let place = 0; place < refs.length; place++) {
      let flushedUntilMs = -Infinity
      for (const chunk of byPlace[place] ?? NO_CHUNKS) {
        const { pack, entry } = chunks[chunk]!
        const isRead = this.#readEntry(pack, entry, fromMs, toMs, into)
        if (isRead) flushedUntilMs = pack.directory.tosMs[entry]!
      }
      into.pushFrom(inHead, place === 0 ? 0 : inHead.ends[place - 1]!, inHead.ends[place]!, flushedUntilMs)
      into.endRow()
    }
    inHead.clear(Infinity)
  }

  /** HOT. Runs of one chunk; false, and none, when it is damaged. */
  #readEntry(pack: PlacedChunk['pack'], entry: number, fromMs: number, toMs: number, into: RunColumns): boolean {
    const { directory, payload } = pack
    const offset = entry === 0 ? 0 : directory.ends[entry - 1]!
    try {
      readRuns(payload, offset, directory.ends[entry]!, directory.fromsMs[entry]!, fromMs, toMs, into)
      return true
    } catch (thrown) {
      this.#sources.packs.readChunk(pack, () => {
        throw thrown
      })
      return false
    }
  }

  #newestOfPacks(rows: readonly number[], timesMs: Float64Array, words: Int32Array): void {
    const { fromMs, toMs } = this.#range
    const { packs } = this.#sources
    const refs = Uint32Array.from(rows, (row) => this.rows.refs[row]!)
    const chunks = this.#sources.readingPacks(() => packs.chunksOf(refs, this.rows.metricOf, fromMs, toMs, this.#tally))
    // Oldest first, so a newer one writes over an older one.
    for (const { place, pack, entry } of chunks) {
      inHead.clear(this.#runsMax)
      this.#readEntry(pack, entry, fromMs, toMs, inHead)
      const run = inHead.count - 1
      if (run < 0) continue
      const row = rows[place]!
      timesMs[row] = inHead.startsMs[run]! + (inHead.counts[run]! - 1) * inHead.deltasMs[run]!
      words[row * 2] = inHead.words[run * 2]!
      words[row * 2 + 1] = inHead.words[run * 2 + 1]!
    }
  }
}

/** How many rows have a time. */
function countOf(timesMs: Float64Array): number {
  let count = 0
  for (const timeMs of timesMs) if (!Number.isNaN(timeMs)) count++
  return count
}

/** For each place the numbers of its chunks, in their order. */
function chunksByPlace(chunks: readonly PlacedChunk[], places: number): readonly (readonly number[] | undefined)[] {
  const byPlace: (number[] | undefined)[] = new Array<number[] | undefined>(places)
  chunks.forEach(({ place }, chunk) => {
    const known = byPlace[place]
    if (known === undefined) byPlace[place] = [chunk]
    else known.push(chunk)
  })
  return byPlace
}
