import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { valueText } from '../../model/attribute-text.ts'
import type { LogQuery, LogReader, LogRecord } from '../../model/log-record.ts'
import { asFailure, openDatabaseForReading, readable } from '../database.ts'
import { unpackLogRecord } from './log-record-codec.ts'

/** Log records for the query worker: newest first; ties by sender and content. */

interface Row extends Omit<LogRow, 'severity' | 'hash'> {
  readonly severity: bigint
  readonly hash: bigint
}

/** Records that one search may read for a text. */
const CHECKED_MAX = 200_000

export function openLogsForReading(dir: string): LogReader & { close(): void } {
  const db = openDatabaseForReading(dir)
  return Object.assign(new SqlLogs(db), {
    close: () => {
      db.close()
    },
  })
}

export class SqlLogs implements LogReader {
  readonly #db: Database.Database

  constructor(db: Database.Database) {
    this.#db = db
  }

  async logs(query: LogQuery): Promise<readonly LogRecord[]> {
    return Promise.resolve(asFailure('reading log records', () => this.#read(query)))
  }

  #read(query: LogQuery): LogRecord[] {
    const search = new LogSearch(query)
    for (const row of this.#rows(query)) {
      if (search.isDoneWith({ ...row, severity: Number(row.severity), hash: Number(row.hash) })) break
    }
    return search.found
  }

  #rows({ cluster, clusters, service, traceId, severityMin = 0, fromNs, toNs }: LogQuery): IterableIterator<Row> {
    const tests = ['time_ns >= @fromNs', 'time_ns <= @toNs']
    if (cluster !== undefined || clusters !== undefined || service !== undefined) {
      const ofSource = [
        cluster === undefined ? '' : 'cluster = @cluster',
        clusters === undefined ? '' : 'cluster IN (SELECT value FROM json_each(@clusters))',
        service === undefined ? '' : 'service = @service',
      ]
      tests.push(`source IN (SELECT id FROM log_source WHERE ${ofSource.filter((test) => test !== '').join(' AND ')})`)
    }
    if (traceId !== undefined) tests.push('trace_id = @traceId')
    if (severityMin > 0) tests.push('severity >= @severityMin')
    const rows = this.#db.prepare<[Record<string, unknown>], Row>(
      `SELECT time_ns AS timeNs, cluster, service, severity, trace_id AS traceId, hash, payload
         FROM log_record JOIN log_source ON log_source.id = log_record.source
         WHERE ${tests.join(' AND ')} ORDER BY time_ns DESC, source DESC, hash DESC`,
    )
    rows.safeIntegers()
    const id = traceId === undefined ? null : Buffer.from(traceId, 'hex')
    const source = { cluster: cluster ?? null, clusters: JSON.stringify(clusters ?? []), service: service ?? null }
    return rows.iterate({ fromNs, toNs, severityMin, ...source, traceId: id })
  }
}

/** The rows that a query selects, newest first, to the records that it finds. */
export class LogSearch {
  readonly found: LogRecord[] = []
  readonly #limit: number
  readonly #wanted: string
  #checkedCount = 0

  constructor({ contains, limit }: LogQuery) {
    this.#limit = limit
    this.#wanted = contains?.toLowerCase() ?? ''
  }

  /** Checks the next row; true when no further row is needed. Throws FleetError `query_limit`. */
  isDoneWith(row: LogRow): boolean {
    if (this.found.length >= this.#limit) return true
    if (this.#wanted !== '' && ++this.#checkedCount > CHECKED_MAX) {
      throw new FleetError('query_limit', `searched ${CHECKED_MAX} log records, the maximum`, {
        hint: 'select a shorter range, one cluster or one service',
      })
    }
    const record = readable(() => recordOf(row))
    const isFound =
      record !== undefined && (this.#wanted === '' || valueText(record.body).toLowerCase().includes(this.#wanted))
    if (isFound) this.found.push(record)
    return this.found.length >= this.#limit
  }
}

export interface LogRow {
  readonly timeNs: bigint
  readonly cluster: string
  readonly service: string
  readonly severity: number
  readonly traceId: Uint8Array | null
  readonly hash: number
  readonly payload: Uint8Array
}

function recordOf({ timeNs, cluster, service, severity, traceId, hash, payload }: LogRow): LogRecord {
  return {
    ...{ timeNs, cluster, service, severity },
    traceId: traceId === null ? '' : Buffer.from(traceId).toString('hex'),
    ...unpackLogRecord(payload, hash),
  }
}
