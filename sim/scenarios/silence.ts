import type { ClusterPlan } from '../scenario.ts'
import { windowAt, type Recurring, type Window } from './window.ts'

/** A cluster that stops sending. What it would have sent in that time is lost. */
export interface SilenceHabit extends Recurring {
  /** Whether its last word is that its series end (targets taken away) or nothing at all (power or network gone). */
  readonly hasStaleMarkers: boolean
}

export function silenceAt(plan: ClusterPlan, timeMs: number): Window | undefined {
  return windowAt(plan.silence, timeMs)
}
