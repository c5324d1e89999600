/** Which parts of the language a text may use. */
export interface ParseOptions {
  /** What Prometheus calls experimental and hides behind its feature flags. */
  readonly experimental: boolean
}

export const STABLE_LANGUAGE: ParseOptions = { experimental: false }

/** How a refusal of an experimental part ends: what a person has to do. */
export const ENABLE_HINT = 'enable it with --promql.experimental'
