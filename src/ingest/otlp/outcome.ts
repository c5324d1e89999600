import { invariant } from '../../base/invariant.ts'
import type { Steps } from '../../base/thread-slices.ts'
import { isIntended, type Refusal } from '../../model/refusal.ts'
import { DecodeError } from '../../wire/decode-error.ts'
import { encodeExportAnswer, encodeStatus, type OtlpEncoding, type OtlpSignal } from '../../wire/otlp/answer.ts'
import type { Intake } from '../intake.ts'
import { refusalMessage, refusedBody } from '../refusals.ts'

export type { OtlpEncoding } from '../../wire/otlp/answer.ts'

/** Of one OTLP request. */
export interface OtlpContext {
  readonly nowMs: number
  /** The cluster the sender's token is bound to; absent when it is not bound. Not empty. */
  readonly cluster?: string
}

/**
 * The outcome of one OTLP request. A decodable request is a 200: partial success reports single refusals, and a sender
 * must not repeat the request. Items are spans, log records or data points; a histogram is one, however many series it
 * becomes.
 */
export interface OtlpOutcome {
  readonly signal: OtlpSignal
  readonly status: 200 | 400
  /** Refusals and their reasons, one line of limited length; empty when there are none. */
  readonly message: string
  readonly itemsIn: number
  readonly itemsTaken: number
  /** From standby HA replicas: the elected one delivers the same. Dropped, but accepted from the sender's perspective. */
  readonly itemsDuplicate?: number
  /** By reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
}

/** What a handler counts of a decoded body. */
type OtlpCounts<O extends OtlpOutcome> = Omit<O, 'signal' | 'status' | 'message'>

const NOUN: Readonly<Record<OtlpSignal, string>> = { metrics: 'data points', traces: 'spans', logs: 'log records' }

/**
 * Runs the handler of one body, in steps. A body that cannot be decoded is refused as a whole: nothing of it was accepted.
 * @param none the counts of such a body that only this signal has
 */
export function* otlpOutcomeOf<O extends OtlpOutcome>(
  signal: OtlpSignal,
  intake: Intake,
  context: OtlpContext,
  none: Omit<O, keyof OtlpOutcome>,
  write: () => Steps<OtlpCounts<O>>,
): Steps<O> {
  invariant(context.cluster !== '', 'a bound cluster has a name')
  const outcome = yield* written(signal, none, write)
  intake.note(outcome.refusals, context.cluster, context.nowMs)
  return outcome
}

function* written<O extends OtlpOutcome>(
  signal: OtlpSignal,
  none: Omit<O, keyof OtlpOutcome>,
  write: () => Steps<OtlpCounts<O>>,
): Steps<O> {
  try {
    const counts = yield* write()
    return { signal, status: 200, message: messageOf(signal, counts), ...counts } as unknown as O
  } catch (thrown) {
    if (!(thrown instanceof DecodeError)) throw thrown
    return { signal, status: 400, itemsIn: 0, itemsTaken: 0, ...none, ...refusedBody(thrown) } as unknown as O
  }
}

function messageOf(signal: OtlpSignal, counts: OtlpCounts<OtlpOutcome>): string {
  // What a standby sends is no fault, and a collector would log it as one with every request.
  const refusals = counts.refusals.filter(({ reason }) => !isIntended(reason))
  if (refusals.length === 0) return ''
  return refusalMessage(`refused ${rejectedOf(counts)} of ${counts.itemsIn} ${NOUN[signal]}: `, refusals)
}

function rejectedOf({ itemsIn, itemsTaken, itemsDuplicate = 0 }: OtlpCounts<OtlpOutcome>): number {
  return itemsIn - itemsTaken - itemsDuplicate
}

const INVALID_ARGUMENT = 3

/** The body of the answer, in the encoding of the request. */
export function otlpAnswer(outcome: OtlpOutcome, encoding: OtlpEncoding): Uint8Array {
  const { signal, status, message } = outcome
  if (status === 400) return encodeStatus(encoding, INVALID_ARGUMENT, message)
  return encodeExportAnswer(encoding, signal, message === '' ? undefined : { rejected: rejectedOf(outcome), message })
}

/** google.rpc.Code by HTTP status, as collectors map them. */
const RPC_CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 }

/** The body of an answer that is not about the request's contents: google.rpc.Status. */
export function otlpStatus(httpStatus: number, message: string, encoding: OtlpEncoding): Uint8Array {
  return encodeStatus(encoding, RPC_CODES[httpStatus] ?? INVALID_ARGUMENT, message)
}
