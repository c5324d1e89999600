import type { Refusal } from '../../model/refusal.ts'
import type { DecodeError } from '../../wire/decode-error.ts'
import { encodeExportAnswer, encodeStatus } from '../../wire/otlp/answer.ts'
import type { OtlpEncoding, OtlpSignal } from '../../wire/otlp/answer.ts'
import { refusalOfBody } from '../body-refusal.ts'
import { INVALID_ARGUMENT, badBodyMessage, refusedMessage } from './outcome.ts'

/**
 * What became of one OTLP request of spans or of log records. Whatever decodes is a 200: single refusals are told by
 * partial success, and a sender must not repeat the request. The twin of `OtlpOutcome`, which counts data points.
 */
export interface OtlpItemOutcome {
  readonly signal: Exclude<OtlpSignal, 'metrics'>
  readonly status: 200 | 400
  /** What was refused and why, or what is worth knowing of what was taken; one line, empty when there is nothing to say. */
  readonly message: string
  readonly itemsIn: number
  readonly itemsTaken: number
  /** By reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
}

const NOUN: Readonly<Record<OtlpItemOutcome['signal'], string>> = { traces: 'spans', logs: 'log records' }

/** Of a body that was decoded. @param warning said when nothing was refused; empty: nothing is said */
export function itemOutcomeOf(counts: Omit<OtlpItemOutcome, 'status' | 'message'>, warning = ''): OtlpItemOutcome {
  const { signal, itemsIn, itemsTaken, refusals } = counts
  const message = refusedMessage(`${itemsIn - itemsTaken} of ${itemsIn} ${NOUN[signal]}`, refusals)
  return { status: 200, message: message === '' ? warning : message, ...counts }
}

/** Of a body that cannot be decoded: nothing of it is taken. */
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
