import type Database from 'better-sqlite3'
import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter, checksumOf, verifyChecksum } from '../bytes.ts'
import { readSeriesBatch, writeSeriesBatch, type BatchedSeries } from './series-batch.ts'
import type { PairRow, SeriesRow } from './series-table.ts'
import { Statements } from '../statements.ts'
import { inTransaction } from '../database.ts'

/** The SQL of label pairs and series, for both threads. */

/** Refs of one `series_state` row. */
const STATE_PAGE_REFS = 1024

/** How far a series is flushed: time and bits of its newest flushed sample. */
export interface SeriesState {
  readonly ref: SeriesRef
  readonly flushedUntilMs: number
  readonly low: number
  readonly high: number
}

export class SeriesRows extends Statements {
  readonly #insertPair = this.db.prepare<[number, string, string]>(
    'INSERT INTO pair (id, name, value) VALUES (?, ?, ?)',
  )
  readonly #insertBatch = this.db.prepare<[number, Uint8Array, number]>(
    'INSERT INTO series_batch (last_ref, series, checksum) VALUES (?, ?, ?)',
  )
  readonly #putStates = this.db.prepare<[number, Uint8Array, number]>(
    'INSERT OR REPLACE INTO series_state (page, states, checksum) VALUES (?, ?, ?)',
  )
  readonly #selectBatch = this.db.prepare<[number], { series: Uint8Array }>(
    'SELECT series FROM series_batch WHERE last_ref >= ? ORDER BY last_ref LIMIT 1',
  )
  readonly #endSeries = this.db.prepare<[number]>('INSERT OR IGNORE INTO series_ended (ref) VALUES (?)')
  readonly #bytes = new ByteWriter()

  /** Larger than every number that was ever given out in this table. */
  nextNumber(table: 'pair' | 'series_batch'): number {
    const row = this.db.prepare<[string], { seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)
    return (row?.seq ?? 0) + 1
  }

  insert(pairs: readonly PairRow[], series: readonly SeriesRow[]): void {
    for (const pair of pairs) this.#insertPair.run(pair.id, pair.name, pair.value)
    if (series.length === 0) return
    const batch = writeSeriesBatch(series)
    this.#insertBatch.run(series.at(-1)!.ref, batch, checksumOf(batch))
  }

  /** The pairs of a series, ended or not; `undefined` when there is no such series. */
  pairIdsOf(ref: SeriesRef): readonly number[] | undefined {
    const row = this.#selectBatch.get(ref)
    let found: readonly number[] | undefined
    if (row !== undefined) {
      readSeriesBatch(row.series, (one, pairIds) => {
        if (one === ref) found = [...pairIds]
      })
    }
    return found
  }

  end(refs: readonly SeriesRef[]): void {
    for (const ref of refs) this.#endSeries.run(ref)
  }

  /**
   * Removes the series that ended before this start, and pairs and pages of states that only they used. Call before any
   * caller holds a ref.
   */
  removeEnded(): void {
    inTransaction(this.db, () => {
      const ended = endedRefs(this.db)
      if (ended.size === 0) return
      const pairIds = new Set<number>()
      const pages = new Set<number>()
      for (const { last_ref: lastRef, series } of this.#batches()) {
        const remaining: BatchedSeries[] = []
        let count = 0
        readSeriesBatch(series, (ref, ids) => {
          count++
          if (ended.has(ref)) return
          remaining.push({ ref, pairIds: [...ids] })
          for (const id of ids) pairIds.add(id)
          pages.add(statePageOf(ref))
        })
        if (remaining.length < count) this.#replaceBatch(lastRef, remaining)
      }
      this.db.exec('DELETE FROM series_ended')
      this.#removeUnused('pair', 'id', pairIds)
      this.#removeUnused('series_state', 'page', pages)
    })
  }

  #batches(): readonly { readonly last_ref: number; readonly series: Uint8Array }[] {
    return this.db
      .prepare<[], { last_ref: number; series: Uint8Array }>(
        'SELECT last_ref, series FROM series_batch ORDER BY last_ref',
      )
      .all()
  }

  #replaceBatch(lastRef: number, remaining: readonly BatchedSeries[]): void {
    if (remaining.length === 0) this.db.prepare('DELETE FROM series_batch WHERE last_ref = ?').run(lastRef)
    else {
      const update = this.db.prepare('UPDATE series_batch SET series = ?, checksum = ? WHERE last_ref = ?')
      const batch = writeSeriesBatch(remaining)
      update.run(batch, checksumOf(batch), lastRef)
    }
  }

  #removeUnused(table: 'pair' | 'series_state', key: string, used: ReadonlySet<number>): void {
    const all = this.db.prepare<[], number>(`SELECT ${key} FROM ${table}`).pluck().all()
    const remove = this.db.prepare<[number]>(`DELETE FROM ${table} WHERE ${key} = ?`)
    for (const number of all) if (!used.has(number)) remove.run(number)
  }

  /** Writes the states of whole pages: pass all series of a page, in any order. */
  putStates(page: number, series: readonly SeriesState[]): void {
    this.#bytes.clear()
    for (const state of series) {
      if (state.flushedUntilMs === -Infinity) continue
      this.#bytes.reserve(20)
      this.#bytes.unsigned(state.ref % STATE_PAGE_REFS)
      this.#bytes.signed(state.flushedUntilMs)
      this.#bytes.words(state.low, state.high)
    }
    const states = this.#bytes.take()
    this.#putStates.run(page, states, checksumOf(states))
  }

  eachState(visit: (state: SeriesState) => void): void {
    const rows = this.db
      .prepare<[], { page: number; states: Uint8Array; checksum: number | null }>(
        'SELECT page, states, checksum FROM series_state',
      )
      .all()
    for (const { page, states, checksum } of rows) {
      verifyChecksum(states, checksum)
      const bytes = new ByteReader(states)
      while (!bytes.isAtEnd) {
        const ref = page * STATE_PAGE_REFS + bytes.unsigned()
        visit({ ref, flushedUntilMs: bytes.signed(), low: bytes.word(), high: bytes.word() })
      }
    }
  }
}

/** The row of `series_state` that a series is in. */
export function statePageOf(ref: SeriesRef): number {
  return Math.floor(ref / STATE_PAGE_REFS)
}

export function eachPair(db: Database.Database, visit: (id: number, name: string, value: string) => void): void {
  const rows = db.prepare<[], [number, string, string]>('SELECT id, name, value FROM pair').raw()
  for (const [id, name, value] of rows.iterate()) visit(id, name, value)
}

/** All series that are written down, ended ones too, by rising ref. `pairIds` is valid during the visit. */
export function eachSeries(
  db: Database.Database,
  visit: (row: { readonly ref: SeriesRef; readonly pairIds: readonly number[]; readonly isEnded: boolean }) => void,
): void {
  const ended = endedRefs(db)
  const rows = db.prepare<[], { series: Uint8Array; checksum: number | null }>(
    'SELECT series, checksum FROM series_batch ORDER BY last_ref',
  )
  for (const { series, checksum } of rows.iterate()) {
    verifyChecksum(series, checksum)
    readSeriesBatch(series, (ref, pairIds) => {
      visit({ ref, pairIds, isEnded: ended.has(ref) })
    })
  }
}

function endedRefs(db: Database.Database): ReadonlySet<SeriesRef> {
  return new Set(db.prepare<[], number>('SELECT ref FROM series_ended').pluck().all())
}
