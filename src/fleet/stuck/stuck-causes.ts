/**
 * The causes of a stuck upgrade, most likely first, from two sources: what the cluster reported when the record was derived
 * (`blockedBy`), and the record itself. Each cause belongs to phases; a cause that does not fit the current phase is left
 * out. When none fits, the cause is `unknown`: a wrong cause misleads.
 */
import type {
  BlockCause,
  Evidence,
  PhaseName,
  Upgrade,
  UpgradeBlock,
  UpgradeDetail,
  UpgradeRecord,
} from '../../model/upgrade.ts'

/** The phases that each cause can block; a name includes its parts. */
const PHASES_OF_CAUSE: Readonly<Record<Exclude<BlockCause, 'unknown'>, readonly string[]>> = {
  approval_waiting: ['approval'],
  no_update_offered: ['offered'],
  resolution_failed: ['offered', 'approval'],
  requirements_not_met: ['olm'],
  not_upgradeable: ['olm'],
  install_failing: ['olm'],
  virt_handler_rollout: ['virt_handler', 'operands'],
  operand_failing: ['operands', 'virt_handler', 'settle'],
  reconcile_error: ['operands', 'settle'],
  workload_method_missing: ['workloads'],
  migrations_pending: ['workloads'],
  migrations_failing: ['workloads'],
  migration_never_ends: ['workloads'],
  node_drain_blocked: ['platform'],
  pool_degraded: ['platform'],
}

/** @param phase the current phase; `undefined`: unknown, so any cause fits */
export function causesOf(
  record: UpgradeRecord,
  phase: PhaseName | undefined,
  stalledSinceMs: number,
): readonly UpgradeBlock[] {
  const reported = record.upgrade.blockedBy
  const shown = SIGNATURES.flatMap((signature) => {
    const block = signature(record, phase)
    return block === undefined ? [] : [{ ...block, sinceMs: stalledSinceMs }]
  })
  const fitting = [...(reported === undefined ? [] : [reported]), ...shown].filter(({ cause }) => canStop(cause, phase))
  const causes = fitting.filter((block, i) => fitting.findIndex(({ cause }) => cause === block.cause) === i)
  return causes.length > 0 ? causes : [unknownBlock(record, stalledSinceMs)]
}

/** Whether a cause can block the phase; any, when the phase is unknown. */
export function canStop(cause: BlockCause, phase: PhaseName | undefined): boolean {
  if (cause === 'unknown') return false
  if (phase === undefined) return true
  return PHASES_OF_CAUSE[cause].some((name) => phase === name || phase.startsWith(`${name}.`))
}

type Signature = (record: UpgradeRecord, phase: PhaseName | undefined) => UpgradeBlock | undefined

/** Causes from the record alone (facts 5.10), in the order of an upgrade. */
const SIGNATURES: readonly Signature[] = [
  approvalWaiting,
  planInstalling,
  csvReason,
  rolloutStalled,
  operandStalled,
  migrationsTimeOut,
  migrationNeverEnds,
  migrationsWait,
  nothingMigrates,
]

function approvalWaiting(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  if (phase !== 'approval') return undefined
  const plan = record.detail.installPlan
  const text = `${plan === undefined ? 'The install plan' : `Install plan ${plan}`} is pending approval.`
  return { cause: 'approval_waiting', text, evidence: evidenceOf(record, 'approval') }
}

/** An approved plan unpacks the bundle and applies its objects, the CSV among them, in about a minute. */
function planInstalling(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const { upgrade, detail } = record
  if (phase !== undefined || !isPlanApproved(upgrade) || upgrade.startedMs !== undefined) return undefined
  const text =
    `InstallPlan ${detail.installPlan ?? ''} was approved, and OLM has not created the CSV. ` +
    'Read the status of the plan and the logs of its unpack job.'
  const evidence = [...evidenceOf(record, 'approval'), ...evidenceOf(record, 'offered')]
  return { cause: 'resolution_failed', text, evidence }
}

/** OLM carries the plan out; only a CSV starts the upgrade. */
export function isPlanApproved({ phases }: Upgrade): boolean {
  return phases.some(({ name, endedMs }) => name === 'approval' && endedMs !== undefined)
}

/** OLM's reasons that name a cause; waiting for a deployment is not one. */
const CAUSE_OF_REASON: ReadonlyMap<string, BlockCause> = new Map(
  Object.entries<BlockCause>({
    RequirementsNotMet: 'requirements_not_met',
    OperatorConditionNotUpgradeable: 'not_upgradeable',
  }),
)

function csvReason(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const { csvSteps } = record.detail
  const last = csvSteps.at(-1)
  if (phase?.startsWith('olm') !== true || last === undefined) return undefined
  const cause = last.phase === 'Pending' ? CAUSE_OF_REASON.get(last.reason) : undefined
  if (cause !== undefined) {
    const text = `CSV ${record.upgrade.to} is ${last.phase}: ${last.reason}.`
    return { cause, text, evidence: evidenceOf(record, 'olm') }
  }
  // OLM retries after each Failed, so the current step says little.
  const failed = csvSteps.findLast((step) => step.phase === 'Failed')
  if (failed === undefined) return installTimesOut(record, phase, last)
  const times = csvSteps.filter((step) => step.phase === 'Failed').length
  const text = `CSV ${record.upgrade.to} failed ${times === 1 ? 'once' : `${times} times`}, last: ${failed.reason}.`
  return { cause: 'install_failing', text, evidence: evidenceOf(record, 'olm') }
}

/**
 * OLM's timeout is five minutes and it retries within seconds, so a scrape or a list seldom observes Failed. No upgrade is
 * considered stuck in installing before the timeout (`stuck.ts`): one that still waits for pods afterwards has failed.
 */
function installTimesOut(
  record: UpgradeRecord,
  phase: PhaseName,
  { phase: step, reason }: UpgradeDetail['csvSteps'][number],
): UpgradeBlock | undefined {
  if (phase !== 'olm.installing' || step !== 'Installing' || reason !== 'InstallWaiting') return undefined
  const text = `CSV ${record.upgrade.to} waits for its pods for longer than OLM gives an installation: ${reason}.`
  return { cause: 'install_failing', text, evidence: evidenceOf(record, 'olm') }
}

function rolloutStalled(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const handler = record.detail.virtHandler
  if (phase?.startsWith('virt_handler.') !== true || handler === undefined) return undefined
  const missing = missingNodes(handler)
  if (missing === undefined) return undefined
  const where =
    phase === 'virt_handler.canary' ? 'The first node with the new virt-handler' : 'The roll-out of virt-handler'
  const text = `${where} is not ready: ${missing}.`
  return { cause: 'virt_handler_rollout', text, evidence: evidenceOf(record, phase) }
}

function missingNodes({ desired, updated, ready }: NonNullable<UpgradeDetail['virtHandler']>): string | undefined {
  if (updated < desired) return `${updated} of ${desired} nodes are updated, ${ready} are ready`
  return ready < desired ? `all ${desired} nodes are updated, ${ready} are ready` : undefined
}

/** KubeVirt reports Degraded during its whole update, so its message is ignored. */
function operandStalled(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  if (phase?.startsWith('operands') !== true && phase !== 'settle') return undefined
  const { components } = record.detail
  const isKubevirtDone = components.every(({ name, state }) => name !== 'kubevirt' || state === 'succeeded')
  const open = components.find(
    ({ name, state }) => name !== 'kubevirt' && (state === 'in_progress' || state === 'failed'),
  )
  if (!isKubevirtDone || open === undefined) return undefined
  const message = open.message === undefined || open.message === '' ? '' : ` Message: ${open.message}`
  const text = `KubeVirt is updated; ${open.name} has not reached ${open.to ?? 'its new version'}.${message}`
  return { cause: 'operand_failing', text, evidence: evidenceOf(record, `operands.${open.name}`) }
}

function migrationsTimeOut(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const migrations = record.detail.workloads?.migrations
  if (phase !== 'workloads' || (migrations?.pendingTimeouts ?? 0) === 0) return undefined
  const text = `${migrations!.pendingTimeouts} migrations timed out before a node was found; ${migrations!.pending ?? 0} are still pending.`
  return { cause: 'migrations_pending', text, evidence: evidenceOf(record, 'workloads') }
}

/** Migrations run and none ends: memory is dirtied faster than it is copied. */
function migrationNeverEnds(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const { migrations, hasRunEnded } = record.detail.workloads ?? {}
  if (phase !== 'workloads' || (migrations?.running ?? 0) === 0 || (migrations?.failed ?? 0) > 0) return undefined
  if (hasRunEnded === true) return undefined
  const text = `${count(migrations!.running!, 'migration')} running, and no VM was updated since.`
  return { cause: 'migration_never_ends', text, evidence: evidenceOf(record, 'workloads') }
}

/** Some are pending or in scheduling, none runs, and no VM was updated. Failed ones have another cause; gauges do not count them. */
function migrationsWait(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const { pending = 0, running, pendingTimeouts, failed = 0 } = record.detail.workloads?.migrations ?? {}
  if (phase !== 'workloads' || pending === 0 || running !== 0 || pendingTimeouts !== 0 || failed > 0) return undefined
  const text =
    `${count(pending, 'migration')} waiting for a node, and no migration is running. ` +
    'Add capacity, or correct the node selectors, CPU models and volumes that no other node satisfies.'
  return { cause: 'migrations_pending', text, evidence: evidenceOf(record, 'workloads') }
}

/** No migration was pending or running (facts 5.10): no update method is configured, or the VMs cannot be migrated. */
function nothingMigrates(record: UpgradeRecord, phase: PhaseName | undefined): UpgradeBlock | undefined {
  const { migrations, outdatedNow = 0, hasMethod, isAnySeen } = record.detail.workloads ?? {}
  if (phase !== 'workloads' || migrations === undefined || outdatedNow === 0) return undefined
  // Objects count each migration and show the methods: their signatures are more exact.
  if (hasMethod === true || migrations.workloadUpdate !== undefined || isAnySeen === true) return undefined
  if (migrations.pending !== 0 || migrations.running !== 0 || migrations.pendingTimeouts !== 0) return undefined
  const text = `${count(outdatedNow, 'VM')} outdated and not migrated: no workload update method is set, or no migration is possible.`
  return { cause: 'workload_method_missing', text, evidence: evidenceOf(record, 'workloads') }
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`
}

/** The newest first. */
function evidenceOf({ upgrade }: UpgradeRecord, phase: string): readonly Evidence[] {
  const ofPhase = upgrade.evidence.filter((one) => one.phase === phase || one.phase?.startsWith(`${phase}.`) === true)
  return ofPhase.slice(-EVIDENCE_MAX).reverse()
}

const EVIDENCE_MAX = 5

function unknownBlock(record: UpgradeRecord, stalledSinceMs: number): UpgradeBlock {
  return {
    cause: 'unknown',
    text: 'No progress; no known cause detected.',
    sinceMs: stalledSinceMs,
    evidence: record.upgrade.evidence.slice(-EVIDENCE_MAX).reverse(),
  }
}
