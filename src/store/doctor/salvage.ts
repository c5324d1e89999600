import type Database from 'better-sqlite3'
import { messageOf } from '../../base/errors.ts'
import { ownValue } from '../../base/own-value.ts'
import { isDamage } from '../database.ts'
import { damageOf } from '../integrity/scrub.ts'
import { ROW_CHECKS, type StoredRow } from '../integrity/row-checks.ts'

/**
 * Copies the readable rows of a table into a sound file. A table with numbers for rows is read by rising number; where a
 * page is broken, the next readable number is searched, so that only the rows of the page are lost. A table without them
 * is read from both ends of its key.
 */

/** Rows of one transaction. */
const ROWS_PER_TRANSACTION = 5000
/** Twice as far each time, from the broken row on: beyond every number. */
const PROBES_MAX = 54

export interface TableCopy {
  readonly table: string
  readonly copied: number
  /** One sentence for each row or range of rows that is not in the copy. */
  readonly lost: readonly LostRow[]
}

/** A row that is readable and damaged, or a range of rows that is unreadable. */
export type LostRow =
  | { readonly kind: 'row'; readonly row: StoredRow; readonly message: string }
  /** Row numbers between, both exclusive; undefined: to the end, or not numbered. */
  | {
      readonly kind: 'range'
      readonly after: number | undefined
      readonly before: number | undefined
      readonly message: string
    }

export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key; undefined: rows have numbers. */
  readonly keys: readonly string[] | undefined
}

export function tablesOf(db: Database.Database): readonly TableShape[] {
  const tables = db.pragma('table_list') as { schema: string; name: string; type: string; wr: number }[]
  return tables
    .filter(({ schema, name, type }) => schema === 'main' && type === 'table' && !name.startsWith('sqlite_'))
    .map(({ name, wr }) => {
      const columns = db.pragma(`table_info("${name}")`) as { name: string; pk: number }[]
      const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      return {
        name,
        columns: columns.map((column) => column.name),
        keys: wr === 1 ? keys.map((column) => column.name) : undefined,
      }
    })
}

export class TableSalvage {
  readonly #from: Database.Database
  readonly #to: Database.Database
  readonly #shape: TableShape
  readonly #insert: Database.Statement
  readonly #lost: LostRow[] = []
  #copied = 0

  constructor(from: Database.Database, to: Database.Database, shape: TableShape) {
    this.#from = from
    this.#to = to
    this.#shape = shape
    const { name, columns } = shape
    this.#insert = to.prepare(
      `INSERT OR IGNORE INTO "${name}" (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
  }

  copy(): TableCopy {
    if (this.#shape.keys === undefined) this.#copyByNumber()
    else this.#copyByKey(this.#shape.keys)
    return { table: this.#shape.name, copied: this.#copied, lost: this.#lost }
  }

  #copyByNumber(): void {
    let after: number | undefined = -1
    while (after !== undefined) {
      const { last, failure } = this.#copyFrom(`rowid > ${after}`, 'rowid')
      if (failure === undefined) return
      const broken: number = last ?? after
      after = this.#readableAfter(broken)
      this.#lost.push({
        kind: 'range',
        after: broken,
        before: after === undefined ? undefined : after + 1,
        message: failure,
      })
    }
  }

  /** The largest number before which nothing is readable from `broken` on; undefined: nothing is to the end. */
  #readableAfter(broken: number): number | undefined {
    let fails = 0
    let works: number | undefined
    for (let probe = 0; probe < PROBES_MAX && works === undefined; probe++) {
      if (this.#isReadableAfter(broken + 2 ** probe)) works = 2 ** probe
      else fails = 2 ** probe
    }
    if (works === undefined) return undefined
    while (works - fails > 1) {
      const middle: number = Math.floor((fails + works) / 2)
      if (this.#isReadableAfter(broken + middle)) works = middle
      else fails = middle
    }
    return broken + works
  }

  #isReadableAfter(number: number): boolean {
    try {
      this.#from.prepare(`SELECT * FROM "${this.#shape.name}" WHERE rowid > ${number} ORDER BY rowid LIMIT 1`).get()
      return true
    } catch (thrown) {
      if (isDamage(thrown)) return false
      throw thrown
    }
  }

  #copyByKey(keys: readonly string[]): void {
    const { failure } = this.#copyFrom('1', keys.map(quoted).join(', '))
    if (failure === undefined) return
    // Up to the same broken page from the other end.
    this.#copyFrom('1', keys.map((key) => `${quoted(key)} DESC`).join(', '))
    this.#lost.push({ kind: 'range', after: undefined, before: undefined, message: failure })
  }

  /** Copies rows in an order until the end or until one is unreadable; `last` is the number of the last copied row. */
  #copyFrom(where: string, order: string): { readonly last: number | undefined; readonly failure: string | undefined } {
    const { name, columns, keys } = this.#shape
    const number = keys === undefined ? ', rowid AS "rowid of the row"' : ''
    const select = this.#from
      .prepare<[], Record<string, unknown>>(
        `SELECT ${columns.map(quoted).join(', ')}${number} FROM "${name}" NOT INDEXED WHERE ${where} ORDER BY ${order}`,
      )
      .safeIntegers()
    const check = ROW_CHECKS.find(({ table }) => table === name)
    let last: number | undefined
    let pending = 0
    const begin = (): void => {
      this.#to.exec('BEGIN')
    }
    begin()
    try {
      for (const row of select.iterate()) {
        if (number !== '') last = Number(row['rowid of the row'])
        const message = check === undefined ? undefined : damageOf(check, aliased(check.columns, row))
        if (message !== undefined) this.#lose(row, message)
        else if (this.#insert.run(...columns.map((column) => ownValue(row, column))).changes > 0) this.#copied++
        else this.#lose(row, "its key is another row's too")
        if (++pending % ROWS_PER_TRANSACTION !== 0) continue
        this.#to.exec('COMMIT')
        begin()
      }
      return { last, failure: undefined }
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      return { last, failure: messageOf(thrown) }
    } finally {
      this.#to.exec('COMMIT')
    }
  }

  #lose(row: StoredRow, message: string): void {
    this.#lost.push({ kind: 'row', row: plain(row), message })
  }
}

/** Safe integers as numbers, and columns under the names that a check reads. */
function aliased(columns: readonly string[], row: StoredRow): StoredRow {
  const renamed: Record<string, unknown> = { checksum: null, ...plain(row) }
  for (const column of columns) {
    const [from, to] = column.split(' AS ')
    if (to !== undefined) renamed[to] = ownValue(renamed, from!)
  }
  return renamed
}

function plain(row: StoredRow): StoredRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
}

function quoted(name: string): string {
  return `"${name}"`
}
