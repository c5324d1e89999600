import type { StoredKind, StoredPart } from '../../model/cluster-report.ts'
import { kindOf } from '../observations/object-codec.ts'
import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { onConnection } from './postgres.ts'

/** What is stored about a cluster in PostgreSQL, beside facts. Bytes are of what is compressed. */

export const SHIPPED_KINDS: ReadonlySet<StoredKind> = new Set<StoredKind>([
  ...(['objects', 'metric_runs', 'log_records', 'traces', 'claims'] as const),
])

interface Row {
  readonly count: number
  readonly bytes: number | null
  readonly oldestMs: number | null
  readonly newestMs: number | null
}

const IDS = 'SELECT id FROM observed_cluster WHERE name = ANY($1::text[])'
const OBJECTS = `SELECT kind, count(DISTINCT uid) AS count, sum(length(facts))::bigint AS bytes, min(first_ms) AS "oldestMs",
  max(last_ms) AS "newestMs" FROM object_state WHERE cluster IN (${IDS}) GROUP BY kind ORDER BY kind`

const COUNTED: readonly (readonly [what: StoredKind, sql: string])[] = [
  [
    'metric_runs',
    `count(*) AS count, sum(length(payload))::bigint AS bytes, min(time_ms) AS "oldestMs", NULL::bigint AS "newestMs"
       FROM signal_samples WHERE cluster IN (${IDS})`,
  ],
  [
    'log_records',
    `count(*) AS count, sum(length(payload))::bigint AS bytes, min(time_ns) / 1000000 AS "oldestMs",
       max(time_ns) / 1000000 AS "newestMs"
       FROM log_record WHERE source IN (SELECT id FROM log_source WHERE cluster = ANY($1::text[]))`,
  ],
  [
    'traces',
    `count(*) AS count, NULL::bigint AS bytes, min(start_ns) / 1000000 AS "oldestMs",
       max(last_start_ns) / 1000000 AS "newestMs" FROM trace WHERE clusters && $1::text[]`,
  ],
  [
    'claims',
    `count(DISTINCT (cluster, name)) AS count, NULL::bigint AS bytes, NULL::bigint AS "oldestMs",
       max(last_ms) AS "newestMs" FROM cluster_claim WHERE cluster = ANY($1::text[])`,
  ],
]

/** Throws FleetError. */
export async function shippedParts(pool: SharedPool, names: readonly string[]): Promise<readonly StoredPart[]> {
  try {
    return await onConnection(pool, async (connection) => {
      const objects = await connection.query<Row & { readonly kind: number }>(OBJECTS, [names])
      const parts: StoredPart[] = objects.map(({ kind, ...row }) => ({ kind: kindOf(kind), ...partOf('objects', row) }))
      for (const [what, sql] of COUNTED) {
        const [row] = await connection.query<Row>(`SELECT ${sql}`, [names])
        if (row !== undefined) parts.push(partOf(what, row))
      }
      return parts
    })
  } catch (thrown) {
    throw postgresFailureOf('reading what is stored about a cluster', thrown)
  }
}

function partOf(what: StoredKind, { count, bytes, oldestMs, newestMs }: Row): StoredPart {
  return {
    ...{ what, count },
    ...(bytes !== null && { bytes }),
    ...(oldestMs !== null && { oldestMs }),
    ...(newestMs !== null && { newestMs }),
  }
}
