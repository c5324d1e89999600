import type { ClusterProfile } from '../cluster-profile.ts'
import type { Random } from '../random.ts'
import { SECOND_MS } from '../scenarios/window.ts'
import type { HcoUpgrade } from './cluster-history.ts'

/** The next upgrade, without a pause: its CSV comes while the last one runs and is held in Pending until its end, or right after it. */
export interface ChainedOffer {
  readonly offeredMs: number
  readonly gateMs: number
}

/** From the offer to the CSV, at most, and from a CSV that succeeded until its predecessor is gone. */
const OFFERED_MS = 55 * SECOND_MS
const SETTLED_MS = 10 * SECOND_MS

/** `undefined`: a pause follows, as after most. Who approves takes time, and moves of machines that stand still are waited for. */
export function chainedOffer(
  random: Random,
  profile: ClusterProfile,
  upgrade: HcoUpgrade,
  share: number,
): ChainedOffer | undefined {
  const isChained = random.chance(share)
  const [isHeld, place] = [random.chance(0.7), random.next()]
  const { csvSucceededMs, endMs, workloads, stall } = upgrade
  const isOfWorkloads = stall !== undefined && workloads !== undefined && stall.fromMs >= workloads.startMs
  if (!isChained || profile.approval === 'Manual' || endMs === Infinity || isOfWorkloads) return undefined
  const [fromMs, untilMs] = [csvSucceededMs + SETTLED_MS, endMs - OFFERED_MS]
  const atMs = isHeld && untilMs > fromMs ? fromMs + place * (untilMs - fromMs) : endMs + place * 300 * SECOND_MS
  return { offeredMs: Math.floor(atMs / SECOND_MS) * SECOND_MS, gateMs: endMs }
}

/** Machines that the next KubeVirt finds outdated are its own to move: the move of the last one never ends. */
export function overtaken(last: HcoUpgrade, next: HcoUpgrade): HcoUpgrade {
  const { workloads } = last
  const atMs = next.components.find(({ name }) => name === 'kubevirt')?.startMs
  if (workloads === undefined || atMs === undefined || workloads.endMs <= atMs) return last
  const migrations = workloads.migrations.filter(({ createdMs }) => createdMs < atMs)
  const lastMs = Math.max(atMs, ...migrations.map(({ endMs }) => endMs))
  const movedMs = workloads.movedMs.filter((movedMs) => movedMs <= lastMs)
  const endMs = movedMs.length < workloads.movedMs.length ? Infinity : workloads.endMs
  return { ...last, workloads: { ...workloads, migrations, movedMs, endMs } }
}
