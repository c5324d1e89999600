import type Database from 'better-sqlite3'
import { FleetError } from '../base/errors.ts'
import type { SeriesRef } from '../model/series.ts'
import { MalformedBytesError } from './bytes.ts'
import { decodeChunk } from './chunk-codec.ts'
import { RunList } from './run-list.ts'

/**
 * Flushed samples. A flush has at most one chunk of a series, and chunks of a series never overlap: what is accepted
 * after a flush is newer than what the flush took.
 */

/** A flush, with the times of its oldest and newest sample, both inclusive. */
export interface FlushRow {
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
}

/** The writer's statements. */
export class ChunkWriter {
  readonly #db: Database.Database
  readonly #insertFlush: Database.Statement<[number, number]>
  readonly #widenFlush: Database.Statement<[number, number, number]>
  readonly #insertChunk: Database.Statement<[number, number, number, number, Uint8Array]>
  readonly #removeChunks: Database.Statement<[number, number, number]>
  readonly #removeFlush: Database.Statement<[number]>

  constructor(db: Database.Database) {
    this.#db = db
    this.#insertFlush = db.prepare('INSERT INTO flush (from_ms, to_ms) VALUES (?, ?)')
    this.#widenFlush = db.prepare('UPDATE flush SET from_ms = min(from_ms, ?), to_ms = max(to_ms, ?) WHERE id = ?')
    this.#insertChunk = db.prepare('INSERT INTO chunk (flush, ref, from_ms, to_ms, payload) VALUES (?, ?, ?, ?, ?)')
    this.#removeChunks = db.prepare(
      'DELETE FROM chunk WHERE flush = ? AND ref IN (SELECT ref FROM chunk WHERE flush = ? ORDER BY ref LIMIT ?)',
    )
    this.#removeFlush = db.prepare('DELETE FROM flush WHERE id = ?')
  }

  /** A new flush; answers its id. */
  begin(fromMs: number, toMs: number): number {
    return Number(this.#insertFlush.run(fromMs, toMs).lastInsertRowid)
  }

  widen(flush: number, fromMs: number, toMs: number): void {
    this.#widenFlush.run(fromMs, toMs, flush)
  }

  insert(flush: number, ref: SeriesRef, fromMs: number, toMs: number, payload: Uint8Array): void {
    this.#insertChunk.run(flush, ref, fromMs, toMs, payload)
  }

  /** All flushes, oldest first. */
  flushes(): readonly FlushRow[] {
    return this.#db.prepare<[], FlushRow>('SELECT id, from_ms AS fromMs, to_ms AS toMs FROM flush ORDER BY id').all()
  }

  /** Removes up to `rows` chunks of a flush, and the flush itself with the last of them. True when it is gone. */
  removeSome(flush: number, rows: number): boolean {
    const remove = this.#db.transaction(() => {
      const isLast = this.#removeChunks.run(flush, flush, rows).changes < rows
      if (isLast) this.#removeFlush.run(flush)
      return isLast
    })
    return remove.immediate()
  }
}

/** How a selection is read: point reads are dear, and a scan reads all series of a flush. */
const SCAN_COST_PER_ROW = 0.25

/** The reader's statements. */
export class ChunkReader {
  readonly #overlapping: Database.Statement<[number, number], { id: number }>
  readonly #point: Database.Statement<[number, number, number, number], Uint8Array>
  readonly #scan: Database.Statement<[number, number, number, number, number], [number, Uint8Array]>
  readonly #scanRefs: Database.Statement<[number, number, number, number, number], [number, number, number]>
  readonly #atomically: (work: () => void) => void

  constructor(db: Database.Database) {
    this.#overlapping = db.prepare('SELECT id FROM flush WHERE to_ms >= ? AND from_ms <= ? ORDER BY id')
    this.#point = db
      .prepare<[number, number, number, number], Uint8Array>(
        'SELECT payload FROM chunk WHERE flush = ? AND ref = ? AND to_ms >= ? AND from_ms <= ?',
      )
      .pluck()
    const columns = 'FROM chunk WHERE flush = ? AND ref BETWEEN ? AND ? AND to_ms >= ? AND from_ms <= ? ORDER BY ref'
    this.#scan = db
      .prepare<[number, number, number, number, number], [number, Uint8Array]>(`SELECT ref, payload ${columns}`)
      .raw()
    this.#scanRefs = db
      .prepare<[number, number, number, number, number], [number, number, number]>(
        `SELECT ref, from_ms, to_ms ${columns}`,
      )
      .raw()
    // One snapshot for all flushes of a read: retention may remove one of them meanwhile.
    this.#atomically = db.transaction((work: () => void) => {
      work()
    })
  }

  /**
   * The chunks of some series that overlap `[fromMs, toMs]`: for each, its place in `refs` (sorted) and its payload;
   * chunks of one series come oldest first.
   *
   * @param seriesCount how many series there are in all, to choose between point reads and a scan
   */
  each(
    refs: Uint32Array,
    seriesCount: number,
    fromMs: number,
    toMs: number,
    visit: (index: number, payload: Uint8Array) => void,
  ): void {
    if (refs.length === 0) return
    this.#atomically(() => {
      for (const { id } of this.#overlapping.all(fromMs, toMs)) {
        if (refs.length < seriesCount * SCAN_COST_PER_ROW) {
          for (let i = 0; i < refs.length; i++) {
            const payload = this.#point.get(id, refs[i]!, fromMs, toMs)
            if (payload !== undefined) visit(i, payload)
          }
          continue
        }
        let i = 0
        for (const [ref, payload] of this.#scan.iterate(id, refs[0]!, refs.at(-1)!, fromMs, toMs)) {
          while (i < refs.length && refs[i]! < ref) i++
          if (refs[i] === ref) visit(i, payload)
        }
      }
    })
  }

  /**
   * Which of `refs` (sorted) have a flushed sample in `[fromMs, toMs]`. Payloads are read only of chunks that begin
   * before and end after the range.
   */
  withSample(refs: Uint32Array, fromMs: number, toMs: number, found: (ref: SeriesRef) => void): void {
    if (refs.length === 0) return
    this.#atomically(() => {
      const left = new Set<number>(refs)
      for (const { id } of this.#overlapping.all(fromMs, toMs).reverse()) {
        if (left.size === 0) return
        const unsure: number[] = []
        for (const [ref, chunkFromMs, chunkToMs] of this.#scanRefs.iterate(id, refs[0]!, refs.at(-1)!, fromMs, toMs)) {
          if (!left.has(ref)) continue
          if (chunkFromMs < fromMs && chunkToMs > toMs) unsure.push(ref)
          else if (left.delete(ref)) found(ref)
        }
        for (const ref of unsure) {
          const payload = this.#point.get(id, ref, fromMs, toMs)
          if (payload !== undefined && hasSample(payload, ref, fromMs, toMs) && left.delete(ref)) found(ref)
        }
      }
    })
  }
}

function hasSample(payload: Uint8Array, ref: SeriesRef, fromMs: number, toMs: number): boolean {
  const runs = new RunList()
  readChunk(payload, ref, runs)
  const older = new RunList()
  runs.splitOlder(toMs, older)
  return older.count > 0 && older.lastMsOf(older.count - 1) >= fromMs
}

/** Adds the runs of a stored chunk to `into`; a damaged one is FleetError `storage_failed`. */
export function readChunk(payload: Uint8Array, ref: SeriesRef, into: RunList): void {
  try {
    decodeChunk(payload, into)
  } catch (thrown) {
    if (!(thrown instanceof MalformedBytesError)) throw thrown
    throw new FleetError('storage_failed', `a chunk of series ${ref} is damaged: ${thrown.message}`, {
      hint: 'restore the data directory from a backup',
      cause: thrown,
    })
  }
}
