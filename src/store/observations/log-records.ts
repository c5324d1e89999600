import type Database from 'better-sqlite3'
import type { LogRecord, LogSink } from '../../model/log-record.ts'
import { packLogRecord, payloadHash } from './log-record-codec.ts'
import type { ChangeSink } from '../shipping/change-log.ts'
import { Statements } from '../statements.ts'

/**
 * Log records on the writer's side: received records are packed and written with the next commit. Time, sender
 * and content identify a record: a repeat with equal fields is stored once.
 */

/** Rows that one step of `removeSome` removes at most. */
const ROWS_PER_STEP = 2000
const SOURCES_KNOWN_MAX = 50_000
/** What a pending record takes beside its payload. */
const PENDING_BYTES = 300

interface PendingRecord {
  readonly timeNs: bigint
  readonly cluster: string
  readonly service: string
  readonly hash: number
  readonly severity: number
  readonly traceId: Uint8Array | null
  readonly payload: Uint8Array
}

export class LogRecords extends Statements implements LogSink {
  readonly #findSource = this.db.prepare<[string, string], { id: number }>(
    'SELECT id FROM log_source WHERE cluster = ? AND service = ?',
  )
  readonly #addSource = this.db.prepare<[string, string]>('INSERT INTO log_source (cluster, service) VALUES (?, ?)')
  readonly #add = this.db.prepare<[bigint, number, number, number, Uint8Array | null, Uint8Array]>(
    'INSERT OR IGNORE INTO log_record (time_ns, source, hash, severity, trace_id, payload) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #edge = this.db.prepare<[bigint], { timeNs: bigint }>(
    `SELECT time_ns AS timeNs FROM log_record WHERE time_ns < ? ORDER BY time_ns LIMIT 1 OFFSET ${ROWS_PER_STEP}`,
  )
  readonly #remove = this.db.prepare<[bigint]>('DELETE FROM log_record WHERE time_ns < ?')
  readonly #removeSources = this.db.prepare<[]>(
    'DELETE FROM log_source WHERE NOT EXISTS (SELECT 1 FROM log_record WHERE source = id)',
  )
  readonly #sources = new Map<string, number>()
  #pending: PendingRecord[] = []
  #pendingBytes = 0

  readonly #changes: ChangeSink | undefined

  /** @param changes is given what is to be shipped; absent: nothing is */
  constructor(db: Database.Database, changes?: ChangeSink) {
    super(db)
    this.#changes = changes
    this.#edge.safeIntegers()
  }

  get isDurable(): boolean {
    return this.#pending.length === 0
  }

  /** Memory of pending records. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  putLogs(records: readonly LogRecord[]): void {
    for (const record of records) {
      const { timeNs, cluster, service, severity } = record
      const payload = packLogRecord(record)
      const traceId = record.traceId === '' ? null : Buffer.from(record.traceId, 'hex')
      this.#pending.push({ timeNs, cluster, service, hash: payloadHash(payload), severity, traceId, payload })
      this.#pendingBytes += payload.length + PENDING_BYTES
    }
  }

  /** Call in the transaction of a commit; then call `written` after the commit, or `failed`. */
  write(): void {
    for (const record of this.#pending) {
      const { timeNs, severity, traceId, payload } = record
      const source = this.#sourceOf(record)
      const { changes } = this.#add.run(timeNs, source, record.hash, severity, traceId, payload)
      if (changes > 0) this.#changes?.note({ kind: 'record', timeNs, source, hash: record.hash })
    }
  }

  written(): void {
    if (this.isDurable) return
    this.#pending = []
    this.#pendingBytes = 0
  }

  failed(): void {
    this.#sources.clear()
  }

  /** Removes some of the records from before; true when there may be more. The connection must be free. */
  removeSome(floorMs: number): boolean {
    const floorNs = BigInt(Math.max(0, floorMs)) * 1_000_000n
    const edge = this.#edge.get(floorNs)
    const removed = this.#remove.run(edge?.timeNs ?? floorNs).changes
    if (edge !== undefined && removed > 0) return true
    if (removed > 0 && this.#removeSources.run().changes > 0) this.#sources.clear()
    return false
  }

  #sourceOf({ cluster, service }: PendingRecord): number {
    const key = `${cluster}\0${service}`
    const known = this.#sources.get(key)
    if (known !== undefined) return known
    const id =
      this.#findSource.get(cluster, service)?.id ?? Number(this.#addSource.run(cluster, service).lastInsertRowid)
    if (this.#sources.size >= SOURCES_KNOWN_MAX) this.#sources.clear()
    this.#sources.set(key, id)
    return id
  }
}
