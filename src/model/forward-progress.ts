/** How far samples are forwarded: stored in the buffer, at most once a second. What comes after it is sent again after a crash. */
export interface ForwardProgress {
  /** The log row through which everything is acknowledged; 0: none. */
  readonly row: number
  /** Rows after this one must stay: they are not acknowledged, or may be sent again. At most `row`. */
  readonly releasedRow: number
  /** The exemplar, and the metadata, through which everything is acknowledged. */
  readonly exemplar: number
  readonly metadata: number
  /** Start times of the remote processes that acknowledged, in seconds: another one means that data may be lost there. */
  readonly remoteStarts: readonly number[]
}

export const NOTHING_FORWARDED: ForwardProgress = { row: 0, releasedRow: 0, exemplar: 0, metadata: 0, remoteStarts: [] }
