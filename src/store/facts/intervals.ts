import type { Kysely, Selectable } from 'kysely'
import type { VersionInterval } from '../../model/cluster-record.ts'
import type { FactsSchema, VersionIntervalTable } from './schema.ts'

export function intervalRowOf(interval: VersionInterval): VersionIntervalTable {
  return {
    cluster: interval.cluster,
    operator: interval.operator,
    from_ms: interval.fromMs,
    version: interval.version,
    until_ms: interval.untilMs ?? null,
    is_start_known: interval.isStartKnown ? 1 : 0,
    resolution_seconds: interval.resolutionSeconds,
  }
}

export function intervalOfRow(row: Selectable<VersionIntervalTable>): VersionInterval {
  return {
    cluster: row.cluster,
    operator: row.operator,
    version: row.version,
    fromMs: row.from_ms,
    isStartKnown: row.is_start_known === 1,
    ...(row.until_ms === null ? {} : { untilMs: row.until_ms }),
    resolutionSeconds: row.resolution_seconds,
  }
}

/** By operator, start and version. */
export function selectIntervals(
  db: Kysely<FactsSchema>,
  cluster: string,
): Promise<readonly Selectable<VersionIntervalTable>[]> {
  return db
    .selectFrom('version_interval')
    .selectAll()
    .where('cluster', '=', cluster)
    .orderBy('operator')
    .orderBy('from_ms')
    .orderBy('version')
    .execute()
}
