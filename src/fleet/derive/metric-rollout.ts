/**
 * KubeVirt's roll-out over the nodes and the machines that follow, from metrics: `kubevirt_info` counted by version, the
 * DaemonSet as kube-state-metrics tells it, and the count of outdated machines.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { Span } from './component-upgrade.ts'
import { latest, scrapeMoment, type Moment } from './moment.ts'

export interface MetricRollout {
  readonly from: string | undefined
  /** Absent while no node has the new one. */
  readonly to: string | undefined
  /** Only the DaemonSet's own series tell; nodes are counted from when their new pod answers. */
  readonly started: Moment | undefined
  readonly canary: Moment | undefined
  readonly ended: Moment | undefined
  readonly nodes: number
  readonly updated: number
  /** How many virt-handlers answer, of either version. */
  readonly ready: number
  readonly progressMs: readonly number[]
}

/** Versions that went longer ago than this are not what the new one takes the place of. */
const BEFORE_MS = 24 * 60 * 60_000

/** The roll-out to a version that was not there before the range; `undefined`: none. */
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
  const recent = earlier.filter(({ lastMs }) => lastMs >= fromMs)
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
    canary: scrapeMoment(first.firstMs, first.beforeMs),
    ended: endOf(reached, others, nodes),
    nodes,
    updated: reached.at(-1)!.value,
    ready: totalNow([...others, ...reached]),
    progressMs: progressOf(reached),
  }
}

/** A roll-out begins this soon after the operators are new; a node that is missed later left for another reason. */
const BEGINS_WITHIN_MS = 15 * 60_000

/**
 * One that has begun and of which no node answers yet: since the operators are new, virt-handler is missing on a node
 * that had it, or the DaemonSet says that pods are to be replaced. `undefined`: nothing shows it.
 */
export function metricRolloutBegun(history: ClusterHistory, range: Span): MetricRollout | undefined {
  const { fromMs } = range
  const toMs = Math.min(range.toMs, fromMs + BEGINS_WITHIN_MS)
  const old = history.runs('kubevirt_nodes').filter(({ labels }) => (labels['kubeversion'] ?? '') !== '')
  const before = old.filter(({ firstMs, lastMs }) => firstMs <= fromMs && lastMs >= fromMs - BEFORE_MS)
  const [nodes, ready] = [nodesBefore(before, fromMs - BEFORE_MS), totalNow(old)]
  const started = isDaemonSetBehind(history) ? handlerStart(history, { fromMs, toMs }, toMs) : undefined
  const missedMs = ready < nodes ? old.flatMap(({ afterMs }) => afterMs ?? []).find((ms) => ms > fromMs) : undefined
  const isMissed = missedMs !== undefined && missedMs <= toMs
  // HCO says that it is degraded for as long as KubeVirt moves; where it says that all is well, nothing does.
  const isWell = history.runs('hco_health').some(({ value, afterMs }) => value === 0 && afterMs === undefined)
  if (before.length === 0 || isWell || (!isMissed && started === undefined)) return undefined
  return {
    from: before.at(-1)!.labels['kubeversion'],
    ...{ to: undefined, started, canary: undefined, ended: undefined, nodes, updated: 0, ready },
    progressMs: [started?.atMs, isMissed ? missedMs : undefined].filter((ms) => ms !== undefined),
  }
}

/** The DaemonSet as it is now: fewer pods are updated than it wants. */
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

/** Came after another version. On a single node there may be none for a while between the two. */
function isNewVersion({ beforeMs, firstMs, labels }: MetricRun, runs: readonly MetricRun[]): boolean {
  if (beforeMs === undefined) return false
  const earlier = runs.filter((run) => run.firstMs < firstMs && run.firstMs <= beforeMs)
  const newestMs = Math.max(...earlier.map(({ lastMs }) => lastMs))
  const last = earlier.filter(({ lastMs }) => lastMs === newestMs || lastMs >= beforeMs)
  return last.length > 0 && last.every((run) => run.labels['kubeversion'] !== labels['kubeversion'])
}

/** How many nodes there were before the roll-out: the most at once, for the canary's node is missed first. */
function nodesBefore(old: readonly MetricRun[], fromMs: number): number {
  return Math.max(1, ...old.map(({ firstMs, lastMs }) => totalAt(old, Math.min(Math.max(firstMs, fromMs), lastMs))))
}

function totalAt(runs: readonly MetricRun[], ms: number): number {
  return runs.filter(({ firstMs, lastMs }) => firstMs <= ms && lastMs >= ms).reduce((sum, { value }) => sum + value, 0)
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
  // Nodes that went away meanwhile are missed by nobody once the old version is gone.
  return full === undefined ? latest(...gone) : latest(scrapeMoment(full.firstMs, full.beforeMs), ...gone)
}

function progressOf(reached: readonly MetricRun[]): readonly number[] {
  let most = 0
  return reached.flatMap(({ value, firstMs }) => {
    if (value <= most) return []
    most = value
    return [firstMs]
  })
}

/** The DaemonSet has fewer updated pods than it wants, at the first such scrape before the first new node. */
function handlerStart(history: ClusterHistory, range: Span, canaryMs: number): Moment | undefined {
  const runs = history.runs('virt_handler')
  const desired = runs.filter((run) => run.labels['state'] === 'desired')
  const start = runs.find((run) => {
    if (run.labels['state'] !== 'updated' || !isWithin(run.firstMs, range) || run.firstMs > canaryMs) return false
    const wanted = desired.findLast(({ firstMs }) => firstMs <= run.firstMs)
    return wanted !== undefined && run.value < wanted.value
  })
  return start === undefined ? undefined : scrapeMoment(start.firstMs, start.beforeMs)
}

export interface MetricWorkloads {
  readonly started: Moment
  readonly ended: Moment | undefined
  readonly outdatedAtStart: number
  readonly outdatedNow: number
  readonly progressMs: readonly number[]
}

const COARSE_SECONDS = 300

/** After the last node the count jumps to all machines, and falls. @returns `none`: it is told and did not jump */
export function metricWorkloads(
  history: ClusterHistory,
  since: Moment,
  toMs: number,
): MetricWorkloads | 'none' | undefined {
  const fromMs = since.atMs
  const runs = history.runs('outdated_vmis').filter((run) => run.lastMs >= fromMs && run.firstMs < toMs)
  if (runs.length === 0) return undefined
  const jump = runs.findIndex((run) => run.value > 0 && run.firstMs >= fromMs)
  const started = jump === -1 ? undefined : scrapeMoment(runs[jump]!.firstMs, runs[jump]!.beforeMs)
  // Between two scrapes that far apart all machines may have moved.
  if (started === undefined) return since.resolutionSeconds > COARSE_SECONDS ? undefined : 'none'
  const end = runs.find((run, i) => i > jump && run.value === 0)
  const counted = runs.filter((run, i) => i >= jump && (end === undefined || run.firstMs <= end.firstMs))
  let fewest = Infinity
  return {
    started,
    ended: end === undefined ? undefined : scrapeMoment(end.firstMs, end.beforeMs),
    outdatedAtStart: runs[jump]!.value,
    outdatedNow: counted.at(-1)!.value,
    progressMs: counted.flatMap(({ value, firstMs }) => {
      if (value >= fewest) return []
      fewest = value
      return [firstMs]
    }),
  }
}
