import { randomBytes } from 'node:crypto'
import type Database from 'better-sqlite3'
import { ByteWriter } from '../bytes.ts'
import { inTransaction } from '../database.ts'
import { Statements } from '../statements.ts'
import { writeKey, type ChangedKey } from './changed-keys.ts'

/**
 * What commits changed, for the shipper: one row of keys per commit, in the same transaction. A directory whose changes are
 * not logged costs nothing; when they are logged again, everything is shipped anew (`epoch`).
 */

/** Notes keys of changed rows during the transaction of a commit. */
export interface ChangeSink {
  note(key: ChangedKey): void
}

/** The random id of the directory: of its collector. Stays. */
export const COLLECTOR_KEY = 'shipping.collector'
/** A random id; another one each time the log begins. Absent: nothing is logged. */
export const EPOCH_KEY = 'shipping.epoch'

/** Rows that one step of `removeSome` removes at most. */
const ROWS_PER_STEP = 2000

export class ChangeLog extends Statements implements ChangeSink {
  readonly #add = this.db.prepare<[Uint8Array]>('INSERT INTO shipping_change (keys) VALUES (?)')
  readonly #remove = this.db.prepare<[number]>(
    `DELETE FROM shipping_change WHERE seq IN (SELECT seq FROM shipping_change WHERE seq <= ? ORDER BY seq LIMIT ${ROWS_PER_STEP})`,
  )
  readonly #keys = new ByteWriter(4096)

  /** Only after data that others wrote: nothing of its own waits for a commit. */
  readonly isDurable = true

  note(key: ChangedKey): void {
    writeKey(this.#keys, key)
  }

  /** Call last in the transaction of a commit; then call `written` after the commit, or `failed`. */
  write(): void {
    if (this.#keys.length > 0) this.#add.run(this.#keys.take())
  }

  written(): void {
    this.#keys.clear()
  }

  failed(): void {
    this.#keys.clear()
  }

  /** Adds what `work` notes, in the transaction of `work`. */
  inTransaction<T>(work: () => T): T {
    try {
      return inTransaction(this.db, () => {
        const result = work()
        this.write()
        return result
      })
    } finally {
      this.#keys.clear()
    }
  }

  /** Removes some shipped rows; true when there may be more. The connection must be free. */
  removeSome(shippedSeq: number): boolean {
    return this.#remove.run(shippedSeq).changes === ROWS_PER_STEP
  }
}

/** The random id of a directory, which gets one here; a server may be writing it. */
export function collectorIdOf(db: Database.Database): string {
  const find = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const known = find.get(COLLECTOR_KEY)
  if (known !== undefined) return known
  const put = db.prepare<[string, string]>('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)')
  put.run(COLLECTOR_KEY, randomBytes(8).toString('hex'))
  return find.get(COLLECTOR_KEY)!
}

/** Begins, continues or ends the log of a directory. Returns it; undefined: changes are not logged. */
export function openChangeLog(db: Database.Database, isLogged: boolean): ChangeLog | undefined {
  const epoch = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(EPOCH_KEY)
  if (isLogged && epoch === undefined) {
    inTransaction(db, () => {
      collectorIdOf(db)
      const put = db.prepare<[string, string]>('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)')
      put.run(EPOCH_KEY, randomBytes(8).toString('hex'))
      db.exec('DELETE FROM shipping_change')
    })
  }
  if (!isLogged && epoch !== undefined) {
    inTransaction(db, () => {
      db.prepare('DELETE FROM meta WHERE key = ?').run(EPOCH_KEY)
      db.exec('DELETE FROM shipping_change')
    })
  }
  return isLogged ? new ChangeLog(db) : undefined
}
