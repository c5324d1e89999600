import type { ClusterPlan } from '../cluster-plan.ts'
import { windowAt, type Window } from './window.ts'

export function silenceAt(plan: ClusterPlan, timeMs: number): Window | undefined {
  return windowAt(plan.silence, timeMs)
}
