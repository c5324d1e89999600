/**
 * What blocks an open upgrade, as reported by the cluster (facts 5.10): one function per cause, from a history and an open
 * upgrade to a block with its evidence. Pure, without a clock: a phase that only takes long has no signature here.
 */
import { remembered } from '../../base/remembered.ts'
import type { Evidence, PhaseName, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, isOpen, phaseOf, objectEvidence, type BlockSignature } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { csvPath, type CsvStep } from './csv-path.ts'
import { HCO } from './hco-upgrades.ts'
import { conditionOf } from './hco-window.ts'
import { hcoSubscriptions } from './olm-offer.ts'
import { planningProblem } from './olm-planning.ts'
import { nameKey, newestByName, objectsNow, type PresentObject } from './present.ts'
import { kubevirtFailed, operandFailing, reconcileError, virtHandlerRollout } from './block-operands.ts'
import { METRIC_SIGNATURES } from './block-metrics.ts'
import { nodeDrainBlocked, poolDegraded } from './block-platform.ts'
import { podEvidence, podFaults, podFaultText, type PodsOf } from './block-pods.ts'
import { migrationNeverEnds, migrationsFailing, migrationsPending, workloadMethodMissing } from './block-workloads.ts'

/** In the order of an upgrade, objects before metrics. */
export const BLOCK_SIGNATURES: readonly BlockSignature[] = [
  resolutionFailed,
  approvalWaiting,
  noUpdateOffered,
  notUpgradeable,
  requirementsNotMet,
  replacedCsvFailed,
  installFailing,
  virtHandlerRollout,
  kubevirtFailed,
  reconcileError,
  operandFailing,
  workloadMethodMissing,
  migrationsFailing,
  migrationsPending,
  migrationNeverEnds,
  nodeDrainBlocked,
  poolDegraded,
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
  const text = `InstallPlan ${plan} is pending approval.`
  const since = approval.startedMs === undefined ? {} : { sinceMs: approval.startedMs }
  return { cause: 'approval_waiting', text, ...since, evidence }
}

/** Offered and never planned, and the catalog is unreachable. */
export function noUpdateOffered(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (!isOpen(record, 'offered') || record.detail.installPlan !== undefined) return undefined
  for (const { name, namespace, facts, atMs } of unreachableCatalogs(history)) {
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

const unreachableCatalogs = remembered((history: ClusterHistory) => {
  const sources = new Set(hcoSubscriptions(history).map(({ states }) => states.at(-1)!.facts.source))
  const catalogs = objectsNow(history, 'catalogsources')
  return catalogs.filter(({ name, facts }) => sources.has(name) && facts.connectionState !== 'READY')
})

/** By uid. */
const csvsOf = remembered((history: ClusterHistory) => {
  return new Map(history.of('clusterserviceversions').map((csv) => [csv.uid, csv]))
})

const presentCsvs = remembered((history: ClusterHistory) => {
  return newestByName(history.of('clusterserviceversions').filter(({ gone }) => gone === undefined))
})

interface CurrentCsv {
  readonly step: CsvStep
  readonly steps: readonly CsvStep[]
  readonly ref: string
  readonly namespace: string
}

function currentCsv(history: ClusterHistory, record: UpgradeRecord): CurrentCsv | undefined {
  const csv = csvsOf(history).get(record.detail.csvUid ?? '')
  if (csv === undefined || csv.gone !== undefined || record.upgrade.state !== 'in_progress') return undefined
  const steps = csvPath(csv)
  const step = steps.at(-1)
  const { namespace } = csv
  return step && { step, steps, namespace, ref: `clusterserviceversions/${namespace}/${csv.name}` }
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
    text: `The installed operator reports Upgradeable=False${refusals[0] === undefined ? '' : `: ${refusals[0].reason}`}.`,
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

/** Failed, now or before: OLM retries forever. Its reasons name no pod; the events of the pods report why they do not start. */
export function installFailing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  if (now === undefined || now.step.phase === 'Succeeded') return undefined
  const failures = now.steps.filter(({ phase }) => phase === 'Failed')
  const last = failures.at(-1)
  const installing = now.steps.find(({ phase }) => phase === 'Installing')
  const faults = installing === undefined ? [] : podFaults(history, podsOf(now, installing))
  const [fault] = faults
  if (last === undefined && (fault === undefined || now.step.phase !== 'Installing')) return undefined
  const times = failures.length === 1 ? 'once' : `${failures.length} times`
  const csv = `CSV ${record.upgrade.to} ${last === undefined ? 'waits for its pods' : `failed ${times}, last: ${last.reason}`}.`
  return {
    cause: 'install_failing',
    text: fault === undefined ? csv : `${csv} ${podFaultText(fault)}`,
    sinceMs: Math.min(failures[0]?.started.atMs ?? Infinity, fault?.firstMs ?? Infinity),
    evidence: [
      ...podEvidence(faults, 'olm.installing'),
      stepEvidence({ ...now, step: last ?? now.step }, 'olm.installing'),
    ],
  }
}

/** `deployment virt-operator not ready`, `waiting for deployment virt-operator to become ready`. */
const DEPLOYMENT = /deployment "?([a-z0-9][a-z0-9.-]*)"?/g

/** The pods that the new CSV waits for, as far as it names their Deployments. */
function podsOf({ steps, namespace }: CurrentCsv, { started }: CsvStep): PodsOf {
  const names = steps
    .filter((step) => step.started.atMs >= started.atMs)
    .flatMap(({ message }) => [...message.matchAll(DEPLOYMENT)].map(([, name]) => name!))
  return { namespace, owners: [...new Set(names)], fromMs: started.atMs }
}

/** OLM installs the new CSV only when the CSV that it replaces is Replacing; one that is Failed never gets there. */
export function replacedCsvFailed(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  const { replaces } = record.detail
  if (now === undefined || replaces === undefined || now.steps.some(({ phase }) => phase !== 'Pending'))
    return undefined
  const { namespace } = now
  const old = presentCsvs(history).get(nameKey(namespace, replaces))
  const steps = old === undefined ? [] : csvPath(old)
  const failed = steps.findLast(({ phase }) => phase === 'Failed')
  const current = steps.at(-1)
  // OLM retries, so a failed CSV may be Pending for a moment.
  if (failed === undefined || (current !== failed && current?.phase !== 'Pending')) return undefined
  const isPassed = objectsNow(history, 'operatorgroups').some(
    (group) => group.namespace === namespace && group.facts.upgradeStrategy === FAIL_FORWARD,
  )
  if (isPassed) return undefined
  const first = steps
    .slice(steps.findLastIndex(({ phase }) => phase === 'Succeeded') + 1)
    .find(({ phase }) => phase === 'Failed')!
  const ref = `clusterserviceversions/${namespace}/${replaces}`
  const why =
    failed.message === '' || failed.message === failed.reason ? failed.reason : `${failed.reason}: ${failed.message}`
  return {
    cause: 'install_failing',
    text:
      `The installed CSV ${replaces} is Failed (${failed.reason}), and OLM does not replace a failed CSV. ` +
      `Fix what ${replaces} reports, or set upgradeStrategy ${FAIL_FORWARD} in the OperatorGroup.`,
    sinceMs: Math.max(first.started.atMs, now.steps[0]!.started.atMs),
    evidence: [
      objectEvidence(failed.started.atMs, `CSV ${replaces} is Failed (${why})`, ref, 'olm.pending'),
      stepEvidence(now, 'olm.pending'),
    ],
  }
}

const FAIL_FORWARD = 'TechPreviewUnsafeFailForward'
