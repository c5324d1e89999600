import Database from 'better-sqlite3'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { FleetError } from '../base/errors.ts'
import {
  asFailure,
  DATABASE_FILE,
  failureOf,
  isOurs,
  LOCK_FILE,
  lockDirectory,
  openDatabaseForReading,
} from './database.ts'
import { checkVersion, versionOf } from './migrations.ts'
import { EPOCH_KEY } from './shipping/change-log.ts'

/**
 * Backups of a data directory: one SQLite file with all that the directory holds, its log included. A backup is a snapshot:
 * one read transaction, so it has everything that was acknowledged before it began, and it ends however much is written in
 * the meantime. (SQLite's online backup alone starts over when another process writes.) While it runs, `daytwo.db-wal`
 * cannot be emptied and grows by what is written.
 */

/** What a backup says about itself: a copy of `daytwo.db` does not have this, and lacks what is in the log. */
export interface BackupMark {
  /** Everything that was acknowledged until then is in the backup. */
  readonly atMs: number
  /** The program that made it. */
  readonly version: string
}

export interface StoredBackup extends BackupMark {
  readonly bytes: number
  readonly schemaVersion: number
}

/** The row of `meta` with the mark, as JSON. */
const MARK_KEY = 'backup'
/** A megabyte: short enough that a pause after each keeps the rate even. */
const PAGES_PER_STEP = 256
/** For the file system's own bookkeeping. */
const SPARE_BYTES = 16 * 1024 * 1024
/** Bytes 18 and 19 of the file: 1 is a file by itself, 2 one that has a log beside it. */
const FORMAT_AT = 18
const WITH_LOG = 2

interface BackupRequest {
  readonly dir: string
  readonly file: string
  readonly mark: BackupMark
  /** Read from `dir`; `Infinity`: no limit. */
  readonly bytesPerSecondMax: number
  readonly onProgress: (copiedBytes: number, totalBytes: number) => void
}

/** Copies a data directory, which a server may be using, to `file`. Replaces an earlier backup, no other file. Throws FleetError. */
export async function writeBackup(request: BackupRequest): Promise<StoredBackup> {
  const { dir, file, mark } = request
  if (existsSync(file)) readBackup(file)
  const partial = `${file}.partial`
  const source = openDatabaseForReading(dir)
  try {
    asFailure(`reading ${dir}`, () => {
      if (!isOurs(source)) throw new FleetError('storage_failed', `${dir} has no data of Daytwo`)
      // The snapshot begins with the first read.
      source.exec('BEGIN')
      checkRoom(file, pragmaOf(source, 'page_count') * pragmaOf(source, 'page_size'))
      rmSync(partial, { force: true })
    })
    await copyPages(source, partial, request)
  } catch (thrown) {
    rmSync(partial, { force: true })
    throw failureOf(`copying ${dir} to ${partial}`, thrown)
  } finally {
    source.close()
  }
  return asFailure(`writing ${file}`, () => {
    const copy = new Database(partial)
    // A file by itself, which is complete without a log beside it.
    copy.pragma('journal_mode = DELETE')
    copy.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(MARK_KEY, JSON.stringify(mark))
    // A directory that is restored is behind what was shipped of it.
    copy.prepare('DELETE FROM meta WHERE key = ?').run(EPOCH_KEY)
    copy.close()
    chmodSync(partial, 0o600)
    putInPlace(partial, file)
    return readBackup(file)
  })
}

async function copyPages(source: Database.Database, partial: string, request: BackupRequest): Promise<void> {
  const { bytesPerSecondMax, onProgress } = request
  const pageBytes = pragmaOf(source, 'page_size')
  const pauseMs = (PAGES_PER_STEP * pageBytes * 1000) / bytesPerSecondMax
  await source.backup(partial, {
    progress: ({ totalPages, remainingPages }) => {
      onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
      if (pauseMs > 0) Atomics.wait(NEVER, 0, 0, pauseMs)
      return PAGES_PER_STEP
    },
  })
  source.exec('COMMIT')
}

/** Nothing wakes it: a pause of a thread that has nothing else to do. */
const NEVER = new Int32Array(new SharedArrayBuffer(4))

/** Reads what a backup says about itself. Throws FleetError for any other file. */
export function readBackup(file: string): StoredBackup {
  return asFailure(`reading ${file}`, () => {
    if (!existsSync(file)) throw new FleetError('config_invalid', `there is no file ${file}`)
    const db = openCopy(file)
    try {
      const text = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(MARK_KEY)
      if (text === undefined) throw notABackup(file)
      const schemaVersion = versionOf(db)
      checkVersion(schemaVersion, file)
      return { ...(JSON.parse(text) as BackupMark), bytes: statSync(file).size, schemaVersion }
    } finally {
      db.close()
    }
  })
}

/** Reads every page of a file, and checks its tables against its indexes. Throws FleetError with what is damaged. */
export function checkIntegrity(file: string): void {
  asFailure(`checking ${file}`, () => {
    const db = openCopy(file)
    try {
      const [first, ...more] = db.pragma('integrity_check(5)') as { readonly integrity_check: string }[]
      if (first?.integrity_check === 'ok') return
      const found = [first, ...more].map((row) => row?.integrity_check).join('; ')
      throw new FleetError('storage_failed', `${file} is damaged: ${found}`, { hint: 'use another backup' })
    } finally {
      db.close()
    }
  })
}

/** The journal mode must be known before SQLite opens the file: it would create a log beside one that needs it. */
function openCopy(file: string): Database.Database {
  const head = Buffer.alloc(20)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, head, 0, head.length, 0)
  } finally {
    closeSync(opened)
  }
  const isDatabase = head.toString('latin1').startsWith('SQLite format 3')
  if (!isDatabase || head[FORMAT_AT] === WITH_LOG) throw notABackup(file)
  const db = new Database(file, { readonly: true, fileMustExist: true })
  if (isOurs(db)) return db
  db.close()
  throw notABackup(file)
}

function notABackup(file: string): FleetError {
  return new FleetError('config_invalid', `${file} is not a backup`, {
    hint: `make one with \`daytwo backup\`; a copy of ${DATABASE_FILE} lacks what is in its log, ${DATABASE_FILE}-wal`,
  })
}

interface RestoreRequest {
  readonly file: string
  readonly dir: string
  /** Deletes the data that is in `dir`. */
  readonly replaces: boolean
}

/** Makes a data directory from a backup, whole or not at all. Throws FleetError, `data_dir_in_use` while a server uses `dir`. */
export async function restoreBackup({ file, dir, replaces }: RestoreRequest): Promise<StoredBackup> {
  const backup = readBackup(file)
  const path = join(dir, DATABASE_FILE)
  const partial = `${path}.partial`
  checkIsEmpty(dir, replaces, [partial])
  const lock = lockDirectory(dir)
  try {
    asFailure(`restoring ${file}`, () => {
      checkRoom(path, backup.bytes)
    })
    await copyFile(file, partial)
    chmodSync(partial, 0o600)
    // Of the copy: a disk that reads it wrong would write it wrong.
    checkIntegrity(partial)
    asFailure(`writing ${path}`, () => {
      // The file before its log: a log without its file is ignored, a log beside another file would damage that.
      for (const old of [path, `${path}-wal`, `${path}-shm`]) rmSync(old, { force: true })
      putInPlace(partial, path)
    })
    return backup
  } catch (thrown) {
    rmSync(partial, { force: true })
    throw failureOf(`restoring ${file}`, thrown)
  } finally {
    lock.release()
  }
}

function checkIsEmpty(dir: string, replaces: boolean, ignored: readonly string[]): void {
  if (replaces || !existsSync(dir)) return
  const found = readdirSync(dir).filter((name) => name !== LOCK_FILE && !ignored.includes(join(dir, name)))
  if (found.length === 0) return
  throw new FleetError('config_invalid', `the folder ${dir} is not empty: it has ${found.slice(0, 3).join(', ')}`, {
    hint: 'restore into an empty folder, or delete the data that is in it with --force',
  })
}

function checkRoom(path: string, bytes: number): void {
  const folder = dirname(resolve(path))
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= bytes + SPARE_BYTES) return
  throw new FleetError('storage_full', `${folder} has ${free} bytes free, want ${bytes + SPARE_BYTES}`, {
    hint: 'free space on that disk, or name a file on another one',
  })
}

/** Durable under its name when it returns. */
function putInPlace(partial: string, path: string): void {
  sync(partial)
  renameSync(partial, path)
  sync(dirname(resolve(path)))
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

function pragmaOf(db: Database.Database, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}
