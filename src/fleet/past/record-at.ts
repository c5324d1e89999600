/**
 * An upgrade as it was at a past moment, from all that is known of it now. Pure. It contains nothing later than the moment;
 * a value without a time of its own (a count, a message) is left out unless the cluster sent nothing after the moment.
 */
import type { Modification } from '../../model/cluster-record.ts'
import { outOfBandText } from '../derive/out-of-band.ts'
import { isOpen } from '../stuck/stuck.ts'
import { knownSinceMs } from './known-since.ts'
import type {
  ComponentUpgrade,
  Evidence,
  PhaseState,
  Upgrade,
  UpgradeBlock,
  UpgradeDetail,
  UpgradeRecord,
  WorkloadUpdate,
} from '../../model/upgrade.ts'

/** `undefined`: no start is known by then. A record cut twice is the record cut at the earlier moment. */
export function recordAt({ upgrade, detail }: UpgradeRecord, atMs: number): UpgradeRecord | undefined {
  const begunMs = knownSinceMs(upgrade, detail)
  if (begunMs > atMs) return undefined
  const cut: Cut = { atMs, isNewest: detail.observedUntilMs <= atMs }
  return { upgrade: upgradeAt(upgrade, cut), detail: detailAt(detail, upgrade, cut) }
}

/**
 * An out-of-band modification as it was: one that started later is absent, one that ended later is still active, and a burst
 * has the edits until then.
 */
export function modificationAt(modification: Modification, atMs: number): Modification | undefined {
  const { startedMs, endedMs, edits, ...rest } = modification
  if (startedMs !== undefined && startedMs > atMs) return undefined
  if (edits === undefined) return { ...rest, ...knownTimes({ startedMs, endedMs }, atMs) }
  const until = edits.filter(([ms]) => ms <= atMs)
  const [lastMs, count] = until.at(-1) ?? [startedMs, 1]
  const counted = { count, edits: until, text: outOfBandText(rest.component, count) }
  return { ...rest, ...counted, ...knownTimes({ startedMs, endedMs: lastMs }, atMs) }
}

/**
 * From when on an upgrade does not change: cut there or later, its state, its phases and all its times are the same.
 * Infinite while the upgrade is open.
 */
export function settledMs(record: UpgradeRecord): number {
  if (isOpen(record)) return Infinity
  const { upgrade, detail } = record
  const times = upgrade.phases.flatMap(({ startedMs, endedMs }) =>
    startedMs === undefined && endedMs === undefined ? [] : [startedMs ?? -Infinity, endedMs ?? detail.observedUntilMs],
  )
  return Math.max(knownSinceMs(upgrade, detail), upgrade.endedMs ?? detail.observedUntilMs, ...times)
}

interface Cut {
  readonly atMs: number
  /** The cluster sent nothing after the moment: what is known now was known then. */
  readonly isNewest: boolean
}

function upgradeAt(upgrade: Upgrade, cut: Cut): Upgrade {
  const { startedMs, endedMs, blockedBy, nodes, ...rest } = upgrade
  const block = blockedBy === undefined ? undefined : blockAt(blockedBy, cut)
  return {
    ...rest,
    state: stateAt(rest.state, endedMs, cut),
    ...knownTimes({ startedMs, endedMs }, cut.atMs),
    ...(nodes !== undefined && startedMs !== undefined && startedMs <= cut.atMs ? { nodes } : {}),
    phases: rest.phases.map((phase) => stageAt(phase, cut, isPassedAt(phase.name, upgrade, cut.atMs))),
    ...(block === undefined ? {} : { blockedBy: block }),
    evidence: evidenceUntil(rest.evidence, cut),
  }
}

/** The end is known, its time is not: before the last observation the state is unknown. */
function stateAt(state: Upgrade['state'], endedMs: number | undefined, { atMs, isNewest }: Cut): Upgrade['state'] {
  if (endedMs !== undefined) return endedMs <= atMs ? state : 'in_progress'
  return isNewest || state === 'in_progress' ? state : 'unknown'
}

interface Stage {
  readonly startedMs?: number
  readonly endedMs?: number
  readonly state: PhaseState
}

/** Whether the upgrade had left a phase behind: what did not begin until then was skipped. */
function isPassedAt(name: string, { phases, endedMs = Infinity }: Upgrade, atMs: number): boolean {
  if (endedMs <= atMs) return true
  const [group] = name.split('.')
  const whole = phases.find((phase) => phase.name === group)
  if (whole !== undefined && whole.name !== name) return (whole.endedMs ?? Infinity) <= atMs
  const later = phases.slice(phases.findIndex((phase) => phase.name === name) + 1)
  return later.some(({ startedMs = Infinity }) => startedMs <= atMs)
}

/** A phase, or the upgrade of one operand. */
function stageAt<T extends Stage>({ startedMs, endedMs, ...rest }: T, cut: Cut, isPassed: boolean): T {
  const times = knownTimes({ startedMs, endedMs }, cut.atMs)
  const state = stageStateAt({ ...knownTimes({ startedMs, endedMs }, Infinity), state: rest.state }, cut)
  return { ...rest, ...times, state: state === 'skipped' && !isPassed && !cut.isNewest ? 'pending' : state } as T
}

function stageStateAt({ startedMs, endedMs, state }: Stage, { atMs, isNewest }: Cut): PhaseState {
  if (startedMs !== undefined && startedMs > atMs) return 'pending'
  if (endedMs !== undefined && endedMs <= atMs) return state
  if (endedMs !== undefined) return startedMs === undefined ? 'unknown' : 'in_progress'
  if (isNewest || state === 'pending' || state === 'skipped') return state
  if (startedMs === undefined) return 'unknown'
  // A phase that failed and did not end is retried: it is in progress.
  return state === 'failed' || state === 'in_progress' ? 'in_progress' : 'unknown'
}

function blockAt({ sinceMs, evidence, ...rest }: UpgradeBlock, cut: Cut): UpgradeBlock | undefined {
  if (sinceMs === undefined ? !cut.isNewest : sinceMs > cut.atMs) return undefined
  return { ...rest, ...(sinceMs === undefined ? {} : { sinceMs }), evidence: evidenceUntil(evidence, cut) }
}

function detailAt(detail: UpgradeDetail, upgrade: Upgrade, cut: Cut): UpgradeDetail {
  const { hco, virtHandler, workloads, lastProgressMs, observedUntilMs, waitsFor, ...rest } = detail
  const window = knownTimes(hco ?? {}, cut.atMs)
  const workloadUpdate = workloads === undefined ? undefined : workloadsAt(workloads, cut)
  return {
    ...rest,
    csvSteps: rest.csvSteps.flatMap(({ startedMs, endedMs, ...step }) =>
      startedMs > cut.atMs ? [] : [{ ...step, startedMs, ...knownTimes({ endedMs }, cut.atMs) }],
    ),
    components: rest.components.map((component) =>
      componentAt(component, cut, isPassedAt(`operands.${component.name}`, upgrade, cut.atMs)),
    ),
    ...(Object.keys(window).length === 0 ? {} : { hco: window }),
    ...(waitsFor === undefined ? {} : { waitsFor: waitAt(waitsFor, cut.atMs) }),
    // The number of nodes that were done in between is not stored.
    ...(virtHandler !== undefined && isOverAt(virtHandler.endedMs, cut) ? { virtHandler } : {}),
    ...(workloadUpdate === undefined ? {} : { workloads: workloadUpdate }),
    ...(lastProgressMs !== undefined && lastProgressMs <= cut.atMs ? { lastProgressMs } : {}),
    observedUntilMs: Math.min(observedUntilMs, cut.atMs),
    conditionChanges: until(rest.conditionChanges, cut),
    featureGateChanges: until(rest.featureGateChanges, cut),
  }
}

function waitAt({ to, untilMs }: NonNullable<UpgradeDetail['waitsFor']>, atMs: number) {
  return { to, ...(untilMs !== undefined && untilMs <= atMs ? { untilMs } : {}) }
}

/** Where an operand that has not begun goes is known from when it begins. */
function componentAt(component: ComponentUpgrade, cut: Cut, isPassed: boolean): ComponentUpgrade {
  const { message, to, ...stage } = stageAt(component, cut, isPassed)
  const target = stage.state === 'pending' && !cut.isNewest ? stage.from : to
  return {
    ...stage,
    ...(target === undefined ? {} : { to: target }),
    ...(message !== undefined && isOverAt(component.endedMs, cut) ? { message } : {}),
  }
}

/** For a moment within the workload update only the number of VMs at its start is known. */
function workloadsAt(workloads: WorkloadUpdate, cut: Cut): WorkloadUpdate | undefined {
  const { startedMs, outdatedAtStart } = workloads
  if (startedMs !== undefined && startedMs > cut.atMs) return undefined
  if (isOverAt(workloads.endedMs, cut)) return workloads
  if (startedMs === undefined) return undefined
  return { ...(outdatedAtStart === undefined ? {} : { outdatedAtStart }), startedMs, migrations: {} }
}

function isOverAt(endedMs: number | undefined, { atMs, isNewest }: Cut): boolean {
  return isNewest || (endedMs !== undefined && endedMs <= atMs)
}

type Times = { readonly [name in 'startedMs' | 'endedMs']?: number | undefined }

/** The times that are known and not later than the moment. */
function knownTimes(times: Times, atMs: number): { readonly startedMs?: number; readonly endedMs?: number } {
  return Object.fromEntries(Object.entries(times).filter(([, ms]) => ms !== undefined && ms <= atMs))
}

function evidenceUntil(evidence: readonly Evidence[], cut: Cut): readonly Evidence[] {
  return until(evidence, cut).filter(({ isReplaced = false }) => !isReplaced || cut.isNewest)
}

function until<T extends { readonly atMs: number }>(all: readonly T[], { atMs }: Cut): readonly T[] {
  return all.filter((one) => one.atMs <= atMs)
}
