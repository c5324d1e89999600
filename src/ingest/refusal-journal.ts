import { REFUSAL_REASONS, type Refusal, type RefusalReason } from '../model/refusal.ts'

/** The last refusals of each reason, to investigate missing samples. Bounded: a few examples per reason. */
const EXAMPLES_MAX = 5

interface RefusalExample {
  readonly timeMs: number
  /** The cluster that the sender's token is bound to; absent when it is not bound. */
  readonly boundCluster?: string
  /** Samples that the request had refused for this reason. */
  readonly count: number
  readonly text: string
}

export interface ReasonReport {
  readonly reason: RefusalReason
  readonly count: number
  readonly requests: number
  readonly lastMs: number
  /** The last first. */
  readonly examples: readonly RefusalExample[]
}

export class RefusalJournal {
  readonly #byReason = new Map<RefusalReason, ReasonReport>()

  /** Notes what one request had refused. */
  note(refusals: readonly Refusal[], boundCluster: string | undefined, nowMs: number): void {
    for (const { reason, count, example } of refusals) {
      const before = this.#byReason.get(reason)
      const bound = boundCluster === undefined ? {} : { boundCluster }
      this.#byReason.set(reason, {
        reason,
        count: (before?.count ?? 0) + count,
        requests: (before?.requests ?? 0) + 1,
        lastMs: nowMs,
        examples: [{ timeMs: nowMs, ...bound, count, text: example }, ...(before?.examples ?? [])].slice(
          0,
          EXAMPLES_MAX,
        ),
      })
    }
  }

  /** In the order of `REFUSAL_REASONS`; reasons that never were are left out. */
  report(): ReasonReport[] {
    return REFUSAL_REASONS.flatMap((reason) => this.#byReason.get(reason) ?? [])
  }
}
