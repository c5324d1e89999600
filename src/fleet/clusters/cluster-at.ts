/**
 * A cluster at a past moment. Version intervals give its versions, stored periods its conditions, settings and nodes; what is
 * stored for the present only is left out of a cluster that was seen after the moment. Pure.
 */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import { lastMsOf, type KnownCluster } from './fleet-coverage.ts'
import type { ValueInterval } from '../../model/cluster-value.ts'
import type { Observed } from '../../model/hazard-facts.ts'
import { recordOfValues } from '../past/value-keys.ts'
import { runningVersions } from '../derive/intervals.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/**
 * Returns `undefined`: the cluster was not seen yet.
 * @param intervals the cluster's version intervals at the moment
 * @param values the periods of its values, all or those of the moment
 */
export function clusterAt(
  { record, lastSeen }: KnownCluster & { readonly record: ClusterRecord },
  intervals: readonly VersionInterval[],
  values: readonly ValueInterval[],
  atMs: number,
): ClusterRecord | undefined {
  if (record.firstSeenMs > atMs) return undefined
  if (Math.max(record.lastSeenMs, lastMsOf(lastSeen) ?? -Infinity) <= atMs) return record
  const { cluster, aliases, flavour, region, provider, environment, firstSeenMs } = record
  const known = { flavour, region, provider, environment, platform: platformAt(record.platform, intervals) }
  const { workloads } = record
  const hazards = hazardsAt(record.hazards, atMs)
  return {
    cluster,
    aliases,
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<ClusterRecord>),
    ...runningVersions(intervals),
    ...recordOfValues(valuesAt(values, atMs)),
    ...(workloads === undefined || workloads.atMs > atMs ? {} : { workloads }),
    ...(hazards === undefined ? {} : { hazards }),
    instanceTypes: {},
    preferences: {},
    deprecatedApis: {},
    firstSeenMs,
    lastSeenMs: Math.min(record.lastSeenMs, atMs),
    coverage: coverageAt(record.coverage, atMs),
  }
}

/** Of a time of their own, which is not stored. */
const OF_LAST_DAY = 'retriedMigrations'

/** What has been so since the moment; what changed after it was something else then. */
function hazardsAt(hazards: ClusterRecord['hazards'], atMs: number): ClusterRecord['hazards'] {
  const then = Object.entries(hazards ?? {}).filter(
    ([name, fact]) => name !== OF_LAST_DAY && (fact as Observed<unknown>).sinceMs <= atMs,
  )
  return then.length === 0 ? undefined : Object.fromEntries(then)
}

/** By key. */
export function valuesAt(values: readonly ValueInterval[], atMs: number): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const { key, fromMs, untilMs = Infinity, value } of values) {
    if (fromMs <= atMs && atMs < untilMs) found.set(key, value)
  }
  return found
}

/** By source: when the cluster was last seen, at most the moment. */
export function lastSeenAt({ metricsMs, objectsMs }: LastSeen, atMs: number): LastSeen {
  return {
    ...(metricsMs === undefined ? {} : { metricsMs: Math.min(metricsMs, atMs) }),
    ...(objectsMs === undefined ? {} : { objectsMs: Math.min(objectsMs, atMs) }),
  }
}

function platformAt(
  platform: ClusterRecord['platform'],
  intervals: readonly VersionInterval[],
): ClusterRecord['platform'] {
  if (platform === undefined) return undefined
  const { kind } = platform
  const version = intervals.find(({ operator }) => operator === kind)?.version
  return { kind, ...(version === undefined ? {} : { version }) }
}

function coverageAt({ objectsLastMs, metricsLastMs, ...sources }: ClusterRecord['coverage'], atMs: number) {
  return {
    ...sources,
    ...(objectsLastMs === undefined ? {} : { objectsLastMs: Math.min(objectsLastMs, atMs) }),
    ...(metricsLastMs === undefined ? {} : { metricsLastMs: Math.min(metricsLastMs, atMs) }),
  }
}
