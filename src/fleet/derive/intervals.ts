/**
 * The version of each operator that a cluster ran, by period. Objects count while they are reported, metrics before and after.
 * The start is taken from the upgrade to the version; the version is the one that was reached, not the one that was started.
 */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { type ClusterHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import type { Arrival } from './arrival.ts'
import { metricArrivals } from './metric-arrivals.ts'
import { objectArrivals } from './object-arrivals.ts'
import { coverageOf } from './coverage.ts'

/** By operator, then by start. */
export function deriveIntervals(
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
): readonly VersionInterval[] {
  const { cluster } = history
  const objects = objectArrivals(history, upgrades)
  const metrics = metricArrivals(history, upgrades)
  const { objectsLastMs = -Infinity } = coverageOf(history)
  const operators = [...new Set([...objects.keys(), ...metrics.keys()])].sort(compareTexts)
  return operators.flatMap((operator) => {
    const merged = mergeArrivals(objects.get(operator) ?? [], metrics.get(operator) ?? [], objectsLastMs)
    return intervalsOf(merged).map((interval) => ({ cluster, operator, ...interval }))
  })
}

/** Metrics before the first object, then objects, then metrics after the last one. */
function mergeArrivals(
  objects: readonly Arrival[],
  metrics: readonly Arrival[],
  objectsLastMs: number,
): readonly Arrival[] {
  const first = objects[0]
  if (first === undefined) return metrics
  const before = metrics.filter(({ atMs }) => atMs < first.atMs)
  // While objects are reported, an arrival in metrics is the same one, a scrape later.
  const after = metrics.filter(({ atMs }) => atMs > objectsLastMs)
  return [...before, ...objects, ...after]
}

type Stretch = Pick<VersionInterval, 'version' | 'fromMs' | 'isStartKnown' | 'untilMs' | 'resolutionSeconds'>

function intervalsOf(arrivals: readonly Arrival[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  const close = (atMs: number): void => {
    const last = stretches.at(-1)
    if (last === undefined || last.untilMs !== undefined) return
    // Of two that start at the same time only the later one counts.
    if (atMs <= last.fromMs) stretches.pop()
    else stretches[stretches.length - 1] = { ...last, untilMs: atMs }
  }
  for (const { version, atMs, isKnown, resolutionSeconds } of arrivals) {
    const last = stretches.at(-1)
    if (last?.untilMs === undefined && last?.version === version) continue
    close(atMs)
    if (version === undefined) continue
    const previous = stretches.at(-1)
    if (previous?.version === version && previous.untilMs === atMs) {
      const { fromMs, isStartKnown } = previous
      const reopened = { version, fromMs, isStartKnown, resolutionSeconds: previous.resolutionSeconds }
      stretches[stretches.length - 1] = reopened
    } else stretches.push({ version, fromMs: atMs, isStartKnown: isKnown, resolutionSeconds })
  }
  return stretches
}

/** Operators whose version has a field of its own in the record. */
const NAMED_APART: readonly string[] = ['kubevirt-hyperconverged', 'openshift']

/** The running version of each operator. @param intervals the current ones */
export function runningVersions(intervals: readonly VersionInterval[]): Pick<ClusterRecord, 'hcoVersion' | 'versions'> {
  const hcoVersion = intervals.find(({ operator }) => operator === 'kubevirt-hyperconverged')?.version
  return {
    ...(hcoVersion === undefined ? {} : { hcoVersion }),
    versions: Object.fromEntries(
      intervals
        .filter(({ operator }) => !NAMED_APART.includes(operator))
        .map(({ operator, version }) => [operator, version]),
    ),
  }
}
