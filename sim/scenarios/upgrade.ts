import type { ClusterProfile } from '../cluster-profile.ts'
import { randomOf } from '../random.ts'
import type { Release } from '../release.ts'
import { MINUTE_MS, type Window } from './window.ts'

/**
 * One upgrade of HCO, laid out in time as its observers see it: OLM moves the CSVs and the operators' pods, then the new
 * operator moves the operands, KubeVirt last and longest. The CSV's success is not the end, and virtual machines move
 * after it (see outdatedVmsAt). Durations follow what was measured on real clusters: most of it within 15 minutes.
 */
export interface UpgradePlan {
  readonly from: Release
  readonly to: Release
  /** The new CSV appears, pending; the old one is being replaced. */
  readonly startMs: number
  readonly installReadyMs: number
  readonly installingMs: number
  /** The operators' pods are replaced. */
  readonly operatorPodsMs: number
  readonly csvSucceededMs: number
  readonly oldCsvGoneMs: number
  /** The new operator enters its upgrade mode. */
  readonly hcoStartMs: number
  readonly operandPodsMs: number
  /** Neighbouring releases often bundle the same KubeVirt: then no handler rolls and no machine is outdated. */
  readonly hasKubevirtRoll: boolean
  readonly kubevirtStartMs: number
  /** When each node's virt-handler is replaced: the first node alone as a canary, then a tenth of the nodes at a time. */
  readonly handlerMs: readonly number[]
  readonly controllersMs: number
  readonly apiMs: number
  readonly kubevirtObservedMs: number
  /** Every operand has the new version: the upgrade is done. */
  readonly endMs: number
  readonly stall: Stall | undefined
}

/** Where an upgrade stands still, and for how long. */
export interface Stall extends Window {
  readonly kind: StallKind
}

/**
 * `olm`: the old operator says it is not upgradeable. `canary`: the first new virt-handler does not become ready. `hco`: all
 * operands are done, and HCO does not finish, without a word about why.
 */
export type StallKind = 'olm' | 'canary' | 'hco'

export interface StallWish {
  readonly kind: StallKind
  readonly lastsMs: number
}

const SECOND_MS = 1000

export function planUpgrade(
  profile: ClusterProfile,
  from: Release,
  to: Release,
  startMs: number,
  wish: StallWish | undefined,
): UpgradePlan {
  const random = randomOf(profile.seed, 'upgrade', from.hco)
  let atMs = startMs
  let stall: Stall | undefined
  /** Goes on by `min` to `max` seconds, and first waits out the stall that is wished for here. */
  const after = (min: number, max: number, stallsAs?: StallKind): number => {
    if (wish !== undefined && wish.kind === stallsAs) {
      stall = { kind: wish.kind, fromMs: atMs, untilMs: atMs + wish.lastsMs }
      atMs += wish.lastsMs
    }
    atMs += random.int(min * SECOND_MS, max * SECOND_MS)
    return atMs
  }
  const installReadyMs = after(45, 90, 'olm')
  const installingMs = after(31, 45)
  const operatorPodsMs = after(30, 60)
  const csvSucceededMs = after(31, 90)
  const oldCsvGoneMs = csvSucceededMs + random.int(5 * SECOND_MS, 40 * SECOND_MS)
  const hcoStartMs = after(10, 30)
  const operandPodsMs = after(15, 45)
  const hasKubevirtRoll = from.kubevirt !== to.kubevirt
  const kubevirtStartMs = hasKubevirtRoll ? after(5, 30) : atMs
  const canaryMs = hasKubevirtRoll ? after(35, 80) : atMs
  const handlerMs = hasKubevirtRoll ? [canaryMs, ...wavesMs(profile.nodes.length - 1, after)] : []
  const controllersMs = hasKubevirtRoll ? after(25, 45) : atMs
  const apiMs = hasKubevirtRoll ? after(25, 45) : atMs
  const kubevirtObservedMs = hasKubevirtRoll ? after(30, 75) : atMs
  return {
    ...{ from, to, startMs, installReadyMs, installingMs, operatorPodsMs, csvSucceededMs, oldCsvGoneMs, hcoStartMs },
    ...{ operandPodsMs, hasKubevirtRoll, kubevirtStartMs, handlerMs, controllersMs, apiMs, kubevirtObservedMs },
    endMs: after(60, 240, 'hco'),
    stall,
  }
}

/** Times of all nodes but the first. A canary that does not become ready stalls the first wave. */
function wavesMs(nodes: number, after: (min: number, max: number, stallsAs?: StallKind) => number): number[] {
  const perWave = Math.max(1, Math.ceil((nodes + 1) / 10))
  const times: number[] = []
  let waveMs = 0
  for (let i = 0; i < nodes; i++) {
    if (i % perWave === 0) waveMs = after(31, 70, i === 0 ? 'canary' : undefined)
    times.push(waveMs)
  }
  return times
}

/** Every moment at which something about the upgrade moves for an observer, in rising order. */
export function movesOf(upgrade: UpgradePlan): readonly number[] {
  const { startMs, installReadyMs, installingMs, csvSucceededMs, hcoStartMs, kubevirtObservedMs, endMs } = upgrade
  return [startMs, installReadyMs, installingMs, csvSucceededMs, hcoStartMs, ...upgrade.handlerMs].concat(
    kubevirtObservedMs,
    endMs,
  )
}

/** The upgrade that is open at a time: begun, and its operands not all there. */
export function openUpgradeAt(upgrades: readonly UpgradePlan[], timeMs: number): UpgradePlan | undefined {
  return upgrades.find((upgrade) => timeMs >= upgrade.startMs && timeMs < upgrade.endMs)
}

/** Whether HCO is in its upgrade mode, in which it does not count what it reverts. */
export function isUpgradeMode(upgrades: readonly UpgradePlan[], timeMs: number): boolean {
  return upgrades.some((upgrade) => timeMs >= upgrade.hcoStartMs && timeMs < upgrade.endMs)
}

/**
 * Machines whose launcher is older than KubeVirt: all of them at the moment the control plane is done, then fewer as
 * they migrate, five at a time and one to two minutes each. Before that moment the gauge stands still.
 */
export function outdatedVmsAt(profile: ClusterProfile, upgrades: readonly UpgradePlan[], timeMs: number): number {
  const last = upgrades.findLast((upgrade) => upgrade.hasKubevirtRoll && timeMs >= upgrade.kubevirtObservedMs)
  if (last === undefined) return 0
  const perMinute = workloadRateOf(profile, last)
  // An open control-plane phase of a later upgrade freezes the gauge at what it was.
  const open = upgrades.find((upgrade) => timeMs >= upgrade.kubevirtStartMs && timeMs < upgrade.kubevirtObservedMs)
  const sinceMs = Math.max(0, (open?.kubevirtStartMs ?? timeMs) - last.kubevirtObservedMs)
  return Math.max(profile.fixedVms, profile.vms - Math.floor((sinceMs / MINUTE_MS) * perMinute))
}

/** Machines a minute that move after an upgrade. */
export function workloadRateOf(profile: ClusterProfile, upgrade: Pick<UpgradePlan, 'from'>): number {
  return 2.5 + 2.5 * randomOf(profile.seed, 'workload', upgrade.from.hco).next()
}
