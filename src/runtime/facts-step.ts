import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { FleetLoop, FleetReport } from '../fleet/loop/fleet-loop.ts'

/** The first step of the evaluation cycle, on main: runs a cycle of the fleet loop, counts it and logs its failures. */
export function createFactsStep(
  loop: Pick<FleetLoop, 'runCycle'>,
  metrics: OwnMetrics,
  log: Log,
): (nowMs: number) => Promise<FleetReport> {
  const throttle = new FaultThrottle()
  return async (nowMs) => {
    const report = await loop.runCycle(nowMs)
    const { derived, waiting, failures, dropped, tookMs } = report
    metrics.fleetDerivations.inc(derived)
    metrics.fleetFailures.inc(failures.length)
    metrics.fleetWaiting.set(waiting)
    metrics.fleetCycleSeconds.set(tookMs / 1000)
    for (const { subject, error } of failures) {
      if (!throttle.admits(error, nowMs)) continue
      log.error({ subject, error }, 'deriving facts failed; the server retries')
    }
    if (dropped !== undefined) {
      metrics.fleetValuesDropped.inc(dropped.changes)
      metrics.fleetAttemptsDropped.inc(dropped.attempts)
      if (throttle.admits('facts dropped', nowMs)) {
        log.warn(
          dropped,
          'a cluster has more changes or upgrade attempts than are derived: the past before them is unknown',
        )
      }
    }
    return report
  }
}
