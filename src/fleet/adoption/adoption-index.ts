import { setImmediate } from 'node:timers/promises'
import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionReader, AdoptionRow, UsageRow } from '../../model/adoption.ts'
import { AdoptionCube } from './cube.ts'
import type { CubeFilter, CubeSums, Dimension } from './cube.ts'
import { addDays, daysBetween } from './day.ts'

export interface AdoptionQuery {
  readonly operator: string
  readonly by: Dimension
  /** Both ends inclusive. */
  readonly fromDay: string
  readonly toDay: string
  readonly filter: CubeFilter
}

/** What was asked, over the days that were counted. */
export interface AdoptionAnswer {
  readonly sums: CubeSums
  /** Days of the range that nobody counted: the server did not run, or the range is longer than what is kept. */
  readonly missing: readonly string[]
  /** When the newest day of the range was counted last. */
  readonly updatedMs?: number
}

/** Of which `warm` reads the days, up to the newest that was counted: what pages ask at first. */
const WARM_DAYS = 365
/** Read without a look at what else waits. */
const DAYS_PER_TURN = 2

/**
 * Answers from cubes of one operator and one part of time, kept as long as no day in them is counted again. Past months
 * are a part each and do not change; the newest day is counted again and again, and is a part by itself. So a year is read
 * once, at the start (`warm`) or when it is first asked for, and a question costs a pass over its columns.
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

  /** Which flavours of virtual machines ran: small, so it is read as it is kept. Both ends inclusive. */
  usage(fromDay: string, toDay: string): Promise<readonly UsageRow[]> {
    return this.#reader.usage(fromDay, toDay)
  }

  days(): Promise<readonly AdoptionDay[]> {
    return this.#reader.days()
  }

  operators(): Promise<readonly string[]> {
    return this.#reader.operators()
  }

  /** Reads the last year of some operators before anybody asks for it, the newest part first. */
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

  /** Reads it anew when a day in it was counted since. @param days all of the part */
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

  /** A year takes a while, and others use the thread. */
  async #read(operator: string, days: readonly AdoptionDay[]): Promise<AdoptionCube> {
    const rows: AdoptionRow[] = []
    for (let at = 0; at < days.length; at += DAYS_PER_TURN) {
      const last = days[Math.min(at + DAYS_PER_TURN, days.length) - 1]!
      for (const row of await this.#reader.rows(operator, days[at]!.day, last.day)) rows.push(row)
      await setImmediate()
    }
    return new AdoptionCube(rows)
  }
}

/** The part that a day is in: its month, and itself when it is the newest. @param days in order */
function partsOf(days: readonly AdoptionDay[]): (one: AdoptionDay) => string {
  const newest = days.at(-1)?.day
  return ({ day }) => (day === newest ? day : day.slice(0, 7))
}

function stampOf(days: readonly AdoptionDay[]): string {
  return days.map(({ day, updatedMs }) => `${day} ${updatedMs}`).join()
}

/** Parts of a range as one; days in none of them have no clusters. */
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

/** The last `days` days up to one, that one included. */
export function lastDays(toDay: string, days: number): { readonly fromDay: string; readonly toDay: string } {
  return { fromDay: addDays(toDay, 1 - days), toDay }
}
