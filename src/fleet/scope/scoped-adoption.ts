import type { AdoptionDay, AdoptionReader, AdoptionRow, UsageRow } from '../../model/adoption.ts'
import { clustersOfDay, type CountingPorts } from '../adoption/count-days.ts'
import { adoptionOfDay, usageOfDay } from '../adoption/cube-of-day.ts'
import { dayOf } from '../adoption/day.ts'
import type { ScopedFleet } from './cluster-scopes.ts'

interface ScopedAdoptionParts extends Pick<CountingPorts, 'facts' | 'usageAt'> {
  readonly scope: Pick<ScopedFleet, 'index'>
  /** The days that are counted of the whole fleet. */
  readonly days: AdoptionReader['days']
}

interface CountedDay {
  readonly updatedMs: number
  readonly rows: readonly AdoptionRow[]
  readonly usage: readonly UsageRow[]
}

/** Days that were counted for a scope; then the oldest are counted anew. */
const DAYS_KNOWN_MAX = 800

/**
 * Adoption of a scope. Days are stored as counts of the whole fleet, so a day of a scope is counted when it is read, as the
 * fleet counts a day again after late data: versions as they were, other values as last reported.
 */
export function scopedAdoption({ facts, scope, usageAt, days }: ScopedAdoptionParts): AdoptionReader {
  const known = new Map<string, CountedDay>()
  const ports = {
    facts,
    goneAt: (atMs: number) => Promise.resolve(scope.index.gone(atMs)),
    ...(usageAt && { usageAt }),
  }
  const count = async ({ day, updatedMs }: AdoptionDay): Promise<CountedDay> => {
    const before = known.get(day)
    if (before?.updatedMs === updatedMs) return before
    const clusters = await clustersOfDay(ports, scope.index.records(), day, updatedMs)
    const rows = adoptionOfDay(day, clusters, updatedMs)
    const counted = { updatedMs, rows, usage: usageOfDay(day, clusters, updatedMs) }
    if (known.size >= DAYS_KNOWN_MAX) known.clear()
    known.set(day, counted)
    return counted
  }
  /** From the first day of a cluster of the scope on. */
  const ownDays = async (): Promise<readonly AdoptionDay[]> => {
    const firstMs = scope.index.records().reduce((first, { firstSeenMs }) => Math.min(first, firstSeenMs), Infinity)
    if (firstMs === Infinity) return []
    const firstDay = dayOf(firstMs)
    return (await days()).filter(({ day }) => day >= firstDay)
  }
  const counted = async (fromDay: string, toDay: string): Promise<readonly CountedDay[]> => {
    const found: CountedDay[] = []
    for (const one of await ownDays()) if (one.day >= fromDay && one.day <= toDay) found.push(await count(one))
    return found
  }
  return {
    days: ownDays,
    rows: async (operator, fromDay, toDay) =>
      (await counted(fromDay, toDay)).flatMap(({ rows }) => rows.filter((row) => row.operator === operator)),
    usage: async (fromDay, toDay) => (await counted(fromDay, toDay)).flatMap(({ usage }) => usage),
    operators: async () => {
      const all = await counted('', '\uffff')
      return [...new Set(all.flatMap(({ rows }) => rows.map(({ operator }) => operator)))].sort()
    },
  }
}
