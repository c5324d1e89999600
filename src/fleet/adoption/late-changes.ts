import { dayOf, dayStartMs } from './day.ts'

/** Something that was known of the past is different since: days from `fromMs` on that were counted before `atMs` are due. */
export interface LateChange {
  readonly fromMs: number
  readonly atMs: number
}

/**
 * What is known otherwise, by the day from which on it is. One that reaches back far is not told anew by each that follows:
 * where changes never stop, its days would be due for ever.
 */
export class LateChanges {
  /** The days rise, and so do the moments: a change takes the place of those before it that begin later. One a day at most. */
  #changes: readonly LateChange[] = []

  get changes(): readonly LateChange[] {
    return this.#changes
  }

  note(fromMs: number, atMs: number): void {
    const dayMs = dayStartMs(dayOf(fromMs))
    this.#changes = [...this.#changes.filter((one) => one.fromMs < dayMs), { fromMs: dayMs, atMs }]
  }
}
