import type Database from 'better-sqlite3'
import { groupBy } from '../../base/group-by.ts'
import type { BlockRows } from './blocks.ts'
import type { Head } from '../head/head.ts'
import { statePageOf, type SeriesRows, type SeriesState } from '../index/series-rows.ts'
import type { SeriesTable } from '../index/series-table.ts'
import { inTransaction } from '../database.ts'

/** Pages written in one transaction: about two milliseconds. */
const PAGES_PER_STEP = 32

/**
 * Stores up to which time each series is flushed, a few pages of `series_state` per transaction; the last transaction
 * closes the flushed blocks. Writing a page again does not change it.
 */
export class StatePages {
  readonly #db: Database.Database
  readonly #head: Head
  readonly #table: SeriesTable
  readonly #rows: SeriesRows
  readonly #blocks: BlockRows
  readonly #toClose: readonly number[]
  readonly #pages: readonly number[]
  readonly #refsOfPage: ReadonlyMap<number, readonly number[]>
  #next = 0

  /** @param pages undefined: all */
  constructor(
    db: Database.Database,
    parts: { head: Head; table: SeriesTable; rows: SeriesRows; blocks: BlockRows },
    toClose: readonly number[],
    pages?: ReadonlySet<number>,
  ) {
    this.#db = db
    this.#head = parts.head
    this.#table = parts.table
    this.#rows = parts.rows
    this.#blocks = parts.blocks
    this.#toClose = toClose
    const refs = parts.table.sortedRefs().filter((ref) => pages?.has(statePageOf(ref)) !== false)
    this.#refsOfPage = groupBy(refs, statePageOf)
    this.#pages = [...this.#refsOfPage.keys()]
  }

  /** False when all is written. */
  step(): boolean {
    const end = Math.min(this.#pages.length, this.#next + PAGES_PER_STEP)
    const isLast = end === this.#pages.length
    inTransaction(this.#db, () => {
      for (let i = this.#next; i < end; i++) this.#rows.putStates(this.#pages[i]!, this.#statesOf(this.#pages[i]!))
      if (isLast) for (const block of this.#toClose) this.#blocks.close(block)
    })
    this.#next = end
    return !isLast
  }

  #statesOf(page: number): readonly SeriesState[] {
    const states: SeriesState[] = []
    for (const ref of this.#refsOfPage.get(page)!) {
      const slot = this.#table.refs.get(ref)
      if (this.#table.refOf(slot) === ref) states.push({ ref, ...this.#head.flushed(slot) })
    }
    return states
  }
}
