/**
 * Collects the samples of one evaluation, so that a group costs one commit. The group flushes earlier when a later rule
 * reads them: rules of a group see the results of the rules before them.
 */
import { messageOf } from '../base/errors.ts'
import type { AppendDerived, DerivedSample } from '../model/appender.ts'
import type { RuleState } from './rule-state.ts'

interface WriteFailure {
  readonly rule: RuleState
  readonly message: string
}

export class WriteBatch {
  readonly #append: AppendDerived
  #samples: DerivedSample[] = []
  #rules: { readonly rule: RuleState; readonly seriesBefore: RuleState['series'] }[] = []
  #names = new Set<string>()
  /** Samples written successfully, stale markers included. */
  written = 0

  constructor(append: AppendDerived) {
    this.#append = append
  }

  /** `names` are the metric names of the samples; `seriesBefore`, the series of the rule's previous evaluation. */
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

  /** Whether a rule may read samples that are not written yet. */
  isReadBy({ reads }: RuleState): boolean {
    if (this.#samples.length === 0) return false
    return reads === undefined || [...reads].some((name) => this.#names.has(name))
  }

  /**
   * Resolves when all samples are readable. A failure is reported per rule and stops no other rule: alerts fire even on a
   * full disk. The rule keeps the series whose samples were lost, so that a later evaluation writes their stale markers.

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
