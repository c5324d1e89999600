import type { EditHabit } from './habits.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { randomOf } from '../random.ts'
import { isUpgradeMode } from './upgrade.ts'
import { HOUR_MS, MINUTE_MS } from './window.ts'

/**
 * Changes of operands behind HCO's back. HCO reverts and counts each one, per component, outside of an upgrade. The
 * counter's series is born at the first increment and dies with the operator's process, so most clusters have none.
 */
export const COMPONENT_NAMES = [
  'kubevirt/kubevirt-kubevirt-hyperconverged',
  'cdi/cdi-kubevirt-hyperconverged',
  'ssp/ssp-kubevirt-hyperconverged',
  'networkaddonsconfig/cluster',
] as const
export type ComponentName = (typeof COMPONENT_NAMES)[number]

/** An incident's last edit comes less than this after its first. */
const INCIDENT_SPAN_MS = 20 * MINUTE_MS

/** Times of the edits of one component that HCO counted in [fromMs, untilMs), in rising order. */
export function editsBetween(plan: ClusterPlan, component: ComponentName, fromMs: number, untilMs: number): number[] {
  const { edits: habit } = plan
  if (habit === undefined || untilMs <= habit.anchorMs) return []
  const first = Math.max(0, Math.floor((fromMs - INCIDENT_SPAN_MS - habit.anchorMs) / habit.everyMs))
  const times: number[] = []
  for (let k = first; habit.anchorMs + k * habit.everyMs < untilMs; k++) {
    const incident = incidentOf(plan, habit, k)
    if (incident.component !== component) continue
    times.push(...incident.times.filter((timeMs) => timeMs >= fromMs && timeMs < untilMs))
  }
  return times.filter((timeMs) => !isUpgradeMode(plan.upgrades, timeMs))
}

function incidentOf(plan: ClusterPlan, habit: EditHabit, k: number): { component: ComponentName; times: number[] } {
  const startMs = habit.anchorMs + k * habit.everyMs
  // Somebody's automation fights over one object; people touch this one and that one.
  if (habit.kind === 'fought') return { component: COMPONENT_NAMES[0], times: [startMs] }
  const random = randomOf(plan.profile.seed, 'edit', k)
  const component = random.weighted([
    [COMPONENT_NAMES[0], 6],
    [COMPONENT_NAMES[1], 2],
    [COMPONENT_NAMES[2], 1],
    [COMPONENT_NAMES[3], 2],
  ])
  const count = random.weighted([
    [1, 6],
    [2, 3],
    [3, 1],
  ])
  const times = [startMs]
  while (times.length < count) times.push(times.at(-1)! + random.int(2 * MINUTE_MS, 7 * MINUTE_MS))
  return { component, times }
}

/**
 * The counter, or `undefined` while the series does not exist: before the operator process' first revert of that
 * component. `oldEdits` are counts that a long-lived process brings along from before the fleet's history.
 */
export function outOfBandCountAt(plan: ClusterPlan, component: ComponentName, timeMs: number): number | undefined {
  const restartMs = lastRestartMs(plan, timeMs)
  const old = restartMs === -Infinity && component === COMPONENT_NAMES[0] ? plan.oldEdits : 0
  const fromMs = Math.max(restartMs, plan.startMs)
  const count = old + editsBetween(plan, component, fromMs, timeMs + 1).length
  return count === 0 ? undefined : count
}

/** When the operator's process last started; minus infinity when that was before the fleet's history. */
export function lastRestartMs(plan: ClusterPlan, timeMs: number): number {
  const rolled = plan.upgrades.findLast((upgrade) => upgrade.operatorPodsMs <= timeMs)?.operatorPodsMs ?? -Infinity
  const habit = plan.restarts
  if (habit === undefined || timeMs < habit.anchorMs) return rolled
  const restartMs = habit.anchorMs + Math.floor((timeMs - habit.anchorMs) / habit.everyMs) * habit.everyMs
  return Math.max(rolled, restartMs)
}

/** How long the alert on these changes goes on after the last one. */
export const EDIT_ALERT_MS = 10 * MINUTE_MS

export const RESTART_EVERY_MS = 3 * HOUR_MS
