import { compileAnchoredRegex } from './regex.ts'
import type { RegexLimits, RegexWork } from './regex-limits.ts'

/** A label matcher as PromQL writes it. Plain data: it crosses threads. */
export interface Matcher {
  readonly name: string
  readonly op: MatchOp
  /** For `=~` and `!~`: RE2 syntax, anchored at both ends. */
  readonly value: string
}

export type MatchOp = '=' | '!=' | '=~' | '!~'

/**
 * The test of one matcher on a label's value; an absent label is the empty string.
 * Throws `RegexError` when the pattern is invalid or beyond a limit. With `work`, the test throws FleetError `query_limit`.
 */
export function compileMatcher(matcher: Matcher, limits?: RegexLimits): (value: string, work?: RegexWork) => boolean {
  const { op, value: wanted } = matcher
  switch (op) {
    case '=':
      return (value) => value === wanted
    case '!=':
      return (value) => value !== wanted
    case '=~': {
      const regex = compileAnchoredRegex(wanted, limits)
      return (value, work) => regex.test(value, work)
    }
    case '!~': {
      const regex = compileAnchoredRegex(wanted, limits)
      return (value, work) => !regex.test(value, work)
    }
  }
}

const keys = new WeakMap<readonly Matcher[], string>()

/** HOT: equal for equal lists only. Cached by the list, which lives as long as the tree of its query. */
export function keyOfMatchers(matchers: readonly Matcher[]): string {
  let key = keys.get(matchers)
  if (key === undefined) {
    key = JSON.stringify(matchers.map(({ name, op, value }) => [name, op, value]))
    keys.set(matchers, key)
  }
  return key
}

/** Whether an absent label would match. */
export function matchesEmpty(matcher: Matcher): boolean {
  return compileMatcher(matcher)('')
}
