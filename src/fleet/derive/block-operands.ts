/** What blocks HCO's part of an upgrade: the rollout of virt-handler, an operand, HCO's reconciliation. */
import { remembered } from '../../base/remembered.ts'
import type { EventFacts } from '../../model/object-facts.ts'
import type { Evidence, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, endSentence, isOpen, objectEvidence, phaseOf } from './block-evidence.ts'
import { podEvidence, podFaults, podFaultText } from './block-pods.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'
import { conditionOf } from './hco-window.ts'
import { objectsNow } from './present.ts'

/** virt-operator reports that the rollout failed, a pod of virt-handler does not start, or nodes are not ready. */
export function virtHandlerRollout(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const handler = record.detail.virtHandler
  const isRolling = isOpen(record, 'virt_handler.canary') || isOpen(record, 'virt_handler.waves')
  if (handler?.startedMs === undefined || !isRolling) return undefined
  const { startedMs, desired, updated, ready } = handler
  const failed = eventsOf(history, startedMs).filter(
    ({ reason, message }) => reason === 'FailedUpdate' && message.includes(HANDLER),
  )
  const reported = failed.map(({ message, lastMs, objectKind, objectNamespace, objectName }) => {
    const ref = `${objectKind.toLowerCase()}s/${objectNamespace}/${objectName}`
    return objectEvidence(lastMs ?? startedMs, message, ref, 'virt_handler.canary')
  })
  const conditions = kubevirtFaults(history).filter(({ text }) => text.includes(HANDLER))
  const namespace = objectsNow(history, 'daemonsets').at(-1)?.namespace ?? ''
  const faults = ready < desired ? podFaults(history, { namespace, owners: [HANDLER], fromMs: startedMs }) : []
  const [fault] = faults
  const evidence = [
    ...podEvidence(faults, 'virt_handler.canary'),
    ...reported,
    ...conditions,
    ...(ready < desired ? lostNodes(history) : []),
  ]
  if (evidence.length === 0) return undefined
  const progress = `virt-handler is updated on ${updated} of ${desired} nodes and ready on ${ready}.`
  return {
    cause: 'virt_handler_rollout',
    text: fault === undefined ? progress : `${progress} ${podFaultText(fault)}`,
    sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)),
    evidence,
  }
}

const HANDLER = 'virt-handler'

const lostNodes = remembered((history: ClusterHistory) =>
  objectsNow(history, 'nodes').flatMap(({ name, facts, atMs }): readonly Evidence[] =>
    facts.isReady ? [] : [objectEvidence(atMs, `node ${name} is not ready`, `nodes//${name}`, 'virt_handler.waves')],
  ),
)

/**
 * KubeVirt reports that its own deployment failed. During a normal update its reason is UpdateInProgress, and its conditions
 * get a new time with each new reason or message.
 */
const kubevirtFaults = remembered((history: ClusterHistory): readonly Evidence[] =>
  objectsNow(history, 'kubevirts').flatMap(({ name, namespace, facts, atMs }) => {
    const failed = facts.conditions.filter(({ reason }) => reason === 'DeploymentFailed')
    const ref = `kubevirts/${namespace}/${name}`
    // All conditions have the same message.
    return failed.slice(0, 1).map((condition) => {
      return objectEvidence(condition.lastTransitionMs ?? atMs, conditionText(condition), ref, 'operands.kubevirt')
    })
  }),
)

/** KubeVirt's own DeploymentFailed. */
export function kubevirtFailed(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const component = record.detail.components.find(({ name }) => name === 'kubevirt')
  if (record.upgrade.state !== 'in_progress' || component?.state !== 'in_progress') return undefined
  const evidence = kubevirtFaults(history)
  const [fault] = evidence
  if (fault === undefined) return undefined
  const text =
    `KubeVirt reports DeploymentFailed and has not reached ${component.to ?? 'its new version'}. ` +
    `${endSentence(fault.text)} Fix the reported error; the log of virt-operator has the details.`
  return { cause: 'operand_failing', text, sinceMs: fault.atMs, evidence }
}

function eventsOf(history: ClusterHistory, fromMs: number): readonly EventFacts[] {
  return history
    .of('events')
    .map(({ states }) => states.at(-1)!.facts)
    .filter(({ lastMs, firstMs }) => (lastMs ?? firstMs ?? -Infinity) >= fromMs)
}

/** KubeVirt is updated and another operand reports a fault. KubeVirt reports Degraded during its whole update. */
export function operandFailing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { components } = record.detail
  const isKubevirtOpen = components.some(({ name, state }) => name === 'kubevirt' && state === 'in_progress')
  if (record.upgrade.state !== 'in_progress' || isKubevirtOpen) return undefined
  for (const kind of OPERAND_KINDS) {
    const name = OPERAND_NAMES[kind]
    const component = components.find((one) => one.name === name)
    if (name === 'kubevirt' || component?.state !== 'in_progress') continue
    for (const { name: object, namespace, facts, atMs } of objectsNow(history, kind)) {
      const degraded = conditionOf(facts.conditions, 'Degraded')
      const isDegraded = degraded?.status === 'True'
      if (!isDegraded && facts.phase !== 'Error') continue
      const sinceMs = (isDegraded ? degraded.lastTransitionMs : undefined) ?? atMs
      const text = isDegraded ? conditionText(degraded) : `phase is ${facts.phase ?? ''}`
      return {
        cause: 'operand_failing',
        text: `${name} has not reached ${component.to ?? 'its new version'}.`,
        sinceMs,
        evidence: [objectEvidence(sinceMs, text, `${kind}/${namespace}/${object}`, `operands.${name}`)],
      }
    }
  }
  return undefined
}

/**
 * HCO reports that it cannot reconcile. With reason ReconcileFailed it stops at the operand that it cannot write: the other
 * conditions become Unknown, Progressing may never be HCOUpgrading, and there is no event. Other reasons count when all
 * operands are updated.
 */
export function reconcileError(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade, detail } = record
  const hcoMs = detail.hco?.startedMs ?? phaseOf(record, 'olm')?.endedMs
  if (upgrade.operator !== 'kubevirt-hyperconverged' || upgrade.state !== 'in_progress' || hcoMs === undefined) {
    return undefined
  }
  const isDone = detail.components.every(({ state }) => state !== 'in_progress')
  const sinceMs = phaseOf(record, 'settle')?.startedMs ?? hcoMs
  const conditions = objectsNow(history, 'hyperconvergeds').flatMap(({ name, namespace, facts, atMs }) => {
    const complete = conditionOf(facts.conditions, 'ReconcileComplete')
    if (complete?.status !== 'False' || (!isDone && complete.reason !== 'ReconcileFailed')) return []
    const ref = `hyperconvergeds/${namespace}/${name}`
    const evidence = objectEvidence(complete.lastTransitionMs ?? atMs, conditionText(complete), ref, 'settle')
    return [{ evidence, message: complete.message || complete.reason }]
  })
  const events = eventsOf(history, sinceMs)
    .filter(({ reason }) => isDone && reason === 'ReconcileError')
    .map(({ message, lastMs, firstMs, objectName, objectNamespace }) => {
      const ref = `hyperconvergeds/${objectNamespace}/${objectName}`
      return { evidence: objectEvidence(lastMs ?? firstMs ?? sinceMs, message, ref, 'settle'), message }
    })
  const reported = [...events, ...conditions]
  if (reported.length === 0) return undefined
  const evidence = reported.map((one) => one.evidence)
  // The condition is the current error; an event may be of an earlier one.
  const message = (conditions[0] ?? events[0]!).message
  return {
    cause: 'reconcile_error',
    text: `HyperConverged cannot be reconciled: ${endSentence(message)} ${actionFor(message)}`,
    sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)),
    evidence,
  }
}

/** What to do about an error of the API server; a failed certificate check is reported with the webhook that it is of. */
function actionFor(message: string): string {
  if (/x509|certificate/i.test(message)) return 'Renew the certificate, and check the CA bundle of its webhook.'
  if (/webhook/i.test(message))
    return 'Check that the webhook and its service are of one version, and that its pods run.'
  return 'Correct what the API server refuses: often a JSON patch, a quota or a permission.'
}
