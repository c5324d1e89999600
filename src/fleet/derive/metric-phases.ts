/**
 * The phases of an upgrade according to metrics. The start of most phases is not observed: a phase may be in progress without
 * a known start.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { PhaseName, UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { CsvPresence } from './csv-presences.ts'
import { phase } from './hco-phases.ts'
import type { MetricEnd } from './metric-end.ts'
import type { MetricRollout, MetricWorkloads } from './metric-rollout.ts'
import { runMoment, type Moment } from './moment.ts'
import { bare, type PhaseDraft } from './upgrade-draft.ts'

export interface ObservedUpgrade {
  readonly presence: CsvPresence
  readonly rollout: MetricRollout | undefined
  readonly workloads: MetricWorkloads | 'none' | undefined
  readonly end: MetricEnd
  readonly state: UpgradeState
  readonly started: Moment | undefined
}

/** From OLM's phases on; metrics do not show earlier phases. */
export function metricPhases(history: ClusterHistory, seen: ObservedUpgrade): readonly PhaseDraft[] {
  const { presence, rollout, workloads, started, state, end } = seen
  const operands = operandPhases(history, seen)
  return [
    ...olmPhases(presence, started, state),
    ...operands,
    ...handlerPhases(history, rollout, state),
    ...(operands.some(({ name }) => name === 'settle')
      ? []
      : [{ name: 'settle', state: 'unknown', ended: end.settled } as const]),
    workloadsPhase(history, rollout, workloads, state),
  ]
}

export function firstOf(phases: readonly MetricRun[], ...names: readonly string[]): MetricRun | undefined {
  return phases.find(({ labels }) => names.includes(labels['phase'] ?? ''))
}

function olmPhases(
  { phases, succeeded }: CsvPresence,
  started: Moment | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  const installing = firstOf(phases, 'Installing')
  const first = firstOf(phases, 'InstallReady', 'Installing', 'Failed')
  // A looping CSV repeats the phase; only the first one counts.
  const ready = first?.labels['phase'] === 'InstallReady' ? first : undefined
  const isPendingSeen = firstOf(phases, 'Pending') !== undefined
  const leftPending = isPendingSeen
    ? (runMoment(firstOf(phases, 'InstallReady', 'Installing')) ?? succeeded)
    : undefined
  const seen = (
    name: PhaseName,
    run: MetricRun | undefined,
    ended: Moment | undefined,
    isLater: boolean,
  ): PhaseDraft => {
    if (run !== undefined) return phase(name, state, runMoment(run), ended)
    return bare(name, isLater && state === 'in_progress' ? 'pending' : 'unknown')
  }
  const isOpen = succeeded === undefined
  return [
    phase('olm', state, started, succeeded),
    isPendingSeen ? phase('olm.pending', state, started, leftPending) : bare('olm.pending', 'unknown'),
    seen('olm.install_ready', ready, runMoment(installing) ?? succeeded, isOpen && installing === undefined),
    seen('olm.installing', installing, succeeded, isOpen),
  ]
}

/**
 * Metrics show KubeVirt's end (its update affects HCO's health), and not what HCO does. While HCO's health is not 0 after OLM
 * finished, the upgrade is in progress: KubeVirt, an operand that is not ready, or HCO itself.
 */
function operandPhases(
  history: ClusterHistory,
  { presence, rollout, end, state }: ObservedUpgrade,
): readonly PhaseDraft[] {
  const { kubevirt } = end
  const known = [bare('operands', 'unknown'), ...kubevirtPhase(rollout, kubevirt, state)]
  const isBegun = state === 'in_progress' && presence.succeeded !== undefined && end.isWell !== true
  const health = history.runs('hco_health').findLast(({ afterMs }) => afterMs === undefined)?.value ?? 0
  const isRolling = rollout !== undefined && rollout.ended === undefined
  if (!isBegun || (health === 0 && !isRolling)) return known
  const open = (name: PhaseName): PhaseDraft => bare(name, 'in_progress')
  if (isRolling) return [open('operands'), open('operands.kubevirt')]
  const late = unreadyRuns(history).map(({ labels }) => labels['component']!)
  if (late.length > 0) return [open('operands'), ...known.slice(1), ...late.map((name) => open(`operands.${name}`))]
  if (rollout !== undefined && kubevirt === undefined && health === 2) {
    return [open('operands'), open('operands.kubevirt')]
  }
  if (health === 1 && kubevirt !== undefined) return [...known, open('settle')]
  return [open('operands'), ...known.slice(1)]
}

function kubevirtPhase(
  rollout: MetricRollout | undefined,
  kubevirt: Moment | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  if (rollout === undefined) return []
  return kubevirt === undefined
    ? [bare('operands.kubevirt', 'unknown')]
    : [phase('operands.kubevirt', state, undefined, kubevirt)]
}

/** Operands that report that they are not ready; CDI reports a negative value before it is installed. */
export function unreadyRuns(history: ClusterHistory): readonly MetricRun[] {
  return history.runs('operand_ready').filter(({ value, afterMs }) => value === 0 && afterMs === undefined)
}

function handlerPhases(
  history: ClusterHistory,
  rollout: MetricRollout | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  const names = ['virt_handler.canary', 'virt_handler.waves'] as const
  if (rollout === undefined) {
    const isSkipped = state === 'succeeded' && history.runs('kubevirt_nodes').length > 0
    return names.map((name) => bare(name, isSkipped ? 'skipped' : 'unknown'))
  }
  const { started, canary, ended, nodes } = rollout
  const waves = nodes <= 1 ? bare(names[1], 'skipped') : phase(names[1], state, canary, ended)
  const first = phase(names[0], state, started, canary)
  const isWaiting = canary === undefined && state === 'in_progress'
  return [isWaiting ? { ...first, state: 'in_progress' } : first, waves]
}

function workloadsPhase(
  history: ClusterHistory,
  rollout: MetricRollout | undefined,
  workloads: MetricWorkloads | 'none' | undefined,
  state: UpgradeState,
): PhaseDraft {
  if (workloads === 'none') return bare('workloads', state === 'succeeded' ? 'skipped' : 'unknown')
  if (workloads !== undefined) {
    return phase('workloads', workloads.isOvertaken ? 'unknown' : 'in_progress', workloads.started, workloads.ended)
  }
  const isSkipped = rollout === undefined && state === 'succeeded' && history.runs('kubevirt_nodes').length > 0
  return bare('workloads', isSkipped ? 'skipped' : 'unknown')
}
