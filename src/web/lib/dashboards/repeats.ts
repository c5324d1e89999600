import { ALL_VALUES, type Grid, type GridItem, type Variable } from '../../../model/dashboard.ts'
import { interpolateText, variablesIn, type VariableValues } from './interpolate.ts'
import type { Option } from './variables.ts'

/** A repeat of a part of a dashboard, for one value of a variable. Pure. */
export interface Repeat {
  readonly variable: string
  readonly value: string
  readonly label: string
}

/** The limit of repeats: each has panels with requests. */
export const REPEATS_MAX = 20

export interface Repeatable {
  readonly variable: Variable
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
}

/** One for each selected value; none for an unknown variable. */
export function repeatsOf(variable: string, states: readonly Repeatable[]): readonly Repeat[] {
  const state = states.find((one) => one.variable.name === variable)
  if (state === undefined) return []
  const values = state.chosen.includes(ALL_VALUES) ? state.options.map(({ value }) => value) : state.chosen
  return values.map((value) => {
    return { variable, value, label: state.options.find((option) => option.value === value)?.label ?? value }
  })
}

export function withRepeat(values: VariableValues, repeat: Repeat | undefined): VariableValues {
  if (repeat === undefined) return values
  return new Map([...values, [repeat.variable, { values: [repeat.value], isPattern: false }]])
}

/** Appends the value to a title without the variable. */
export function repeatedTitle(title: string, values: VariableValues, repeat: Repeat | undefined): string {
  const written = interpolateText(title, withRepeat(values, repeat))
  if (repeat === undefined || variablesIn(title).includes(repeat.variable)) return written
  return written === '' ? repeat.label : `${written}: ${repeat.label}`
}

const COLUMNS = 24

/** Repeats per row: one for a grid with a title, because each has a heading; else as many as fit beside each other. */
export function repeatsInRow({ title, canCollapse, items }: Grid): number {
  if (title !== '' || canCollapse) return 1
  return Math.max(1, Math.floor(COLUMNS / Math.max(1, sizeOf(items).width)))
}

/** The panels of a grid at the position of a repeat. */
export function itemsOfRepeat(items: readonly GridItem[], index: number, inRow: number): readonly GridItem[] {
  const { left, top, width, height } = sizeOf(items)
  const [column, row] = [index % inRow, Math.floor(index / inRow)]
  return items.map((item) => ({ ...item, x: item.x - left + column * width, y: item.y - top + row * height }))
}

function sizeOf(items: readonly GridItem[]) {
  const [left, top] = [Math.min(COLUMNS, ...items.map(({ x }) => x)), Math.min(...items.map(({ y }) => y))]
  const width = Math.max(0, ...items.map((item) => item.x + item.width)) - left
  return { left, top, width, height: Math.max(0, ...items.map((item) => item.y + item.height)) - top }
}
