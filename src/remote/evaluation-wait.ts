/**
 * Whether rules wait for the metrics store: after it was away or restarted, processes send what it lacks, and a rule that is
 * evaluated before would resolve alerts that fire, or raise again what is over. Only for a while: a process that stays behind
 * must not stop all rules.
 */
import type { Lag } from './lag.ts'

export const WAIT_MS_MAX = 30_000

export class EvaluationWait {
  readonly #nowMs: () => number
  #gap: Lag['gap']
  #sinceMs = 0

  /** @param nowMs monotonic */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** That the store answers again begins another wait: for what it lacks. */
  note({ gap }: Pick<Lag, 'gap'>): void {
    if (gap !== this.#gap) this.#sinceMs = this.#nowMs()
    this.#gap = gap
  }

  get isOver(): boolean {
    return this.#gap === undefined || this.#nowMs() - this.#sinceMs >= WAIT_MS_MAX
  }
}
