import { groupBy } from '../../base/group-by.ts'
import {
  runsBefore,
  runsFrom,
  unionOfRuns,
  lastMsOf,
  type CollectedSeries,
  type SampledGroup,
} from '../../model/signal-samples.ts'
import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { Partitions, WEEK_MS } from './partitions.ts'
import { columnsOf, inPostgres, lockPositions, type Connection } from './postgres.ts'
import { packSamples, shortKey, unpackSamples } from './sample-codec.ts'
import { clusterNumbers, moveClusters } from './ship-observations.ts'

/**
 * Writes the samples of signals that a collector has to PostgreSQL, one row per cluster, group and week. Metric runs are
 * derived from the samples of all collectors: runs of parts of the samples cannot be joined exactly, because a value that one
 * collector was not sent may be between two samples of its run.
 */
export class SignalSamples {
  readonly #pool: SharedPool
  readonly #collector: string
  readonly #partitions: Partitions
  /** By cluster: the time that was written last. */
  readonly #seenMs = new Map<string, number>()
  #id: number | undefined

  /** @param collector the random id of the data directory */
  constructor(pool: SharedPool, collector: string) {
    this.#pool = pool
    this.#collector = collector
    this.#partitions = new Partitions(pool)
  }

  /** In one transaction. Throws FleetError; nothing is written then. */
  async put(groups: readonly SampledGroup[]): Promise<void> {
    const chunks = groups.flatMap(chunksOf)
    if (chunks.length === 0) return
    try {
      await this.#partitions.make({ signal_samples: chunks.map(({ weekMs }) => weekMs) })
      await inPostgres(this.#pool, async (connection) => {
        const collector = (this.#id ??= await collectorNumber(connection, this.#collector))
        await putChunks(connection, collector, chunks)
      })
    } catch (thrown) {
      this.#id = undefined
      this.#partitions.forget()
      throw postgresFailureOf('writing samples of signals', thrown)
    }
  }

  /** The newest samples of clusters, by which readers recognise silence; to the minute. */
  async putSeen(newestMs: ReadonlyMap<string, number>): Promise<void> {
    const seen = new Map(
      [...newestMs].filter(([name, seenMs]) => seenMs >= (this.#seenMs.get(name) ?? -Infinity) + SEEN_STEP_MS),
    )
    if (seen.size === 0) return
    try {
      await inPostgres(this.#pool, async (connection) => {
        const collector = (this.#id ??= await collectorNumber(connection, this.#collector))
        const numbers = await clusterNumbers(connection, seen.keys())
        const rows = Array.from(seen, ([name, seenMs]) => ({ cluster: numbers.get(name), seenMs }))
        await connection.query(
          `INSERT INTO collected_cluster (collector, cluster, objects_seen_ms, metrics_seen_ms)
             SELECT $1, cluster, 0, seen_ms FROM unnest($2::integer[], $3::bigint[]) AS row (cluster, seen_ms)
             ON CONFLICT (cluster, collector) DO UPDATE SET metrics_seen_ms = excluded.metrics_seen_ms
               WHERE collected_cluster.metrics_seen_ms < excluded.metrics_seen_ms`,
          [collector, ...columnsOf(rows, 'cluster', 'seenMs')],
        )
      })
      for (const [name, seenMs] of seen) this.#seenMs.set(name, seenMs)
    } catch (thrown) {
      this.#id = undefined
      throw postgresFailureOf('writing when clusters were last seen', thrown)
    }
  }
}

const SEEN_STEP_MS = 60_000

async function collectorNumber(connection: Connection, key: string): Promise<number> {
  // The shipper ships everything when it finds no epoch of its own.
  await connection.query("INSERT INTO collector (key, epoch, shipped_seq) VALUES ($1, '', 0) ON CONFLICT DO NOTHING", [
    key,
  ])
  const [row] = await connection.query<{ id: number }>('SELECT id FROM collector WHERE key = $1', [key])
  return row!.id
}

/** What replaces the samples of a week from `fromMs` on. */
interface Chunk {
  readonly cluster: string
  readonly group: string
  readonly weekMs: number
  readonly fromMs: number
  readonly series: readonly CollectedSeries[]
}

function chunksOf({ cluster, group, fromMs, series }: SampledGroup): Chunk[] {
  const short = series.map((one) => ({ ...one, identity: shortKey(one.identity), series: shortKey(one.series) }))
  const timesMs = short.flatMap(({ runs }) => runs.flatMap((run) => [run.firstMs, lastMsOf(run)]))
  if (timesMs.length === 0) return []
  const oldestMs = timesMs.reduce((least, ms) => Math.min(least, ms), Infinity)
  const newestMs = timesMs.reduce((greatest, ms) => Math.max(greatest, ms), -Infinity)
  const chunks: Chunk[] = []
  // Before the oldest one there is nothing to replace: samples are never removed.
  for (let weekMs = Math.floor(Math.max(oldestMs, fromMs) / WEEK_MS) * WEEK_MS; weekMs <= newestMs; weekMs += WEEK_MS) {
    const ofWeek = short.flatMap((one) => {
      const runs = runsBefore(runsFrom(one.runs, Math.max(weekMs, fromMs)), weekMs + WEEK_MS)
      return runs.length === 0 ? [] : [{ ...one, runs }]
    })
    if (ofWeek.length > 0) chunks.push({ cluster, group, weekMs, fromMs, series: ofWeek })
  }
  return chunks
}

async function putChunks(connection: Connection, collector: number, chunks: readonly Chunk[]): Promise<void> {
  const numbers = await clusterNumbers(
    connection,
    chunks.map(({ cluster }) => cluster),
  )
  const keys = chunks.map(({ cluster, group, weekMs }) => ({ cluster: numbers.get(cluster)!, group, weekMs }))
  const stored = await connection.query<{ cluster: number; group: string; weekMs: number; payload: Uint8Array }>(
    `SELECT cluster, signals AS "group", time_ms AS "weekMs", payload FROM signal_samples
       WHERE collector = $1 AND (cluster, signals, time_ms) IN (SELECT * FROM unnest($2::integer[], $3::text[], $4::bigint[]))`,
    [collector, ...columnsOf(keys, 'cluster', 'group', 'weekMs')],
  )
  const textOf = (key: { cluster: number; group: string; weekMs: number }): string =>
    `${key.cluster} ${key.group} ${key.weekMs}`
  const before = new Map(stored.map((row) => [textOf(row), row.payload]))
  const rows = new Map<string, { cluster: number; group: string; weekMs: number; payload: Uint8Array }>()
  for (const [i, chunk] of chunks.entries()) {
    const key = keys[i]!
    const payload = before.get(textOf(key))
    const known = payload === undefined ? [] : unpackSamples(payload)
    const written = packSamples(withChunk(known, chunk))
    // Another chunk of the same batch may follow.
    before.set(textOf(key), written)
    if (payload === undefined || !Buffer.from(payload).equals(written))
      rows.set(textOf(key), { ...key, payload: written })
  }
  if (rows.size === 0) return
  const all = [...rows.values()]
  await connection.query(
    `INSERT INTO signal_samples (collector, cluster, signals, time_ms, payload)
       SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::bigint[], $5::bytea[])
       ON CONFLICT (cluster, signals, collector, time_ms) DO UPDATE
         SET payload = excluded.payload, version = signal_samples.version + 1`,
    [collector, ...columnsOf(all, 'cluster', 'group', 'weekMs', 'payload')],
  )
  await lockPositions(connection)
  await moveClusters(connection, { all: new Set(all.map(({ cluster }) => cluster)), objects: new Set() })
}

function withChunk(known: readonly CollectedSeries[], { fromMs, series }: Chunk): readonly CollectedSeries[] {
  const older = known.map((one) => ({ ...one, runs: runsBefore(one.runs, fromMs) }))
  const bySeries = groupBy([...older, ...series], (one) => one.series)
  return [...bySeries.values()]
    .map((parts) => ({ ...parts[0]!, runs: unionOfRuns(parts.map(({ runs }) => runs)) }))
    .filter(({ runs }) => runs.length > 0)
}
