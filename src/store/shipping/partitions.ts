import type { SharedPool } from '../postgres/pool.ts'
import { inPostgres, onConnection, type Connection } from './postgres.ts'

/**
 * Partitions by time: made before the first row needs one, and some ahead; dropped when all they hold is older than the
 * retention. The name of a partition has its first day since the epoch: `log_record_p20484`.
 */

const DAY_MS = 86_400_000
export const WEEK_MS = 7 * DAY_MS

interface PartitionedTable {
  readonly name: string
  readonly widthMs: number
  /** Of its column, per millisecond. */
  readonly unitsPerMs: bigint
}

const TABLES = {
  signal_samples: { name: 'signal_samples', widthMs: WEEK_MS, unitsPerMs: 1n },
  trace: { name: 'trace', widthMs: DAY_MS, unitsPerMs: 1n },
  trace_part: { name: 'trace_part', widthMs: DAY_MS, unitsPerMs: 1n },
  trace_name: { name: 'trace_name', widthMs: DAY_MS, unitsPerMs: 1n },
  log_record: { name: 'log_record', widthMs: DAY_MS, unitsPerMs: 1_000_000n },
} as const satisfies Record<string, PartitionedTable>

export type PartitionedName = keyof typeof TABLES

/** Made ahead of the present. */
const AHEAD = 2

/** Daytwo's number, and that of partitions: two that make the same one would fail. */
const LOCK = 'SELECT pg_advisory_xact_lock(1144149079, 5)'
/** Readers queue behind who waits to drop a partition. */
const DROP_WITHIN = "SET LOCAL lock_timeout = '2s'"

export type PartitionTimes = Readonly<Partial<Record<PartitionedName, Iterable<number>>>>

export class Partitions {
  readonly #pool: SharedPool
  /** Partitions that exist. */
  readonly #known = new Set<string>()

  constructor(pool: SharedPool) {
    this.#pool = pool
  }

  /**
   * Call before rows of these times are written. In a transaction of its own, which delays neither readers nor writers: a
   * table is attached, not created as a partition.
   */
  async make(timesMs: PartitionTimes): Promise<void> {
    const missing = Object.entries(timesMs).flatMap(([name, ofTable]) => {
      const table: PartitionedTable = TABLES[name as PartitionedName]
      const starts = new Set(Array.from(ofTable, (timeMs) => startOf(table, timeMs)))
      return Array.from(starts, (startMs) => ({ table, startMs, partition: nameOf(table, startMs) })).filter(
        ({ partition }) => !this.#known.has(partition),
      )
    })
    if (missing.length === 0) return
    await inPostgres(this.#pool, async (connection) => {
      await connection.query(LOCK)
      for (const { table, startMs, partition } of missing) await attach(connection, table, startMs, partition)
    })
    for (const { partition } of missing) this.#known.add(partition)
  }

  /** The partitions of the present and those ahead. */
  async makeAhead(nowMs: number): Promise<void> {
    const times = Object.entries(TABLES).map(([name, { widthMs }]) => {
      return [name, Array.from({ length: AHEAD + 1 }, (_, i) => nowMs + i * widthMs)] as const
    })
    await this.make(Object.fromEntries(times))
  }

  /** Drops partitions that end at or before a time. Returns how many. */
  async drop(name: PartitionedName, floorMs: number): Promise<number> {
    const table: PartitionedTable = TABLES[name]
    const rows = await onConnection(this.#pool, (connection) =>
      connection.query<{ partition: string }>(
        `SELECT relname::text AS partition FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
           WHERE inhparent = $1::regclass`,
        [name],
      ),
    )
    const old = rows.filter(({ partition }) => endOf(table, partition) <= floorMs)
    for (const { partition } of old) {
      await inPostgres(this.#pool, async (connection) => {
        await connection.query(DROP_WITHIN)
        await connection.query(`DROP TABLE IF EXISTS ${partition}`)
      })
      this.#known.delete(partition)
    }
    return old.length
  }

  /** Others may have dropped some. */
  forget(): void {
    this.#known.clear()
  }
}

async function attach(
  connection: Connection,
  { name, widthMs, unitsPerMs }: PartitionedTable,
  startMs: number,
  partition: string,
): Promise<void> {
  const [row] = await connection.query<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [
    partition,
  ])
  if (row?.isThere === true) return
  const [from, to] = [startMs, startMs + widthMs].map((ms) => String(BigInt(ms) * unitsPerMs))
  await connection.query(`CREATE TABLE ${partition} (LIKE ${name} INCLUDING ALL)`)
  await connection.query(`ALTER TABLE ${name} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to})`)
}

/** Of the partition with a time. Weeks begin on Thursdays, as the epoch did. */
function startOf({ widthMs }: PartitionedTable, timeMs: number): number {
  return Math.floor(timeMs / widthMs) * widthMs
}

function nameOf({ name }: PartitionedTable, startMs: number): string {
  return `${name}_p${startMs / DAY_MS}`
}

/** Infinity for a table that is none of ours. */
function endOf({ widthMs }: PartitionedTable, partition: string): number {
  const [, day] = /_p(\d+)$/.exec(partition) ?? []
  return day === undefined ? Infinity : Number(day) * DAY_MS + widthMs
}
