import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { inPostgres, type Connection } from './postgres.ts'

/**
 * Removes from PostgreSQL what collectors shipped about a cluster. Traces with spans of other clusters too are shipped again
 * by each collector that erases the cluster itself.
 */

const OF_CLUSTER = ['signal_samples', 'object_state', 'observed_object', 'object_listing', 'collected_cluster']

/** @param names of the cluster. Returns how many rows were removed. Throws FleetError. */
export async function eraseObservations(pool: SharedPool, names: readonly string[]): Promise<number> {
  try {
    return await inPostgres(pool, (connection) => erase(connection, names))
  } catch (thrown) {
    throw postgresFailureOf('erasing a cluster', thrown)
  }
}

async function erase(connection: Connection, names: readonly string[]): Promise<number> {
  let removed = 0
  const remove = async (sql: string): Promise<void> => {
    removed += (await connection.query(`${sql} RETURNING 1 AS one`, [names])).length
  }
  for (const table of OF_CLUSTER) {
    await remove(`DELETE FROM ${table} WHERE cluster IN (SELECT id FROM observed_cluster WHERE name = ANY($1::text[]))`)
  }
  await remove('DELETE FROM observed_cluster WHERE name = ANY($1::text[])')
  await remove('DELETE FROM cluster_claim WHERE cluster = ANY($1::text[]) OR name = ANY($1::text[])')
  await remove('DELETE FROM upgrade_trace WHERE cluster = ANY($1::text[])')
  await remove('DELETE FROM log_record WHERE source IN (SELECT id FROM log_source WHERE cluster = ANY($1::text[]))')
  await remove('DELETE FROM log_source WHERE cluster = ANY($1::text[])')
  const own = 'SELECT collector, trace_id FROM trace WHERE clusters && $1::text[] AND clusters <@ $1::text[]'
  for (const table of ['trace_part', 'trace_name']) {
    await remove(`DELETE FROM ${table} WHERE (collector, trace_id) IN (${own})`)
  }
  await remove('DELETE FROM trace WHERE clusters && $1::text[] AND clusters <@ $1::text[]')
  return removed
}
