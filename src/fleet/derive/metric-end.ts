/**
 * The end of an upgrade according to metrics. Until 1.15, HCO's health returns to 0 at the end of an upgrade. Since 1.16 it
 * does not show the progress (facts 5.4), only that KubeVirt or another operand was Degraded meanwhile: HCO ends shortly
 * after all nodes are updated and its health has returned to 0. A HCO that never ends looks the same, so such an upgrade has
 * succeeded only when the next one starts, or after hours in good health.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { Span } from './states-in-time.ts'
import type { CsvPresence } from './csv-presences.ts'
import { COARSE_SECONDS, type MetricRollout } from './metric-rollout.ts'
import { endOfRun } from './metric-series.ts'
import { latest, runMoment, scrapeMoment, type Moment } from './moment.ts'

export interface MetricEnd {
  readonly state: UpgradeState
  readonly ended: Moment | undefined
  /** The end as HCO itself shows it. */
  readonly settled?: Moment
  /** All operands are updated and HCO was healthy since: only HCO's own end is missing, which does not show. */
  readonly isWell?: boolean
  /** KubeVirt's end: until then it reports Degraded. */
  readonly kubevirt: Moment | undefined
  readonly text: string
}

/** Most upgrades finish within this time (facts 5.6); one without any sign for as long is over. */
const QUIET_MS = 15 * 60_000
/** The same when the health does not show whether HCO has ended. */
const UNSEEN_END_MS = 2 * 60 * 60_000
/** HCO writes its version this long after the last operand at most. */
const SETTLES_WITHIN_SECONDS = 120

/** @param range until the next upgrade begins; the end of one that is running then was before */
export function metricEnd(
  history: ClusterHistory,
  { succeeded, version, lastMs }: CsvPresence,
  rollout: MetricRollout | undefined,
  range: Span,
): MetricEnd {
  const health = history.runs('hco_health').filter((run) => endOfRun(run) >= range.fromMs && run.firstMs < range.toMs)
  const kubevirt = rollout?.ended === undefined ? undefined : kubevirtEnd(history, health, rollout.ended)
  const open = { state: 'in_progress', ended: undefined, kubevirt, text: '' } as const
  const isNextBegun = range.toMs !== Infinity
  if (succeeded === undefined || (rollout !== undefined && rollout.ended === undefined)) {
    return isNextBegun ? { ...open, state: succeeded === undefined ? 'unknown' : 'superseded' } : open
  }
  const control = latest(succeeded, rollout?.ended)!
  const settled = settledAt(health, control.atMs)
  if (settled !== undefined && countsProgress(version)) {
    return { ...open, state: 'succeeded', settled, ended: settled, text: `HCO is healthy again with ${version}` }
  }
  if (health.length === 0 && !isNextBegun) {
    return { ...open, state: lastMs >= control.atMs + QUIET_MS ? 'unknown' : 'in_progress' }
  }
  const ready = operandsReady(history, control)
  const well = ready === undefined ? undefined : healthyRun(health, ready.atMs, isNextBegun)
  // OLM starts the next one only after the end of this one.
  if (well === undefined || ready === undefined) return isNextBegun ? { ...open, state: 'succeeded' } : open
  const overMs = Math.max(well.firstMs, ready.atMs) + (countsProgress(version) ? QUIET_MS : UNSEEN_END_MS)
  if (!isNextBegun && health.every((run) => run.lastMs < overMs)) return { ...open, isWell: true }
  const ended = rollout === undefined ? undefined : endAfter(health, well, control, ready)
  const text = `all nodes are updated and HCO is healthy again with ${version}`
  return { ...open, state: 'succeeded', ended, text }
}

/** When no operand was unready any more, of those that were when the last node was updated; `undefined`: one still is. */
function operandsReady(history: ClusterHistory, control: Moment): Moment | undefined {
  const unready = history.runs('operand_ready').filter(({ value }) => value === 0)
  let ready = control
  for (const run of unready) {
    if (run.firstMs > ready.atMs || endOfRun(run) < ready.atMs) continue
    if (run.afterMs === undefined) return undefined
    ready = latest(ready, scrapeMoment(run.afterMs, run.lastMs))!
  }
  return ready
}

/** The first time in good health that lasted; later faults of HCO do not belong to this upgrade. */
function healthyRun(health: readonly MetricRun[], fromMs: number, isNextBegun: boolean): MetricRun | undefined {
  const well = health.filter((run) => run.value === 0 && endOfRun(run) >= fromMs)
  const lasting = well.find((run) => run.lastMs >= Math.max(run.firstMs, fromMs) + QUIET_MS)
  return lasting ?? (isNextBegun ? well.at(-1) : undefined)
}

/**
 * The time is known where the health was not 0 during the rollout and returned to 0 after the last node, or where no scrape
 * shows the rollout at all. HCO's own end, which no metric shows, follows within `SETTLES_WITHIN_SECONDS`.
 */
function endAfter(health: readonly MetricRun[], well: MetricRun, control: Moment, ready: Moment): Moment | undefined {
  const returned = runMoment(well)
  const isAfterFault = health.some((run) => run.value > 0 && run.afterMs === well.firstMs)
  const isAfterNodes = well.firstMs >= control.atMs - control.resolutionSeconds * 1000
  if (control.resolutionSeconds <= COARSE_SECONDS && !(isAfterFault && isAfterNodes)) return undefined
  const ended = latest(returned, ready)!
  return { ...ended, resolutionSeconds: Math.max(ended.resolutionSeconds, SETTLES_WITHIN_SECONDS) }
}

/** The end of the error during the update of the last node; unknown when another operand was part of it. */
function kubevirtEnd(history: ClusterHistory, health: readonly MetricRun[], nodes: Moment): Moment | undefined {
  const error = health.findLast(({ value, firstMs }) => value === 2 && firstMs <= nodes.atMs)
  if (error?.afterMs === undefined || error.afterMs < nodes.atMs) return undefined
  // HCO restarts: its health is missing, and may still be an error.
  if (!health.some(({ firstMs }) => firstMs === error.afterMs)) return undefined
  const { firstMs: fromMs, lastMs: untilMs } = error
  const isShared = history.runs('operand_ready').some((run) => {
    return run.value === 0 && run.firstMs <= untilMs && endOfRun(run) >= fromMs
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
