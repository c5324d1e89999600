/**
 * The rows of one day: how many clusters ran which version at its end. Counted from version intervals, so a day can be
 * counted again after late data.
 *
 * A cluster counts on a day if it was first seen by the end of the day, last seen on that day or later, and not gone at the
 * end of the day (the caller leaves those out). A cluster that reports no version counts with an empty version: it is in the
 * denominator and in no share.
 */
import type { AdoptionRow, UsageRow } from '../../model/adoption.ts'
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import { minorOf } from '../version-order.ts'
import { DAY_MS, dayStartMs } from './day.ts'

export interface AdoptionCluster {
  readonly record: ClusterRecord
  /** Of all its operators, in any order. */
  readonly intervals: readonly VersionInterval[]
}

/** Operators that every cluster may have; others count on clusters that ever reported them. */
export const EXPECTED_OPERATORS: readonly string[] = ['kubevirt-hyperconverged']

/** @param nowMs the present day is counted up to now */
export function adoptionOfDay(
  day: string,
  clusters: readonly AdoptionCluster[],
  nowMs: number,
): readonly AdoptionRow[] {
  const atMs = Math.min(dayStartMs(day) + DAY_MS - 1, nowMs)
  const rows = new Map<string, { -readonly [K in keyof AdoptionRow]: AdoptionRow[K] }>()
  for (const { record, intervals } of clusters) {
    if (!isKnownAt(record, day, atMs)) continue
    const versions = versionsAt(intervals, atMs)
    for (const operator of EXPECTED_OPERATORS) if (!versions.has(operator)) versions.set(operator, '')
    for (const [operator, version] of versions) {
      const row = rowOf(day, operator, version, record, versions)
      const key = JSON.stringify([
        operator,
        version,
        row.channel,
        row.platform,
        row.region,
        row.flavour,
        row.environment,
      ])
      const known = rows.get(key)
      if (known === undefined) rows.set(key, row)
      else {
        known.clusters++
        known.vms += row.vms
        known.outdatedVms += row.outdatedVms
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Instance types, preferences and deprecated API versions in use, as last reported. */
export function usageOfDay(day: string, clusters: readonly AdoptionCluster[], nowMs: number): readonly UsageRow[] {
  const atMs = Math.min(dayStartMs(day) + DAY_MS - 1, nowMs)
  const rows = new Map<string, { -readonly [K in keyof UsageRow]: UsageRow[K] }>()
  for (const { record } of clusters) {
    if (!isKnownAt(record, day, atMs)) continue
    const subjects = [
      ['instance_type', record.instanceTypes],
      ['preference', record.preferences],
      ['deprecated_api', record.deprecatedApis],
    ] as const
    for (const [subject, counts] of subjects) {
      for (const [name, count] of Object.entries(counts)) {
        const key = `${subject} ${name}`
        const row = rows.get(key) ?? { day, subject, name, clusters: 0, count: 0 }
        rows.set(key, row)
        row.clusters++
        row.count += count
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function isKnownAt({ firstSeenMs, lastSeenMs }: ClusterRecord, day: string, atMs: number): boolean {
  return firstSeenMs <= atMs && lastSeenMs >= dayStartMs(day)
}

function versionsAt(intervals: readonly VersionInterval[], atMs: number): Map<string, string> {
  const versions = new Map<string, string>()
  for (const { operator, version, fromMs, untilMs } of intervals) {
    if (fromMs <= atMs && (untilMs === undefined || untilMs > atMs)) versions.set(operator, version)
  }
  return versions
}

function rowOf(
  day: string,
  operator: string,
  version: string,
  record: ClusterRecord,
  versions: ReadonlyMap<string, string>,
): AdoptionRow {
  const { subscription, flavour = '', region = '', environment = '', workloads } = record
  return {
    day,
    operator,
    version,
    channel: subscription?.channel ?? '',
    platform: platformOf(record, versions.get('openshift')),
    region,
    flavour,
    environment,
    clusters: 1,
    vms: workloads?.running ?? 0,
    outdatedVms: workloads?.outdated ?? 0,
  }
}

/** By minor version: patches of a platform are too many to compare by. */
function platformOf({ platform }: ClusterRecord, openshift: string | undefined): string {
  if (platform === undefined) return openshift === undefined ? '' : `openshift ${minorOf(openshift)}`
  const version = openshift ?? platform.version
  return version === undefined ? platform.kind : `${platform.kind} ${minorOf(version)}`
}
