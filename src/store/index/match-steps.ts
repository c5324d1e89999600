import { FleetError } from '../../base/errors.ts'
import { regexStepsPerCharacter } from '../../model/regex.ts'
import type { Matcher } from '../../model/matcher.ts'

/**
 * What the regexes of one selector may cost. They run over the distinct values of a label, on the thread that evaluates
 * rules, and cannot be interrupted: a pattern that is slow on each of a million pods is refused before it has run on all.
 */
export const MATCH_STEPS_MAX = 200_000_000
/** What a test costs beside its characters. */
const TEST_STEPS = 16

/** Characters with a meaning in a pattern; without any it is a list of texts. */
const SPECIAL = /[\\.+*?()[\]{}^$]/

/** The alternatives of a pattern such as `a|b|c`, the usual multi-select of a dashboard; otherwise undefined. */
export function textsOf({ op, value }: Matcher): readonly string[] | undefined {
  if (op === '=' || op === '!=') return [value]
  return SPECIAL.test(value) ? undefined : value.split('|')
}

/**
 * Counts the steps of one selection. A step is one character of a value, times the cost of the pattern per character.
 */
export class MatchSteps {
  readonly #stepsMax: number
  #steps = 0

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax
  }

  /** A function to call with each value before its test. It throws FleetError `query_limit`. */
  meterOf({ name, op, value: pattern }: Matcher): (value: string) => void {
    const perCharacter = op === '=' || op === '!=' ? 0 : regexStepsPerCharacter(pattern)
    return (value) => {
      this.#steps += TEST_STEPS + value.length * perCharacter
      if (this.#steps <= this.#stepsMax) return
      const wanted = `matching ${name}${op}${JSON.stringify(pattern)} takes more than ${this.#stepsMax} steps`
      throw new FleetError('query_limit', wanted, {
        hint: 'name the metric or another label by equality, or use a simpler pattern',
      })
    }
  }
}
