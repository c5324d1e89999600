import type { Refusal } from '../../model/refusal.ts'
import type { DecodeError } from '../../wire/decode-error.ts'
import { encodeExportAnswer, encodeStatus, type OtlpEncoding, type OtlpSignal } from '../../wire/otlp/answer.ts'
import { refusalOfBody } from '../body-refusal.ts'
import { INVALID_ARGUMENT, badBodyMessage, refusedMessage } from './outcome.ts'

/**
 * The outcome of one OTLP request of spans or of log records. A decodable request is a 200: partial success reports
 * single refusals, and a sender must not repeat the request. `OtlpOutcome` is the equivalent for data points.
 */
export interface OtlpItemOutcome {
  readonly signal: Exclude<OtlpSignal, 'metrics'>
  readonly status: 200 | 400
  /** Refusals and their reasons, or a warning; one line, empty when there are none. */
  readonly message: string
  readonly itemsIn: number
  readonly itemsTaken: number
  /** By reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
}

const NOUN: Readonly<Record<OtlpItemOutcome['signal'], string>> = { traces: 'spans', logs: 'log records' }

/**
 * For a decoded body.
 * @param warning reported when nothing was refused; empty: no warning
 */
export function itemOutcomeOf(counts: Omit<OtlpItemOutcome, 'status' | 'message'>, warning = ''): OtlpItemOutcome {
  const { signal, itemsIn, itemsTaken, refusals } = counts
  const message = refusedMessage(`${itemsIn - itemsTaken} of ${itemsIn} ${NOUN[signal]}`, refusals)
  return { status: 200, message: message === '' ? warning : message, ...counts }
}

/** For a body that cannot be decoded: nothing was accepted. */
export function badItemBody(signal: OtlpItemOutcome['signal'], error: DecodeError): OtlpItemOutcome {
  const refusal = refusalOfBody(error)
  return { signal, status: 400, message: badBodyMessage(refusal), itemsIn: 0, itemsTaken: 0, refusals: [refusal] }
}

/** The body of the answer, in the encoding of the request. */
export function itemAnswer(outcome: OtlpItemOutcome, encoding: OtlpEncoding): Uint8Array {
  const { signal, status, message, itemsIn, itemsTaken } = outcome
  if (status === 400) return encodeStatus(encoding, INVALID_ARGUMENT, message)
  return encodeExportAnswer(encoding, signal, message === '' ? undefined : { rejected: itemsIn - itemsTaken, message })
}
