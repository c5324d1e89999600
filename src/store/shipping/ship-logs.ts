import { compareText } from '../../model/labels.ts'
import { columnsOf, type Connection } from './postgres.ts'
import type { RecordRow } from './row-source.ts'

/** Log records to PostgreSQL. A record that is there already, from any collector, is the same one. */

export async function shipLogs(connection: Connection, records: readonly RecordRow[]): Promise<void> {
  if (records.length === 0) return
  const sources = await sourceNumbers(connection, records)
  const rows = records.map(({ timeNs, cluster, service, hash, severity, traceId, payload }) => ({
    ...{ timeNs: String(timeNs), source: sources.get(sourceKey(cluster, service)), hash: String(hash) },
    ...{ severity: Number(severity), traceId, payload },
  }))
  await connection.query(
    `INSERT INTO log_record (time_ns, source, hash, severity, trace_id, payload)
       SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::smallint[], $5::bytea[], $6::bytea[])
       ON CONFLICT DO NOTHING`,
    columnsOf(rows, 'timeNs', 'source', 'hash', 'severity', 'traceId', 'payload'),
  )
}

async function sourceNumbers(
  connection: Connection,
  records: readonly RecordRow[],
): Promise<ReadonlyMap<string, number>> {
  const byKey = new Map(records.map(({ cluster, service }) => [sourceKey(cluster, service), { cluster, service }]))
  // Sorted: two transactions that insert the same sources do not wait for each other.
  const sources = [...byKey.values()].sort(
    (a, b) => compareText(a.cluster, b.cluster) || compareText(a.service, b.service),
  )
  const select = `SELECT id, log_source.cluster, log_source.service FROM log_source
    JOIN unnest($1::text[], $2::text[]) AS given (cluster, service)
      ON log_source.cluster = given.cluster AND log_source.service = given.service`
  const find = () =>
    connection.query<{ id: number; cluster: string; service: string }>(select, columnsOf(sources, 'cluster', 'service'))
  let rows = await find()
  if (rows.length < sources.length) {
    await connection.query(
      'INSERT INTO log_source (cluster, service) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
      columnsOf(sources, 'cluster', 'service'),
    )
    rows = await find()
  }
  return new Map(rows.map(({ id, cluster, service }) => [sourceKey(cluster, service), id]))
}

function sourceKey(cluster: string, service: string): string {
  return `${cluster}\0${service}`
}
