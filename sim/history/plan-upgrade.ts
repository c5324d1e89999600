import { SECOND_MS } from '../scenarios/window.ts'
import { type UpgradeWish, type StepClock, stepClock } from './step-clock.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import { randomOf } from '../random.ts'
import {
  type Component,
  type ComponentLife,
  type CsvLife,
  type HandlerRollout,
  type HcoUpgrade,
  type StallKind,
} from './cluster-history.ts'
import { planInstall, planReturn } from './plan-csv.ts'
import { planWorkloads } from './plan-workloads.ts'
import { uidOf } from './uid.ts'

/**
 * Lays one upgrade out in time. Durations follow what was measured on real clusters: most of it within a quarter of an
 * hour, virt-handler by waves of a tenth of the nodes.
 */
export function planUpgrade(profile: ClusterProfile, wish: UpgradeWish): HcoUpgrade {
  const random = randomOf(profile.seed, 'history upgrade', wish.index)
  const clock = stepClock(random, wish)
  const { from, to } = wish
  const plannedMs = clock.after(5, 40, 'bundle_unpack')
  const approval = wish.approvalMs > 0 ? 'Manual' : 'Automatic'
  if (wish.approvalMs > 0) clock.waits('approval', wish.approvalMs)
  const approvedMs = clock.after(1, 3)
  const install = planInstall(clock, wish)
  const hcoStartMs = clock.after(5, 30)
  // A CSV that failed is the end, whatever comes of it later.
  const goesOnUntilMs = wish.fails === true ? -Infinity : wish.abortedMs
  const { components, rollout, operandsMs } = planOperands(profile, clock, { ...wish, abortedMs: goesOnUntilMs })
  clock.skipTo(operandsMs)
  const hangsAs = wish.stall?.kind === 'hco_hangs' ? 'hco_hangs' : 'reconcile'
  const endMs = within(clock.after(20, 90, hangsAs), goesOnUntilMs)
  const kubevirtMs = components.find(({ name }) => name === 'kubevirt')?.endMs ?? Infinity
  const workloads =
    rollout === undefined || kubevirtMs === Infinity
      ? undefined
      : planWorkloads(profile, wish.index, kubevirtMs, wish.stall)
  const { csvSteps, ...times } = install
  const csv: CsvLife = {
    uid: uidOf(profile.seed, 'csv', wish.index),
    release: to,
    replaces: wish.replaces ?? from,
    createdMs: within(install.createdMs, wish.abortedMs),
    steps: csvSteps.filter(({ atMs }) => atMs < wish.abortedMs),
    goneMs: Infinity,
  }
  return {
    ...{ index: wish.index, from, to, approval, offeredMs: wish.offeredMs, csv },
    plannedMs: within(plannedMs, wish.abortedMs),
    approvedMs: within(approvedMs, wish.abortedMs),
    operatorPodsMs: within(times.operatorPodsMs, wish.abortedMs),
    csvSucceededMs: within(times.csvSucceededMs, wish.abortedMs),
    hcoStartMs: within(hcoStartMs, goesOnUntilMs),
    ...{ components, rollout, endMs, workloads, outcome: wish.outcome, abortedMs: wish.abortedMs },
    stall: workloads?.stall ?? clock.stall(),
    returned: wish.outcome === 'rolled_back' ? planReturn(profile, wish) : undefined,
  }
}

function within(timeMs: number, abortedMs: number): number {
  return timeMs < abortedMs ? timeMs : Infinity
}

/** KubeVirt takes longest; the others begin with it and are done long before. */
function planOperands(
  profile: ClusterProfile,
  clock: StepClock,
  wish: UpgradeWish,
): {
  readonly components: readonly ComponentLife[]
  readonly rollout: HandlerRollout | undefined
  readonly operandsMs: number
} {
  const random = randomOf(profile.seed, 'history operands', wish.index)
  const { from, to, abortedMs } = wish
  const components: ComponentLife[] = []
  const add = (name: Component, fromVersion: string, toVersion: string, startMs: number, endMs: number): void => {
    if (fromVersion === toVersion || startMs >= abortedMs) return
    components.push({ name, from: fromVersion, to: toVersion, startMs, endMs: within(endMs, abortedMs) })
  }
  const startMs = clock.after(5, 20)
  const lasts = (min: number, max: number): number => random.int(min, max) * SECOND_MS
  let rollout: HandlerRollout | undefined
  if (from.kubevirt !== to.kubevirt) {
    const planned = planRollout(profile, clock, abortedMs)
    rollout = planned.startMs < abortedMs ? planned : undefined
    clock.after(25, 45, 'virt_operator_hangs')
    add('kubevirt', from.kubevirt, to.kubevirt, startMs, clock.after(30, 75))
  }
  const otherEnds = [
    ['network-addons', from.cnao, to.cnao, startMs + lasts(30, 90)],
    ['ssp', from.ssp, to.ssp, startMs + lasts(30, 90)],
    ['cdi', from.cdi, to.cdi, startMs + lasts(40, 120)],
  ] as const
  if (wish.stall?.kind === 'operand') clock.skipTo(Math.max(...otherEnds.map((end) => end[3])))
  const failing = otherEnds.findLast(([, fromVersion, toVersion]) => fromVersion !== toVersion)
  let operandsMs = clock.nowMs()
  for (const end of otherEnds) {
    const [name, fromVersion, toVersion, endMs] = end
    // Fails when the rest is done, so that it alone is in the way.
    const standsMs = end === failing ? clock.stopsAt('operand') : undefined
    const doneMs = standsMs === undefined ? endMs : clock.nowMs() + standsMs + lasts(20, 60)
    add(name, fromVersion, toVersion, startMs, doneMs)
    if (fromVersion !== toVersion) operandsMs = Math.max(operandsMs, doneMs)
  }
  return { components, rollout, operandsMs }
}

/** One node alone, then a tenth of all at a time. */
function planRollout(profile: ClusterProfile, clock: StepClock, abortedMs: number): HandlerRollout {
  const startMs = clock.after(5, 30)
  const nodes: { updatedMs: number; readyMs: number }[] = []
  const replace = (count: number, stallsAs?: StallKind): void => {
    const updatedMs = clock.after(8, 20)
    const readyMs = clock.after(20, 55, stallsAs)
    for (let i = 0; i < count; i++) {
      nodes.push({ updatedMs: within(updatedMs, abortedMs), readyMs: within(readyMs, abortedMs) })
    }
  }
  replace(1, 'canary')
  const perWave = Math.max(1, Math.ceil(profile.nodes.length / 10))
  const waves = Math.ceil((profile.nodes.length - 1) / perWave)
  for (let wave = 0; wave < waves; wave++) {
    replace(Math.min(perWave, profile.nodes.length - nodes.length), wave === Math.floor(waves / 2) ? 'wave' : undefined)
  }
  return { startMs, nodes }
}
