import type Database from 'better-sqlite3'
import type { SeriesRef } from '../model/series.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import type { PairRow, SeriesRow } from './series-table.ts'

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

export class SeriesRows {
  readonly #db: Database.Database
  readonly #insertPair: Database.Statement<[number, string, string]>
  readonly #insertSeries: Database.Statement<[number, Uint8Array]>
  readonly #putStates: Database.Statement<[number, Uint8Array]>
  readonly #selectSeries: Database.Statement<[number], { pairs: Uint8Array }>
  readonly #endSeries: Database.Statement<[number]>
  readonly #bytes = new ByteWriter()

  constructor(db: Database.Database) {
    this.#db = db
    this.#insertPair = db.prepare('INSERT INTO pair (id, name, value) VALUES (?, ?, ?)')
    this.#insertSeries = db.prepare('INSERT INTO series (ref, pairs) VALUES (?, ?)')
    this.#putStates = db.prepare('INSERT OR REPLACE INTO series_state (page, states) VALUES (?, ?)')
    this.#selectSeries = db.prepare('SELECT pairs FROM series WHERE ref = ?')
    this.#endSeries = db.prepare('UPDATE series SET ended = 1 WHERE ref = ?')
  }

  /** Larger than every number that was ever given out in this table. */
  nextNumber(table: 'pair' | 'series'): number {
    const row = this.#db.prepare<[string], { seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)
    return (row?.seq ?? 0) + 1
  }

  insert(pairs: readonly PairRow[], series: readonly SeriesRow[]): void {
    for (const pair of pairs) this.#insertPair.run(pair.id, pair.name, pair.value)
    for (const row of series) {
      this.#bytes.clear()
      this.#bytes.reserve(row.pairIds.length * 5)
      for (const id of row.pairIds) this.#bytes.unsigned(id)
      this.#insertSeries.run(row.ref, this.#bytes.take())
    }
  }

  /** The pairs of a series, ended or not; `undefined` when there is no such series. */
  pairIdsOf(ref: SeriesRef): readonly number[] | undefined {
    const row = this.#selectSeries.get(ref)
    return row === undefined ? undefined : readPairIds(row.pairs)
  }

  end(refs: readonly SeriesRef[]): void {
    for (const ref of refs) this.#endSeries.run(ref)
  }

  /**
   * Removes what ended before this start, with the pairs and the pages of states that only it had. To be called before
   * anybody holds a ref.
   */
  removeEnded(): void {
    const remove = this.#db.transaction(() => {
      if (this.#db.prepare('DELETE FROM series WHERE ended = 1').run().changes === 0) return
      const pairIds = new Set<number>()
      const pages = new Set<number>()
      eachSeries(this.#db, ({ ref, pairIds: ids }) => {
        for (const id of ids) pairIds.add(id)
        pages.add(statePageOf(ref))
      })
      this.#removeUnused('pair', 'id', pairIds)
      this.#removeUnused('series_state', 'page', pages)
    })
    remove.immediate()
  }

  #removeUnused(table: 'pair' | 'series_state', key: string, used: ReadonlySet<number>): void {
    const all = this.#db.prepare<[], number>(`SELECT ${key} FROM ${table}`).pluck().all()
    const remove = this.#db.prepare<[number]>(`DELETE FROM ${table} WHERE ${key} = ?`)
    for (const number of all) if (!used.has(number)) remove.run(number)
  }

  /** Writes the states of whole pages: all series of a page must be given, in any order. */
  putStates(page: number, states: readonly SeriesState[]): void {
    this.#bytes.clear()
    for (const state of states) {
      if (state.flushedUntilMs === -Infinity) continue
      this.#bytes.reserve(20)
      this.#bytes.unsigned(state.ref % STATE_PAGE_REFS)
      this.#bytes.signed(state.flushedUntilMs)
      this.#bytes.words(state.low, state.high)
    }
    this.#putStates.run(page, this.#bytes.take())
  }

  eachState(visit: (state: SeriesState) => void): void {
    const rows = this.#db
      .prepare<[], { page: number; states: Uint8Array }>('SELECT page, states FROM series_state')
      .all()
    for (const { page, states } of rows) {
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

/** All series that are written down, ended ones too, by rising ref. */
export function eachSeries(
  db: Database.Database,
  visit: (row: { readonly ref: SeriesRef; readonly pairIds: readonly number[]; readonly isEnded: boolean }) => void,
): void {
  const rows = db.prepare<[], [number, Uint8Array, number]>('SELECT ref, pairs, ended FROM series ORDER BY ref').raw()
  for (const [ref, pairs, ended] of rows.iterate()) {
    visit({ ref, pairIds: readPairIds(pairs), isEnded: ended !== 0 })
  }
}

function readPairIds(blob: Uint8Array): readonly number[] {
  const bytes = new ByteReader(blob)
  const ids: number[] = []
  while (!bytes.isAtEnd) ids.push(bytes.unsigned())
  return ids
}
