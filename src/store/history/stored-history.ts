import type Database from 'better-sqlite3'
import type { Histogram } from '../../model/histogram.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { ByteReader } from '../bytes.ts'
import { asFailure, openDatabaseForReading, readable } from '../database.ts'
import { readHistogram } from '../head/histogram-codec.ts'
import { ColdSeriesRows } from '../index/cold-series.ts'
import { SeriesRows } from '../index/series-rows.ts'
import { SampleLog } from '../log/sample-log.ts'
import { decodeHistogramPack } from '../packs/histogram-pack.ts'
import { StoredChunks, type StoredBlock } from './stored-chunks.ts'

/**
 * All samples of a data directory, for a copy elsewhere: what is flushed, in windows of time, and the log. Reads through a
 * connection of its own in short transactions, so a server may write the directory meanwhile. Methods throw FleetError.
 *
 * What is new in blocks is in a flushed block with a larger number, or in a new compacted one of which a part was flushed up to
 * no earlier time. A compacted block is read as a whole, so some samples are read again.
 */

/** Blocks up to which all samples are copied. */
export interface CopiedBlocks {
  /** The largest number of a flushed block, and of any block. */
  readonly flushed: number
  readonly any: number
  /** Up to when these are flushed. */
  readonly cutMs: number
}

export const NOTHING_COPIED: CopiedBlocks = { flushed: 0, any: 0, cutMs: -1 }

export interface UncopiedBlocks {
  /** When all of them are copied. */
  readonly after: CopiedBlocks
  /** Of their samples, inclusive. */
  readonly range: TimeRange
}

/** Where a read of a window continues. */
export interface WindowPlace {
  readonly metric: number
  /** Of the next series of the metric, or of one before it. */
  readonly ref: SeriesRef
}

const NO_WINDOW: TimeRange = { fromMs: 0, toMs: -1 }

export const WINDOW_START: WindowPlace = { metric: -1, ref: 0 }

export function openStoredHistory(dir: string): StoredHistory {
  const db = openDatabaseForReading(dir)
  try {
    return asFailure(`reading ${dir}`, () => new StoredHistory(db))
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

export class StoredHistory extends SampleLog {
  readonly #blocks = this.db.prepare<[], StoredBlock>(
    `SELECT id, level, cut_ms AS cutMs, from_ms AS fromMs, to_ms AS toMs, tiers, is_open AS isOpen FROM block
       WHERE tiers != 0 ORDER BY position`,
  )
  readonly #histograms = this.db.prepare<[number, number, number], { timeMs: number; payload: Uint8Array }>(
    'SELECT time_ms AS timeMs, payload FROM histogram WHERE ref = ? AND time_ms BETWEEN ? AND ?',
  )
  readonly #histogramPacks = this.db
    .prepare<[number, number, number], Uint8Array>(
      'SELECT payload FROM histogram_pack WHERE ref = ? AND to_ms >= ? AND from_ms <= ?',
    )
    .pluck()
  readonly #chunks: StoredChunks
  readonly #columns = new RunColumns()
  #window = NO_WINDOW
  #windowBlocks: readonly StoredBlock[] = []
  #cold: ColdSeriesRows | undefined
  /** Of one series, in the window. */
  #ofSeries: { readonly ref: SeriesRef; readonly byTime: ReadonlyMap<number, Histogram> } | undefined
  #flushedUntilMs: ReadonlyMap<SeriesRef, number> | undefined

  constructor(db: Database.Database) {
    super(db)
    this.#chunks = new StoredChunks(db)
  }

  /** Rows that are damaged, and left out. */
  get damagedCount(): number {
    return this.#chunks.damagedCount
  }

  /** @param isStill no server writes: a flush that was interrupted goes on no more */
  uncopied(copied: CopiedBlocks, isStill: boolean): UncopiedBlocks | undefined {
    const all = asFailure('listing blocks', () => this.#blocks.all())
    const blocks = all.filter(isUncopied(copied, isStill))
    if (blocks.length === 0) return undefined
    const over = (least: (block: StoredBlock) => number, pick: (a: number, b: number) => number): number =>
      blocks.map(least).reduce((a, b) => pick(a, b))
    return {
      after: {
        flushed: Math.max(copied.flushed, ...blocks.filter(({ level }) => level === 0).map(({ id }) => id)),
        any: Math.max(copied.any, ...all.map(({ id }) => id)),
        cutMs: Math.max(copied.cutMs, ...blocks.map(({ cutMs }) => cutMs)),
      },
      range: { fromMs: over(({ fromMs }) => fromMs, Math.min), toMs: over(({ toMs }) => toMs, Math.max) },
    }
  }

  /** The oldest time at or after one of which a block that is not copied may have samples; undefined: none. */
  oldestMs(sinceMs: number, copied: CopiedBlocks, isStill: boolean): number | undefined {
    const all = asFailure('listing blocks', () => this.#blocks.all())
    const later = all.filter(isUncopied(copied, isStill)).filter(({ toMs }) => toMs >= sinceMs)
    return later.length === 0 ? undefined : Math.max(sinceMs, Math.min(...later.map(({ fromMs }) => fromMs)))
  }

  /** Begins to read a window (inclusive) of the blocks that are not copied. */
  open(window: TimeRange, copied: CopiedBlocks, isStill: boolean): void {
    this.#window = window
    this.#chunks.forget()
    this.#cold = undefined
    this.#ofSeries = undefined
    const isRead = isUncopied(copied, isStill)
    this.#windowBlocks = []
    this.#isWanted = (block) => isRead(block) && block.fromMs <= window.toMs && block.toMs >= window.fromMs
  }

  #isWanted: (block: StoredBlock) => boolean = () => false

  /** Visits the samples of the next series, some hundred; those of a series come in order. Returns where to continue; undefined: nowhere. */
  read(
    { metric, ref }: WindowPlace,
    visit: (ref: SeriesRef, timeMs: number, low: number, high: number) => void,
  ): WindowPlace | undefined {
    const each = (of: SeriesRef, runs: RunColumns): void => {
      eachSample(runs, (timeMs, low, high) => {
        visit(of, timeMs, low, high)
      })
    }
    return asFailure('reading stored samples', () =>
      this.atomically(() => {
        const blocks = (this.#windowBlocks = this.#blocks.all().filter(this.#isWanted))
        const lastRefs = blocks.flatMap((block) => this.#chunks.lastRefFrom(block, metric, ref) ?? [])
        if (lastRefs.length === 0) return this.#nextMetric(metric)
        const lastRef = Math.min(...lastRefs)
        for (const block of blocks) this.#chunks.read(block, metric, [ref, lastRef], this.#window, each, this.#columns)
        return { metric, ref: lastRef + 1 }
      }),
    )
  }

  #nextMetric(metric: number): WindowPlace | undefined {
    const next = this.#windowBlocks.flatMap((block) => this.#chunks.metricAfter(block, metric) ?? [])
    return next.length === 0 ? undefined : { metric: Math.min(...next), ref: 0 }
  }

  /** Visits the samples of the log after a row that no block has. Returns the row that was read; undefined: there was none. */
  readLog(
    afterRow: number,
    visit: (ref: SeriesRef, timeMs: number, low: number, high: number) => void,
  ): { readonly id: number; readonly maxMs: number } | undefined {
    const row = this.next(afterRow)
    if (row === undefined) return undefined
    const flushed = (this.#flushedUntilMs ??= this.#readFlushed())
    // Histograms that are not flushed are rows of their own.
    this.#window = NO_WINDOW
    this.eachSample(row, (ref, timeMs, low, high) => {
      if (timeMs > (flushed.get(ref) ?? -Infinity)) visit(ref, timeMs, low, high)
    })
    return row
  }

  /** Of all samples of the log after a row that no block has; undefined: there are none. */
  logRange(afterRow: number): (TimeRange & { readonly lastRow: number }) | undefined {
    let [fromMs, toMs, lastRow] = [Infinity, -Infinity, afterRow]
    const widen = (_: SeriesRef, timeMs: number): void => {
      if (timeMs < fromMs) fromMs = timeMs
      if (timeMs > toMs) toMs = timeMs
    }
    for (let row; (row = this.readLog(lastRow, widen)) !== undefined; lastRow = row.id);
    return toMs < fromMs ? undefined : { fromMs, toMs, lastRow }
  }

  override coldLabelsOf(ref: SeriesRef): readonly string[] | undefined {
    return asFailure('reading series', () => (this.#cold ??= new ColdSeriesRows(this.db)).get(ref)?.labels.flat)
  }

  /** Reads all histograms of a series in the window at once. */
  override histogramOf(ref: SeriesRef, timeMs: number): Histogram | undefined {
    const { fromMs, toMs } = this.#window
    if (timeMs < fromMs || timeMs > toMs) return super.histogramOf(ref, timeMs)
    if (this.#ofSeries?.ref !== ref) {
      this.#ofSeries = { ref, byTime: asFailure('reading histograms', () => this.#readHistograms(ref)) }
    }
    return this.#ofSeries.byTime.get(timeMs)
  }

  #readHistograms(ref: SeriesRef): ReadonlyMap<number, Histogram> {
    const { fromMs, toMs } = this.#window
    const byTime = new Map<number, Histogram>()
    this.atomically(() => {
      for (const pack of this.#histogramPacks.all(ref, fromMs, toMs)) {
        for (const { timeMs, histogram } of readable(() => decodeHistogramPack(pack)) ?? [])
          byTime.set(timeMs, histogram)
      }
      for (const { timeMs, payload } of this.#histograms.all(ref, fromMs, toMs)) {
        const histogram = readable(() => readHistogram(new ByteReader(payload)))
        if (histogram !== undefined) byTime.set(timeMs, histogram)
      }
    })
    return byTime
  }

  #readFlushed(): ReadonlyMap<SeriesRef, number> {
    const flushed = new Map<SeriesRef, number>()
    asFailure('reading how far series are flushed', () => {
      new SeriesRows(this.db).eachState(({ ref, flushedUntilMs }) => flushed.set(ref, flushedUntilMs))
    })
    return flushed
  }
}

function isUncopied({ flushed, any, cutMs }: CopiedBlocks, isStill: boolean): (block: StoredBlock) => boolean {
  return (block) => {
    if (block.isOpen === 1 && !isStill) return false
    return block.level === 0 ? block.id > flushed : block.id > any && block.cutMs >= cutMs
  }
}

/** HOT: once per sample. */
function eachSample(
  { count, startsMs, deltasMs, counts, words }: RunColumns,
  visit: (timeMs: number, low: number, high: number) => void,
): void {
  for (let run = 0; run < count; run++) {
    const [low, high] = [words[run * 2]!, words[run * 2 + 1]!]
    const deltaMs = counts[run] === 1 ? 0 : deltasMs[run]!
    for (let i = 0, timeMs = startsMs[run]!; i < counts[run]!; i++, timeMs += deltaMs) visit(timeMs, low, high)
  }
}
