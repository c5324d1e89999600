import { FleetError } from '../base/errors.ts'

/** Limits of the size of regular expressions. */
export interface RegexLimits {
  /** Maximum characters of a pattern; lists of texts (`a|b|c`) are exempt. */
  readonly lengthMax: number
  /** Maximum instructions of a compiled pattern: repetitions such as `(a{1,30}){1,30}` are many in few characters. */
  readonly instructionsMax: number
}

/** RE2 compiles 10,000 characters or instructions in some 100 to 200 ms. */
export const DEFAULT_REGEX_LIMITS: RegexLimits = { lengthMax: 10_000, instructionsMax: 10_000 }

/** For patterns that were checked against limits before. */
export const NO_REGEX_LIMITS: RegexLimits = { lengthMax: Infinity, instructionsMax: Infinity }

/** At some 15 ns per step, 150 ms. */
export const REGEX_STEPS_MAX = 10_000_000

/**
 * The steps that tests of regular expressions may take together. A step is one instruction of a pattern on one character.
 * A test cannot be interrupted, so what it may take at most is charged before it runs.
 */
export class RegexWork {
  readonly #stepsMax: number
  steps = 0

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax
  }

  /** Throws FleetError `query_limit`. */
  spend(steps: number, pattern: string): void {
    this.steps += steps
    if (this.steps <= this.#stepsMax) return
    const shown = JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern)
    const message = `regular expression ${shown} takes more than ${this.#stepsMax} steps (promql.regex-steps-max)`
    throw new FleetError('query_limit', message, {
      hint: 'use a simpler pattern, or name the metric or another label by equality',
    })
  }
}
