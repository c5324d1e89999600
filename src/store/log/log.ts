import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { checksumOf, MalformedBytesError, verifyChecksum } from '../bytes.ts'
import { readLogPayload, type LogBuffer } from './log-codec.ts'
import type { LogHold } from './log-hold.ts'
import { Statements } from '../statements.ts'
import { inTransaction, REPAIR_HINT } from '../database.ts'

/**
 * The log: accepted samples that are not flushed, one row per group commit. A row is removed when all its samples are
 * in chunks. Until then it may contain flushed samples; replay skips them, so that the log is rewritten only to erase series.
 */

/** Rows removed in one transaction: a few milliseconds of work. */
const ROWS_PER_REMOVAL = 500

export class Log extends Statements {
  readonly #hold: LogHold
  #byteLength: number
  #writtenBytes = 0
  /** Of samples since the last flush began; what was stored at the start may be of any time. */
  #oldestMs = -Infinity
  /** The largest that was ever given out: numbers are not used again, also when the table was empty in between. */
  #lastId: number
  readonly #insert = this.db.prepare<[number, number, Uint8Array, number]>(
    'INSERT INTO log (id, max_ms, payload, checksum) VALUES (?, ?, ?, ?)',
  )
  readonly #newestId = this.db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM log')
  readonly #removable = this.db.prepare<[number, number, number], { id: number; bytes: number }>(
    'SELECT id, length(payload) AS bytes FROM log WHERE id <= ? AND max_ms <= ? ORDER BY id LIMIT ?',
  )
  readonly #removeOne = this.db.prepare<[number]>('DELETE FROM log WHERE id = ?')

  /** @param hold the rows that must stay */
  constructor(db: Database.Database, hold: LogHold) {
    super(db)
    this.#hold = hold
    const total = db.prepare<[], { bytes: number | null }>('SELECT sum(length(payload)) AS bytes FROM log').get()
    this.#byteLength = total?.bytes ?? 0
    this.#lastId = Math.max(this.newestId, hold.lastRow)
  }

  /** Bytes of samples that a restart would read again. */
  get byteLength(): number {
    return this.#byteLength
  }

  /** Bytes of all rows written since this log was opened, including removed ones. */
  get writtenBytes(): number {
    return this.#writtenBytes
  }

  get newestId(): number {
    return this.#newestId.get()?.id ?? 0
  }

  /** Call in the caller's transaction, and `added` after the commit. */
  insert(maxMs: number, payload: Uint8Array): void {
    // A truncation in progress removes rows up to an id: a new row with a reused id would be removed too.
    this.#insert.run(++this.#lastId, maxMs, payload, checksumOf(payload))
  }

  /** @param minMs the oldest time of the row */
  added(bytes: number, minMs: number): void {
    this.#byteLength += bytes
    this.#writtenBytes += bytes
    this.#hold.added(this.#lastId, bytes, minMs)
    if (minMs < this.#oldestMs) this.#oldestMs = minMs
  }

  /** A flush up to now may find samples at or before this time, if no other was as late. */
  get oldestMs(): number {
    return this.#oldestMs
  }

  /** A flush begins: it finds all samples that were added before. */
  flushing(): void {
    this.#oldestMs = Infinity
  }

  /** Replaces the samples of a row of `bytes`; without any it is removed. */
  rewrite(id: number, bytes: number, { sampleCount, maxMs, payload }: LogBuffer): void {
    if (sampleCount === 0) this.#removeOne.run(id)
    else {
      const update = this.db.prepare('UPDATE log SET max_ms = ?, payload = ?, checksum = ? WHERE id = ?')
      update.run(maxMs, payload, checksumOf(payload), id)
    }
    this.#byteLength += (sampleCount === 0 ? 0 : payload.length) - bytes
  }

  /** Removes rows up to `id` whose newest sample is at or before `cutMs`, some per call, except those that must stay. False when nothing is left. */
  removeSome(id: number, cutMs: number): boolean {
    const rows = this.#removable.all(Math.min(id, this.#hold.releasedRow), cutMs, ROWS_PER_REMOVAL)
    if (rows.length === 0) return false
    inTransaction(this.db, () => {
      for (const row of rows) this.#removeOne.run(row.id)
    })
    for (const row of rows) this.#byteLength -= row.bytes
    return true
  }

  /** Replays the samples of rows after `id` in order of arrival. Returns the number of bytes read. */
  replay(after: number, sample: (ref: number, timeMs: number, low: number, high: number) => void): number {
    const rows = this.db.prepare<[number], { id: number; payload: Uint8Array; checksum: number | null }>(
      'SELECT id, payload, checksum FROM log WHERE id > ? ORDER BY id',
    )
    let byteLength = 0
    for (const { id, payload, checksum } of rows.iterate(after)) {
      byteLength += payload.length
      try {
        verifyChecksum(payload, checksum)
        readLogPayload(payload, sample)
      } catch (thrown) {
        if (!(thrown instanceof MalformedBytesError)) throw thrown
        throw new FleetError('storage_failed', `log row ${id} is damaged: ${thrown.message}`, {
          hint: REPAIR_HINT,
          cause: thrown,
        })
      }
    }
    return byteLength
  }
}
