import { groupBy } from '../../base/group-by.ts'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { MetricRunReader } from '../observations/metric-runs.ts'
import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { Statements } from '../statements.ts'
import { Partitions, WEEK_MS } from './partitions.ts'
import { columnsOf, inPostgres, lockPositions, type Connection } from './postgres.ts'
import { packRuns } from './run-codec.ts'
import { clusterNumbers, moveClusters } from './ship-observations.ts'

/**
 * Copies the metric runs of a data directory to PostgreSQL, where runs are read from samples of signals: of times whose samples are
 * removed only the runs are left. They belong to no collector (0); readers continue them with the samples that collectors share.
 */

export const MIGRATED = 0

const CLUSTERS_AT_ONCE = 50

interface RunsOfWeek {
  readonly cluster: string
  readonly group: string
  readonly weekMs: number
  readonly payload: Buffer
}

export class MigratedRuns extends Statements {
  readonly #clusters = this.db.prepare<[number], { id: number; name: string }>(
    `SELECT id, name FROM observed_cluster WHERE id > ? ORDER BY id LIMIT ${CLUSTERS_AT_ONCE}`,
  )
  readonly #runs = new MetricRunReader(this.db)

  /**
   * Copies the runs of the next clusters, in place of earlier copies. Returns where to continue; undefined: all are copied. Throws
   * FleetError; then nothing of these is copied.
   */
  async copySome(
    pool: SharedPool,
    after: number,
    groupOf: (signal: MetricSignal) => string | undefined,
  ): Promise<number | undefined> {
    const { clusters, weeks } = this.atomically(() => {
      const some = this.#clusters.all(after)
      return {
        clusters: some,
        weeks: some.flatMap(({ id, name }) => weeksOf(name, this.#runs.read(name, id), groupOf)),
      }
    })
    const last = clusters.at(-1)
    if (last === undefined) return undefined
    try {
      await new Partitions(pool).make({ signal_samples: weeks.map(({ weekMs }) => weekMs) })
      const names = clusters.map(({ name }) => name)
      await inPostgres(pool, (connection) => replaceWeeks(connection, names, weeks))
    } catch (thrown) {
      throw postgresFailureOf('copying runs of metrics', thrown)
    }
    return last.id
  }
}

function weeksOf(
  cluster: string,
  runs: readonly MetricRun[],
  groupOf: (signal: MetricSignal) => string | undefined,
): readonly RunsOfWeek[] {
  return [...groupBy(runs, ({ signal }) => groupOf(signal))].flatMap(([group, ofGroup]) => {
    if (group === undefined) return []
    const weeks = groupBy(ofGroup, ({ firstMs }) => Math.floor(firstMs / WEEK_MS) * WEEK_MS)
    return Array.from(weeks, ([weekMs, ofWeek]) => ({ cluster, group, weekMs, payload: packRuns(ofWeek) }))
  })
}

async function replaceWeeks(
  connection: Connection,
  clusters: readonly string[],
  weeks: readonly RunsOfWeek[],
): Promise<void> {
  const numbers = await clusterNumbers(connection, clusters)
  const rows = weeks.map((row) => ({ ...row, cluster: numbers.get(row.cluster)! }))
  const before = await connection.query<{ cluster: number; group: string; weekMs: number; payload: Buffer }>(
    `SELECT cluster, signals AS "group", time_ms AS "weekMs", payload FROM signal_samples
       WHERE collector = ${MIGRATED} AND cluster = ANY($1::integer[])`,
    [[...numbers.values()]],
  )
  const keyOf = (row: { cluster: number; group: string; weekMs: number }): string =>
    `${row.cluster} ${row.group} ${row.weekMs}`
  const known = new Map(before.map((row) => [keyOf(row), row.payload]))
  const changed = rows.filter((row) => known.get(keyOf(row))?.equals(row.payload) !== true)
  const left = new Set(rows.map(keyOf))
  const gone = before.filter((row) => !left.has(keyOf(row)))
  if (changed.length > 0) {
    await connection.query(
      `INSERT INTO signal_samples (collector, cluster, signals, time_ms, payload)
         SELECT ${MIGRATED}, * FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bytea[])
         ON CONFLICT (cluster, signals, collector, time_ms) DO UPDATE
           SET payload = excluded.payload, version = signal_samples.version + 1`,
      [...columnsOf(changed, 'cluster', 'group', 'weekMs', 'payload')],
    )
  }
  await connection.query(
    `DELETE FROM signal_samples WHERE collector = ${MIGRATED}
       AND (cluster, signals, time_ms) IN (SELECT * FROM unnest($1::integer[], $2::text[], $3::bigint[]))`,
    [...columnsOf(gone, 'cluster', 'group', 'weekMs')],
  )
  await lockPositions(connection)
  await moveClusters(connection, {
    all: new Set([...changed, ...gone].map(({ cluster }) => cluster)),
    objects: new Set(),
  })
}
