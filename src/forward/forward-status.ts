import type { ForwardProgress } from '../model/forward-progress.ts'
import type { RefusalReason, RetryCause } from './remote-answer.ts'
import type { RemoteFacts } from './remote-facts.ts'

/** The state of forwarding, for metrics, `/debug/forward` and the page. Counts are of the time since the thread started. */
export interface ForwardStatus {
  readonly writeUrl: string
  /** Undefined: it could not be reached yet. */
  readonly remote: RemoteFacts | undefined
  /** To be stored in the buffer. */
  readonly progress: ForwardProgress
  readonly newestRow: number
  /** Not acknowledged. Rows that are not read yet are estimated by those that are. */
  readonly lagSamples: number
  /** Since the newest sample of the oldest row that is not acknowledged; 0: all are. */
  readonly lagSeconds: number
  readonly lastAcknowledgedMs: number | undefined
  readonly lastError: { readonly atMs: number; readonly text: string } | undefined
  /** Requests are failing at present. */
  readonly isFailing: boolean
  /** No request fails, and no restart of the remote side is possible or has left samples to be sent again. */
  readonly isComplete: boolean
  readonly totals: ForwardTotals
  /** The last refusal of each reason. */
  readonly refusals: readonly RefusalExample[]
}

export interface ForwardTotals {
  readonly requests: number
  /** Acknowledged, with repeated ones. */
  readonly samples: number
  readonly exemplars: number
  readonly metadata: number
  /** Compressed. */
  readonly bytes: number
  /** Sent again because the remote side had restarted. */
  readonly resentSamples: number
  readonly restarts: number
  /** Samples, by reason. */
  readonly refused: Readonly<Record<RefusalReason, number>>
  /** Refused as out of order or as duplicates, and possibly sent before: the remote side has them. */
  readonly repeatedSamples: number
  /** Native histograms that the remote side does not accept. */
  readonly skippedHistograms: number
  /** Samples whose series was erased before they were sent. */
  readonly erasedSamples: number
  readonly retries: Readonly<Record<RetryCause, number>>
}

export interface RefusalExample {
  readonly reason: RefusalReason
  readonly atMs: number
  /** A refused series, as a selector. */
  readonly series: string
  /** The answer of the remote side. */
  readonly text: string
}

/** What happened, for the log of the server. */
export interface ForwardEvent {
  readonly level: 'info' | 'warn'
  /** A fixed sentence. */
  readonly message: string
  readonly fields: Readonly<Record<string, string | number>>
}
