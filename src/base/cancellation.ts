/** Whether the caller still waits for the result. An `AbortSignal` satisfies it. */
export interface Cancellation {
  readonly aborted: boolean
}
