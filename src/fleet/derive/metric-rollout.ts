/**
 * KubeVirt's rollout over the nodes and the workload update, from metrics: `kubevirt_info` counted by version, the DaemonSet
 * by kube-state-metrics, and the number of outdated VMs.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { Span } from './states-in-time.ts'
import type { Evidence } from '../../model/upgrade.ts'
import { evidence } from './hco-evidence.ts'
import { endOfRun } from './metric-series.ts'
import type { WorkloadPhase } from './workload-phase.ts'
import { knownMs, latest, runMoment, scrapeMoment, type Moment } from './moment.ts'

export interface MetricRollout {
  readonly from: string | undefined
  /** Absent: no node has the new version yet. */
  readonly to: string | undefined
  /** Only from the series of the DaemonSet; nodes are counted when their new pod is scraped. */
  readonly started: Moment | undefined
  readonly canary: Moment | undefined
  readonly ended: Moment | undefined
  readonly nodes: number
  readonly updated: number
  /** The number of scraped virt-handlers, of either version. */
  readonly ready: number
  readonly progressMs: readonly number[]
}

/** A version that ended longer ago is not the one that the new version replaces. */
const BEFORE_MS = 24 * 60 * 60_000

/** The rollout to a version that was not present before the range; `undefined`: none. */
export function metricRollout(
  history: ClusterHistory,
  range: Span,
): (MetricRollout & { readonly to: string }) | undefined {
  const runs = history.runs('kubevirt_nodes')
  const first = runs.find((run) => isWithin(run.firstMs, range) && isNewVersion(run, runs))
  const to = first?.labels['kubeversion']
  if (first === undefined || to === undefined) return undefined
  const earlier = runs.filter((run) => run.labels['kubeversion'] !== to && run.firstMs < first.firstMs)
  const fromMs = Math.max(range.fromMs, first.firstMs - BEFORE_MS)
  const recent = earlier.filter((run) => endOfRun(run) >= fromMs)
  const old = recent.length > 0 ? recent : earlier.slice(-1)
  const after = runs.filter((run) => run.labels['kubeversion'] !== to && run.firstMs >= first.firstMs)
  const others = [...old, ...after.filter(({ firstMs }) => firstMs < range.toMs)]
  const nodes = nodesBefore(old, fromMs)
  const reached = runs.filter(
    (run) => run.labels['kubeversion'] === to && run.firstMs >= first.firstMs && run.firstMs < range.toMs,
  )
  return {
    from: old.at(-1)?.labels['kubeversion'],
    to,
    started: handlerStart(history, range, first.firstMs),
    canary: runMoment(first),
    ended: isNodeMissing(history, reached, nodes) ? undefined : endOf(reached, others, nodes),
    nodes,
    updated: reached.at(-1)!.value,
    ready: totalNow([...others, ...reached]),
    progressMs: progressOf(reached),
  }
}

/** A rollout starts within this time after the operators are updated; a node that is missing later has another reason. */
const BEGINS_WITHIN_MS = 15 * 60_000

/**
 * A rollout that started, without a scraped new node yet: since the update of the operators, virt-handler is missing on a
 * node, or the DaemonSet has outdated pods. `undefined`: neither.
 */
export function metricRolloutBegun(history: ClusterHistory, range: Span): MetricRollout | undefined {
  const { fromMs } = range
  const toMs = Math.min(range.toMs, fromMs + BEGINS_WITHIN_MS)
  const old = history.runs('kubevirt_nodes').filter(({ labels }) => (labels['kubeversion'] ?? '') !== '')
  const before = old.filter((run) => run.firstMs <= fromMs && endOfRun(run) >= fromMs - BEFORE_MS)
  const [nodes, ready] = [nodesBefore(before, fromMs - BEFORE_MS), totalNow(old)]
  const started = isDaemonSetBehind(history) ? handlerStart(history, { fromMs, toMs }, toMs) : undefined
  const missedMs = ready < nodes ? old.flatMap(({ afterMs }) => afterMs ?? []).find((ms) => ms > fromMs) : undefined
  const isMissed = missedMs !== undefined && missedMs <= toMs
  // HCO reports Degraded during the whole update of KubeVirt.
  const isWell = history.runs('hco_health').some(({ value, afterMs }) => value === 0 && afterMs === undefined)
  if (before.length === 0 || isWell || (!isMissed && started === undefined)) return undefined
  return {
    from: before.at(-1)!.labels['kubeversion'],
    ...{ to: undefined, started, canary: undefined, ended: undefined, nodes, updated: 0, ready },
    progressMs: [...knownMs(started), ...(isMissed ? [missedMs] : [])],
  }
}

export function rolloutEvidence({ to = '', canary, ended, nodes, updated }: MetricRollout): readonly Evidence[] {
  // Fewer than before the rollout: nodes were removed meanwhile.
  const all = updated < nodes ? `${updated} nodes` : `all ${nodes} nodes`
  return [
    ...evidence(canary, `the first node runs KubeVirt ${to}`, 'kubevirt_info', 'virt_handler.canary'),
    ...evidence(ended, `${all} run KubeVirt ${to}`, 'kubevirt_info', 'virt_handler.waves'),
  ]
}

/** The DaemonSet currently has fewer updated pods than desired. */
function isDaemonSetBehind(history: ClusterHistory): boolean {
  const now = (state: string): number | undefined =>
    history.runs('virt_handler').findLast((run) => run.labels['state'] === state && run.afterMs === undefined)?.value
  const [desired, updated] = [now('desired'), now('updated')]
  return desired !== undefined && updated !== undefined && updated < desired
}

function totalNow(runs: readonly MetricRun[]): number {
  return runs.filter(({ afterMs }) => afterMs === undefined).reduce((sum, { value }) => sum + value, 0)
}

function isWithin(ms: number, { fromMs, toMs }: Span): boolean {
  return ms >= fromMs && ms < toMs
}

/** Follows another version. On a single node there may be a gap between the two. */
function isNewVersion({ beforeMs, firstMs, labels }: MetricRun, runs: readonly MetricRun[]): boolean {
  if (beforeMs === undefined) return false
  const earlier = runs.filter((run) => run.firstMs < firstMs && run.firstMs <= beforeMs)
  const newestMs = Math.min(beforeMs, Math.max(...earlier.map(endOfRun)))
  const last = earlier.filter((run) => endOfRun(run) >= newestMs)
  return last.length > 0 && last.every((run) => run.labels['kubeversion'] !== labels['kubeversion'])
}

/** The number of nodes before the rollout: the maximum, because the node of the canary is missing first. */
function nodesBefore(old: readonly MetricRun[], fromMs: number): number {
  return Math.max(1, ...old.map((run) => totalAt(old, Math.min(Math.max(run.firstMs, fromMs), endOfRun(run)))))
}

function totalAt(runs: readonly MetricRun[], ms: number): number {
  return runs.filter((run) => run.firstMs <= ms && endOfRun(run) >= ms).reduce((sum, { value }) => sum + value, 0)
}

/**
 * A node without virt-handler is not scraped, which looks as if it was removed. It is missing while the DaemonSet wants more
 * pods than have the new version, or while HCO's health is an error: KubeVirt reports Degraded until its update ends.
 */
function isNodeMissing(history: ClusterHistory, reached: readonly MetricRun[], nodes: number): boolean {
  const last = reached.at(-1)!
  if (last.afterMs !== undefined || reached.some(({ value }) => value >= nodes)) return false
  const desired = history
    .of('daemonsets')
    .findLast(({ name }) => name === 'virt-handler')
    ?.states.at(-1)?.facts.desired
  const isNow = ({ afterMs }: MetricRun): boolean => afterMs === undefined
  const wanted = history.runs('virt_handler').find((run) => run.labels['state'] === 'desired' && isNow(run))?.value
  const known = desired ?? wanted
  if (known !== undefined) return known > last.value
  return history.runs('hco_health').some((run) => run.value === 2 && isNow(run))
}

/** All nodes have the new version and none has another. */
function endOf(reached: readonly MetricRun[], old: readonly MetricRun[], nodes: number): Moment | undefined {
  const versions = new Set(old.map((run) => run.labels['kubeversion']))
  const gone: (Moment | undefined)[] = []
  for (const version of versions) {
    const last = old.findLast((run) => run.labels['kubeversion'] === version)!
    if (last.afterMs === undefined) return undefined
    gone.push(scrapeMoment(last.afterMs, last.lastMs))
  }
  const full = reached.find(({ value }) => value >= nodes)
  // Without full: nodes were removed meanwhile.
  return latest(runMoment(full), ...gone)
}

function progressOf(reached: readonly MetricRun[]): readonly number[] {
  let most = 0
  return reached.flatMap(({ value, firstMs }) => {
    if (value <= most) return []
    most = value
    return [firstMs]
  })
}

/** The first scrape before the first new node at which the DaemonSet has fewer updated pods than desired. */
function handlerStart(history: ClusterHistory, range: Span, canaryMs: number): Moment | undefined {
  const runs = history.runs('virt_handler')
  const desired = runs.filter((run) => run.labels['state'] === 'desired')
  const start = runs.find((run) => {
    if (run.labels['state'] !== 'updated' || !isWithin(run.firstMs, range) || run.firstMs > canaryMs) return false
    const wanted = desired.findLast(({ firstMs }) => firstMs <= run.firstMs)
    return wanted !== undefined && run.value < wanted.value
  })
  return runMoment(start)
}

export type MetricWorkloads = Omit<WorkloadPhase, 'ref' | 'counted'> & {
  /** A later upgrade changed KubeVirt before the workload update ended. */
  readonly isOvertaken: boolean
}

/** Of scrapes that are further apart, what happened in between is not known. */
export const COARSE_SECONDS = 300

/** When the next KubeVirt after a moment has a first node: then the workload update of this one is over. */
export function nextRolloutMs(history: ClusterHistory, fromMs: number): number {
  const runs = history.runs('kubevirt_nodes')
  return runs.find((run) => run.firstMs > fromMs && isNewVersion(run, runs))?.firstMs ?? Infinity
}

/**
 * After the last node the count rises to all VMs, and falls.
 * @param toMs the next KubeVirt is rolled out
 * @returns `none`: the count is reported and did not rise
 */
export function metricWorkloads(
  history: ClusterHistory,
  since: Moment,
  toMs: number,
): MetricWorkloads | 'none' | undefined {
  const fromMs = since.atMs
  const runs = history.runs('outdated_vmis').filter((run) => endOfRun(run) >= fromMs && run.firstMs < toMs)
  if (runs.length === 0) return undefined
  const jump = runs.findIndex((run) => run.value > 0 && run.firstMs >= fromMs)
  const started = runMoment(runs[jump])
  // Between two scrapes that far apart all VMs may have been updated.
  if (started === undefined) return since.resolutionSeconds > COARSE_SECONDS ? undefined : 'none'
  const end = runs.find((run, i) => i > jump && run.value === 0)
  const counted = runs.filter((run, i) => i >= jump && (end === undefined || run.firstMs <= end.firstMs))
  let fewest = Infinity
  return {
    started,
    ended: runMoment(end),
    isOvertaken: end === undefined && toMs !== Infinity,
    outdatedAtStart: runs[jump]!.value,
    outdatedNow: counted.at(-1)!.value,
    progressMs: counted.flatMap(({ value, firstMs }) => {
      if (value >= fewest) return []
      fewest = value
      return [firstMs]
    }),
  }
}
