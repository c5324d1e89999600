import type { BlockCause, PhaseName, PhaseState, UpgradeOperator, UpgradeState } from '../../src/model/upgrade.ts'
import { productVersion } from '../cluster-profile.ts'
import type { ClusterHistory, HcoUpgrade, PlatformUpgrade, StallKind, Tells } from './cluster-history.ts'
import { settingWrites } from './objects/planted-settings.ts'

/**
 * What really happened to a cluster, for holding a server's answers against it. Computed from the plan and never from
 * what is sent. Milliseconds, whole seconds; absent is "did not happen before the history ended".
 */
export interface HistoryTruth {
  readonly cluster: string
  readonly clusterId: string
  readonly tells: Tells
  readonly fromMs: number
  readonly untilMs: number
  readonly upgrades: readonly TruthUpgradeRecord[]
  readonly versions: readonly TruthInterval[]
  readonly modifications: readonly TruthModification[]
  /** Settings that were changed on purpose on this cluster, and that most clusters leave at their defaults. */
  readonly settings: readonly TruthSetting[]
  /** Nothing was heard, and what happened is lost: what is told only as it happens cannot be known. */
  readonly gaps: readonly { readonly fromMs: number; readonly untilMs: number }[]
  /** The Collector's clock is ahead by this. */
  readonly skewMs: number
}

export interface TruthUpgradeRecord {
  readonly operator: UpgradeOperator
  readonly from: string
  readonly to: string
  readonly csvUid?: string
  readonly approval?: 'Automatic' | 'Manual'
  readonly state: UpgradeState
  /** Its CSV came; for the platform the update began. Absent: it waits for that. */
  readonly startedMs?: number
  readonly endedMs?: number
  readonly phases: readonly TruthPhase[]
  readonly stall?: TruthStall
}

export interface TruthPhase {
  readonly name: PhaseName
  readonly state: PhaseState
  readonly startedMs?: number
  readonly endedMs?: number
}

export interface TruthStall {
  readonly kind: StallKind | 'drain' | 'pool'
  readonly cause: BlockCause
  readonly isAsynchronous: boolean
  /** It got no further after this. */
  readonly fromMs: number
  /** Absent: nobody mended it. */
  readonly untilMs?: number
}

export interface TruthInterval {
  readonly operator: string
  readonly version: string
  /** Absent: older than the history. */
  readonly fromMs?: number
  readonly untilMs?: number
}

export interface TruthModification {
  readonly kind: 'out_of_band' | 'jsonpatch'
  readonly component: string
  readonly fromMs: number
  readonly untilMs?: number
  readonly count: number
}

export interface TruthSetting {
  readonly setting: string
  readonly value: string | number | boolean
  readonly fromMs: number
  readonly by: string
}

export function truthOfHistory(history: ClusterHistory): HistoryTruth {
  const { profile, delivery, untilMs } = history
  return {
    cluster: profile.name,
    clusterId: profile.id,
    tells: history.tells,
    fromMs: history.fromMs,
    untilMs,
    upgrades: [
      ...history.upgrades.map((upgrade) => hcoTruth(history, upgrade)),
      ...(history.platform?.upgrades ?? [])
        .filter(({ startMs }) => startMs < untilMs)
        .map((upgrade) => platformTruth(upgrade, untilMs)),
    ],
    versions: versionsOf(history),
    modifications: modificationsOf(history),
    settings: settingWrites(history)
      .filter(({ atMs }) => atMs < untilMs)
      .map(({ setting, value, atMs, by }) => ({ setting, value, fromMs: atMs, by: by.name })),
    gaps: [
      ...delivery.outages.filter(({ kind }) => kind === 'gap'),
      ...delivery.restartsMs.map((atMs) => ({ fromMs: atMs, untilMs: atMs + 20_000 })),
    ].map((gap) => ({ fromMs: gap.fromMs, untilMs: gap.untilMs })),
    skewMs: delivery.skewMs,
  }
}

/** A phase between two times of the plan, as it stands when the history ends. */
function phase(name: PhaseName, startMs: number, endMs: number, untilMs: number, isOver: boolean): TruthPhase {
  if (startMs >= untilMs) return { name, state: isOver ? 'skipped' : 'pending' }
  if (endMs >= untilMs) return { name, state: isOver ? 'failed' : 'in_progress', startedMs: startMs }
  return { name, state: 'succeeded', startedMs: startMs, endedMs: endMs }
}

function hcoTruth(history: ClusterHistory, upgrade: HcoUpgrade): TruthUpgradeRecord {
  const { profile, untilMs } = history
  const { csv, rollout, workloads, components, outcome, stall, abortedMs } = upgrade
  const isOver = outcome !== 'in_progress'
  const part = (name: PhaseName, startMs: number, endMs: number): TruthPhase =>
    phase(name, startMs, endMs, untilMs, isOver)
  const stepMs = (name: string): number => csv.steps.find((step) => step.phase === name)?.atMs ?? Infinity
  const operandsMs =
    upgrade.hcoStartMs === Infinity ? Infinity : Math.max(upgrade.hcoStartMs, ...components.map(({ endMs }) => endMs))
  const isOvertaken = history.upgrades.some(
    (later) => later.index > upgrade.index && later.rollout !== undefined && later.rollout.startMs < untilMs,
  )
  const canaryMs = rollout?.nodes[0]?.readyMs ?? Infinity
  const failedMs =
    outcome === 'failed' ? (csv.steps.findLast((step) => step.phase === 'Failed')?.atMs ?? abortedMs) : abortedMs
  const endedMs = Math.min(upgrade.endMs, failedMs)
  return {
    operator: 'kubevirt-hyperconverged',
    from: productVersion(profile, upgrade.from),
    to: productVersion(profile, upgrade.to),
    csvUid: csv.uid,
    approval: upgrade.approval,
    state: outcome,
    ...(csv.createdMs < untilMs ? { startedMs: csv.createdMs } : {}),
    ...(endedMs < untilMs ? { endedMs } : {}),
    phases: [
      part('offered', upgrade.offeredMs, upgrade.plannedMs),
      part('approval', upgrade.plannedMs, upgrade.approvedMs),
      part('olm', csv.createdMs, upgrade.csvSucceededMs),
      part('olm.pending', csv.createdMs, stepMs('InstallReady')),
      part('olm.install_ready', stepMs('InstallReady'), stepMs('Installing')),
      part('olm.installing', stepMs('Installing'), upgrade.csvSucceededMs),
      part('operands', upgrade.hcoStartMs, operandsMs),
      ...components.map(({ name, startMs, endMs }) => part(`operands.${name}`, startMs, endMs)),
      ...(rollout === undefined
        ? []
        : [
            part('virt_handler.canary', rollout.startMs, canaryMs),
            ...(rollout.nodes.length > 1
              ? [part('virt_handler.waves', canaryMs, Math.max(...rollout.nodes.map(({ readyMs }) => readyMs)))]
              : []),
          ]),
      part('settle', operandsMs, upgrade.endMs),
      // Those that the next upgrade overtook are over, and never ended.
      ...(workloads === undefined
        ? []
        : [phase('workloads', workloads.startMs, workloads.endMs, untilMs, isOvertaken)]),
    ],
    ...(stall === undefined || stall.fromMs >= untilMs
      ? {}
      : {
          stall: {
            ...{ kind: stall.kind, cause: stall.cause, isAsynchronous: stall.isAsynchronous, fromMs: stall.fromMs },
            ...(stall.untilMs < untilMs ? { untilMs: stall.untilMs } : {}),
          },
        }),
  }
}

function platformTruth(upgrade: PlatformUpgrade, untilMs: number): TruthUpgradeRecord {
  const { from, to, startMs, endMs, pools, stall } = upgrade
  const isOver = endMs < untilMs
  return {
    operator: 'openshift',
    ...{ from, to, startedMs: startMs, state: isOver ? 'succeeded' : 'in_progress' },
    ...(isOver ? { endedMs: endMs } : {}),
    phases: [
      phase('platform', startMs, endMs, untilMs, isOver),
      ...pools.map((pool) => phase(`platform.${pool.name}`, pool.startMs, pool.doneMs.at(-1)!, untilMs, isOver)),
    ],
    ...(stall === undefined || stall.fromMs >= untilMs
      ? {}
      : {
          stall: {
            ...{ kind: stall.kind, cause: stall.kind === 'drain' ? 'node_drain_blocked' : 'pool_degraded' },
            ...{ isAsynchronous: false, fromMs: stall.fromMs },
            ...(stall.untilMs < untilMs ? { untilMs: stall.untilMs } : {}),
          },
        }),
  }
}

/** `kubevirt-hyperconverged` by the version that is really reached, the platform by the completed one. */
function versionsOf(history: ClusterHistory): readonly TruthInterval[] {
  const { profile, platform, untilMs, installedMs, fromMs } = history
  const moves = (
    operator: string,
    first: string,
    rest: readonly { readonly version: string; readonly atMs: number }[],
  ) => {
    const all = [
      { version: first, atMs: installedMs > fromMs - 1 ? installedMs : -Infinity },
      ...rest.filter(({ atMs }) => atMs < untilMs),
    ]
    return all.map(({ version, atMs }, i): TruthInterval => ({
      ...{ operator, version },
      ...(Number.isFinite(atMs) ? { fromMs: atMs } : {}),
      ...(all[i + 1] === undefined ? {} : { untilMs: all[i + 1]!.atMs }),
    }))
  }
  const reached = history.upgrades.map(({ to, endMs }) => ({ version: productVersion(profile, to), atMs: endMs }))
  return [
    ...moves('kubevirt-hyperconverged', productVersion(profile, history.firstCsv.release), reached),
    ...(platform === undefined
      ? []
      : moves(
          'openshift',
          platform.firstVersion,
          platform.upgrades.map(({ to, endMs }) => ({ version: to, atMs: endMs })),
        )),
  ]
}

/** Edits of one component less than ten minutes apart are one. */
const BURST_MS = 600_000

function modificationsOf({ edits, patches, untilMs, fromMs }: ClusterHistory): readonly TruthModification[] {
  const bursts: { component: string; fromMs: number; lastMs: number; count: number }[] = []
  for (const { atMs, component } of edits.filter((edit) => edit.atMs >= fromMs && edit.atMs < untilMs)) {
    const open = bursts.findLast((burst) => burst.component === component && atMs - burst.lastMs < BURST_MS)
    if (open === undefined) bursts.push({ component, fromMs: atMs, lastMs: atMs, count: 1 })
    else {
      open.lastMs = atMs
      open.count++
    }
  }
  return [
    ...bursts.map(({ component, fromMs: startMs, count }) => ({
      kind: 'out_of_band' as const,
      component,
      fromMs: startMs,
      count,
    })),
    ...patches.map((patch) => ({
      ...{ kind: 'jsonpatch' as const, component: patch.component, fromMs: patch.fromMs, count: patch.operations },
      ...(patch.untilMs < untilMs ? { untilMs: patch.untilMs } : {}),
    })),
  ]
}
