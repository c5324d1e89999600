import type Database from 'better-sqlite3'
import { NOTHING_FORWARDED, type ForwardProgress } from '../../model/forward-progress.ts'
import { Statements } from '../statements.ts'

/**
 * The rows of the log that must stay until they are forwarded, and what was forwarded. Progress is written with the next
 * commit, so it costs no transaction of its own while samples arrive.
 */

const PROGRESS_KEY = 'forward.progress'
/** Rows are counted together up to this: what is released is exact to one such portion. */
const PORTION_BYTES = 64 * 1024
const PORTION_ROWS = 64

/** Neighbouring rows. */
interface Portion {
  lastRow: number
  rows: number
  bytes: number
  /** Oldest sample; -Infinity for rows of before this start. */
  minMs: number
}

export interface ForwardBuffer {
  /** Of rows that must stay. */
  readonly usedBytes: number
  readonly maxBytes: number
  /** Requests that were refused because the buffer was full. */
  readonly refused: number
}

export class LogHold extends Statements {
  /** Of requests. */
  refused = 0
  readonly #maxBytes: number | undefined
  readonly #put = this.db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
  #progress: ForwardProgress
  #portions: Portion[] = []
  #usedBytes = 0
  #isDurable = true

  /** @param maxBytes undefined: nothing is forwarded, and no row must stay */
  constructor(db: Database.Database, maxBytes: number | undefined) {
    super(db)
    this.#maxBytes = maxBytes
    this.#progress = readForwardProgress(db) ?? NOTHING_FORWARDED
    if (maxBytes === undefined) return
    const stored = db.prepare<[number], { lastRow: number | null; rows: number; bytes: number | null }>(
      'SELECT max(id) AS lastRow, count(*) AS rows, sum(length(payload)) AS bytes FROM log WHERE id > ?',
    )
    const { lastRow, rows, bytes } = stored.get(this.#progress.releasedRow)!
    if (lastRow !== null) this.#push({ lastRow, rows, bytes: bytes ?? 0, minMs: -Infinity })
  }

  /** Row numbers must not be used again up to this one, also when the log is empty. */
  get lastRow(): number {
    return this.#progress.row
  }

  /** Rows up to this one may be removed. */
  get releasedRow(): number {
    return this.#maxBytes === undefined ? Infinity : this.#progress.releasedRow
  }

  /** No row that must stay has an older sample. */
  get oldestMs(): number {
    return this.#portions.reduce((oldest, { minMs }) => Math.min(oldest, minMs), Infinity)
  }

  get isFull(): boolean {
    return this.#maxBytes !== undefined && this.#usedBytes >= this.#maxBytes
  }

  get buffer(): ForwardBuffer | undefined {
    if (this.#maxBytes === undefined) return undefined
    return { usedBytes: this.#usedBytes, maxBytes: this.#maxBytes, refused: this.refused }
  }

  /** A row was committed. */
  added(row: number, bytes: number, minMs: number): void {
    if (this.#maxBytes === undefined) return
    const last = this.#portions.at(-1)
    if (last === undefined || last.bytes + bytes > PORTION_BYTES || last.rows >= PORTION_ROWS) {
      this.#push({ lastRow: row, rows: 1, bytes, minMs })
      return
    }
    last.lastRow = row
    last.rows++
    last.bytes += bytes
    last.minMs = Math.min(last.minMs, minMs)
    this.#usedBytes += bytes
  }

  /** What was forwarded by now; durable with the next commit. */
  forwarded(progress: ForwardProgress): void {
    if (this.#maxBytes === undefined || JSON.stringify(progress) === JSON.stringify(this.#progress)) return
    this.#progress = progress
    this.#isDurable = false
    // Rows that an erasure rewrote are counted as they were.
    while (this.#portions.length > 0 && this.#portions[0]!.lastRow <= progress.releasedRow) {
      this.#usedBytes -= this.#portions.shift()!.bytes
    }
  }

  get isDurable(): boolean {
    return this.#isDurable
  }

  write(): void {
    if (!this.#isDurable) this.#put.run(PROGRESS_KEY, JSON.stringify(this.#progress))
  }

  written(): void {
    this.#isDurable = true
  }

  failed(): void {
    // It is written with the next commit.
  }

  #push(portion: Portion): void {
    this.#portions.push(portion)
    this.#usedBytes += portion.bytes
  }
}

/** `undefined`: nothing was ever forwarded from this directory. */
export function readForwardProgress(db: Database.Database): ForwardProgress | undefined {
  const text = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(PROGRESS_KEY)
  return text === undefined ? undefined : (JSON.parse(text) as ForwardProgress)
}
