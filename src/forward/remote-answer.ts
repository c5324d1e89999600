/** What the remote side answered to a request, decided from status, headers and text. */
import { ownValue } from '../base/own-value.ts'

export type RemoteAnswer =
  | { readonly kind: 'accepted' }
  /** The same request may succeed later. `isConnection`: there was no answer, or none of the store itself. */
  | {
      readonly kind: 'retry'
      readonly cause: RetryCause
      readonly text: string
      readonly isConnection: boolean
      readonly retryAfterMs?: number
    }
  /** The headers were not accepted: another token may be in their file. */
  | { readonly kind: 'denied'; readonly text: string }
  /** Another version of the protocol is necessary. */
  | { readonly kind: 'protocol' }
  /** A part of the request is refused, or all of it. `written`: how many samples were stored all the same, if it is known. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly text: string; readonly written?: number }

export const RETRY_CAUSES = ['connection', 'timeout', 'overloaded', 'server_error', 'denied', 'unexpected'] as const
export type RetryCause = (typeof RETRY_CAUSES)[number]

export const REFUSAL_REASONS = [
  'out_of_order',
  'duplicate',
  'out_of_bounds',
  'too_large',
  'limit',
  'invalid',
  'other',
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The start of the body. */
  readonly text: string
  readonly retryAfterMs?: number | undefined
}

/** Texts of Prometheus, Mimir, Thanos and VictoriaMetrics; the first that matches. */
const REASONS: readonly (readonly [RegExp, RefusalReason])[] = [
  [/out of order/i, 'out_of_order'],
  [/duplicate/i, 'duplicate'],
  [/out of bounds|too old|too far|out-of-bounds|timestamp/i, 'out_of_bounds'],
  [/limit|too many|max-/i, 'limit'],
  [/invalid|label|malformed|parse|unmarshal|metric name/i, 'invalid'],
]
const TEXT_LENGTH_MAX = 500
const WRITTEN_HEADERS = ['x-prometheus-remote-write-samples-written', 'x-prometheus-remote-write-histograms-written']

export function answerOf({ status, headers, text: body, retryAfterMs }: HttpAnswer): RemoteAnswer {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const text = `HTTP ${status}${body === '' ? '' : `: ${body.trim()}`}`.slice(0, TEXT_LENGTH_MAX)
  const after = retryAfterMs === undefined ? {} : { retryAfterMs }
  switch (status) {
    case 400:
    case 409:
    case 422:
      return { kind: 'refused', reason: reasonOf(body), text, ...writtenOf(headers) }
    case 413:
      return { kind: 'refused', reason: 'too_large', text }
    case 415:
      return { kind: 'protocol' }
    case 401:
    case 403:
      return { kind: 'denied', text }
    case 429:
    case 503:
      return { kind: 'retry', cause: 'overloaded', text, isConnection: false, ...after }
    // A proxy without the store behind it.
    case 502:
      return { kind: 'retry', cause: 'server_error', text, isConnection: true, ...after }
    default:
      // Also 404 and redirects: an address that is wrong now may be right after a restart. Nothing is dropped for it.
      return {
        kind: 'retry',
        cause: status >= 500 ? 'server_error' : 'unexpected',
        text,
        isConnection: false,
        ...after,
      }
  }
}

function reasonOf(text: string): RefusalReason {
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
}

/** Receivers of remote write 2.0 say what they stored of a request that they refused in part. */
function writtenOf(headers: HttpAnswer['headers']): { readonly written?: number } {
  const counts = WRITTEN_HEADERS.map((name) => ownValue(headers, name)).filter((value) => value !== undefined)
  const written = counts.reduce((sum, value) => sum + Number(value), 0)
  return counts.length === 0 || !Number.isSafeInteger(written) ? {} : { written }
}
