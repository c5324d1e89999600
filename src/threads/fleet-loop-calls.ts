/** The loop that derives facts, as main sees it: a step of its cycle. */
import type { OwnMetrics } from '../base/metrics.ts'
import type { Log } from '../base/log.ts'
import type { FleetLoop, FleetReport } from '../fleet/loop/fleet-loop.ts'

/** Where it stands how far facts are derived. */
export const POSITION_KEY = 'fleet.position'

/** A fault that stays is said again this often, not at every beat. */
const REPEAT_FAULT_AFTER_MS = 60_000

/** The step of the beat: derives, counts, and says what failed. */
export function createFactsStep(
  loop: Pick<FleetLoop, 'runCycle'>,
  metrics: OwnMetrics,
  log: Log,
): (nowMs: number) => Promise<FleetReport> {
  const saidAtMs = new Map<string, number>()
  return async (nowMs) => {
    const report = await loop.runCycle(nowMs)
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
