import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { valueText } from '../../model/attribute-text.ts'
import type { LogQuery, LogReader, LogRecord } from '../../model/log-record.ts'
import { asFailure, openDatabaseForReading, readable } from '../database.ts'
import { unpackLogRecord } from './log-record-codec.ts'

/** Log records for the query worker: newest first; ties by sender and content. */

interface Row {
  readonly timeNs: bigint
  readonly cluster: string
  readonly service: string
  readonly severity: bigint
  readonly traceId: Uint8Array | null
  readonly hash: bigint
  readonly payload: Uint8Array
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
    const { contains, limit } = query
    const wanted = contains?.toLowerCase() ?? ''
    const found: LogRecord[] = []
    let checkedCount = 0
    for (const row of this.#rows(query)) {
      if (found.length >= limit) break
      if (wanted !== '' && ++checkedCount > CHECKED_MAX) {
        throw new FleetError('query_limit', `searched ${CHECKED_MAX} log records, the maximum`, {
          hint: 'select a shorter range, one cluster or one service',
        })
      }
      const record = readable(() => recordOf(row))
      if (record === undefined) continue
      if (wanted === '' || valueText(record.body).toLowerCase().includes(wanted)) found.push(record)
    }
    return found
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

function recordOf({ timeNs, cluster, service, severity, traceId, hash, payload }: Row): LogRecord {
  return {
    ...{ timeNs, cluster, service },
    severity: Number(severity),
    traceId: traceId === null ? '' : Buffer.from(traceId).toString('hex'),
    ...unpackLogRecord(payload, Number(hash)),
  }
}
