import type { Refusal } from '../../model/refusal.ts'
import type { DecodeError } from '../../wire/decode-error.ts'
import { encodeExportAnswer, encodeStatus, type OtlpEncoding } from '../../wire/otlp/answer.ts'
import { refusalOfBody } from '../body-refusal.ts'
import { clipTextBytes } from '../clip-text.ts'

export type { OtlpEncoding } from '../../wire/otlp/answer.ts'

/**
 * The outcome of one OTLP metrics request. A decodable request is a 200: partial success reports single refusals, and a
 * sender must not repeat the request. Counts are data points; a histogram is one, however many series it becomes.
 */
export interface OtlpOutcome {
  readonly status: 200 | 400
  /** Refusals and their reasons, one line of at most `MESSAGE_BYTES_MAX` bytes; empty when there are none. */
  readonly message: string
  readonly pointsIn: number
  readonly pointsTaken: number
  /**
   * From standby HA replicas: the elected one delivers the same. Dropped, but accepted from the sender's perspective.
   */
  readonly pointsDuplicate: number
  /** Points by reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
  /** Received but not stored: of gauges, of refused points, too long, out of order. */
  readonly exemplarsIgnored: number
  /** Streams without a cluster that this process had not seen before, or had forgotten. */
  readonly newUnidentifiedSeries: number
}

const MESSAGE_BYTES_MAX = 1024

/** The message of a body that cannot be decoded. */
export function badBodyMessage({ example }: Refusal): string {
  return clipTextBytes(example, MESSAGE_BYTES_MAX)
}

export function otlpOutcomeOf(counts: Omit<OtlpOutcome, 'status' | 'message'>): OtlpOutcome {
  return { status: 200, message: messageOf(counts), ...counts }
}

/** For a body that cannot be decoded: nothing was accepted. */
export function otlpBadBody(error: DecodeError): OtlpOutcome {
  const refusal = refusalOfBody(error)
  return {
    status: 400,
    message: badBodyMessage(refusal),
    pointsIn: 0,
    pointsTaken: 0,
    pointsDuplicate: 0,
    refusals: [refusal],
    exemplarsIgnored: 0,
    newUnidentifiedSeries: 0,
  }
}

function messageOf(counts: Omit<OtlpOutcome, 'status' | 'message'>): string {
  // What a standby sends is no fault, and a collector would log it as one with every request.
  const refusals = counts.refusals.filter(({ reason }) => reason !== 'ha_duplicate')
  return refusedMessage(`${rejectedOf(counts)} of ${counts.pointsIn} data points`, refusals)
}

/**
 * `refused 2 of 5 data points: out_of_order (1): ...; bad_labels (1): ...`; examples share what room there is.
 * @param what how many of how many were refused
 */
export function refusedMessage(what: string, refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return ''
  const head = `refused ${what}: `
  const titles = refusals.map(({ reason, count }) => `${reason} (${count}): `)
  const fixedBytes = head.length + titles.join('; ').length
  const exampleBytes = Math.floor((MESSAGE_BYTES_MAX - fixedBytes) / refusals.length)
  return head + refusals.map(({ example }, i) => titles[i]! + clipTextBytes(example, exampleBytes)).join('; ')
}

function rejectedOf({ pointsIn, pointsTaken, pointsDuplicate }: Omit<OtlpOutcome, 'status' | 'message'>): number {
  return pointsIn - pointsTaken - pointsDuplicate
}

export const INVALID_ARGUMENT = 3

/** The body of the answer, in the encoding of the request. */
export function otlpAnswer(outcome: OtlpOutcome, encoding: OtlpEncoding): Uint8Array {
  const { status, message } = outcome
  if (status === 400) return encodeStatus(encoding, INVALID_ARGUMENT, message)
  return encodeExportAnswer(
    encoding,
    'metrics',
    message === '' ? undefined : { rejected: rejectedOf(outcome), message },
  )
}

/** google.rpc.Code by HTTP status, the way round that collectors map them. */
const RPC_CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 }

/** The body of an answer that is not about the request's contents: google.rpc.Status. */
export function otlpStatus(httpStatus: number, message: string, encoding: OtlpEncoding): Uint8Array {
  return encodeStatus(encoding, RPC_CODES[httpStatus] ?? INVALID_ARGUMENT, message)
}
