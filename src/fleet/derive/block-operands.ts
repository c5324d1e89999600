/** What blocks HCO's part of an upgrade: the rollout of virt-handler, an operand, HCO's reconciliation. */
import type { ObjectFacts } from '../../model/object-facts.ts'
import type { Evidence, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, isOpen, phaseOf, objectEvidence } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'
import { conditionOf } from './hco-window.ts'
import { objectsNow } from './present.ts'

/** virt-operator reports that the rollout failed, or nodes are not ready. */
export function virtHandlerRollout(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const handler = record.detail.virtHandler
  const isRolling = isOpen(record, 'virt_handler.canary') || isOpen(record, 'virt_handler.waves')
  if (handler?.startedMs === undefined || !isRolling) return undefined
  const { startedMs, desired, updated, ready } = handler
  const lost = objectsNow(history, 'nodes').flatMap(({ name, facts, atMs }): readonly Evidence[] =>
    facts.isReady ? [] : [objectEvidence(atMs, `node ${name} is not ready`, `nodes//${name}`, 'virt_handler.waves')],
  )
  const failed = eventsOf(history, startedMs).filter(
    ({ reason, message }) => reason === 'FailedUpdate' && message.includes('virt-handler'),
  )
  const reported = failed.map(({ message, lastMs, objectName }) =>
    objectEvidence(lastMs ?? startedMs, message, `kubevirts//${objectName}`, 'virt_handler.canary'),
  )
  const evidence = [...reported, ...(ready < desired ? lost : [])]
  if (evidence.length === 0) return undefined
  return {
    cause: 'virt_handler_rollout',
    text: `virt-handler is updated on ${updated} of ${desired} nodes and ready on ${ready}.`,
    sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)),
    evidence,
  }
}

type EventFacts = Extract<ObjectFacts, { readonly kind: 'events' }>

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
        text: `${name} does not get to ${component.to ?? 'its new version'}.`,
        sinceMs,
        evidence: [objectEvidence(sinceMs, text, `${kind}/${namespace}/${object}`, `operands.${name}`)],
      }
    }
  }
  return undefined
}

/** All operands are updated, and HCO reports that it cannot reconcile. */
export function reconcileError(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade, detail } = record
  const isDone = detail.components.every(({ state }) => state !== 'in_progress')
  const hcoMs = detail.hco?.startedMs
  if (upgrade.state !== 'in_progress' || hcoMs === undefined || !isDone) return undefined
  const sinceMs = phaseOf(record, 'settle')?.startedMs ?? hcoMs
  const conditions = objectsNow(history, 'hyperconvergeds').flatMap(({ name, namespace, facts, atMs }) => {
    const complete = conditionOf(facts.conditions, 'ReconcileComplete')
    if (complete?.status !== 'False') return []
    const ref = `hyperconvergeds/${namespace}/${name}`
    return [objectEvidence(complete.lastTransitionMs ?? atMs, conditionText(complete), ref, 'settle')]
  })
  const events = eventsOf(history, sinceMs)
    .filter(({ reason }) => reason === 'ReconcileError')
    .map(({ message, lastMs, firstMs, objectName, objectNamespace }) =>
      objectEvidence(
        lastMs ?? firstMs ?? sinceMs,
        message,
        `hyperconvergeds/${objectNamespace}/${objectName}`,
        'settle',
      ),
    )
  const evidence = [...events, ...conditions]
  if (evidence.length === 0) return undefined
  const text = 'All operands have their versions, and HyperConverged cannot be reconciled.'
  return { cause: 'reconcile_error', text, sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)), evidence }
}
