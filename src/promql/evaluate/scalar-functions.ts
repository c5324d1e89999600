import { Labels } from '../../model/labels.ts'
import type { Evaluation } from './evaluation.ts'
import { perStep, stepTimeMs, type Steps } from './steps.ts'
import { gridOf, type Value } from './value.ts'
import { dropNames, singleRow, type Grid } from './grid.ts'
import { floatsOf } from './histogram-cells.ts'
import { CELL_MASK, type Pieces } from './pieces.ts'

/** Functions of single numbers, applied to every value of a vector. */
export const MATH: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  deg: (value) => (value * 180) / Math.PI,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  rad: (value) => (value * Math.PI) / 180,
  sgn: (value) => (value < 0 ? -1 : value > 0 ? 1 : value),
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
}

/** A part of a time in UTC. `addedYears`: the years, a multiple of 400, by which the time is later than the date. */
type CalendarPart = (date: Date, addedYears: number) => number

export const CALENDAR: Readonly<Record<string, CalendarPart>> = {
  day_of_month: (date) => date.getUTCDate(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_year: (date) => (date.setUTCHours(0, 0, 0, 0) - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000 + 1,
  days_in_month: (date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  hour: (date) => date.getUTCHours(),
  minute: (date) => date.getUTCMinutes(),
  month: (date) => date.getUTCMonth() + 1,
  year: (date, addedYears) => date.getUTCFullYear() + addedYears,
}

/** HOT. Applies a function to every float; names and histograms are dropped. */
export function* mapValues(vector: Grid, compute: (value: number) => number, evaluation: Evaluation): Pieces<Grid> {
  const grid = floatsOf(vector)
  evaluation.budget.takeCells(grid.labels.length, grid.steps)
  const { values, present } = grid
  const computed = new Float64Array(values.length)
  for (let cell = 0; cell < values.length; cell++) {
    if ((cell & CELL_MASK) === CELL_MASK) yield
    if (present[cell] === 1) computed[cell] = compute(values[cell]!)
  }
  return dropNames({ ...grid, values: computed })
}

/** HOT. Applies a function of value and step to every float; names and histograms are dropped. */
export function mapBySteps(
  vector: Grid,
  compute: (value: number, step: number) => number,
  evaluation: Evaluation,
): Grid {
  const grid = floatsOf(vector)
  evaluation.budget.takeCells(grid.labels.length, grid.steps)
  const { steps, values, present } = grid
  const computed = new Float64Array(values.length)
  for (let cell = 0; cell < values.length; cell++) {
    if (present[cell] === 1) computed[cell] = compute(values[cell]!, cell % steps)
  }
  return dropNames({ ...grid, values: computed })
}

/** `clamp(v, min, max)`: empty where min is above max. */
export function clamp(grid: Grid, least: Float64Array, most: Float64Array, evaluation: Evaluation): Grid {
  const clamped = mapBySteps(grid, (value, s) => maxOf(least[s]!, minOf(most[s]!, value)), evaluation)
  const present = clamped.present.map((is, cell) => (most[cell % grid.steps]! < least[cell % grid.steps]! ? 0 : is))
  return { ...clamped, present }
}

/** `round(v, to)`: to the nearest multiple of `to`; halves go up. */
export function roundTo(value: number, nearest: number): number {
  // Multiplies with the inverse, as in Prometheus: 1 / 0.1 is exact and 0.1 is not.
  const inverse = 1 / nearest
  return Math.floor(value * inverse + 0.5) / inverse
}

/** The maximum; infinity even with a NaN, as in Go. */
export function maxOf(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b)
}

/** The minimum; minus infinity even with a NaN, as in Go. */
export function minOf(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b)
}

/** A calendar function: of the values of its argument, or of the time of each step. */
export function calendarOf(
  part: CalendarPart,
  arg: Value | undefined,
  steps: Steps,
  evaluation: Evaluation,
): Grid | Pieces<Grid> {
  const ofSeconds = (seconds: number): number => {
    const date = new Date(Math.trunc(seconds) * 1000)
    return Number.isNaN(date.getTime()) ? partOfFarTime(part, seconds) : part(date, 0)
  }
  if (arg !== undefined) return mapValues(gridOf(arg), ofSeconds, evaluation)
  const times = perStep(steps, (s) => ofSeconds(stepTimeMs(steps, s) / 1000))
  return singleRow(Labels.EMPTY, times)
}

/** The calendar repeats after 400 years, days of the week included. */
const CYCLE_YEARS = 400
const CYCLE_SECONDS = 12_622_780_800n
/** Go counts seconds from here, as an unsigned number of 64 bits: a first year of a cycle, as 2001 is. */
const GO_FIRST_YEAR = -292_277_022_399
const GO_FIRST_SECOND = 9_223_372_028_715_321_600n

/**
 * A time that a JavaScript Date cannot hold, as Go has it. NaN for what is no integer of 64 bits: there Prometheus' answer
 * depends on the processor.
 */
function partOfFarTime(part: CalendarPart, seconds: number): number {
  if (!(seconds >= -(2 ** 63) && seconds < 2 ** 63)) return NaN
  const sinceFirst = BigInt.asUintN(64, BigInt(Math.trunc(seconds)) + GO_FIRST_SECOND)
  const date = new Date(Date.UTC(2001, 0, 1) + Number(sinceFirst % CYCLE_SECONDS) * 1000)
  return part(date, Number(sinceFirst / CYCLE_SECONDS) * CYCLE_YEARS + GO_FIRST_YEAR - 2001)
}
