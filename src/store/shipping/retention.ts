import { packMinutes, unpackMinutes } from '../observations/minutes-codec.ts'
import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { Partitions } from './partitions.ts'
import { columnsOf, inPostgres, lockPositions, onConnection, type Connection } from './postgres.ts'
import { moveClusters } from './ship-observations.ts'

/**
 * Retention in PostgreSQL. What is partitioned is dropped by the day, samples of signals by the week. Objects are removed as in
 * SQLite: the current state of an object is not removed, whatever its age, as long as any collector reports the object. Several
 * processes may do this at the same time; each cluster is due once a day.
 */

export interface RetentionLimits {
  readonly retentionTracesMs: number
  readonly retentionLogsMs: number
  readonly retentionObjectsMs: number
  /** Of one cluster: of more, the oldest that ended are removed. */
  readonly clusterObjectStatesMax: number
}

const CLUSTERS_PER_RUN = 200
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Its state, as all collectors have it: $1 is the cluster, $2 the edge. */
const MERGED = `merged AS (
  SELECT kind, uid, is_deleted, hash, max(last_version) AS last_version, max(last_ms) AS last_ms, max(seen_ms) AS seen_ms,
    (array_agg(first_ms ORDER BY first_version, first_ms))[1] AS first_ms
  FROM object_state WHERE cluster = $1 GROUP BY kind, uid, is_deleted, hash)`

const REMOVE_OBJECTS = `WITH seen AS (
    SELECT kind, uid FROM observed_object WHERE cluster = $1 AND listed_minute * ${MINUTE_MS} >= $2
    UNION SELECT kind, uid FROM object_state WHERE cluster = $1 AND (last_ms >= $2 OR seen_ms >= $2))
  DELETE FROM object_state WHERE cluster = $1 AND (kind, uid) NOT IN (SELECT kind, uid FROM seen) RETURNING 1 AS one`

const REMOVE_STATES = `WITH ${MERGED}, ended AS (
    SELECT kind, uid, is_deleted, hash FROM merged WHERE last_ms < $2 AND seen_ms < $2 AND EXISTS (
      SELECT 1 FROM merged AS later WHERE later.kind = merged.kind AND later.uid = merged.uid
        AND later.last_version > merged.last_version AND later.first_ms < $2))
  DELETE FROM object_state USING ended WHERE cluster = $1 AND object_state.kind = ended.kind
    AND object_state.uid = ended.uid AND object_state.is_deleted = ended.is_deleted AND object_state.hash = ended.hash
  RETURNING 1 AS one`

const REMOVE_OLDEST = `WITH ${MERGED}, placed AS (
    SELECT *, row_number() OVER (PARTITION BY kind, uid ORDER BY last_version DESC, is_deleted DESC, hash DESC) AS place FROM merged),
  oldest AS (
    SELECT kind, uid, is_deleted, hash FROM placed WHERE place > 1 ORDER BY greatest(last_ms, seen_ms), last_version, hash
      LIMIT greatest(0, (SELECT count(*) FROM merged) - $2))
  DELETE FROM object_state USING oldest WHERE cluster = $1 AND object_state.kind = oldest.kind
    AND object_state.uid = oldest.uid AND object_state.is_deleted = oldest.is_deleted AND object_state.hash = oldest.hash
  RETURNING object_state.last_ms AS "lastMs"`

const REMOVE_STATELESS = `DELETE FROM observed_object AS object WHERE cluster = $1 AND NOT EXISTS (
  SELECT 1 FROM object_state WHERE object_state.cluster = $1 AND object_state.kind = object.kind
    AND object_state.uid = object.uid)`

export class PostgresRetention {
  readonly #pool: SharedPool
  readonly #limits: RetentionLimits
  readonly #partitions: Partitions

  constructor(pool: SharedPool, limits: RetentionLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#partitions = new Partitions(pool)
  }

  /** Some of what is due. True when there may be more. Throws FleetError; the next call continues. */
  async run(nowMs: number): Promise<boolean> {
    const { retentionTracesMs, retentionLogsMs, retentionObjectsMs } = this.#limits
    try {
      this.#partitions.forget()
      await this.#partitions.makeAhead(nowMs)
      for (const table of ['trace_part', 'trace_name', 'trace'] as const) {
        await this.#partitions.drop(table, nowMs - retentionTracesMs)
      }
      await this.#partitions.drop('log_record', nowMs - retentionLogsMs)
      await this.#partitions.drop('signal_samples', nowMs - retentionObjectsMs)
      await onConnection(this.#pool, (connection) =>
        connection.query(
          'DELETE FROM upgrade_trace WHERE NOT EXISTS (SELECT 1 FROM trace WHERE trace.trace_id = upgrade_trace.trace_id)',
        ),
      )
      return await this.#trimSome(nowMs - retentionObjectsMs)
    } catch (thrown) {
      throw postgresFailureOf('applying retention', thrown)
    }
  }

  async #trimSome(nowFloorMs: number): Promise<boolean> {
    const floorMs = Math.floor(nowFloorMs / DAY_MS) * DAY_MS
    const due = await onConnection(this.#pool, (connection) =>
      connection.query<{ id: number }>(
        `SELECT id FROM observed_cluster WHERE checked_ms < $1 ORDER BY id LIMIT ${CLUSTERS_PER_RUN}`,
        [floorMs],
      ),
    )
    for (const { id } of due)
      await inPostgres(this.#pool, (connection) => trim(connection, id, floorMs, this.#limits.clusterObjectStatesMax))
    return due.length === CLUSTERS_PER_RUN
  }
}

async function trim(connection: Connection, cluster: number, floorMs: number, statesMax: number): Promise<void> {
  let removed = 0
  for (const sql of [REMOVE_OBJECTS, REMOVE_STATES]) {
    removed += (await connection.query(sql, [cluster, floorMs])).length
  }
  const oldest = await connection.query<{ lastMs: number }>(REMOVE_OLDEST, [cluster, statesMax])
  removed += oldest.length
  const trimmedMs = oldest.reduce((newest, { lastMs }) => Math.max(newest, lastMs), floorMs)
  await connection.query(REMOVE_STATELESS, [cluster])
  await trimListings(connection, cluster, floorMs)
  if (removed > 0) {
    await lockPositions(connection)
    await moveClusters(connection, { all: new Set([cluster]), objects: new Set([cluster]) })
  }
  await connection.query(
    'UPDATE observed_cluster SET checked_ms = $2, trimmed_ms = CASE WHEN $3 THEN greatest(trimmed_ms, $4) ELSE trimmed_ms END WHERE id = $1',
    [cluster, floorMs, removed > 0, trimmedMs],
  )
}

async function trimListings(connection: Connection, cluster: number, floorMs: number): Promise<void> {
  const rows = await connection.query<{ kind: number; namespace: string; collector: number; minutes: Uint8Array }>(
    'SELECT kind, namespace, collector, minutes FROM object_listing WHERE cluster = $1',
    [cluster],
  )
  const trimmed = rows.flatMap(({ minutes, ...row }) => {
    const all = unpackMinutes(minutes)
    const left = all.filter((minute) => minute * MINUTE_MS >= floorMs)
    return left.length === all.length ? [] : [{ ...row, minutes: packMinutes(left) }]
  })
  if (trimmed.length === 0) return
  await connection.query(
    `UPDATE object_listing SET minutes = given.minutes
       FROM unnest($2::smallint[], $3::text[], $4::smallint[], $5::bytea[]) AS given (kind, namespace, collector, minutes)
       WHERE cluster = $1 AND object_listing.kind = given.kind AND object_listing.namespace = given.namespace
         AND object_listing.collector = given.collector`,
    [cluster, ...columnsOf(trimmed, 'kind', 'namespace', 'collector', 'minutes')],
  )
}
