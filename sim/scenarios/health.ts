import type { ClusterPlan } from '../cluster-plan.ts'
import { windowAt, type Window } from './window.ts'

/** HCO's own health: what its conditions say, with the upgrade's own unrest mixed in as the versions do it. */
export const HEALTHY = 0
export const WARNING = 1
export const ERROR = 2
export type Health = typeof HEALTHY | typeof WARNING | typeof ERROR

/**
 * KubeVirt says Degraded for the whole of its update, and HCO copies that as an error. While other operands are
 * progressing, releases before 1.16 say warning; later ones know that they are upgrading.
 */
export function healthAt(plan: ClusterPlan, timeMs: number): Health {
  return healthWindowAt(plan, timeMs)?.health ?? HEALTHY
}

/** The unhealthy stretch that holds `timeMs`. */
export function healthWindowAt(plan: ClusterPlan, timeMs: number): (Window & { readonly health: Health }) | undefined {
  const degraded = windowAt(plan.degraded, timeMs)
  if (degraded !== undefined) return { ...degraded, health: ERROR }
  for (const upgrade of plan.upgrades) {
    const { hcoStartMs, kubevirtStartMs, kubevirtObservedMs, endMs } = upgrade
    if (timeMs < hcoStartMs || timeMs >= endMs) continue
    if (upgrade.hasKubevirtRoll && timeMs >= kubevirtStartMs && timeMs < kubevirtObservedMs) {
      return { fromMs: kubevirtStartMs, untilMs: kubevirtObservedMs, health: ERROR }
    }
    if (upgrade.to.minor >= 16) return undefined
    if (!upgrade.hasKubevirtRoll) return { fromMs: hcoStartMs, untilMs: endMs, health: WARNING }
    return timeMs < kubevirtStartMs
      ? { fromMs: hcoStartMs, untilMs: kubevirtStartMs, health: WARNING }
      : { fromMs: kubevirtObservedMs, untilMs: endMs, health: WARNING }
  }
  return undefined
}
