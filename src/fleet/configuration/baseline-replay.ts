/**
 * A baseline cluster over a past time: which clusters would have differed from it, and when, compared with the baseline that is
 * chosen now. At each change of a setting or version of either cluster the comparison of the configuration page is made with the
 * values of that time. Pure.
 */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import type { ValueInterval } from '../../model/cluster-value.ts'
import { clusterAt } from '../clusters/cluster-at.ts'
import { differencesOf, referencesOfCluster } from './settings-in-use.ts'

export interface PastConfiguration {
  readonly record: ClusterRecord
  readonly intervals: readonly VersionInterval[]
  readonly values: readonly ValueInterval[]
}

/** A time in which a cluster differed from a baseline in the same settings. */
export interface DifferingTime {
  readonly fromMs: number
  readonly untilMs: number
  /** Names of the settings that differ from the proposed baseline, and from the present one. */
  readonly proposed: readonly string[]
  readonly present: readonly string[]
}

export interface ReplayedCluster {
  readonly cluster: string
  /** How long it was comparable: it and the proposed baseline reported settings. */
  readonly comparedMs: number
  /** Times with a difference from either, the earliest first. */
  readonly times: readonly DifferingTime[]
}

export interface ReplayTimes {
  readonly fromMs: number
  readonly toMs: number
}

/** Times of one cluster; a setting that changes all the time shows in the first ones. */
const TIMES_MAX = 500

/** @param present absent: none is chosen, or it is the proposed one */
export function replayBaseline(
  one: PastConfiguration,
  proposed: PastConfiguration,
  present: PastConfiguration | undefined,
  { fromMs, toMs }: ReplayTimes,
): ReplayedCluster {
  const times: DifferingTime[] = []
  let comparedMs = 0
  const starts = changesIn([one, proposed, ...(present === undefined ? [] : [present])], fromMs, toMs)
  for (const [i, startMs] of starts.entries()) {
    const endMs = starts[i + 1] ?? toMs
    const then = recordAt(one, startMs)
    const other = recordAt(proposed, startMs)
    if (then === undefined || other === undefined) continue
    comparedMs += endMs - startMs
    const before = present && recordAt(present, startMs)
    const found = { proposed: namesOf(then, other), present: before === undefined ? [] : namesOf(then, before) }
    if (found.proposed.length + found.present.length === 0) continue
    const last = times.at(-1)
    if (
      last?.untilMs === startMs &&
      JSON.stringify([last.proposed, last.present]) === JSON.stringify([found.proposed, found.present])
    ) {
      times[times.length - 1] = { ...last, untilMs: endMs }
    } else times.push({ fromMs: startMs, untilMs: endMs, ...found })
  }
  return { cluster: one.record.cluster, comparedMs, times }
}

/** The start, and when a setting or a version of one of them changed; rising. */
function changesIn(all: readonly PastConfiguration[], fromMs: number, toMs: number): readonly number[] {
  const times = new Set([fromMs])
  const add = (ms: number | undefined): void => {
    if (ms !== undefined && ms > fromMs && ms < toMs) times.add(ms)
  }
  for (const { intervals, values } of all) {
    for (const interval of intervals) {
      add(interval.fromMs)
      add(interval.untilMs)
    }
    for (const { key, ...value } of values) {
      if (!key.startsWith('settings/')) continue
      add(value.fromMs)
      add(value.untilMs)
    }
  }
  return [...times].sort((a, b) => a - b).slice(0, TIMES_MAX)
}

/** `undefined`: it reported no settings then. */
function recordAt({ record, intervals, values }: PastConfiguration, atMs: number): ClusterRecord | undefined {
  const then = intervals.filter(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && atMs < untilMs)
  const found = clusterAt({ cluster: record.cluster, record, lastSeen: { objectsMs: Infinity } }, then, values, atMs)
  return found?.settings.apiVersion === undefined ? undefined : found
}

function namesOf(record: ClusterRecord, baseline: ClusterRecord): readonly string[] {
  return differencesOf(record, referencesOfCluster(baseline, record)).map(({ setting }) => setting.name)
}
