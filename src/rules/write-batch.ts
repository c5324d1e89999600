/**
 * Collects what the rules of one evaluation write, so that a group costs one commit, and writes earlier when a later
 * rule reads it: rules of a group see the results of those above them.
 */
import { messageOf } from '../base/errors.ts'
import type { AppendDerived, DerivedSample } from '../model/appender.ts'
import type { RuleState } from './rule-state.ts'

export interface WriteFailure {
  readonly rule: RuleState
  readonly message: string
}

export class WriteBatch {
  readonly #append: AppendDerived
  #samples: DerivedSample[] = []
  #rules: { readonly rule: RuleState; readonly seriesBefore: RuleState['series'] }[] = []
  #names = new Set<string>()
  /** Samples handed over successfully, stale markers included. */
  written = 0

  constructor(append: AppendDerived) {
    this.#append = append
  }

  /** `names` are the metrics the samples belong to; `seriesBefore` is what the rule had written before. */
  add(
    rule: RuleState,
    samples: readonly DerivedSample[],
    names: readonly string[],
    seriesBefore: RuleState['series'],
  ): void {
    if (samples.length === 0) return
    for (const sample of samples) this.#samples.push(sample)
    for (const name of names) this.#names.add(name)
    this.#rules.push({ rule, seriesBefore })
  }

  /** Whether a rule may read something that is not written yet. */
  isReadBy({ reads }: RuleState): boolean {
    if (this.#samples.length === 0) return false
    return reads === undefined || [...reads].some((name) => this.#names.has(name))
  }

  /**
   * Resolves when all is readable. A failure is told per rule and does not stop the others: alerts are raised even on
   * a full disk. The series of a rule whose samples were lost are remembered, so that they still end one day.
   */
  async flush(): Promise<WriteFailure[]> {
    const [samples, rules] = [this.#samples, this.#rules]
    this.#samples = []
    this.#rules = []
    this.#names = new Set()
    if (samples.length === 0) return []
    try {
      await this.#append(samples)
      this.written += samples.length
      return []
    } catch (thrown) {
      const message = `result could not be stored: ${messageOf(thrown)}`
      return rules.map(({ rule, seriesBefore }) => {
        rule.series = new Map([...seriesBefore, ...rule.series])
        return { rule, message }
      })
    }
  }
}
