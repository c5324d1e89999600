/**
 * Which rows need not be sent again. A restart of the remote side loses what it acknowledged in the last seconds before; it is
 * found some seconds later at most, by its start time. So a row is released when the remote side, a window after it acknowledged
 * the row, was still the process that had acknowledged it.
 */
interface Acknowledged {
  readonly sinceMs: number
  /** The last of them. */
  readonly atMs: number
  readonly row: number
}

/** Rows that were acknowledged within this time are released together. */
const STEP_MS = 1000

export class ReleasedRows {
  readonly #windowMs: number
  /** Rising, of the window. */
  #acknowledged: Acknowledged[] = []
  #row: number

  constructor(windowMs: number, row: number) {
    this.#windowMs = windowMs
    this.#row = row
  }

  get row(): number {
    return this.#row
  }

  /** All rows up to this one are acknowledged. */
  acknowledged(row: number, nowMs: number): void {
    const last = this.#acknowledged.at(-1)
    if (row <= (last?.row ?? this.#row)) return
    const isNear = last !== undefined && nowMs - last.sinceMs < STEP_MS
    if (isNear) this.#acknowledged.pop()
    this.#acknowledged.push({ sinceMs: isNear ? last.sinceMs : nowMs, atMs: nowMs, row })
  }

  /** The remote process at this time was the one that has acknowledged. */
  confirmed(atMs: number): void {
    while (this.#acknowledged.length > 0 && this.#acknowledged[0]!.atMs <= atMs - this.#windowMs) {
      this.#row = this.#acknowledged.shift()!.row
    }
  }

  /** Nothing need be sent again, up to this row. */
  releaseTo(row: number): void {
    this.#row = Math.max(this.#row, row)
    this.#acknowledged = this.#acknowledged.filter((one) => one.row > this.#row)
  }

  /** All after `row` is sent again. */
  forget(): void {
    this.#acknowledged = []
  }
}
