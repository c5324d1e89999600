/** Whether somebody still waits for an answer. An AbortSignal is one; what only asks needs no more. */
export interface Cancellation {
  readonly aborted: boolean
}

/** A cancellation that tells one listener, once. Where a request is small, an AbortController is a tenth of it. */
export class Leaving implements Cancellation {
  #aborted = false
  #listener: (() => void) | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  /** Takes the place of the listener before; `undefined`: nobody is told any more. */
  tell(listener: (() => void) | undefined): void {
    this.#listener = listener
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#listener?.()
  }
}
