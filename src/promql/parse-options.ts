/** Which parts of the language are allowed. */
export interface ParseOptions {
  /** Allows the features that are experimental in Prometheus, behind its feature flags. */
  readonly experimental: boolean
  /** Maximum open parentheses; by default `NESTING_MAX`. */
  readonly nestingMax?: number
  /** Maximum depth of the grammar's tree, in which each operator of a sum is one level; by default `DEPTH_MAX`. */
  readonly depthMax?: number
}

/** Both bound the depth of recursive functions over the tree, and so the stack. The Lezer grammar ends at 2500 levels. */
export const NESTING_MAX = 250
export const DEPTH_MAX = 2000

export const STABLE_LANGUAGE: ParseOptions = { experimental: false }

/** The end of an error about an experimental feature: what to do. */
export const ENABLE_HINT = 'enable it with --promql.experimental'
