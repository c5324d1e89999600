import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { FleetError, messageOf } from '../base/errors.ts'
import { MalformedBytesError } from './bytes.ts'
import { migrate, SCHEMA_VERSION, versionOf } from './migrations.ts'
import { SpareRoom } from './spare-room.ts'

/**
 * The SQLite file: opening it and naming its failures. WAL, so that the query worker reads while the ingest worker
 * writes; `synchronous = FULL`, so that a returned commit is on the disk. Nothing is written to open a file that is up to
 * date: a server starts on a full disk, and for reading on one that is mounted read-only.
 */

export const DATABASE_FILE = 'daytwo.db'
export const LOCK_FILE = 'daytwo.lock'
/** "D2TW": distinguishes this file from other SQLite files. */
const APPLICATION_ID = 0x44325457
/** How long a write waits for another process' short write (a token command). */
const BUSY_TIMEOUT_MS = 5000

/** What an operator does about damage. */
export const REPAIR_HINT = 'stop the server and run `daytwo doctor`, or restore the data directory from a backup'

/**
 * Opens for writing; creates missing files and migrates the schema. On a full disk the spare room of the directory is
 * given up for the files beside the database. Throws FleetError.
 */
export function openDatabase(dir: string): Database.Database {
  const open = (): Database.Database => asFailure(`opening ${dir}`, () => openForWriting(dir))
  try {
    return open()
  } catch (failure) {
    if (!(failure instanceof FleetError) || failure.code !== 'storage_full' || !new SpareRoom(dir).giveUp())
      throw failure
    return open()
  }
}

function openForWriting(dir: string): Database.Database {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, DATABASE_FILE)
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // The samples are what the directory's owner may read; so are the hashes of the tokens.
    chmodSync(path, 0o600)
    // Before the first table: see free-pages.ts. Later it would change nothing, but write a page each time.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
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
}

/**
 * Closes a connection for writing, the last of the directory or not. SQLite would remove the log and its index with the
 * last one, and without these two files a directory that is mounted read-only later cannot be opened: a reader that closes
 * after the writer leaves them.
 *
 * @param checkpoint passive: waits for nobody; truncate: for a writer without readers
 */
export function closeDatabase(db: Database.Database, dir: string, checkpoint: 'PASSIVE' | 'TRUNCATE'): void {
  let reader: Database.Database | undefined
  try {
    reader = openDatabaseForReading(dir)
    reader.prepare('SELECT count(*) FROM sqlite_schema').get()
    db.pragma(`wal_checkpoint(${checkpoint})`)
  } catch {
    // A full disk or a damaged file: the log stays, and the next start reads it.
  }
  db.close()
  reader?.close()
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

/** Opens for a server that cannot write. Throws FleetError, also when the schema is not the one of this program. */
export function openReadOnly(dir: string): Database.Database {
  const db = openDatabaseForReading(dir)
  try {
    const version = asFailure(`opening ${dir} for reading`, () => versionOf(db))
    if (version === SCHEMA_VERSION) return db
    throw new FleetError(
      'storage_failed',
      `${dir} has schema version ${version}, this program writes ${SCHEMA_VERSION}, and the directory is read-only`,
      { hint: 'make the data directory writable for one start' },
    )
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Whether this process may write the files of a data directory; on a read-only mount root may not either. */
export function isWritable(dir: string): boolean {
  return [dir, join(dir, DATABASE_FILE), join(dir, LOCK_FILE)].every((path) => {
    try {
      if (existsSync(path)) accessSync(path, constants.W_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Why a server that was started on a read-only directory takes nothing. */
export function readOnlyFailure(dir: string): FleetError {
  return new FleetError('storage_failed', `the data directory ${dir} is read-only`, {
    hint: 'make the data directory writable; the server then reopens it without a restart',
  })
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
  /** The directory cannot be written: the lock is shared with other servers that only read. */
  readonly isReadOnly: boolean
  release(): void
}

/**
 * An exclusive transaction on a file beside the database, not on the database itself: another process may still
 * write a token while the server runs. Throws FleetError `data_dir_in_use`.
 */
export function lockDirectory(dir: string): DirectoryLock {
  return asFailure(`locking ${dir}`, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const isReadOnly = !isWritable(dir)
    const path = join(dir, LOCK_FILE)
    // Nobody can hold a lock without its file, nor make one.
    if (isReadOnly && !existsSync(path)) return { isReadOnly, release: () => undefined }
    const lock = new Database(path, { timeout: 0, readonly: isReadOnly })
    try {
      // In memory: a journal takes space, which a full disk does not have.
      if (!isReadOnly) lock.pragma('journal_mode = MEMORY')
      lock.exec(isReadOnly ? 'BEGIN' : 'BEGIN EXCLUSIVE')
      lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    } catch (thrown) {
      lock.close()
      if (codeOf(thrown)?.startsWith('SQLITE_BUSY') !== true) throw thrown
      throw new FleetError('data_dir_in_use', `the data directory ${dir} is in use by another server`, {
        hint: 'stop the other server, or choose another data directory',
        cause: thrown,
      })
    }
    return {
      isReadOnly,
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

/** Without space for a page: SHMSIZE is the index of the log, a file in memory that needs room on the disk too. */
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

/**
 * `storage_full` when the disk or the quota is full, `storage_failed` for the rest, damage included; bugs pass through
 * unchanged.
 */
export function failureOf(what: string, thrown: unknown): unknown {
  if (thrown instanceof MalformedBytesError) {
    return new FleetError('storage_failed', `${what}: damaged: ${thrown.message}`, { hint: REPAIR_HINT, cause: thrown })
  }
  const code = codeOf(thrown)
  if (thrown instanceof FleetError || code === undefined) return thrown
  if (FULL_CODES.has(code)) {
    return new FleetError('storage_full', `${what}: ${messageOf(thrown)}`, {
      hint: 'free space on the disk of the data directory; the server then continues without a restart',
      cause: thrown,
    })
  }
  const hint = isDamageCode(code)
    ? REPAIR_HINT
    : code.startsWith('SQLITE_READONLY') || code === 'EROFS'
      ? 'make the data directory writable; the server then continues without a restart'
      : undefined
  return new FleetError('storage_failed', `${what}: ${messageOf(thrown)} (${code})`, {
    ...(hint === undefined ? {} : { hint }),
    cause: thrown,
  })
}

/** Whether a read failed because of what it read, so that other reads may succeed: malformed bytes, or a broken page. */
export function isDamage(thrown: unknown): thrown is Error {
  if (thrown instanceof MalformedBytesError) return true
  if (thrown instanceof FleetError) return isDamage(thrown.cause)
  const code = codeOf(thrown)
  return code !== undefined && isDamageCode(code)
}

/** The result of `read`; undefined when what it reads is damaged. Only for what the scrub reports. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (thrown) {
    if (isDamage(thrown)) return undefined
    throw thrown
  }
}

function isDamageCode(code: string): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))/.test(code)
}

/** The code of an SQLite or system error; anything else is a bug. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined
  return thrown instanceof Database.SqliteError || 'syscall' in thrown ? thrown.code : undefined
}
