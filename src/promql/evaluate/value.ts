import type { Grid } from './grid.ts'

export type Value =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'vector'; readonly grid: Grid }
