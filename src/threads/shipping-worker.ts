/**
 * The wiring of the thread that ships observations to PostgreSQL. It reads the data directory on a connection of its own, so
 * no commit and no query waits for it; main asks for each step.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import { createPool } from '../store/postgres/pool.ts'
import { openChangeSource } from '../store/shipping/change-source.ts'
import { eraseObservations } from '../store/shipping/erase.ts'
import { PostgresRetention, type RetentionLimits } from '../store/shipping/retention.ts'
import { Shipper, type ShippingStep } from '../store/shipping/shipper.ts'
import { carry, serve } from './rpc.ts'
import type { ThreadHello } from './start-thread.ts'

export interface ShippingData extends RetentionLimits {
  readonly dir: string
  readonly postgres: PostgresOptions
}

/** What main calls. */
export type ShippingServices = {
  readonly shipping: {
    step(nowMs: number): Promise<ShippingStep>
    /** True when there may be more to remove. */
    retain(nowMs: number): Promise<boolean>
    erase(names: readonly string[]): Promise<number>
    close(): Promise<void>
  }
}

invariant(parentPort !== null, 'shipping runs in a thread')
try {
  const { dir, postgres, ...retention } = workerData as ShippingData
  const { db } = openChangeSource(dir)
  const pool = await createPool(postgres)
  const shipper = new Shipper(db, pool)
  const retain = new PostgresRetention(pool, retention)
  const services: ShippingServices = {
    shipping: {
      step: (nowMs) => shipper.step(nowMs),
      retain: (nowMs) => retain.run(nowMs),
      erase: (names) => eraseObservations(pool, names),
      close: async () => {
        await pool.end()
        db.close()
      },
    },
  }
  serve(parentPort, services)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
