/**
 * An upgrade that waits for the previous one: while HCO upgrades, its OperatorCondition reports Upgradeable=False
 * (AlreadyPerformingUpgrade), and OLM leaves the next CSV in Pending until the running upgrade has ended (facts 5.11). That is
 * the normal course and blocks nothing: the verdict on the running upgrade covers the time.
 */
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { CSV_NAME, type ClusterHistory } from './cluster-history.ts'
import { HCO } from './hco-upgrades.ts'
import { conditionOf } from './hco-window.ts'
import { objectsNow } from './present.ts'

/** Each record of HCO with what it waits or waited for. Oldest first, as the result. */
export function withGateWaits(records: readonly UpgradeRecord[], history: ClusterHistory): readonly UpgradeRecord[] {
  let last: UpgradeRecord['upgrade'] | undefined
  return records.map((record) => {
    const { upgrade, detail } = record
    const running = last
    if (upgrade.operator === HCO) last = upgrade
    if (upgrade.operator !== HCO || upgrade.startedMs === undefined || !isAtGate(record)) return record
    if (running === undefined || !wasOpenAt(running, upgrade.startedMs)) return record
    const { to, endedMs } = running
    if (endedMs !== undefined) return { upgrade, detail: { ...detail, waitsFor: { to, untilMs: endedMs } } }
    if (isRefusedOtherwise(history, detail.csvName)) return record
    const { blockedBy, ...rest } = upgrade
    const others = blockedBy === undefined || blockedBy.cause === 'not_upgradeable' ? {} : { blockedBy }
    return { upgrade: { ...rest, ...others }, detail: { ...detail, waitsFor: { to } } }
  })
}

/** Reasons of HCO that end with the running upgrade; any other is of an operand that has to be changed. */
const PASSING_REASON = /^(AlreadyPerformingUpgrade|Initializing)$|Progressing$/

function isRefusedOtherwise(history: ClusterHistory, newCsv: string | undefined): boolean {
  return objectsNow(history, 'operatorconditions').some(({ name, facts }) => {
    const upgradeable = conditionOf(facts.overrides, 'Upgradeable') ?? conditionOf(facts.conditions, 'Upgradeable')
    if (!CSV_NAME.test(name) || name === newCsv || upgradeable?.status !== 'False') return false
    return !PASSING_REASON.test(upgradeable.reason)
  })
}

function isAtGate({ detail }: UpgradeRecord): boolean {
  return detail.csvSteps.some(
    ({ phase, reason }) => phase === 'Pending' && reason === 'OperatorConditionNotUpgradeable',
  )
}

/** It ended later, or is in progress. */
function wasOpenAt({ state, endedMs }: UpgradeRecord['upgrade'], atMs: number): boolean {
  return endedMs === undefined ? state === 'in_progress' : endedMs > atMs
}
