/** The loop that derives facts, between threads: what main asks, and what the ingest worker writes for it. */
import type { OwnMetrics } from '../base/metrics.ts'
import type { Log } from '../base/log.ts'
import type { FleetReport } from '../fleet/loop/fleet-loop.ts'
import type { AdoptionSink } from '../model/adoption.ts'
import type { Facts } from '../store/facts/facts.ts'
import type { FactsBatch } from '../store/facts/fleet-facts.ts'

/** What main asks the query worker. */
export type FleetLoopCalls = {
  deriveFleet(nowMs: number): Promise<FleetReport>
}

/** What the query worker asks the ingest worker. */
export type FactsCalls = {
  putFacts(batch: FactsBatch): Promise<readonly string[]>
  putAdoptionDay: AdoptionSink['putDay']
}

/** Where it stands how far facts are derived. */
export const POSITION_KEY = 'fleet.position'

export function factsCalls({ fleet, adoption }: Facts): FactsCalls {
  return {
    putFacts: (batch) => fleet.putAll(batch),
    putAdoptionDay: (day, rows, usage, nowMs) => adoption.putDay(day, rows, usage, nowMs),
  }
}

/** A fault that stays is said again this often, not at every beat. */
const REPEAT_FAULT_AFTER_MS = 60_000

/** The step of the beat: derives, counts, and says what failed. */
export function createFactsStep(
  query: FleetLoopCalls,
  metrics: OwnMetrics,
  log: Log,
): (nowMs: number) => Promise<FleetReport> {
  const saidAtMs = new Map<string, number>()
  return async (nowMs) => {
    const report = await query.deriveFleet(nowMs)
    const { derived, waiting, failures, tookMs } = report
    metrics.fleetDerivations.inc(derived)
    metrics.fleetFailures.inc(failures.length)
    metrics.fleetWaiting.set(waiting)
    metrics.fleetBeatSeconds.set(tookMs / 1000)
    for (const [error, atMs] of saidAtMs) if (Math.abs(nowMs - atMs) >= REPEAT_FAULT_AFTER_MS) saidAtMs.delete(error)
    for (const { subject, error } of failures) {
      if (saidAtMs.has(error)) continue
      saidAtMs.set(error, nowMs)
      log.error({ subject, error }, 'facts could not be derived; it is tried again')
    }
    return report
  }
}
