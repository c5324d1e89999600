/** Whether somebody still waits for an answer. An AbortSignal is one; what only asks needs no more. */
export interface Cancellation {
  readonly aborted: boolean
}
