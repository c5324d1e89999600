/** Observations between threads: what the ingest worker keeps, durable when it answers, and what the query worker reads. */
import type { ObservationReader } from '../model/fleet-facts.ts'
import type { LogReader } from '../model/log-record.ts'
import type { MetricRun } from '../model/observation.ts'
import type { StoreWriter } from '../store/writer.ts'

/** Runs that take the place of those of a cluster that begin at `fromMs` or later. */
export interface RunBatch {
  readonly cluster: string
  readonly fromMs: number
  readonly runs: readonly MetricRun[]
}

/** What the query worker asks the ingest worker. */
export type ObservationCalls = {
  putRuns(batches: readonly RunBatch[]): Promise<void>
}

/** @param take runs what is put and commits it, or rejects because the writer has no room */
export function observationCalls(
  { observations }: StoreWriter,
  take: <T>(put: () => T) => Promise<T>,
): ObservationCalls {
  return {
    putRuns: (batches) =>
      take(() => {
        for (const { cluster, fromMs, runs } of batches) observations.putRuns(cluster, fromMs, runs)
      }),
  }
}

/** What main asks the query worker. */
export type ObservedCalls = {
  objectChanges: ObservationReader['changes']
  logRecords: LogReader['logs']
}

export function observedCalls(observations: ObservationReader, logs: LogReader): ObservedCalls {
  return {
    objectChanges: (cluster, range) => observations.changes(cluster, range),
    logRecords: (query) => logs.logs(query),
  }
}
