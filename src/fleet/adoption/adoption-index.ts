import { sharedTurn } from '../../base/thread-slices.ts'
import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionReader, AdoptionRow, UsageRow } from '../../model/adoption.ts'
import { AdoptionCube, type CubeFilter, type CubeSums, type Dimension } from './cube.ts'
import { addDays, daysBetween } from './day.ts'

export interface AdoptionQuery {
  readonly operator: string
  readonly by: Dimension
  /** Both ends inclusive. */
  readonly fromDay: string
  readonly toDay: string
  readonly filter: CubeFilter
}

/** The sums of a query, over the days that were counted. */
export interface AdoptionAnswer {
  readonly sums: CubeSums
  /** Days of the range that were not counted: the server did not run, or they are older than the retention. */
  readonly missing: readonly string[]
  /** When the newest day of the range was last counted. */
  readonly updatedMs?: number
}

/** Days that `warm` reads, up to the newest counted one: the first query of the pages. */
const WARM_DAYS = 365
/** Days read before yielding to other calls. */
const DAYS_PER_TURN = 2

/**
 * Answers queries from cached cubes, one per operator and part of time; a cube is read again when a day in it was counted
 * again. Each past month is a part that rarely changes; the newest day is counted repeatedly and is a part by itself. So a
 * year is read once, at the start (`warm`) or at the first query, and a query costs one pass over the columns.
 */
export class AdoptionIndex {
  readonly #reader: AdoptionReader
  readonly #parts = new Map<string, { readonly stamp: string; readonly cube: Promise<AdoptionCube> }>()

  constructor(reader: AdoptionReader) {
    this.#reader = reader
  }

  async query(query: AdoptionQuery): Promise<AdoptionAnswer> {
    const all = await this.#reader.days()
    const counted = all.filter(({ day }) => day >= query.fromDay && day <= query.toDay)
    const partOf = partsOf(all)
    const whole = groupBy(all, partOf)
    const parts: CubeSums[] = []
    for (const [part, days] of groupBy(counted, partOf)) {
      const cube = await this.#cubeOf(query.operator, part, whole.get(part)!)
      parts.push(cube.sums(query.by, days[0]!.day, days.at(-1)!.day, query.filter))
    }
    const known = new Set(counted.map(({ day }) => day))
    const newest = counted.at(-1)
    return {
      sums: joined(parts, query.fromDay, query.toDay),
      missing: daysBetween(query.fromDay, query.toDay).filter((day) => !known.has(day)),
      ...(newest === undefined ? {} : { updatedMs: newest.updatedMs }),
    }
  }

  /** Instance types, preferences and deprecated APIs in use: few rows, so they are not cached. Both ends inclusive. */
  usage(fromDay: string, toDay: string): Promise<readonly UsageRow[]> {
    return this.#reader.usage(fromDay, toDay)
  }

  days(): Promise<readonly AdoptionDay[]> {
    return this.#reader.days()
  }

  operators(): Promise<readonly string[]> {
    return this.#reader.operators()
  }

  /** Reads the last year of some operators before the first query, the newest part first. */
  async warm(operators: readonly string[]): Promise<void> {
    const all = await this.#reader.days()
    const newest = all.at(-1)
    if (newest === undefined) return
    const { fromDay } = lastDays(newest.day, WARM_DAYS)
    for (const [part, days] of [...groupBy(all, partsOf(all))].reverse()) {
      if (days.at(-1)!.day < fromDay) continue
      for (const operator of operators) await this.#cubeOf(operator, part, days)
    }
  }

  /** Reads the cube again when a day in it was counted again. @param days all days of the part */
  async #cubeOf(operator: string, part: string, days: readonly AdoptionDay[]): Promise<AdoptionCube> {
    const key = `${operator} ${part}`
    const stamp = stampOf(days)
    const known = this.#parts.get(key)
    if (known?.stamp === stamp) return known.cube
    const one = { stamp, cube: this.#read(operator, days) }
    this.#parts.set(key, one)
    try {
      return await one.cube
    } catch (thrown) {
      if (this.#parts.get(key) === one) this.#parts.delete(key)
      throw thrown
    }
  }

  /** Yields in between: reading a year takes a while, and the thread is shared. */
  async #read(operator: string, days: readonly AdoptionDay[]): Promise<AdoptionCube> {
    const rows: AdoptionRow[] = []
    for (let at = 0; at < days.length; at += DAYS_PER_TURN) {
      const last = days[Math.min(at + DAYS_PER_TURN, days.length) - 1]!
      for (const row of await this.#reader.rows(operator, days[at]!.day, last.day)) rows.push(row)
      await sharedTurn()
    }
    return new AdoptionCube(rows)
  }
}

/** The part of a day: its month, or the day itself if it is the newest. @param days in order */
function partsOf(days: readonly AdoptionDay[]): (one: AdoptionDay) => string {
  const newest = days.at(-1)?.day
  return ({ day }) => (day === newest ? day : day.slice(0, 7))
}

function stampOf(days: readonly AdoptionDay[]): string {
  return days.map(({ day, updatedMs }) => `${day} ${updatedMs}`).join()
}

/** Concatenates the parts of a range; days in no part have no clusters. */
function joined(parts: readonly CubeSums[], fromDay: string, toDay: string): CubeSums {
  const days = daysBetween(fromDay, toDay)
  const values = [...new Set(parts.flatMap((part) => part.values))]
  const codes = new Map(values.map((value, code) => [value, code]))
  const zeros = (): Float64Array[] => values.map(() => new Float64Array(days.length))
  const sums = { clusters: zeros(), vms: zeros(), outdatedVms: zeros() }
  const known = new Float64Array(days.length)
  for (const part of parts) {
    const at = days.indexOf(part.days[0] ?? '')
    if (at === -1) continue
    known.set(part.known, at)
    for (const [i, value] of part.values.entries()) {
      const code = codes.get(value)!
      for (const name of ['clusters', 'vms', 'outdatedVms'] as const) sums[name][code]!.set(part[name][i]!, at)
    }
  }
  return { days, values, ...sums, known }
}

/** The last `days` days up to `toDay`, inclusive. */
export function lastDays(toDay: string, days: number): { readonly fromDay: string; readonly toDay: string } {
  return { fromDay: addDays(toDay, 1 - days), toDay }
}
