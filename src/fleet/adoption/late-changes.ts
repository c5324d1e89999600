import { dayOf, dayStartMs } from './day.ts'

/** Late data changed the past: days from `fromMs` on that were counted before `atMs` are due again. */
export interface LateChange {
  readonly fromMs: number
  readonly atMs: number
}

/**
 * Late changes by their first day. Later changes do not renew one that reaches further back: with continuous changes its
 * days would always be due.
 */
export class LateChanges {
  /** Ascending by day and by moment: a change replaces those that start on its day or later. At most one per day. */
  #changes: readonly LateChange[] = []

  get changes(): readonly LateChange[] {
    return this.#changes
  }

  note(fromMs: number, atMs: number): void {
    const dayMs = dayStartMs(dayOf(fromMs))
    this.#changes = [...this.#changes.filter((one) => one.fromMs < dayMs), { fromMs: dayMs, atMs }]
  }
}
