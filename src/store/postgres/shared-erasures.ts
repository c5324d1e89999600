import { sql } from 'kysely'
import type { Erasure, MetricsStoreErasure } from '../../model/erasure.ts'
import type { RunFacts } from '../facts/facts-tables.ts'

/** Erasures of clusters that all processes carry out, each in its own data folder. */

interface Row {
  readonly id: string
  readonly names: string | null
  readonly by: string
  readonly startedMs: number
  readonly metricsStore: string | null
  readonly doneMs: number | null
  readonly allowedMs: number | null
  readonly allowedBy: string | null
}

interface ProgressRow {
  readonly erasure: string
  readonly process: string
  readonly removed: number
  readonly doneMs: number | null
}

/** One erasure of a cluster at a time begins. The first number is Daytwo's. */
const LOCK = sql`SELECT pg_advisory_xact_lock(1144149079, 5)`

export class SqlSharedErasures {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  /** In the order in which they began. `removed` is the sum of all processes. */
  async list(): Promise<readonly Erasure[]> {
    return this.#run('reading erasures', async (db) => {
      const erasures = await sql<Row>`
        SELECT id, names, by, started_at_ms AS "startedMs", metrics_store AS "metricsStore", done_at_ms AS "doneMs",
          allowed_at_ms AS "allowedMs", allowed_by AS "allowedBy" FROM shared_erasure ORDER BY started_at_ms, id
      `.execute(db)
      const progress = await sql<ProgressRow>`
        SELECT erasure, process, removed, done_at_ms AS "doneMs" FROM shared_erasure_process ORDER BY erasure, process
      `.execute(db)
      return erasures.rows.map((row) =>
        erasureOf(
          row,
          progress.rows.filter(({ erasure }) => erasure === row.id),
        ),
      )
    })
  }

  /** Begins, unless one of these names is being erased. @returns the id of the erasure */
  async begin(id: string, names: readonly string[], by: string, nowMs: number): Promise<string> {
    return this.#run('erasing a cluster', (db) =>
      db.transaction().execute(async (transaction) => {
        await LOCK.execute(transaction)
        const { rows } = await sql<{ id: string }>`
          SELECT id FROM shared_erasure WHERE names IS NOT NULL AND names::jsonb ?| ${names}::text[] LIMIT 1
        `.execute(transaction)
        if (rows[0] !== undefined) return rows[0].id
        await sql`
          INSERT INTO shared_erasure (id, names, by, started_at_ms) VALUES (${id}, ${JSON.stringify(names)}, ${by}, ${nowMs})
        `.execute(transaction)
        return id
      }),
    )
  }

  /** Names that a process found in its data folder are erased by all. */
  async addNames(id: string, names: readonly string[]): Promise<void> {
    await this.#write(sql`
      UPDATE shared_erasure SET names = (
        SELECT jsonb_agg(DISTINCT name)::text
        FROM jsonb_array_elements_text(names::jsonb || ${JSON.stringify(names)}::jsonb) AS name
      ) WHERE id = ${id} AND names IS NOT NULL
    `)
  }

  async report(id: string, process: string, removed: number, doneMs: number | undefined): Promise<void> {
    await this.#write(sql`
      INSERT INTO shared_erasure_process (erasure, process, removed, done_at_ms)
        VALUES (${id}, ${process}, ${removed}, ${doneMs ?? null})
      ON CONFLICT (erasure, process) DO UPDATE SET removed = excluded.removed, done_at_ms = excluded.done_at_ms
    `)
  }

  async noteMetricsStore(id: string, state: MetricsStoreErasure): Promise<void> {
    await this.#write(sql`UPDATE shared_erasure SET metrics_store = ${JSON.stringify(state)} WHERE id = ${id}`)
  }

  /** Nothing of the cluster is stored any more, its names included. */
  async finish(id: string, nowMs: number): Promise<void> {
    await this.#write(sql`UPDATE shared_erasure SET names = NULL, done_at_ms = ${nowMs} WHERE id = ${id}`)
  }

  async allow(id: string, by: string, nowMs: number): Promise<void> {
    await this.#write(sql`
      UPDATE shared_erasure SET allowed_at_ms = ${nowMs}, allowed_by = ${by} WHERE id = ${id} AND allowed_at_ms IS NULL
    `)
  }

  async #write(statement: ReturnType<typeof sql>): Promise<void> {
    await this.#run('writing an erasure', (db) => statement.execute(db))
  }
}

function erasureOf(row: Row, progress: readonly ProgressRow[]): Erasure {
  const { id, names, by, startedMs, metricsStore, doneMs, allowedMs, allowedBy } = row
  return {
    ...{ id, by, startedMs, removed: progress.reduce((sum, { removed }) => sum + removed, 0) },
    ...(names === null ? {} : { names: JSON.parse(names) as string[] }),
    ...(metricsStore === null ? {} : { metricsStore: JSON.parse(metricsStore) as MetricsStoreErasure }),
    ...(doneMs === null ? {} : { doneMs }),
    ...(allowedMs === null || allowedBy === null ? {} : { allowed: { atMs: allowedMs, by: allowedBy } }),
    processes: progress.map(({ process, removed, doneMs: endMs }) => {
      return { process, removed, ...(endMs === null ? {} : { doneMs: endMs }) }
    }),
  }
}
