import { hashOf } from '../random.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { COMPONENT_NAMES as EDITED_NAMES, editsBetween } from '../scenarios/out-of-band.ts'
import { workloadRateOf, type UpgradePlan } from '../scenarios/upgrade.ts'
import { HOUR_MS, MINUTE_MS, windowAt, type Recurring, type Window } from '../scenarios/window.ts'
import { platformVersions } from '../series/platform.ts'
import {
  STALLS,
  type ClusterHistory,
  type Component,
  type ComponentLife,
  type HcoUpgrade,
  type OutOfBandEdit,
  type PlatformHistory,
  type StallKind,
  type WorkloadMove,
} from './cluster-history.ts'
import { unusedOffers } from './catalog-offers.ts'
import { updateMethodsOf } from './objects/hco-settings.ts'
import { patchOperations } from './patch-operations.ts'
import type { ClusterPast } from './past-of-plan.ts'
import { atSecond } from './plan-history.ts'
import { installedCsv, installSteps } from './plan-csv.ts'
import { uidOf } from './uid.ts'

const DAY_MS = 24 * HOUR_MS

/**
 * The story of a cluster of the default fleet as a history, so that its objects tell what its metrics tell, with the months
 * before it when there are any. Upgrades that begin at `untilMs` or later are left out; times are rounded down to the second.
 */
export function historyOfPlan(plan: ClusterPlan, untilMs: number, past?: ClusterPast): ClusterHistory {
  const { profile, startMs } = plan
  const installedMs = past?.installedMs ?? atSecond(startMs - (20 + (hashOf(profile.seed, 'installed') % 300)) * DAY_MS)
  const before = past?.upgrades ?? []
  const upgrades = plan.upgrades.filter((upgrade) => upgrade.startMs < untilMs)
  const firstRelease = past?.firstRelease ?? profile.firstRelease
  const story = {
    ...{ profile, installedMs },
    firstCsv: installedCsv(uidOf(profile.seed, 'csv first'), firstRelease, installedMs),
    upgrades: [...before, ...upgrades.map((upgrade, i) => upgradeOf(plan, upgrade, before.length + i))],
    platform: platformOf(plan, installedMs, untilMs, past),
  }
  return {
    ...story,
    ...{ fromMs: past?.fromMs ?? atSecond(startMs), untilMs },
    tells: { objects: tellsObjects(plan), metrics: true, spans: false },
    // Without its past nobody knows when its peers were offered anything.
    ...(past === undefined ? {} : { unusedOffers: unusedOffers(story, past.calendarShiftMs) }),
    edits: [...(past?.edits ?? []), ...editsOf(plan, untilMs)],
    patches: plan.unsafe.flatMap((patch) =>
      windowsBetween(patch, startMs, untilMs).map((window) => ({
        ...window,
        component: COMPONENT_OF_ANNOTATION[patch.annotation],
        operations: patch.operations,
        text: JSON.stringify(
          patchOperations(profile.seed, COMPONENT_OF_ANNOTATION[patch.annotation], patch.operations),
        ),
      })),
    ),
    catalogOutages: [],
    updateMethods: [{ fromMs: -Infinity, methods: updateMethodsOf(profile) }],
    unwell: windowsBetween(plan.degraded, startMs, untilMs),
    delivery: {
      skewMs: 0,
      restartsMs: [],
      outages: windowsBetween(plan.silence, startMs, untilMs).map((window) => ({ ...window, kind: 'gap' })),
      repeatShare: 0,
    },
  }
}

function editsOf(plan: ClusterPlan, untilMs: number): readonly OutOfBandEdit[] {
  return EDITED_NAMES.flatMap((name) =>
    editsBetween(plan, name, plan.startMs, untilMs).map((atMs) => ({
      atMs: atSecond(atMs),
      component: COMPONENT_OF[name],
    })),
  ).toSorted((a, b) => a.atMs - b.atMs)
}

/** Most clusters have a Collector; those with a story to tell all do. */
export function tellsObjects({ profile, role }: ClusterPlan): boolean {
  return role !== 'healthy' || hashOf(profile.seed, 'collector') % 10 < 7
}

const COMPONENT_OF = {
  'kubevirt/kubevirt-kubevirt-hyperconverged': 'kubevirt',
  'cdi/cdi-kubevirt-hyperconverged': 'cdi',
  'ssp/ssp-kubevirt-hyperconverged': 'ssp',
  'networkaddonsconfig/cluster': 'network-addons',
} as const

const COMPONENT_OF_ANNOTATION = {
  'kubevirt.kubevirt.io/jsonpatch': 'kubevirt',
  'containerizeddataimporter.kubevirt.io/jsonpatch': 'cdi',
  'networkaddonsconfigs.kubevirt.io/jsonpatch': 'network-addons',
  'ssp.kubevirt.io/jsonpatch': 'ssp',
} as const

function windowsBetween(recurring: Recurring | undefined, fromMs: number, untilMs: number): readonly Window[] {
  if (recurring === undefined) return []
  const windows: Window[] = []
  for (let atMs = Math.max(fromMs, recurring.anchorMs); atMs < untilMs;) {
    const window = windowAt(recurring, atMs)
    if (window !== undefined) windows.push({ fromMs: atSecond(window.fromMs), untilMs: atSecond(window.untilMs) })
    const round = Math.floor((atMs - recurring.anchorMs) / recurring.everyMs) + 1
    atMs = recurring.anchorMs + round * recurring.everyMs
  }
  return windows
}

const STALL_KINDS = { olm: 'not_upgradeable', canary: 'canary', hco: 'hco_hangs' } as const satisfies Readonly<
  Record<string, StallKind>
>

function upgradeOf(plan: ClusterPlan, upgrade: UpgradePlan, index: number): HcoUpgrade {
  const { profile } = plan
  const { from, to } = upgrade
  const createdMs = atSecond(upgrade.startMs)
  const isManual = profile.approval === 'Manual'
  const plannedMs = createdMs - (isManual ? 40 * MINUTE_MS : 12_000)
  const stall = upgrade.stall
  const isBlocked = stall?.kind === 'olm'
  const csvSucceededMs = atSecond(upgrade.csvSucceededMs)
  const endMs = atSecond(upgrade.endMs)
  return {
    ...{ index, from, to, approval: profile.approval, offeredMs: plannedMs - 10_000, plannedMs },
    approvedMs: createdMs - 3000,
    csv: {
      uid: uidOf(profile.seed, 'csv', index),
      release: to,
      replaces: from,
      createdMs,
      steps: installSteps([
        [createdMs, 'Pending', isBlocked ? 'OperatorConditionNotUpgradeable' : 'RequirementsNotMet'],
        [atSecond(upgrade.installReadyMs), 'InstallReady', 'AllRequirementsMet'],
        [atSecond(upgrade.installingMs), 'Installing', 'InstallWaiting'],
        [csvSucceededMs, 'Succeeded', 'InstallSucceeded'],
      ]),
      goneMs: Infinity,
    },
    operatorPodsMs: atSecond(upgrade.operatorPodsMs),
    csvSucceededMs,
    hcoStartMs: atSecond(upgrade.hcoStartMs),
    components: componentsOf(upgrade),
    rollout: upgrade.hasKubevirtRoll
      ? {
          startMs: atSecond(upgrade.kubevirtStartMs),
          nodes: upgrade.handlerMs.map((handlerMs, i) => ({
            updatedMs: atSecond(handlerMs),
            readyMs: atSecond(i === 0 && stall?.kind === 'canary' ? stall.untilMs : handlerMs + 12_000),
          })),
        }
      : undefined,
    endMs,
    workloads: upgrade.hasKubevirtRoll ? workloadsOf(plan, upgrade, index) : undefined,
    stall:
      stall === undefined
        ? undefined
        : {
            ...{ kind: STALL_KINDS[stall.kind], ...STALLS[STALL_KINDS[stall.kind]] },
            ...{ fromMs: atSecond(stall.fromMs), untilMs: atSecond(stall.untilMs) },
          },
    outcome: 'succeeded',
    abortedMs: Infinity,
    returned: undefined,
  }
}

function componentsOf(upgrade: UpgradePlan): readonly ComponentLife[] {
  const { from, to, operandPodsMs, kubevirtStartMs, kubevirtObservedMs, endMs } = upgrade
  const life = (
    name: Component,
    fromVersion: string,
    toVersion: string,
    startMs: number,
    untilMs: number,
  ): ComponentLife[] =>
    fromVersion === toVersion
      ? []
      : [{ name, from: fromVersion, to: toVersion, startMs: atSecond(startMs), endMs: atSecond(untilMs) }]
  const othersMs = Math.min(operandPodsMs + 45_000, endMs)
  return [
    ...life('kubevirt', from.kubevirt, to.kubevirt, kubevirtStartMs, kubevirtObservedMs),
    ...life('cdi', from.cdi, to.cdi, operandPodsMs, othersMs),
    ...life('network-addons', from.cnao, to.cnao, operandPodsMs, othersMs),
    ...life('ssp', from.ssp, to.ssp, operandPodsMs, othersMs),
  ]
}

/** As many a minute as the metrics say; those that cannot migrate stay. */
function workloadsOf(plan: ClusterPlan, upgrade: UpgradePlan, index: number): WorkloadMove {
  const { profile } = plan
  const startMs = atSecond(upgrade.kubevirtObservedMs)
  const perMinute = workloadRateOf(profile, upgrade)
  const movedMs = Array.from({ length: profile.vms - profile.fixedVms }, (_, i) =>
    atSecond(upgrade.kubevirtObservedMs + ((i + 1) / perMinute) * MINUTE_MS),
  )
  return {
    startMs,
    endMs: profile.fixedVms > 0 ? Infinity : (movedMs.at(-1) ?? startMs),
    machines: profile.vms,
    movedMs,
    migrations: movedMs.map((endMs, i) => ({
      uid: uidOf(profile.seed, 'vmim', index, i),
      vmi: `vm-${i}`,
      createdMs: Math.max(startMs, endMs - 75_000),
      schedulingMs: Math.max(startMs, endMs - 75_000),
      runningMs: Math.max(startMs, endMs - 70_000),
      endMs,
      hasSucceeded: true,
      cause: 'workload_update',
    })),
  }
}

function platformOf(
  plan: ClusterPlan,
  installedMs: number,
  untilMs: number,
  past: ClusterPast | undefined,
): PlatformHistory | undefined {
  if (plan.profile.platform !== 'openshift') return undefined
  const [first, ...later] = platformVersions(plan)
  const before = past?.platformUpgrades ?? []
  const planned = later
    .filter(({ updateMs }) => updateMs < untilMs && updateMs > installedMs)
    .map(({ from, version, updateMs, completedMs }) => {
      const [startMs, endMs] = [atSecond(updateMs), atSecond(completedMs)]
      const share = (part: number): number => atSecond(startMs + part * (endMs - startMs))
      const nodes = plan.profile.nodes.length
      return {
        ...{ from, to: version, startMs, endMs, stall: undefined },
        pools: [
          { name: 'master' as const, startMs: share(0.3), doneMs: [share(0.4), share(0.5), share(0.6)] },
          {
            name: 'worker' as const,
            startMs: share(0.6),
            doneMs: plan.profile.nodes.map((_, i) => share(0.6 + (0.35 * (i + 1)) / nodes)),
          },
        ],
      }
    })
  return { firstVersion: before[0]?.from ?? first!.version, upgrades: [...before, ...planned] }
}
