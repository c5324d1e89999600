import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { FleetError, messageOf } from '../base/errors.ts'
import { migrate } from './migrations.ts'

/**
 * The SQLite file: opening it and naming its failures. WAL, so that the query worker reads while the ingest worker
 * writes; `synchronous = FULL`, so that a returned commit is on the disk.
 */

export const DATABASE_FILE = 'daytwo.db'
export const LOCK_FILE = 'daytwo.lock'
/** "D2TW": distinguishes this file from other SQLite files. */
const APPLICATION_ID = 0x44325457
/** How long a write waits for another process' short write (a token command). */
const BUSY_TIMEOUT_MS = 5000

/** Opens for writing; creates missing files and migrates the schema. Throws FleetError. */
export function openDatabase(dir: string): Database.Database {
  return asFailure(`opening ${dir}`, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, DATABASE_FILE)
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
    try {
      // The samples are what the directory's owner may read; so are the hashes of the tokens.
      chmodSync(path, 0o600)
      // Before the first table: see free-pages.ts.
      db.pragma('auto_vacuum = INCREMENTAL')
      checkOwner(db, path)
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = FULL')
      db.pragma('foreign_keys = ON')
      db.pragma('journal_size_limit = 67108864')
      db.pragma('secure_delete = ON')
      migrate(db, path)
      return db
    } catch (thrown) {
      db.close()
      throw thrown
    }
  })
}

/**
 * Runs `work`, which deletes nothing but numbers, without overwriting the pages that become free: half as much is written.
 * Pages that have texts of clusters are overwritten at once, so that what is erased cannot turn up at the end of a reused page.
 */
export function leavingFreePages<T>(db: Database.Database, work: () => T): T {
  db.pragma('secure_delete = FAST')
  try {
    return work()
  } finally {
    db.pragma('secure_delete = ON')
  }
}

/** Runs `work` in a transaction that may write from its start. */
export function inTransaction<T>(db: Database.Database, work: () => T): T {
  return db.transaction(work).immediate()
}

/** Limits the file size; below the present size, nothing new fits. */
export function limitSize(db: Database.Database, bytesMax: number): void {
  if (bytesMax === Infinity) return
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(bytesMax / pageBytes))}`)
}

/** Opens what a writer made, for reading only. */
export function openDatabaseForReading(dir: string): Database.Database {
  return asFailure(`opening ${dir} for reading`, () => {
    const db = new Database(join(dir, DATABASE_FILE), { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    db.pragma('query_only = ON')
    return db
  })
}

/** Whether a database is Daytwo's. */
export function isOurs(db: Database.Database): boolean {
  return db.pragma('application_id', { simple: true }) === APPLICATION_ID
}

function checkOwner(db: Database.Database, path: string): void {
  // The tables first: another process that creates the file now sets the id before it creates tables.
  const tables = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (isOurs(db)) return
  const id = db.pragma('application_id', { simple: true })
  if (id !== 0 || tables !== 0) {
    throw new FleetError(
      'storage_failed',
      `${path} is an SQLite file of another program (application_id ${String(id)})`,
      {
        hint: 'give the server a data directory of its own',
      },
    )
  }
  db.pragma(`application_id = ${APPLICATION_ID}`)
}

/** Locks a data directory for one server. The operating system releases the lock when the process ends, in any way. */
export interface DirectoryLock {
  release(): void
}

/**
 * An exclusive transaction on a file beside the database, not on the database itself: another process may still
 * write a token while the server runs. Throws FleetError `data_dir_in_use`.
 */
export function lockDirectory(dir: string): DirectoryLock {
  return asFailure(`locking ${dir}`, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const lock = new Database(join(dir, LOCK_FILE), { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
    } catch (thrown) {
      lock.close()
      if (codeOf(thrown)?.startsWith('SQLITE_BUSY') !== true) throw thrown
      throw new FleetError('data_dir_in_use', `the data directory ${dir} is in use by another server`, {
        hint: 'stop the other server, or choose another data directory',
        cause: thrown,
      })
    }
    return {
      release() {
        lock.close()
      },
    }
  })
}

/** Runs `work`; turns an error of SQLite or the file system into a FleetError that states what was tried. */
export function asFailure<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw failureOf(what, thrown)
  }
}

/** `storage_full` when the disk or the quota is full, `storage_failed` for the rest; bugs pass through unchanged. */
export function failureOf(what: string, thrown: unknown): unknown {
  const code = codeOf(thrown)
  if (thrown instanceof FleetError || code === undefined) return thrown
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    return new FleetError('storage_full', `${what}: ${messageOf(thrown)}`, {
      hint: 'free space on the disk of the data directory; writing goes on by itself',
      cause: thrown,
    })
  }
  return new FleetError('storage_failed', `${what}: ${messageOf(thrown)} (${code})`, { cause: thrown })
}

/** The code of an SQLite or system error; anything else is a bug. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined
  return thrown instanceof Database.SqliteError || 'syscall' in thrown ? thrown.code : undefined
}
