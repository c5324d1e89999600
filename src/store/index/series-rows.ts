import type Database from 'better-sqlite3'
import { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter, checksumOf, verifyChecksum } from '../bytes.ts'
import { readSeriesBatch, writeSeriesBatch, type BatchedSeries } from './series-batch.ts'
import type { PairRow, SeriesRow } from './series-table.ts'
import { Statements } from '../statements.ts'
import { inTransaction } from '../database.ts'

/** The SQL of label pairs and series, for both threads. */

/** Refs of one `series_state` row. */
const STATE_PAGE_REFS = 1024
/** Batches that lose series in one transaction, and how many series: some milliseconds. */
const BATCHES_PER_STEP = 16
const COLD_PER_STEP = 4096

interface BatchRow {
  readonly lastRef: number
  readonly series: Uint8Array
}

/** How far a series is flushed: time and bits of its newest flushed sample. */
export interface SeriesState {
  readonly ref: SeriesRef
  readonly flushedUntilMs: number
  readonly low: number
  readonly high: number
}

export class SeriesRows extends Statements {
  readonly #insertPair = this.db.prepare<[number, string, string]>(
    'INSERT OR IGNORE INTO pair (id, name, value) VALUES (?, ?, ?)',
  )
  readonly #selectPair = this.db.prepare<[number], { name: string; value: string }>(
    'SELECT name, value FROM pair WHERE id = ?',
  )
  readonly #insertBatch = this.db.prepare<[number, Uint8Array, number]>(
    'INSERT INTO series_batch (last_ref, series, checksum) VALUES (?, ?, ?)',
  )
  readonly #putStates = this.db.prepare<[number, Uint8Array, number]>(
    'INSERT OR REPLACE INTO series_state (page, states, checksum) VALUES (?, ?, ?)',
  )
  readonly #selectBatch = this.db.prepare<[number], BatchRow>(
    'SELECT last_ref AS lastRef, series FROM series_batch WHERE last_ref >= ? ORDER BY last_ref LIMIT 1',
  )
  readonly #endSeries = this.db.prepare<[number]>('INSERT OR IGNORE INTO series_ended (ref) VALUES (?)')
  readonly #resumeSeries = this.db.prepare<[number]>('DELETE FROM series_ended WHERE ref = ?')
  readonly #notePair = this.db.prepare<[number]>('INSERT OR IGNORE INTO erased_pair (id) VALUES (?)')
  readonly #coldInBatches = this.db
    .prepare<[number], number>(
      `SELECT series_ended.ref FROM series_ended JOIN cold_series ON cold_series.ref = series_ended.ref
         WHERE hash IS NOT NULL ORDER BY series_ended.ref LIMIT ?`,
    )
    .pluck()
  readonly #removeStates = this.db.prepare<[number]>('DELETE FROM series_state WHERE page = ?')
  readonly #bytes = new ByteWriter()

  /** Larger than every number that was ever given out in this table. */
  nextNumber(table: 'pair' | 'series_batch'): number {
    const row = this.db.prepare<[string], { seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)
    return (row?.seq ?? 0) + 1
  }

  /** @param warm series that were cold: they go back into the batches that their refs belong to */
  insert(pairs: readonly PairRow[], series: readonly SeriesRow[], warm: readonly SeriesRow[] = []): void {
    for (const pair of pairs) this.#insertPair.run(pair.id, pair.name, pair.value)
    if (series.length > 0) this.#insertSeries(series.at(-1)!.ref, series)
    const left = [...warm].sort((a, b) => a.ref - b.ref)
    for (let row; left.length > 0;) {
      row = this.#selectBatch.get(left[0]!.ref)
      const end = left.findIndex(({ ref }) => ref > (row?.lastRef ?? Infinity))
      const added = left.splice(0, end === -1 ? left.length : end)
      for (const { ref } of added) this.#resumeSeries.run(ref)
      if (row === undefined) this.#insertSeries(added.at(-1)!.ref, added)
      else {
        const refs = new Set(added.map(({ ref }) => ref))
        const others = readBatch(row.series).filter(({ ref }) => !refs.has(ref))
        this.#replaceBatch(
          row.lastRef,
          [...others, ...added].sort((a, b) => a.ref - b.ref),
        )
      }
    }
  }

  /** The labels of a series that ended since the start; `undefined` when there is no such series. */
  labelsOf(ref: SeriesRef): Labels | undefined {
    const row = this.#selectBatch.get(ref)
    const found = row === undefined ? undefined : readBatch(row.series).find((one) => one.ref === ref)
    if (found === undefined) return undefined
    const pairs = Array.from(found.pairIds, (id) => this.#selectPair.get(id))
    return Labels.fromFlat(pairs.flatMap((pair) => (pair === undefined ? [] : [pair.name, pair.value])))
  }

  end(refs: readonly SeriesRef[]): void {
    for (const ref of refs) this.#endSeries.run(ref)
  }

  /** Pairs that no series has any more, unless one that ended since the start does (`erased_pair`). */
  notePairs(ids: Iterable<number>): void {
    for (const id of ids) this.#notePair.run(id)
  }

  /**
   * Removes series that are marked as ended and cold from their batches, with pages of states that have no other series; some
   * batches per call. False when none is left.
   */
  removeCold(isWarm: (ref: SeriesRef) => boolean): boolean {
    const refs = this.#coldInBatches.all(COLD_PER_STEP)
    if (refs.length === 0) return false
    inTransaction(this.db, () => {
      let next = 0
      for (let batches = 0; next < refs.length && batches < BATCHES_PER_STEP; batches++) {
        const row = this.#selectBatch.get(refs[next]!)
        const from = next
        while (next < refs.length && refs[next]! <= (row?.lastRef ?? Infinity)) next++
        const gone = new Set(refs.slice(from, next))
        if (row !== undefined) {
          this.#replaceBatch(
            row.lastRef,
            readBatch(row.series).filter(({ ref }) => !gone.has(ref)),
          )
        }
      }
      const done = refs.slice(0, next)
      for (const ref of done) this.#resumeSeries.run(ref)
      for (const page of new Set(done.map(statePageOf))) {
        const refsOfPage = Array.from({ length: STATE_PAGE_REFS }, (_, i) => page * STATE_PAGE_REFS + i)
        if (!refsOfPage.some(isWarm)) this.#removeStates.run(page)
      }
    })
    return true
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
      for (const { lastRef, series } of this.#batches()) {
        const all = readBatch(series)
        const remaining = all.filter(({ ref }) => !ended.has(ref))
        for (const one of remaining) {
          for (let i = 0; i < one.pairIds.length; i++) pairIds.add(one.pairIds[i]!)
          pages.add(statePageOf(one.ref))
        }
        if (remaining.length < all.length) this.#replaceBatch(lastRef, remaining)
      }
      this.db.exec('DELETE FROM series_ended')
      this.#removeUnused('pair', 'id', pairIds)
      this.#removeUnused('series_state', 'page', pages)
    })
  }

  #batches(): readonly BatchRow[] {
    return this.db.prepare<[], BatchRow>('SELECT last_ref AS lastRef, series FROM series_batch ORDER BY last_ref').all()
  }

  #insertSeries(lastRef: SeriesRef, series: readonly BatchedSeries[]): void {
    const batch = writeSeriesBatch(series)
    this.#insertBatch.run(lastRef, batch, checksumOf(batch))
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

/** Throws `MalformedBytesError`. */
function readBatch(batch: Uint8Array): BatchedSeries[] {
  const series: BatchedSeries[] = []
  readSeriesBatch(batch, (ref, pairIds) => series.push({ ref, pairIds: [...pairIds] }))
  return series
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
