/**
 * Whether rules wait for the metrics store: after it was away or restarted, processes send what it lacks, and a rule that is
 * evaluated before would resolve alerts that fire, or raise again what is over. Only for a while: a process that stays behind
 * must not stop all rules.
 */
import type { Lag } from './lag.ts'

export const WAIT_MS_MAX = 30_000

export class EvaluationWait {
  #gap: Lag['gap']
  #sinceMs = 0

  /** That the store answers again begins another wait: for what it lacks. */
  note({ gap, atMs }: Pick<Lag, 'gap' | 'atMs'>): void {
    // A clock that was set back does not prolong it.
    if (gap !== this.#gap || atMs < this.#sinceMs) this.#sinceMs = atMs
    this.#gap = gap
  }

  isOver(nowMs: number): boolean {
    return this.#gap === undefined || nowMs - this.#sinceMs >= WAIT_MS_MAX
  }
}
