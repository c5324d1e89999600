import type { ClusterState } from '../../model/cluster-record.ts'
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
  gone: 'gone',
}

/** Explanations of the states. */
export const CLUSTER_STATE_MEANINGS: Readonly<Record<ClusterState, string>> = {
  upgrading: 'An operator or the platform is between two versions.',
  stuck: 'An upgrade got no further for longer than its phase takes elsewhere.',
  silent: 'Nothing came from it for longer than its ways allow.',
  unhealthy: 'HyperConverged reports an error, or the installed operator is unhealthy.',
  cannot_plan: 'OLM cannot plan an upgrade of the operator; the cluster page shows the reason.',
  identity_conflict: 'Two clusters send under one name, or claim one name; the cluster page shows which.',
  tainted: 'Something is changed past the API, so support and upgrades may not know it.',
  outdated_workloads: 'Virtual machines still run on the launcher of an older version.',
  paused_pool: 'A machine config pool is paused: its nodes take no update.',
  unknown: 'It is heard of, and no version of any operator is told.',
  steady: 'It is heard of, and none of the others holds.',
  gone: 'It was switched off for good: somebody said so, or nothing was heard of it for a long time.',
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
  pending: 'not begun',
  in_progress: 'running',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'not needed',
  unknown: 'not known',
}

const CAUSES: Readonly<Record<string, string>> = {
  approval_waiting: 'Waits for approval',
  no_update_offered: 'No update is offered',
  resolution_failed: 'OLM cannot resolve',
  requirements_not_met: 'Requirements are not met',
  not_upgradeable: 'Not upgradeable',
  install_failing: 'The installation fails',
  virt_handler_rollout: 'virt-handler does not roll out',
  operand_failing: 'An operand fails',
  reconcile_error: 'HyperConverged cannot reconcile',
  workload_method_missing: 'No way to update machines is set',
  migrations_pending: 'Migrations wait',
  migrations_failing: 'Migrations fail',
  migration_never_ends: 'A migration does not end',
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
  approval: { name: 'Approval', words: 'waits for approval' },
  olm: { name: 'OLM', words: 'operator install' },
  'olm.pending': { name: 'CSV pending', words: 'install: requirements' },
  'olm.install_ready': { name: 'Install ready', words: 'install: ready' },
  'olm.installing': { name: 'Installing', words: 'install: operators start' },
  operands: { name: 'Operands', words: 'components' },
  'virt_handler.canary': { name: 'virt-handler canary', words: 'first node' },
  'virt_handler.waves': { name: 'virt-handler waves', words: 'node by node' },
  settle: { name: 'Settle', words: 'settling' },
  workloads: { name: 'Virtual machines', words: 'machines follow' },
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
  if (phase === null) return 'phase not told'
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
