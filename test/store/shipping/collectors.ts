import { afterEach } from 'vitest'
import type Database from 'better-sqlite3'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { SqlObservations } from '../../../src/store/observations/observation-reader.ts'
import { SqlLogs } from '../../../src/store/observations/log-record-reader.ts'
import type { PostgresOptions } from '../../../src/store/postgres/options.ts'
import { createPool, type SharedPool } from '../../../src/store/postgres/pool.ts'
import { PostgresObservations } from '../../../src/store/shipping/observation-reader.ts'
import { onConnection } from '../../../src/store/shipping/postgres.ts'
import { Shipper, type ShippingStep } from '../../../src/store/shipping/shipper.ts'
import { SqlSpanReader } from '../../../src/store/spans/span-reader.ts'
import { signalRunsOf } from '../../../src/fleet/signals/signal-runs.ts'
import { openTempFacts } from '../postgres/temp-postgres.ts'
import { NOW_MS, TempStore, type TestOptions } from '../temp-store.ts'

/** Collectors that ship to one PostgreSQL. */

const closing: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

export interface Shared {
  readonly options: PostgresOptions
  readonly pool: SharedPool
  newReader(): PostgresObservations
  ask<R>(text: string, values?: readonly unknown[]): Promise<readonly R[]>
}

/** The tables, and a pool that is closed after the test. */
export async function openShared(options: PostgresOptions): Promise<Shared> {
  await openTempFacts(options)
  const pool = await createPool(options)
  closing.push(() => pool.end())
  return {
    options,
    pool,
    newReader: () =>
      new PostgresObservations(pool, (cluster, series) => signalRunsOf(cluster, series, [], 0, true).runs),
    ask: (text, values) => onConnection(pool, (connection) => connection.query(text, values)),
  }
}

export class Collector {
  readonly store: TempStore
  readonly shared: Shared
  #db: Database.Database | undefined
  #shipper: Shipper | undefined

  constructor(shared: Shared, options: TestOptions = {}) {
    this.store = new TempStore({ isShipping: true, ...options })
    this.shared = shared
    closing.push(() => {
      this.#db?.close()
    })
  }

  get db(): Database.Database {
    return (this.#db ??= openDatabaseForReading(this.store.options.dir))
  }

  get shipper(): Shipper {
    return (this.#shipper ??= new Shipper(this.db, this.shared.pool))
  }

  /** As after a restart of the thread. */
  newShipper(): Shipper {
    return (this.#shipper = new Shipper(this.db, this.shared.pool))
  }

  get reader(): SqlObservations {
    return new SqlObservations(this.db)
  }

  get logs(): SqlLogs {
    return new SqlLogs(this.db)
  }

  get spans(): SqlSpanReader {
    return new SqlSpanReader(this.db)
  }

  async commit(work: (writer: TempStore['writer']) => void): Promise<void> {
    work(this.store.writer)
    await this.store.writer.appender.commit()
  }

  /** Ships until nothing is left. */
  async ship(nowMs = NOW_MS): Promise<ShippingStep> {
    for (;;) {
      const step = await this.shipper.step(nowMs)
      if (step.changesLeft === 0) return step
    }
  }
}
