/** When a cluster started to run a version, according to metrics: exact to one scrape. */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { compareVersions, versionOfCsv } from '../version-order.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { resolutionOf } from './present.ts'
import { reachedBy, upgradesByTarget, type Arrival } from './arrival.ts'

/** By operator, oldest first. */
export function metricArrivals(
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
): ReadonlyMap<string, readonly Arrival[]> {
  const arrivals: readonly (readonly [string, readonly Arrival[]])[] = [
    ['kubevirt-hyperconverged', hcoArrivals(history, upgrades)],
    ['kubevirt', kubevirtArrivals(history)],
    ['openshift', platformArrivals(history)],
  ]
  return new Map(arrivals.filter(([, found]) => found.length > 0))
}

function csvVersionOf({ labels }: MetricRun): string | undefined {
  const version = labels['version'] ?? ''
  return version === '' ? versionOfCsv(labels['name'] ?? '') : version
}

function hcoArrivals(history: ClusterHistory, upgrades: readonly UpgradeRecord[]): readonly Arrival[] {
  const arrivals: Arrival[] = []
  let version: string | undefined
  const byTarget = upgradesByTarget(upgrades)
  for (const run of succeededRuns(history)) {
    const to = csvVersionOf(run)
    if (to === undefined || to === version) continue
    const isKnown = run.beforeMs !== undefined
    const seen = { version: to, atMs: run.firstMs, isKnown, resolutionSeconds: resolutionOf(run) }
    const arrival = reachedBy(seen, byTarget)
    if (arrival === undefined) continue
    arrivals.push(arrival)
    version = to
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

/** By start; at the beginning of the history, the newest version last. */
function succeededRuns(history: ClusterHistory): readonly MetricRun[] {
  return history
    .runs('csv_succeeded')
    .filter(({ value }) => value === 1)
    .toSorted((a, b) => a.firstMs - b.firstMs || compareVersions(csvVersionOf(a) ?? '', csvVersionOf(b) ?? ''))
}

/** A version is reached when virt-handler runs it on every node: when the last node left the previous one. */
function kubevirtArrivals(history: ClusterHistory): readonly Arrival[] {
  const runs = history
    .runs('kubevirt_nodes')
    .filter(({ value, labels }) => value > 0 && (labels['kubeversion'] ?? '') !== '')
  const timesMs = [...new Set(runs.flatMap(({ firstMs, afterMs }) => [firstMs, afterMs ?? firstMs]))]
  const arrivals: Arrival[] = []
  let version: string | undefined
  let beforeMs: number | undefined
  for (const timeMs of timesMs.sort((a, b) => a - b)) {
    const there = new Set(
      runs
        .filter((run) => run.firstMs <= timeMs && (run.afterMs ?? Infinity) > timeMs)
        .map(({ labels }) => labels['kubeversion']!),
    )
    const [only] = there
    if (there.size === 1 && only !== version) {
      const left = runs.filter((run) => run.afterMs === timeMs && run.labels['kubeversion'] !== only)
      const lastMs = left.length === 0 ? beforeScrape(runs, timeMs) : Math.max(...left.map((run) => run.lastMs))
      arrivals.push({
        version: only,
        atMs: timeMs,
        isKnown: beforeMs !== undefined || lastMs !== undefined,
        resolutionSeconds: lastMs === undefined ? 0 : Math.max(1, Math.round((timeMs - lastMs) / 1000)),
      })
      version = only
    }
    beforeMs = timeMs
  }
  return arrivals
}

function beforeScrape(runs: readonly MetricRun[], firstMs: number): number | undefined {
  return runs.find((run) => run.firstMs === firstMs)?.beforeMs
}

/** `cluster_version{type="completed"}` has Unix seconds as its value. */
const PLAUSIBLE_SECONDS = 1e9

function platformArrivals(history: ClusterHistory): readonly Arrival[] {
  const runs = history.runs('platform')
  const completed = runs.filter(({ labels }) => labels['type'] === 'completed')
  const used = completed.length > 0 ? completed : runs.filter(({ labels }) => labels['type'] === 'current')
  const arrivals: Arrival[] = []
  for (const run of used) {
    const version = run.labels['version'] ?? ''
    if (version === '') continue
    // The value is the time of the completion, to the second; of other types it is another time.
    const completedMs =
      run.labels['type'] === 'completed' && run.value > PLAUSIBLE_SECONDS ? run.value * 1000 : undefined
    arrivals.push(
      completedMs === undefined || completedMs > run.firstMs
        ? { version, atMs: run.firstMs, isKnown: run.beforeMs !== undefined, resolutionSeconds: resolutionOf(run) }
        : { version, atMs: completedMs, isKnown: true, resolutionSeconds: 1 },
    )
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}
