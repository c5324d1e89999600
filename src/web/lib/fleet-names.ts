import type { ClusterState } from '../../model/cluster-record.ts'
import type { SilenceCause } from '../../model/cluster-silence.ts'
import type { PhaseState, UpgradeState } from '../../model/upgrade.ts'

/** Names of states, causes, operators and phases in the UI. Pure. */

export const CLUSTER_STATE_WORDS: Readonly<Record<ClusterState, string>> = {
  upgrading: 'upgrading',
  stuck: 'stuck',
  silent: 'silent',
  unhealthy: 'unhealthy',
  cannot_plan: 'OLM cannot plan',
  identity_conflict: 'identity conflict',
  tainted: 'tainted',
  outdated_workloads: 'outdated VMs',
  paused_pool: 'paused pool',
  unknown: 'unknown',
  steady: 'steady',
  gone: 'decommissioned',
}

/** Explanations of the states. */
export const CLUSTER_STATE_MEANINGS: Readonly<Record<ClusterState, string>> = {
  upgrading: 'An upgrade of an operator or of the platform is in progress.',
  stuck: 'An upgrade has made no progress for longer than its phase typically takes.',
  silent: 'No data for longer than the limit of its data sources.',
  unhealthy: 'HyperConverged reports an error, or the installed operator is unhealthy.',
  cannot_plan: 'OLM cannot plan an upgrade of the operator; the cluster page shows the reason.',
  identity_conflict: 'Two clusters use the same name; the cluster page shows which.',
  tainted: 'An out-of-band modification or a JSON patch is in effect: support and upgrades may not cover the change.',
  outdated_workloads: 'VMs still run on the virt-launcher of an older version.',
  paused_pool: 'A machine config pool is paused: its nodes are not updated.',
  unknown: 'Reporting, but no operator version is reported.',
  steady: 'Reporting; no other state applies.',
  gone: 'Decommissioned: declared by a user, or no data for a long time.',
}

/** Causes of silence, as a list or a mark shows them. */
export const SILENCE_CAUSE_WORDS: Readonly<Record<SilenceCause, string>> = {
  collector_stopped: 'Collector stopped',
  remote_write_broken: 'remote write broken',
  network: 'network',
  upgrade: 'broken by its upgrade',
  decommissioned: 'decommissioned',
  opted_out: 'opted out',
  unknown: 'cause unknown',
}

export const UPGRADE_STATE_WORDS: Readonly<Record<UpgradeState, string>> = {
  in_progress: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  superseded: 'superseded',
  rolled_back: 'rolled back',
  unknown: 'not known',
}

export const PHASE_STATE_WORDS: Readonly<Record<PhaseState, string>> = {
  pending: 'not started',
  in_progress: 'running',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'not needed',
  unknown: 'not known',
}

const CAUSES: Readonly<Record<string, string>> = {
  approval_waiting: 'Approval pending',
  no_update_offered: 'No update is offered',
  resolution_failed: 'OLM cannot resolve',
  requirements_not_met: 'Requirements are not met',
  not_upgradeable: 'Not upgradeable',
  install_failing: 'The installation fails',
  virt_handler_rollout: 'virt-handler does not roll out',
  operand_failing: 'An operand fails',
  reconcile_error: 'HyperConverged cannot reconcile',
  workload_method_missing: 'No workload update method is set',
  migrations_pending: 'Migrations pending',
  migrations_failing: 'Migrations fail',
  migration_never_ends: 'A migration does not complete',
  node_drain_blocked: 'A node cannot be drained',
  pool_degraded: 'Machine config pool degraded',
  unknown: 'Cause unknown',
}

export function causeName(cause: string): string {
  return CAUSES[cause] ?? cause
}

const OPERATORS: Readonly<Record<string, string>> = {
  'kubevirt-hyperconverged': 'HCO',
  hco: 'HCO',
  kubevirt: 'KubeVirt',
  openshift: 'OpenShift',
  cdi: 'CDI',
  ssp: 'SSP',
  cnao: 'CNAO',
  'network-addons': 'CNAO',
  'cluster-network-addons': 'CNAO',
  hpp: 'HPP',
  'hostpath-provisioner': 'HPP',
  aaq: 'AAQ',
}

export function operatorName(operator: string): string {
  return OPERATORS[operator] ?? operator
}

interface UpgradeStep {
  readonly operator: string
  /** Null: unknown. */
  readonly from: string | null
  readonly to: string
}

/** The step of an upgrade: `HCO 1.17.3 → 1.18.1`. */
export function stepText({ operator, from, to }: UpgradeStep): string {
  return `${operatorName(operator)} ${from ?? 'unknown'} → ${to}`
}

interface PhaseText {
  /** The term, for heads of columns and lanes. */
  readonly name: string
  /** The phase within a sentence. */
  readonly words: string
}

const PHASES: Readonly<Record<string, PhaseText>> = {
  offered: { name: 'Offered', words: 'offered' },
  approval: { name: 'Approval', words: 'pending approval' },
  olm: { name: 'OLM', words: 'operator install' },
  'olm.pending': { name: 'CSV pending', words: 'install: requirements' },
  'olm.install_ready': { name: 'Install ready', words: 'install: ready' },
  'olm.installing': { name: 'Installing', words: 'install: operators starting' },
  operands: { name: 'Operands', words: 'components' },
  'virt_handler.canary': { name: 'virt-handler canary', words: 'first node' },
  'virt_handler.waves': { name: 'virt-handler waves', words: 'node by node' },
  settle: { name: 'Settle', words: 'settling' },
  workloads: { name: 'VMs', words: 'workload update' },
  platform: { name: 'Platform', words: 'platform' },
}

/** Phases of one component, or of one pool of nodes. */
const PARTS: Readonly<Record<string, (part: string) => PhaseText>> = {
  operands: (part) => ({ name: operatorName(part), words: `component ${part}` }),
  platform: (part) => ({ name: `Pool ${part}`, words: `nodes of ${part}` }),
}

/** `operands.cdi` is CDI; a pool of the platform goes by its name. */
export function phaseName(phase: string): string {
  return phaseText(phase)?.name ?? phase
}

/** The phase within a sentence. */
export function phaseWords(phase: string | null): string {
  if (phase === null) return 'phase not reported'
  return phaseText(phase)?.words ?? phase.replaceAll('.', ' ')
}

function phaseText(phase: string): PhaseText | undefined {
  const [stem = '', ...rest] = phase.split('.')
  return PHASES[phase] ?? PARTS[stem]?.(rest.join('.'))
}

/** Whether a phase is part of another one, and drawn below it. */
export function isSubPhase(phase: string): boolean {
  return /^(?:olm|operands|platform)\./.test(phase)
}
