/**
 * What is in an open upgrade's way, as far as the cluster says it itself (facts 5.10). One small function for each cause:
 * a history and an open upgrade in, a block with its evidence out, or nothing. They say only what stands in the
 * observations and know no clock: a phase that merely takes long has no signature here.
 */
import type { OperatorConditionFacts } from '../../model/object-facts.ts'
import type { Evidence, PhaseName, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, isOpen, phaseOf, objectEvidence, type BlockSignature } from './block-evidence.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'
import { csvPath, type CsvStep } from './csv-path.ts'
import { conditionOf } from './hco-window.ts'
import { hcoSubscriptions } from './olm-offer.ts'
import { operandFailing, reconcileError, virtHandlerRollout } from './block-operands.ts'
import { METRIC_SIGNATURES } from './block-metrics.ts'
import { migrationNeverEnds, migrationsPending, workloadMethodMissing } from './block-workloads.ts'

/** In the order of an upgrade, objects before metrics; the first that fits is the record's. */
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

/** All that fit, in the order of an upgrade. */
export function blocksOf(history: ClusterHistory, record: UpgradeRecord): readonly UpgradeBlock[] {
  return BLOCK_SIGNATURES.flatMap((signature) => signature(history, record) ?? [])
}

/** No CSV yet: the catalog's bundle does not unpack, or its graph has no way. */
export function resolutionFailed(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (record.upgrade.state !== 'in_progress' || record.detail.csvUid !== undefined) return undefined
  for (const { name, namespace, states, gone } of hcoSubscriptions(history)) {
    const { facts, atMs } = states.at(-1)!
    const failed = ['ResolutionFailed', 'BundleUnpackFailed', 'InstallPlanFailed']
      .map((type) => conditionOf(facts.conditions, type))
      .find((condition) => condition?.status === 'True')
    if (gone !== undefined || failed === undefined) continue
    const sinceMs = failed.lastTransitionMs ?? atMs
    const evidence = [objectEvidence(sinceMs, conditionText(failed), `subscriptions/${namespace}/${name}`, 'offered')]
    return {
      cause: 'resolution_failed',
      text: `OLM cannot plan the upgrade: ${failed.reason || failed.type}.`,
      sinceMs,
      evidence,
    }
  }
  return undefined
}

/** An InstallPlan of a Subscription with manual approval. */
export function approvalWaiting(_: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const approval = phaseOf(record, 'approval')
  if (approval?.state !== 'in_progress' || record.upgrade.approval !== 'Manual') return undefined
  const plan = record.detail.installPlan ?? ''
  const evidence = record.upgrade.evidence.filter(({ phase }) => phase === 'approval').reverse()
  const text = `InstallPlan ${plan} waits for somebody to approve it.`
  return {
    cause: 'approval_waiting',
    text,
    ...(approval.startedMs !== undefined && { sinceMs: approval.startedMs }),
    evidence,
  }
}

/** Offered once, never planned, and the catalog cannot be reached. */
export function noUpdateOffered(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (!isOpen(record, 'offered') || record.detail.installPlan !== undefined) return undefined
  const sources = new Set(hcoSubscriptions(history).map(({ states }) => states.at(-1)!.facts.source))
  for (const { name, namespace, states, gone } of history.of('catalogsources')) {
    const { facts, atMs } = states.at(-1)!
    if (gone !== undefined || !sources.has(name) || facts.connectionState === 'READY') continue
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

/** Where the new CSV stands now. */
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

/** OLM's reason, and the word of the operator that gave it. */
export function notUpgradeable(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const now = currentCsv(history, record)
  if (now?.step.phase !== 'Pending' || now.step.reason !== 'OperatorConditionNotUpgradeable') return undefined
  const words = history.of('operatorconditions').flatMap((object) => refusalOf(object, record.detail.csvName))
  return {
    cause: 'not_upgradeable',
    text: `The operator that runs says that it cannot be upgraded now${words[0] === undefined ? '' : `: ${words[0].reason}`}.`,
    sinceMs: now.step.started.atMs,
    evidence: [...words.map(({ evidence }) => evidence), stepEvidence(now, 'olm.pending')],
  }
}

function refusalOf(
  { name, namespace, states, gone }: ObjectHistory<OperatorConditionFacts>,
  newCsv: string | undefined,
): readonly { readonly reason: string; readonly evidence: Evidence }[] {
  const { facts, atMs } = states.at(-1)!
  const upgradeable = conditionOf(facts.overrides, 'Upgradeable') ?? conditionOf(facts.conditions, 'Upgradeable')
  const isOurs = name.startsWith('kubevirt-hyperconverged-operator.') && name !== newCsv
  if (!isOurs || gone !== undefined || upgradeable?.status !== 'False') return []
  const ref = `operatorconditions/${namespace}/${name}`
  const text = conditionText(upgradeable)
  return [
    {
      reason: upgradeable.reason,
      evidence: objectEvidence(upgradeable.lastTransitionMs ?? atMs, text, ref, 'olm.pending'),
    },
  ]
}

/** Failed now, or again on the way after it had failed: OLM tries for ever. */
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

/** The platform's machine-config operator, or a pool, says that a node cannot be drained. */
export function nodeDrainBlocked(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade } = record
  const isOpenPlatform = upgrade.phases.some(
    ({ name, state }) => name.startsWith('platform') && state === 'in_progress',
  )
  if (upgrade.operator !== 'openshift' || !isOpenPlatform) return undefined
  const objects = [
    ...history.of('clusteroperators').filter(({ name }) => name === 'machine-config'),
    ...history.of('machineconfigpools'),
  ]
  const evidence = objects.flatMap(({ name, states, gone }) => {
    const { facts, atMs } = states.at(-1)!
    return facts.conditions
      .filter(({ status, message }) => gone === undefined && status === 'True' && DRAIN.test(message))
      .map((condition) =>
        objectEvidence(
          condition.lastTransitionMs ?? atMs,
          conditionText(condition),
          `${facts.kind}//${name}`,
          'platform',
        ),
      )
  })
  if (evidence.length === 0) return undefined
  const sinceMs = Math.min(...evidence.map(({ atMs }) => atMs))
  return {
    cause: 'node_drain_blocked',
    text: 'A node cannot be drained: something on it may not be evicted.',
    sinceMs,
    evidence,
  }
}

const DRAIN = /failed to drain|cannot evict|disruption budget/i
