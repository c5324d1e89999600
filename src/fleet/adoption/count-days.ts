import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionSink } from '../../model/adoption.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import { withUsage } from './cluster-usage.ts'
import type { ClusterUsage } from './cluster-usage.ts'
import { adoptionOfDay, usageOfDay } from './cube-of-day.ts'
import { DAY_MS, dayOf, dayStartMs, daysBetween } from './day.ts'

/** The present day is counted this often; a past day at its end and once more, for what came late. */
const RECOUNT_EVERY_MS = 15 * 60_000
const LATE_MS = 3 * 60 * 60_000
/** A day costs a pass over the fleet: after a long pause, or on a first start over old data, so many a time. */
const DAYS_PER_TURN = 8

export interface CountingPorts {
  readonly facts: Pick<FleetFactsReader, 'clusters' | 'intervalsAt'>
  readonly days: () => Promise<readonly AdoptionDay[]>
  readonly putDay: AdoptionSink['putDay']
  /** What metrics say of what runs on clusters; absent: only what objects told counts. */
  readonly usageAt?: (timeMs: number) => Promise<ReadonlyMap<string, ClusterUsage>>
}

/** Which days have to be counted, oldest first: those never counted since the fleet began, and those counted too early. */
export function daysToCount(counted: readonly AdoptionDay[], firstSeenMs: number, nowMs: number): readonly string[] {
  const updated = new Map(counted.map(({ day, updatedMs }) => [day, updatedMs]))
  const today = dayOf(nowMs)
  return daysBetween(dayOf(firstSeenMs), today).filter((day) => {
    const updatedMs = updated.get(day)
    if (updatedMs === undefined) return true
    if (day === today) return nowMs - updatedMs >= RECOUNT_EVERY_MS
    const endMs = dayStartMs(day) + DAY_MS
    return (updatedMs < endMs && nowMs >= endMs) || (updatedMs < endMs + LATE_MS && nowMs >= endMs + LATE_MS)
  })
}

/** Counts what has to be, and answers how many days; nothing while no cluster is known. */
export async function countDays({ facts, days, putDay, usageAt }: CountingPorts, nowMs: number): Promise<number> {
  const records = await facts.clusters()
  if (records.length === 0) return 0
  const firstSeenMs = records.reduce((first, record) => Math.min(first, record.firstSeenMs), Infinity)
  const due = daysToCount(await days(), firstSeenMs, nowMs).slice(-DAYS_PER_TURN)
  for (const day of due) {
    const atMs = Math.min(dayStartMs(day) + DAY_MS - 1, nowMs)
    const byCluster = groupBy(await facts.intervalsAt(atMs), ({ cluster }) => cluster)
    const usage = await usageAt?.(atMs)
    const clusters = records.map((record) => ({
      record: withUsage(record, usage?.get(record.cluster)),
      intervals: byCluster.get(record.cluster) ?? [],
    }))
    await putDay(day, adoptionOfDay(day, clusters, nowMs), usageOfDay(day, clusters, nowMs), nowMs)
  }
  return due.length
}
