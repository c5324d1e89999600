/**
 * When an upgrade was over, as far as metrics can tell. HCO's health falls back to 0 at the end where it counts that it
 * is progressing; since 1.16 it does not while it upgrades (facts 5.4), and then the last minutes are dark. What is
 * quiet for long after its CSV succeeded, its nodes moved and its health came back has succeeded, at a time unknown.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { Span } from './component-upgrade.ts'
import type { CsvPresence } from './csv-presences.ts'
import type { MetricRollout } from './metric-rollout.ts'
import { scrapeMoment, type Moment } from './moment.ts'

export interface MetricEnd {
  readonly state: UpgradeState
  readonly ended: Moment | undefined
  /** KubeVirt's own end: until then it says that it is degraded. */
  readonly kubevirt: Moment | undefined
  readonly text: string
}

/** Most updates are through within a quarter of an hour (facts 5.6); one that shows nothing for as long is over. */
const QUIET_MS = 15 * 60_000

export function metricEnd(
  history: ClusterHistory,
  { succeeded, version, lastMs }: CsvPresence,
  rollout: MetricRollout | undefined,
  range: Span,
): MetricEnd {
  const health = history.runs('hco_health').filter((run) => run.lastMs >= range.fromMs && run.firstMs < range.toMs)
  const kubevirt = rollout?.ended === undefined ? undefined : kubevirtEnd(history, health, rollout.ended)
  const open = { state: 'in_progress', ended: undefined, kubevirt, text: '' } as const
  const isNextBegun = range.toMs !== Infinity
  if (succeeded === undefined || (rollout !== undefined && rollout.ended === undefined)) {
    return isNextBegun ? { ...open, state: succeeded === undefined ? 'unknown' : 'superseded' } : open
  }
  const controlMs = Math.max(succeeded.atMs, rollout?.ended?.atMs ?? 0)
  const settled = settledAt(health, controlMs)
  if (settled !== undefined && countsProgress(version)) {
    return { ...open, state: 'succeeded', ended: settled, text: `HCO is healthy again with ${version}` }
  }
  // OLM lets the next one begin only when this one is through.
  if (isNextBegun) return { ...open, state: 'succeeded' }
  if (health.length === 0) return { ...open, state: lastMs >= controlMs + QUIET_MS ? 'unknown' : 'in_progress' }
  // Once it was quiet for so long it was through, whatever ails HCO later.
  const isQuiet = health.some(
    ({ value, firstMs, lastMs: untilMs }) => value === 0 && untilMs >= Math.max(firstMs, controlMs) + QUIET_MS,
  )
  return isQuiet ? { ...open, state: 'succeeded' } : open
}

/** The end of the error that covers the last node's move; unknown when another operand was part of it. */
function kubevirtEnd(history: ClusterHistory, health: readonly MetricRun[], nodes: Moment): Moment | undefined {
  const error = health.findLast(({ value, firstMs }) => value === 2 && firstMs <= nodes.atMs)
  if (error?.afterMs === undefined || error.afterMs < nodes.atMs) return undefined
  const { firstMs: fromMs, lastMs: untilMs } = error
  const isShared = history.runs('operand_ready').some(({ value, firstMs, lastMs }) => {
    return value === 0 && firstMs <= untilMs && lastMs >= fromMs
  })
  return isShared ? undefined : scrapeMoment(error.afterMs, error.lastMs)
}

/** Back from a warning to 0, after the control plane moved. */
function settledAt(health: readonly MetricRun[], controlMs: number): Moment | undefined {
  const i = health.findIndex((run, at) => run.value === 0 && run.firstMs >= controlMs && health[at - 1]?.value === 1)
  return i === -1 ? undefined : scrapeMoment(health[i]!.firstMs, health[i]!.beforeMs)
}

/** That HCO counts in its health that it is under way: 1.15 and before, OpenShift Virtualization 4.19 and before. */
export function countsProgress(version: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  return major === 1 ? (minor ?? 0) <= 15 : major === 4 ? (minor ?? 0) <= 19 : false
}
