/** The hazards of a cluster when each of its upgrades started: what calibration counts. */
import { without } from '../../base/without.ts'
import type { Modification, VersionInterval } from '../../model/cluster-record.ts'
import type { HazardsAtStart, UpgradeRecord } from '../../model/upgrade.ts'
import { deriveRecord } from '../derive/cluster.ts'
import type { ClusterHistory } from '../derive/cluster-history.ts'
import { historyAt } from '../derive/history-at.ts'
import { ClusterFindings, hazardClusterOf } from './findings.ts'
import { hcoTarget, platformTarget } from './target.ts'

/** Of a cluster with more upgrades in its stored observations only the newest ones are counted: each costs a derivation. */
const UPGRADES_MAX = 12

/** Upgrades with the hazards at their start; without where no version says which target it was. */
export function withHazardsAtStart(
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
  intervals: readonly VersionInterval[],
  modifications: readonly Modification[],
): readonly UpgradeRecord[] {
  const first = Math.max(0, upgrades.length - UPGRADES_MAX)
  return upgrades.map((record, i) => {
    const hazardsAtStart = i < first ? undefined : hazardsOf(record, history, upgrades, intervals, modifications)
    return hazardsAtStart === undefined ? record : { ...record, detail: { ...record.detail, hazardsAtStart } }
  })
}

function hazardsOf(
  { upgrade }: UpgradeRecord,
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
  intervals: readonly VersionInterval[],
  modifications: readonly Modification[],
): HazardsAtStart | undefined {
  const { operator, to, startedMs, id } = upgrade
  if (startedMs === undefined || operator === 'kubevirt') return undefined
  const target = operator === 'openshift' ? platformTarget(to) : hcoTarget(to)
  if (target === undefined) return undefined
  // What changed with the start, such as Upgradeable=False, is no hazard of the start.
  const atMs = startedMs - 1
  const record = deriveRecord(historyAt(history, atMs), intervalsAt(intervals, atMs))
  const others = upgrades.filter((other) => isOpenAt(other, atMs) && other.upgrade.id !== id)
  const cluster = hazardClusterOf({
    record,
    modifications: modificationsAt(modifications, atMs),
    upgrades: [],
    alerts: undefined,
    nowMs: atMs,
  })
  const open = others.map(({ upgrade: other }) => ({ operator: other.operator, to: other.to }))
  // Alerts are not stored by moment.
  const findings = new ClusterFindings({ ...cluster, alerts: undefined, open }).all(target)
  const idsOf = (state: string) => findings.flatMap((one) => (one.finding.state === state ? [one.id] : []))
  return { present: idsOf('present'), absent: idsOf('absent') }
}

function intervalsAt(intervals: readonly VersionInterval[], atMs: number): readonly VersionInterval[] {
  return intervals.flatMap((interval) => {
    const { fromMs, untilMs } = interval
    if (fromMs > atMs) return []
    if (untilMs === undefined || untilMs <= atMs) return [interval]
    return [without(interval, 'untilMs')]
  })
}

function modificationsAt(modifications: readonly Modification[], atMs: number): readonly Modification[] {
  return modifications.flatMap((one) => {
    if ((one.startedMs ?? -Infinity) > atMs) return []
    if (one.endedMs === undefined || one.endedMs <= atMs) return [one]
    return [without(one, 'endedMs')]
  })
}

function isOpenAt({ upgrade: { startedMs, endedMs } }: UpgradeRecord, atMs: number): boolean {
  return startedMs !== undefined && startedMs <= atMs && (endedMs ?? Infinity) > atMs
}
