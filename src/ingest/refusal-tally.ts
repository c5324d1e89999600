import { REFUSAL_REASONS, type Refusal, type RefusalReason } from '../model/refusal.ts'
import { clipText } from './clip-text.ts'

const EXAMPLE_CHARS_MAX = 300

/** Counts the refusals of one request by reason, with the first example of each. */
export class RefusalTally {
  readonly #counts = new Map<RefusalReason, number>()
  readonly #examples = new Map<RefusalReason, string>()

  get total(): number {
    let total = 0
    for (const count of this.#counts.values()) total += count
    return total
  }

  /** True when the reason has no example yet: then the caller makes one, and only then. */
  count(reason: RefusalReason, count: number): boolean {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
    return !this.#examples.has(reason)
  }

  /** @param example got and want, in one sentence; cut when long */
  explain(reason: RefusalReason, example: string): void {
    this.#examples.set(reason, clipText(example, EXAMPLE_CHARS_MAX))
  }

  /** In the order of `REFUSAL_REASONS`. */
  refusals(): Refusal[] {
    return REFUSAL_REASONS.flatMap((reason) => {
      const count = this.#counts.get(reason)
      return count === undefined ? [] : [{ reason, count, example: this.#examples.get(reason) ?? '' }]
    })
  }
}
