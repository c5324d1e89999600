/** Changes of conditions and feature gates during an upgrade: events of its trace and its page. */
import { firstIndexWhere } from '../../base/first-index.ts'
import { ownValue } from '../../base/own-value.ts'
import { remembered } from '../../base/remembered.ts'
import type { Condition, ObjectFacts } from '../../model/object-facts.ts'
import type { UpgradeDetail } from '../../model/upgrade.ts'
import { type ClusterHistory, type ObjectHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import type { Span } from './states-in-time.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'

type ConditionChange = UpgradeDetail['conditionChanges'][number]
type GateChange = UpgradeDetail['featureGateChanges'][number]

export function conditionChanges(history: ClusterHistory, range: Span): readonly ConditionChange[] {
  return partOf(allConditionChanges(history), range)
}

/** In order: each upgrade reads a part. */
const allConditionChanges = remembered((history: ClusterHistory): readonly ConditionChange[] => {
  const changes = [
    ...history.of('hyperconvergeds').flatMap((hco) => changesOf(hco, 'hco')),
    ...OPERAND_KINDS.flatMap((kind) => history.of(kind).flatMap((operand) => changesOf(operand, OPERAND_NAMES[kind]))),
  ]
  return changes.sort((a, b) => a.atMs - b.atMs || compareTexts(keyOf(a), keyOf(b)))
})

/** @param changes in the order of time */
function partOf<T extends { readonly atMs: number }>(changes: readonly T[], { fromMs, toMs }: Span): readonly T[] {
  return changes.slice(
    firstIndexWhere(changes, ({ atMs }) => atMs >= fromMs),
    firstIndexWhere(changes, ({ atMs }) => atMs > toMs),
  )
}

function keyOf({ component, type, status, reason }: ConditionChange): string {
  return [component, type, status, reason].join(' ')
}

function changesOf(
  { states }: ObjectHistory<ObjectFacts & { readonly conditions: readonly Condition[] }>,
  component: string,
): readonly ConditionChange[] {
  const now = new Map<string, Condition>()
  const changes: ConditionChange[] = []
  for (const [i, { facts, atMs: observedMs }] of states.entries()) {
    for (const condition of facts.conditions) {
      const { type, status, reason, lastTransitionMs } = condition
      const before = now.get(type)
      now.set(type, condition)
      const isSame = before !== undefined && before.status === status && before.reason === reason
      // The first observation is a change only if it contains the time of the transition.
      if (isSame || (i === 0 && lastTransitionMs === undefined)) continue
      const isFlip = before?.status !== status
      changes.push({
        atMs: isFlip && lastTransitionMs !== undefined ? lastTransitionMs : observedMs,
        component,
        type,
        status,
        reason,
      })
    }
  }
  return changes
}

export function featureGateChanges(history: ClusterHistory, range: Span): readonly GateChange[] {
  return partOf(allGateChanges(history), range)
}

const allGateChanges = remembered((history: ClusterHistory): readonly GateChange[] => {
  const changes = history.of('hyperconvergeds').flatMap(({ states }) =>
    states.flatMap(({ facts, atMs }, i): GateChange[] => {
      const before = states[i - 1]?.facts.featureGates
      if (before === undefined) return []
      const gates = [...new Set([...Object.keys(before), ...Object.keys(facts.featureGates)])]
      return gates.flatMap((gate) => {
        const isOn = ownValue(facts.featureGates, gate) ?? false
        return isOn === (ownValue(before, gate) ?? false) ? [] : [{ atMs, gate, isOn }]
      })
    }),
  )
  return changes.sort((a, b) => a.atMs - b.atMs || compareTexts(a.gate, b.gate))
})
