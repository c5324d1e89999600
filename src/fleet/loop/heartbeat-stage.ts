/**
 * When clusters were last seen. A cluster that reports the same as before changes no fact; its heartbeat is what tells a
 * silent cluster from one at rest.
 */
import type { FleetCoverage } from '../clusters/fleet-coverage.ts'
import type { SignalWatch } from '../signals/signal-watch.ts'
import type { LastSeen } from '../stuck/stuck.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { FleetLoopState } from './loop-state.ts'

export interface HeartbeatParts {
  readonly signals: Pick<SignalWatch, 'eachLastSeen'>
  readonly observations: Pick<ObservationReader, 'lastSeenSince'>
}

export interface HeartbeatIndex {
  markSeen(cluster: string, lastSeen: LastSeen): void
  coverage(nowMs: number): FleetCoverage
  verdicts(nowMs: number): readonly StuckVerdict[]
}

/** Longer than any source may pause. */
const LOOK_BACK_MS = 2 * 60 * 60_000

export async function updateLastSeen(
  { signals, observations }: HeartbeatParts,
  { changedFacts }: Pick<FleetLoopState, 'changedFacts'>,
  index: HeartbeatIndex,
  nowMs: number,
): Promise<void> {
  signals.eachLastSeen((cluster, metricsMs) => {
    index.markSeen(cluster, { metricsMs })
  })
  for (const { cluster, objectsMs } of await observations.lastSeenSince(nowMs - LOOK_BACK_MS)) {
    index.markSeen(cluster, { objectsMs })
  }
  changedFacts.stands(index.coverage(nowMs), index.verdicts(nowMs))
}
