import type { LogQuery, LogReader, LogRecord } from '../../model/log-record.ts'
import { LogSearch, type LogRow } from '../observations/log-record-reader.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { repeating } from '../postgres/run-facts.ts'
import { int64 } from '../spans/span-reader.ts'
import { onConnection } from './postgres.ts'

/** Log records that collectors shipped to PostgreSQL: newest first; ties by sender and content. */

type Row = Omit<LogRow, 'timeNs'> & { readonly timeNs: string; readonly source: number }

const ROWS_AT_ONCE = 1000
/** Rows of one page are in memory together. */
const FIRST_ROWS = 100

export class PostgresLogs implements LogReader {
  readonly #pool: SharedPool

  constructor(pool: SharedPool) {
    this.#pool = pool
  }

  async logs(query: LogQuery): Promise<readonly LogRecord[]> {
    const search = new LogSearch(query)
    let last: Row | undefined
    for (let limit = FIRST_ROWS; ; limit = ROWS_AT_ONCE) {
      const rows = await this.#page(query, last, limit)
      const isDone = rows.some((row) => search.isDoneWith({ ...row, timeNs: BigInt(row.timeNs) }))
      if (isDone || rows.length < limit) return search.found
      last = rows.at(-1)
    }
  }

  #page(query: LogQuery, after: Row | undefined, limit: number): Promise<readonly Row[]> {
    const { cluster, clusters, service, traceId, severityMin = 0, fromNs, toNs } = query
    const values: unknown[] = []
    const put = (value: unknown): string => `$${values.push(value)}`
    const tests = [`time_ns BETWEEN ${put(String(int64(fromNs)))}::bigint AND ${put(String(int64(toNs)))}::bigint`]
    if (cluster !== undefined) tests.push(`cluster = ${put(cluster)}`)
    if (clusters !== undefined) tests.push(`cluster = ANY(${put(clusters)}::text[])`)
    if (service !== undefined) tests.push(`service = ${put(service)}`)
    if (traceId !== undefined) tests.push(`trace_id = ${put(Buffer.from(traceId, 'hex'))}`)
    if (severityMin > 0) tests.push(`severity >= ${put(severityMin)}`)
    if (after !== undefined) {
      const place = [after.timeNs, after.source, after.hash].map(put).join('::bigint, ')
      tests.push(`(time_ns, source, hash) < (${place}::bigint)`)
    }
    const sql = `SELECT time_ns::text AS "timeNs", source, cluster, service, severity, trace_id AS "traceId", hash, payload
      FROM log_record JOIN log_source ON log_source.id = source WHERE ${tests.join(' AND ')}
      ORDER BY time_ns DESC, source DESC, hash DESC LIMIT ${limit}`
    return repeating('reading log records', () =>
      onConnection(this.#pool, (connection) => connection.query<Row>(sql, values)),
    )
  }
}
