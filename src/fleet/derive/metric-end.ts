/**
 * The end of an upgrade according to metrics. Until 1.15, HCO's health returns to 0 at the end of an upgrade; since 1.16 it
 * does not show the progress (facts 5.4). Then an upgrade whose CSV succeeded, whose nodes are updated and whose health is 0
 * for long enough has succeeded, at an unknown time.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { Span } from './component-upgrade.ts'
import type { CsvPresence } from './csv-presences.ts'
import type { MetricRollout } from './metric-rollout.ts'
import { runMoment, scrapeMoment, type Moment } from './moment.ts'

export interface MetricEnd {
  readonly state: UpgradeState
  readonly ended: Moment | undefined
  /** KubeVirt's end: until then it reports Degraded. */
  readonly kubevirt: Moment | undefined
  readonly text: string
}

/** Most upgrades finish within this time (facts 5.6); one without any sign for as long is over. */
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
  // OLM starts the next one only after the end of this one.
  if (isNextBegun) return { ...open, state: 'succeeded' }
  if (health.length === 0) return { ...open, state: lastMs >= controlMs + QUIET_MS ? 'unknown' : 'in_progress' }
  // Later faults of HCO do not belong to this upgrade.
  const isQuiet = health.some(
    ({ value, firstMs, lastMs: untilMs }) => value === 0 && untilMs >= Math.max(firstMs, controlMs) + QUIET_MS,
  )
  return isQuiet ? { ...open, state: 'succeeded' } : open
}

/** The end of the error during the update of the last node; unknown when another operand was part of it. */
function kubevirtEnd(history: ClusterHistory, health: readonly MetricRun[], nodes: Moment): Moment | undefined {
  const error = health.findLast(({ value, firstMs }) => value === 2 && firstMs <= nodes.atMs)
  if (error?.afterMs === undefined || error.afterMs < nodes.atMs) return undefined
  const { firstMs: fromMs, lastMs: untilMs } = error
  const isShared = history.runs('operand_ready').some(({ value, firstMs, lastMs }) => {
    return value === 0 && firstMs <= untilMs && lastMs >= fromMs
  })
  return isShared ? undefined : scrapeMoment(error.afterMs, error.lastMs)
}

/** When the health returned from a warning to 0, after the control plane was updated. */
function settledAt(health: readonly MetricRun[], controlMs: number): Moment | undefined {
  return runMoment(health.find((run, i) => run.value === 0 && run.firstMs >= controlMs && health[i - 1]?.value === 1))
}

/** HCO's health shows an upgrade in progress: up to 1.15, OpenShift Virtualization up to 4.19. */
export function countsProgress(version: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  return major === 1 ? (minor ?? 0) <= 15 : major === 4 ? (minor ?? 0) <= 19 : false
}
