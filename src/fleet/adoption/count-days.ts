import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionSink } from '../../model/adoption.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import { withUsage, type ClusterUsage } from './cluster-usage.ts'
import { adoptionOfDay, usageOfDay, type AdoptionCluster } from './cube-of-day.ts'
import { DAY_MS, dayOf, dayStartMs, daysBetween } from './day.ts'
import type { LateChange } from './late-changes.ts'

/** The present day is counted this often; a past day at its end and once more, for late data. */
const RECOUNT_EVERY_MS = 15 * 60_000
const LATE_MS = 3 * 60 * 60_000
/** A day costs a pass over the fleet: after a long pause, or at a first start with old data, one cycle counts this much. */
const CLUSTERS_PER_TURN = 80_000
const DAYS_PER_TURN_MIN = 8

export interface CountingPorts {
  readonly facts: Pick<FleetFactsReader, 'intervalsAt'>
  /** With the time at which each cluster was last seen. */
  readonly clusters: () => Promise<readonly ClusterRecord[]>
  /** Clusters that were gone at a moment: they are not counted. */
  readonly goneAt: (atMs: number) => Promise<Pick<ReadonlySet<string>, 'has'>>
  readonly days: () => Promise<readonly AdoptionDay[]>
  readonly putDay: AdoptionSink['putDay']
  /** Usage by metrics; absent: only values from objects count. */
  readonly usageAt?: (timeMs: number) => Promise<ReadonlyMap<string, ClusterUsage>>
}

/**
 * The days to count, oldest first: days never counted since the first cluster was seen, days counted too early, and days
 * with late data.
 */
export function daysToCount(
  counted: readonly AdoptionDay[],
  firstSeenMs: number,
  nowMs: number,
  late: readonly LateChange[] = [],
): readonly string[] {
  const lateDays = late.map(({ fromMs, atMs }) => ({ fromDay: dayOf(fromMs), atMs }))
  const updated = new Map(counted.map(({ day, updatedMs }) => [day, updatedMs]))
  const today = dayOf(nowMs)
  return daysBetween(dayOf(firstSeenMs), today).filter((day) => {
    const updatedMs = updated.get(day)
    if (updatedMs === undefined) return true
    if (lateDays.some(({ fromDay, atMs }) => day >= fromDay && updatedMs < atMs)) return true
    if (day === today) return nowMs - updatedMs >= RECOUNT_EVERY_MS
    const endMs = dayStartMs(day) + DAY_MS
    return (updatedMs < endMs && nowMs >= endMs) || (updatedMs < endMs + LATE_MS && nowMs >= endMs + LATE_MS)
  })
}

/** Counts some of the due days and returns how many are left; does nothing while no cluster is known. */
export async function countDays(
  { facts, clusters: recordsOf, goneAt, days, putDay, usageAt }: CountingPorts,
  nowMs: number,
  late: readonly LateChange[] = [],
): Promise<number> {
  const records = await recordsOf()
  if (records.length === 0) return 0
  const firstSeenMs = records.reduce((first, record) => Math.min(first, record.firstSeenMs), Infinity)
  const all = daysToCount(await days(), firstSeenMs, nowMs, late)
  const due = all.slice(-Math.max(DAYS_PER_TURN_MIN, Math.floor(CLUSTERS_PER_TURN / records.length)))
  for (const day of due) {
    const clusters = await clustersOfDay({ facts, goneAt, ...(usageAt && { usageAt }) }, records, day, nowMs)
    await putDay(day, adoptionOfDay(day, clusters, nowMs), usageOfDay(day, clusters, nowMs), nowMs)
  }
  return all.length - due.length
}

/** What is counted on a day, of clusters as they are now. */
export async function clustersOfDay(
  { facts, goneAt, usageAt }: Pick<CountingPorts, 'facts' | 'goneAt' | 'usageAt'>,
  records: readonly ClusterRecord[],
  day: string,
  nowMs: number,
): Promise<readonly AdoptionCluster[]> {
  const atMs = Math.min(dayStartMs(day) + DAY_MS - 1, nowMs)
  const byCluster = groupBy(await facts.intervalsAt(atMs), ({ cluster }) => cluster)
  const usage = await usageAt?.(atMs)
  const gone = await goneAt(atMs)
  const here = records.filter(({ cluster }) => !gone.has(cluster))
  return here.map((record) => ({
    record: withUsage(record, usage?.get(record.cluster)),
    intervals: byCluster.get(record.cluster) ?? [],
  }))
}
