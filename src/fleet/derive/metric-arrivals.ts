/**
 * When a cluster came to run a version, as its metrics tell: exact to one scrape. A CSV that succeeded is the operator's
 * deployment, not its arrival; the upgrade knows the end, so far as metrics can know it.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { compareVersions, versionOfCsv } from '../version-order.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { resolutionOf } from './present.ts'
import { reachedBy, type Arrival } from './arrival.ts'

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

/** The version a CSV's series speaks of. */
export function csvVersionOf({ labels }: MetricRun): string | undefined {
  const version = labels['version'] ?? ''
  return version === '' ? versionOfCsv(labels['name'] ?? '') : version
}

function hcoArrivals(history: ClusterHistory, upgrades: readonly UpgradeRecord[]): readonly Arrival[] {
  const arrivals: Arrival[] = []
  let version: string | undefined
  for (const run of succeededRuns(history)) {
    const to = csvVersionOf(run)
    if (to === undefined || to === version) continue
    const isKnown = run.beforeMs !== undefined
    const seen = { version: to, atMs: run.firstMs, isKnown, resolutionSeconds: resolutionOf(run) }
    const arrival = reachedBy(seen, upgrades)
    if (arrival === undefined) continue
    arrivals.push(arrival)
    version = to
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

/** By start; of those that were there when the history begins, the newest version last. */
function succeededRuns(history: ClusterHistory): readonly MetricRun[] {
  return history
    .runs('csv_succeeded')
    .filter(({ value }) => value === 1)
    .toSorted((a, b) => a.firstMs - b.firstMs || compareVersions(csvVersionOf(a) ?? '', csvVersionOf(b) ?? ''))
}

/** A version is reached when every node's virt-handler runs it: when the last node left the one before. */
function kubevirtArrivals(history: ClusterHistory): readonly Arrival[] {
  const runs = history
    .runs('kubevirt_nodes')
    .filter(({ value, labels }) => value > 0 && (labels['kubeversion'] ?? '') !== '')
  const timesMs = [
    ...new Set(runs.flatMap(({ firstMs, afterMs }) => [firstMs, ...(afterMs === undefined ? [] : [afterMs])])),
  ]
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

/** Unix seconds: what `cluster_version{type="completed"}` has as its value. */
const PLAUSIBLE_SECONDS = 1e9

function platformArrivals(history: ClusterHistory): readonly Arrival[] {
  const runs = history.runs('platform')
  const completed = runs.filter(({ labels }) => labels['type'] === 'completed')
  const used = completed.length > 0 ? completed : runs.filter(({ labels }) => labels['type'] === 'current')
  const arrivals: Arrival[] = []
  for (const run of used) {
    const version = run.labels['version'] ?? ''
    if (version === '') continue
    // It says itself when it was completed, to the second; another type's value is another time.
    const saidMs = run.labels['type'] === 'completed' && run.value > PLAUSIBLE_SECONDS ? run.value * 1000 : undefined
    arrivals.push(
      saidMs === undefined || saidMs > run.firstMs
        ? { version, atMs: run.firstMs, isKnown: run.beforeMs !== undefined, resolutionSeconds: resolutionOf(run) }
        : { version, atMs: saidMs, isKnown: true, resolutionSeconds: 1 },
    )
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}
