import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../model/regex-limits.ts'

/** Which parts of the language are allowed, and how much of it. */
export interface ParseOptions {
  /** Allows the features that are experimental in Prometheus, behind its feature flags. */
  readonly experimental: boolean
  /** By default `DEFAULT_PARSE_LIMITS`. */
  readonly limits?: ParseLimits
}

/** Limits of one expression; an error names the option. */
export interface ParseLimits {
  /** `promql.length-max`: characters. */
  readonly lengthMax: number
  /** `promql.tokens-max`: names, values, operators and brackets. The time of parsing grows with their number. */
  readonly tokensMax: number
  /** `promql.nesting-max`: open parentheses. */
  readonly nestingMax: number
  /** `promql.depth-max`: operators, signs and subqueries in one another; `a + b + c` has a depth of 2. */
  readonly depthMax: number
  /** `promql.regex-length-max` and `promql.regex-instructions-max`: of all different patterns of the matchers together. */
  readonly regex: RegexLimits
}

/**
 * `nestingMax` and `depthMax` bound the recursion over the tree, and cannot be raised: the grammar ends at 2500 levels, of
 * which a call takes two.
 */
export const DEFAULT_PARSE_LIMITS: ParseLimits = {
  lengthMax: 2_000_000,
  tokensMax: 50_000,
  nestingMax: 250,
  depthMax: 2000,
  regex: DEFAULT_REGEX_LIMITS,
}

export const STABLE_LANGUAGE: ParseOptions = { experimental: false }

/** The end of an error about an experimental feature: what to do. */
export const ENABLE_HINT = 'enable it with --promql.experimental'
