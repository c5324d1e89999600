import type { PostgresOptions } from '../postgres/options.ts'
import { createPool } from '../postgres/pool.ts'
import type { ClusterReport, StoredPart } from '../../model/cluster-report.ts'
import { openChangeSource } from './change-source.ts'
import { PostgresDerivedTraces } from './derived-traces.ts'
import { PostgresLogs } from './log-reader.ts'
import { PostgresObservations, type RunsOfSamples } from './observation-reader.ts'
import { SHIPPED_KINDS, shippedParts } from './shipped-report.ts'
import { SignalSamples } from './signal-samples.ts'
import { PostgresSpans } from './span-reader.ts'

/** Observations, traces and log records in PostgreSQL, for the thread that reads and derives. */
export interface SharedStore {
  readonly observations: PostgresObservations
  readonly spans: PostgresSpans
  readonly logs: PostgresLogs
  readonly samples: SignalSamples
  readonly derivedTraces: PostgresDerivedTraces
  /** With what collectors shipped, in place of what this directory has of the same kinds. */
  withShipped(cluster: string, own: ClusterReport | undefined): Promise<ClusterReport | undefined>
  close(): Promise<void>
}

/** @param dir of this process, whose changes are logged. Throws FleetError. */
export async function openSharedStore(
  options: PostgresOptions,
  dir: string,
  runsOf: RunsOfSamples,
): Promise<SharedStore> {
  const pool = await createPool(options)
  const { db, source } = openChangeSource(dir)
  const state = source.state()
  db.close()
  const observations = new PostgresObservations(pool, runsOf)
  return {
    observations,
    spans: new PostgresSpans(pool),
    logs: new PostgresLogs(pool),
    samples: new SignalSamples(pool, state?.collector ?? ''),
    derivedTraces: new PostgresDerivedTraces(pool),
    withShipped: async (cluster, own) => {
      const names = own?.names ?? [cluster]
      const shipped: readonly StoredPart[] = await shippedParts(pool, names)
      const others = own?.stored.filter(({ what }) => !SHIPPED_KINDS.has(what)) ?? []
      const stored = [...others, ...shipped].filter(({ count }) => count > 0)
      return own === undefined && stored.length === 0 ? undefined : { names, stored }
    },
    close: () => pool.end(),
  }
}
