/** Which parts of the language are allowed. */
export interface ParseOptions {
  /** Allows the features that are experimental in Prometheus, behind its feature flags. */
  readonly experimental: boolean
}

export const STABLE_LANGUAGE: ParseOptions = { experimental: false }

/** The end of an error about an experimental feature: what to do. */
export const ENABLE_HINT = 'enable it with --promql.experimental'
