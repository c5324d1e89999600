/** Series of open upgrades, by cluster, and of the outcomes and durations of all upgrades, by edge. */
import type { EdgeFacts, StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { DerivedValue } from './derived-metrics.ts'

/** Maximum of edges with series: those with the newest upgrades. */
export const EDGE_SERIES_MAX = 500

/** Upper bounds of the buckets of durations, in seconds: most upgrades take about 15 min, some take hours. */
export const DURATION_BOUNDS_SECONDS = [120, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 7200, 14_400, 28_800, 86_400]

/** An edge with the durations of its finished upgrades, ascending. */
export interface EdgeSeries {
  readonly facts: EdgeFacts
  readonly finishedSeconds: ArrayLike<number>
}

export function openUpgradeValues(
  open: readonly UpgradeRecord[],
  verdicts: readonly StuckVerdict[],
  nowMs: number,
): DerivedValue[] {
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.upgradeId, verdict]))
  return open.flatMap(({ upgrade }) => {
    const labels = {
      cluster: upgrade.cluster,
      operator: upgrade.operator,
      from: upgrade.from ?? '',
      to: upgrade.to,
    }
    const values: DerivedValue[] = []
    if (upgrade.state === 'in_progress') values.push({ name: 'daytwo_upgrade_in_progress', labels, value: 1 })
    for (const { name: phase, state, startedMs } of upgrade.phases) {
      if (state !== 'in_progress' || startedMs === undefined) continue
      const value = Math.max(0, nowMs - startedMs) / 1000
      values.push({ name: 'daytwo_upgrade_phase_seconds', labels: { ...labels, phase }, value })
      if (phase !== 'approval') continue
      values.push({ name: 'daytwo_approval_waiting_seconds', labels, value })
    }
    const verdict = verdictOf.get(upgrade.id)
    if (verdict?.isStuck === true) {
      const cause = verdict.causes[0]?.cause ?? 'unknown'
      values.push({ name: 'daytwo_upgrade_stuck', labels: { ...labels, phase: verdict.phase ?? '', cause }, value: 1 })
    }
    return values
  })
}

export function edgeValues(edges: readonly EdgeSeries[]): DerivedValue[] {
  const newest = [...edges].sort((a, b) => (b.facts.lastMs ?? 0) - (a.facts.lastMs ?? 0)).slice(0, EDGE_SERIES_MAX)
  return newest.flatMap(({ facts, finishedSeconds }) => {
    const labels = { operator: facts.operator, from: facts.from, to: facts.to }
    return [
      { name: 'daytwo_edge_attempts', labels, value: facts.attempts },
      ...successValues(facts, labels),
      ...outcomeValues(facts, labels),
      ...durationValues(finishedSeconds, labels),
    ]
  })
}

function successValues({ success }: EdgeFacts, labels: DerivedValue['labels']): DerivedValue[] {
  if (success === undefined) return []
  return [
    { name: 'daytwo_edge_success_ratio', labels, value: success.share },
    { name: 'daytwo_edge_success_ratio_low', labels, value: success.low },
    { name: 'daytwo_edge_success_ratio_high', labels, value: success.high },
  ]
}

/** All outcomes of an edge, so that the first failure is an increase and not a new series (facts 11.5). */
function outcomeValues({ outcomes }: EdgeFacts, labels: DerivedValue['labels']): DerivedValue[] {
  const { succeeded, failed, superseded, rolledBack } = outcomes
  return Object.entries({ succeeded, failed, superseded, rolled_back: rolledBack }).map(([outcome, value]) => {
    return { name: 'daytwo_upgrades_total', labels: { ...labels, outcome }, value, isCounter: true }
  })
}

function durationValues(seconds: ArrayLike<number>, labels: DerivedValue['labels']): DerivedValue[] {
  const name = 'daytwo_upgrade_duration_seconds'
  let at = 0
  let sum = 0
  const buckets = [...DURATION_BOUNDS_SECONDS, Infinity].map((bound): DerivedValue => {
    for (; at < seconds.length && seconds[at]! <= bound; at++) sum += seconds[at]!
    const le = bound === Infinity ? '+Inf' : String(bound)
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: at, isCounter: true }
  })
  return [
    ...buckets,
    { name: `${name}_count`, labels, value: seconds.length, isCounter: true },
    { name: `${name}_sum`, labels, value: sum, isCounter: true },
  ]
}
