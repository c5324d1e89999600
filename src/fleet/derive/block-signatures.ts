/**
 * What blocks an open upgrade, as reported by the cluster (facts 5.10): one function per cause, from a history and an open
 * upgrade to a block with its evidence. Pure, without a clock: a phase that only takes long has no signature here.
 */
import type { Evidence, PhaseName, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, isOpen, phaseOf, objectEvidence, type BlockSignature } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { csvPath, type CsvStep } from './csv-path.ts'
import { HCO } from './hco-upgrades.ts'
import { conditionOf } from './hco-window.ts'
import { hcoSubscriptions } from './olm-offer.ts'
import { planningProblem } from './olm-planning.ts'
import { objectsNow, type PresentObject } from './present.ts'
import { operandFailing, reconcileError, virtHandlerRollout } from './block-operands.ts'
import { METRIC_SIGNATURES } from './block-metrics.ts'
import { migrationNeverEnds, migrationsPending, workloadMethodMissing } from './block-workloads.ts'

/** In the order of an upgrade, objects before metrics. */
export const BLOCK_SIGNATURES: readonly BlockSignature[] = [
  resolutionFailed,
  approvalWaiting,
  noUpdateOffered,
  notUpgradeable,
  requirementsNotMet,
  installFailing,
  virtHandlerRollout,
  operandFailing,
  reconcileError,
  workloadMethodMissing,
  migrationsPending,
  migrationNeverEnds,
  nodeDrainBlocked,
  ...METRIC_SIGNATURES,
]

export function blocksOf(history: ClusterHistory, record: UpgradeRecord): readonly UpgradeBlock[] {
  return BLOCK_SIGNATURES.flatMap((signature) => signature(history, record) ?? [])
}

/** OLM has not created the CSV, so HCO's upgrade has not started. */
export function resolutionFailed(
  history: ClusterHistory,
  { upgrade, detail }: UpgradeRecord,
): UpgradeBlock | undefined {
  const isPlanned = detail.csvUid !== undefined || upgrade.startedMs !== undefined
  if (upgrade.operator !== HCO || upgrade.state !== 'in_progress' || isPlanned) return undefined
  const problem = planningProblem(history)
  if (problem === undefined) return undefined
  const { text, sinceMs, evidence } = problem
  return { cause: 'resolution_failed', text, sinceMs, evidence }
}

export function approvalWaiting(_: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const approval = phaseOf(record, 'approval')
  if (approval?.state !== 'in_progress' || record.upgrade.approval !== 'Manual') return undefined
  const plan = record.detail.installPlan ?? ''
  const evidence = record.upgrade.evidence.filter(({ phase }) => phase === 'approval').reverse()
  const text = `InstallPlan ${plan} waits for somebody to approve it.`
  const since = approval.startedMs === undefined ? {} : { sinceMs: approval.startedMs }
  return { cause: 'approval_waiting', text, ...since, evidence }
}

/** Offered and never planned, and the catalog is unreachable. */
export function noUpdateOffered(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (!isOpen(record, 'offered') || record.detail.installPlan !== undefined) return undefined
  const sources = new Set(hcoSubscriptions(history).map(({ states }) => states.at(-1)!.facts.source))
  for (const { name, namespace, facts, atMs } of objectsNow(history, 'catalogsources')) {
    if (!sources.has(name) || facts.connectionState === 'READY') continue
    const evidence = [
      objectEvidence(
        atMs,
        `CatalogSource ${name} is ${facts.connectionState}`,
        `catalogsources/${namespace}/${name}`,
        'offered',
      ),
    ]
    return { cause: 'no_update_offered', text: `The catalog ${name} cannot be reached.`, sinceMs: atMs, evidence }
  }
  return undefined
}

interface CurrentCsv {
  readonly step: CsvStep
  readonly steps: readonly CsvStep[]
  readonly ref: string
}

function currentCsv(history: ClusterHistory, record: UpgradeRecord): CurrentCsv | undefined {
  const csv = history.of('clusterserviceversions').find(({ uid }) => uid === record.detail.csvUid)
  if (csv === undefined || csv.gone !== undefined || record.upgrade.state !== 'in_progress') return undefined
  const steps = csvPath(csv)
  const step = steps.at(-1)
  return step === undefined ? undefined : { step, steps, ref: `clusterserviceversions/${csv.namespace}/${csv.name}` }
}

function stepEvidence({ step, ref }: CurrentCsv, phase: PhaseName): Evidence {
  const why = step.message === '' || step.message === step.reason ? step.reason : `${step.reason}: ${step.message}`
  return objectEvidence(step.started.atMs, `CSV is ${step.phase} (${why})`, ref, phase)
}

export function requirementsNotMet(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  if (now?.step.phase !== 'Pending' || now.step.reason !== 'RequirementsNotMet') return undefined
  return {
    cause: 'requirements_not_met',
    text: `Something that CSV ${record.upgrade.to} requires is missing.`,
    sinceMs: now.step.started.atMs,
    evidence: [stepEvidence(now, 'olm.pending')],
  }
}

/** OLM's reason, and the OperatorCondition that caused it. */
export function notUpgradeable(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  if (now?.step.phase !== 'Pending' || now.step.reason !== 'OperatorConditionNotUpgradeable') return undefined
  const refusals = objectsNow(history, 'operatorconditions').flatMap((one) => refusalOf(one, record.detail.csvName))
  return {
    cause: 'not_upgradeable',
    text: `The operator that runs says that it cannot be upgraded now${refusals[0] === undefined ? '' : `: ${refusals[0].reason}`}.`,
    sinceMs: now.step.started.atMs,
    evidence: [...refusals.map(({ evidence }) => evidence), stepEvidence(now, 'olm.pending')],
  }
}

function refusalOf(
  { name, namespace, facts, atMs }: PresentObject<'operatorconditions'>,
  newCsv: string | undefined,
): readonly { readonly reason: string; readonly evidence: Evidence }[] {
  const upgradeable = conditionOf(facts.overrides, 'Upgradeable') ?? conditionOf(facts.conditions, 'Upgradeable')
  const isOurs = name.startsWith('kubevirt-hyperconverged-operator.') && name !== newCsv
  if (!isOurs || upgradeable?.status !== 'False') return []
  const ref = `operatorconditions/${namespace}/${name}`
  const text = conditionText(upgradeable)
  return [
    {
      reason: upgradeable.reason,
      evidence: objectEvidence(upgradeable.lastTransitionMs ?? atMs, text, ref, 'olm.pending'),
    },
  ]
}

/** Failed, now or before: OLM retries forever. */
export function installFailing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  const failures = now?.steps.filter(({ phase }) => phase === 'Failed') ?? []
  const last = failures.at(-1)
  if (now === undefined || last === undefined || now.step.phase === 'Succeeded') return undefined
  const times = failures.length === 1 ? 'once' : `${failures.length} times`
  return {
    cause: 'install_failing',
    text: `CSV ${record.upgrade.to} failed ${times}, last: ${last.reason}.`,
    sinceMs: failures[0]!.started.atMs,
    evidence: [stepEvidence({ ...now, step: last }, 'olm.installing')],
  }
}

/** The machine-config operator or a pool reports that a node cannot be drained. */
export function nodeDrainBlocked(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade } = record
  const isOpenPlatform = upgrade.phases.some(
    ({ name, state }) => name.startsWith('platform') && state === 'in_progress',
  )
  if (upgrade.operator !== 'openshift' || !isOpenPlatform) return undefined
  const objects = [
    ...objectsNow(history, 'clusteroperators').filter(({ name }) => name === 'machine-config'),
    ...objectsNow(history, 'machineconfigpools'),
  ]
  const evidence = objects.flatMap(({ name, facts, atMs }) => {
    const drains = facts.conditions.filter(({ status, message }) => status === 'True' && DRAIN.test(message))
    return drains.map((condition) => {
      const ref = `${facts.kind}//${name}`
      return objectEvidence(condition.lastTransitionMs ?? atMs, conditionText(condition), ref, 'platform')
    })
  })
  if (evidence.length === 0) return undefined
  const sinceMs = Math.min(...evidence.map(({ atMs }) => atMs))
  const text = 'A node cannot be drained: something on it may not be evicted.'
  return { cause: 'node_drain_blocked', text, sinceMs, evidence }
}

const DRAIN = /failed to drain|cannot evict|disruption budget/i
