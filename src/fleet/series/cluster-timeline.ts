/**
 * One cluster over time, from its version intervals, modifications and upgrades. Of the past, versions are those of the time;
 * flavour, region and environment are the present ones, because only these are stored (`clusters/cluster-at.ts`).
 */
import type { ClusterRecord, Modification, VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import { groupBy } from '../../base/group-by.ts'
import { clusterAt } from '../clusters/cluster-at.ts'
import { runningVersions, skewOf } from './cluster-versions.ts'
import { SeriesLabels } from './fact-series.ts'
import { SAMPLES_EVERY_MS, type Changes, type Period } from './stretch.ts'
import { upgradeTimeline, type UpgradeTimeline } from './upgrade-timeline.ts'

/** A period in which the versions of a cluster stayed the same. */
export interface ClusterState extends Period {
  readonly info: SeriesLabels
  readonly skew: { readonly labels: SeriesLabels; readonly minors: number } | undefined
  /** Operator and version. */
  readonly running: readonly (readonly [operator: string, version: string])[]
}

/** The versions of these are labels of `daytwo_cluster_info` or counted as adoption. */
const SHOWN_OPERATORS: ReadonlySet<string> = new Set(['kubevirt-hyperconverged', 'kubevirt', 'openshift', 'kubernetes'])

export class ClusterTimeline {
  readonly upgrades: readonly UpgradeTimeline[]
  /** By component. */
  readonly edits: ReadonlyMap<string, Changes>
  readonly patches: ReadonlyMap<string, Changes>
  readonly #intervals: readonly VersionInterval[]
  #made: { readonly record: ClusterRecord; readonly key: string; readonly states: readonly ClusterState[] } | undefined

  constructor({ cluster, intervals, upgrades, modifications }: ClusterFacts) {
    this.upgrades = upgrades.map(upgradeTimeline)
    this.#intervals = intervals.filter(({ operator }) => SHOWN_OPERATORS.has(operator))
    const ofKind = (kind: Modification['kind']) =>
      groupBy(
        modifications.filter((one) => one.kind === kind && !(kind === 'out_of_band' && one.isUpgradeMode)),
        ({ component }) => component,
      )
    const { firstSeenMs } = cluster
    this.edits = new Map(Array.from(ofKind('out_of_band'), ([name, all]) => [name, editCounts(all, firstSeenMs)]))
    this.patches = new Map(Array.from(ofKind('jsonpatch'), ([name, all]) => [name, patchCounts(all, firstSeenMs)]))
  }

  /** In order. The same objects as long as nothing that they show of the record changes. */
  statesOf(record: ClusterRecord): readonly ClusterState[] {
    if (this.#made?.record === record) return this.#made.states
    const key = shownOf(record)
    const states = this.#made?.key === key ? this.#made.states : statesOf(record, this.#intervals)
    this.#made = { record, key, states }
    return states
  }
}

/** Of a record what states are made of. */
function shownOf(record: ClusterRecord): string {
  const { platform, firstSeenMs } = record
  return [...Object.values(infoLabels(record)), platform?.version, firstSeenMs].join('\u0000')
}

function statesOf(record: ClusterRecord, intervals: readonly VersionInterval[]): readonly ClusterState[] {
  const { firstSeenMs } = record
  const times = intervals.flatMap(({ fromMs, untilMs = fromMs }) => [fromMs, untilMs])
  const starts = [...new Set([firstSeenMs, ...times.filter((ms) => ms > firstSeenMs)])].sort((a, b) => a - b)
  return starts.map((fromMs, i) => {
    const isPresent = i === starts.length - 1
    const then = isPresent ? record : recordThen(record, intervals, fromMs)
    const skew = skewOf(then)
    return {
      fromMs,
      untilMs: isPresent ? Infinity : starts[i + 1]!,
      info: new SeriesLabels(infoLabels(then)),
      skew: skew && {
        labels: new SeriesLabels({
          cluster: record.cluster,
          minor: skew.minor,
          platform_minor: skew.platformMinor,
        }),
        minors: skew.minors,
      },
      running: runningVersions(then),
    }
  })
}

/** As if the cluster was seen later: what only the present record has is left out. */
const SEEN_LATER = { metricsMs: Infinity }

function recordThen(record: ClusterRecord, intervals: readonly VersionInterval[], atMs: number): ClusterRecord {
  const current = intervals.filter(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && untilMs > atMs)
  return clusterAt({ cluster: record.cluster, record, lastSeen: SEEN_LATER }, current, [], atMs)!
}

function infoLabels(record: ClusterRecord): Readonly<Record<string, string>> {
  return {
    cluster: record.cluster,
    flavour: record.flavour ?? '',
    hco_version: record.hcoVersion ?? '',
    kubevirt_version: record.versions['kubevirt'] ?? '',
    platform: record.platform?.kind ?? '',
    platform_version: record.platform?.version ?? '',
    channel: record.subscription?.channel ?? '',
    approval: record.subscription?.approval ?? '',
    region: record.region ?? '',
    environment: record.environment ?? '',
  }
}

/** Changes of a sum, from what is added when. */
function sumOf(added: readonly (readonly [timeMs: number, count: number])[], shown: (sum: number) => number): Changes {
  const ordered = added.toSorted(([a], [b]) => a - b)
  let sum = 0
  const sums = ordered.map(([, count]) => (sum += count))
  return { timesMs: ordered.map(([timeMs]) => timeMs), valueAt: (i) => shown(sums[i]!) }
}

/**
 * A counter from 0. Of a burst whose times are not stored the edits are counted evenly between the first and the last, at most
 * once a minute.
 */
function editCounts(bursts: readonly Modification[], firstSeenMs: number): Changes {
  const added = bursts.flatMap(({ startedMs = firstSeenMs, endedMs = startedMs, count, edits }) => {
    if (edits !== undefined) {
      return edits.map(([atMs, until], i): [number, number] => [atMs, until - (edits[i - 1]?.[1] ?? 0)])
    }
    const times = Math.min(count, 1 + Math.floor((endedMs - startedMs) / SAMPLES_EVERY_MS))
    const shareAt = (i: number): number => Math.round((count * i) / times)
    return Array.from({ length: times }, (_, i): [number, number] => {
      const sinceMs = times === 1 ? 0 : Math.round(((endedMs - startedMs) * i) / (times - 1))
      return [startedMs + sinceMs, shareAt(i + 1) - shareAt(i)]
    })
  })
  const firstMs = Math.min(...added.map(([timeMs]) => timeMs))
  return sumOf([[firstMs - SAMPLES_EVERY_MS, 0], ...added], (sum) => sum)
}

/** No sample while no patch is active. */
function patchCounts(patches: readonly Modification[], firstSeenMs: number): Changes {
  const added = patches.flatMap(({ startedMs = firstSeenMs, endedMs }): [number, number][] => [
    [startedMs, 1],
    ...(endedMs === undefined ? [] : [[endedMs, -1] as [number, number]]),
  ])
  return sumOf(added, (sum) => (sum > 0 ? sum : NaN))
}
