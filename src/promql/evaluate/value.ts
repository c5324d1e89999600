import type { Grid } from './grid.ts'

export type Value =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'vector'; readonly grid: Grid }

/** The content of a value whose type the checker guarantees. */
export function gridOf(value: Value | undefined): Grid {
  if (value?.type !== 'vector') throw new TypeError('bug: the checker accepted something else as a vector')
  return value.grid
}

export function scalarsOf(value: Value | undefined): Float64Array {
  if (value?.type !== 'scalar') throw new TypeError('bug: the checker accepted something else as a scalar')
  return value.values
}

export function textOf(value: Value | undefined): string {
  if (value?.type !== 'string') throw new TypeError('bug: the checker accepted something else as a string')
  return value.value
}
