import { setImmediate } from 'node:timers/promises'
import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionReader } from '../../model/adoption.ts'
import { AdoptionCube } from './cube.ts'
import type { CubeFilter, CubeSums, Dimension } from './cube.ts'
import { addDays, daysBetween } from './day.ts'

export interface AdoptionAsk {
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

/**
 * Answers from cubes of one month and operator, kept as long as no day in them is counted again. Past months do not
 * change, so the first question about a year reads it, and the next ones cost a pass over its columns.
 */
export class AdoptionBook {
  readonly #reader: AdoptionReader
  readonly #months = new Map<string, { readonly stamp: string; readonly cube: AdoptionCube }>()

  constructor(reader: AdoptionReader) {
    this.#reader = reader
  }

  async ask(asked: AdoptionAsk): Promise<AdoptionAnswer> {
    const all = await this.#reader.days()
    const counted = all.filter(({ day }) => day >= asked.fromDay && day <= asked.toDay)
    const stamps = new Map([...groupBy(all, ({ day }) => monthOf(day))].map(([month, days]) => [month, stampOf(days)]))
    const parts: CubeSums[] = []
    for (const [month, days] of groupBy(counted, ({ day }) => monthOf(day))) {
      const cube = await this.#monthOf(asked.operator, month, stamps.get(month)!)
      parts.push(cube.sums(asked.by, days[0]!.day, days.at(-1)!.day, asked.filter))
    }
    const known = new Set(counted.map(({ day }) => day))
    const newest = counted.at(-1)
    return {
      sums: joined(parts, asked.fromDay, asked.toDay),
      missing: daysBetween(asked.fromDay, asked.toDay).filter((day) => !known.has(day)),
      ...(newest === undefined ? {} : { updatedMs: newest.updatedMs }),
    }
  }

  /** Reads it anew when a day in it was counted since; a year of it takes a while, and others may use the thread. */
  async #monthOf(operator: string, month: string, stamp: string): Promise<AdoptionCube> {
    const key = `${operator} ${month}`
    const known = this.#months.get(key)
    if (known?.stamp === stamp) return known.cube
    await setImmediate()
    const cube = new AdoptionCube(await this.#reader.rows(operator, `${month}-01`, `${month}-31`))
    this.#months.set(key, { stamp, cube })
    return cube
  }
}

function monthOf(day: string): string {
  return day.slice(0, 7)
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
