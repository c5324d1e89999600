/** The facts of `daytwo migrate`: observations, traces and log records as servers ship them, runs of metrics, and all other tables. */
import { FleetError } from '../base/errors.ts'
import { systemClock } from '../base/clock.ts'
import { SIGNAL_GROUPS } from '../fleet/signals/signals.ts'
import type { MetricSignal } from '../model/observation.ts'
import { closeDatabase, openDatabase, openDatabaseForReading } from '../store/database.ts'
import { copyFacts, type CopiedFacts } from '../store/postgres/copy-facts.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import { createPool } from '../store/postgres/pool.ts'
import { collectorIdOf } from '../store/shipping/change-log.ts'
import { openChangeSource } from '../store/shipping/change-source.ts'
import { MigratedRuns } from '../store/shipping/migrated-runs.ts'
import { Shipper } from '../store/shipping/shipper.ts'
import type { MigrationFile } from './migration-file.ts'

export interface FactsMigration {
  readonly dir: string
  readonly postgres: PostgresOptions
  readonly file: MigrationFile
  readonly onCopied: (copied: number, total: number) => void
  readonly onShipped: (text: string) => void
}

export interface FactsResult extends CopiedFacts {
  /** Rows that are damaged, or that PostgreSQL refuses. */
  readonly refused: number
}

/** Throws FleetError; what was copied by then is there, and is replaced by the next copy. */
export async function migrateFacts(migration: FactsMigration): Promise<FactsResult> {
  const { dir } = migration
  checkIsEmbedded(dir)
  const sourceId = idOf(dir)
  // First: a database that is refused stays as it is.
  await copy(migration, sourceId)
  const refused = await shipAll(migration)
  return { ...(await copy(migration, sourceId)), refused }
}

/** Facts as they are now; observations of before. */
export function copyFactsAgain(migration: FactsMigration): Promise<CopiedFacts> {
  return copy(migration, idOf(migration.dir))
}

async function copy({ dir, postgres, onCopied }: FactsMigration, sourceId: string): Promise<CopiedFacts> {
  const source = openDatabaseForReading(dir)
  try {
    return await copyFacts({
      ...{ source, sourceId, target: postgres, onProgress: onCopied },
      nowMs: () => systemClock.nowMs(),
    })
  } finally {
    source.close()
  }
}

async function shipAll({ dir, postgres, file, onShipped }: FactsMigration): Promise<number> {
  const atMs = systemClock.nowMs()
  const { pass, atMs: sinceMs } = file.state.observations ?? { pass: `migration ${atMs}`, atMs }
  file.put({ ...file.state, observations: { pass, atMs: sinceMs } })
  const db = openDatabaseForReading(dir)
  const pool = await createPool(postgres)
  try {
    const shipper = new Shipper(db, pool, pass)
    let shipped = 0
    for (;;) {
      // What was received before the pass is there when it ends.
      const step = await shipper.step(sinceMs)
      shipped += step.shipped
      onShipped(`${shipped} objects, listings, traces and log records`)
      if (step.changesLeft === 0) break
    }
    const runs = new MigratedRuns(db)
    for (let after: number | undefined = 0; after !== undefined;) after = await runs.copySome(pool, after, groupOf)
    const { samples } = file.state
    file.put({ ...(samples && { samples }) })
    return shipper.refusedCount
  } finally {
    await pool.end()
    db.close()
  }
}

const GROUPS: ReadonlyMap<MetricSignal, string> = new Map(
  SIGNAL_GROUPS.flatMap(({ name, sources }) => [...sources.values()].map(({ signal }) => [signal, name] as const)),
)

const groupOf = (signal: MetricSignal): string | undefined => GROUPS.get(signal)

/** Facts of a server with PostgreSQL are there already. */
function checkIsEmbedded(dir: string): void {
  const { db, source } = openChangeSource(dir)
  const isShipped = source.state() !== undefined
  db.close()
  if (!isShipped) return
  throw new FleetError('config_invalid', `the server of ${dir} has its facts in PostgreSQL already`, {
    hint: 'leave out store.facts to migrate samples alone',
  })
}

function idOf(dir: string): string {
  const db = openDatabase(dir)
  try {
    return collectorIdOf(db)
  } finally {
    closeDatabase(db, dir, 'PASSIVE')
  }
}
