/** Failed answers of the store as failures with the codes of `QueryEngine`, and with the store's own words. */
import { FleetError, type ErrorCode } from '../base/errors.ts'
import { ownValue } from '../base/own-value.ts'

/** The part of an error answer that is read. */
export const ERROR_BYTES_MAX = 64 * 1024
/** The part of it that is shown. */
const SHOWN_CHARS_MAX = 500

/** The store does not have an address: it is another product, or `store.metrics` is not its address. */
export class NoSuchAddress extends FleetError {}

/** @param store its name for messages. @param body the start of the answer */
export function failureOf(store: string, status: number, body: string): FleetError {
  const { message, type } = reasonIn(body)
  const code = codeOf(status, type, message)
  const Failure = status === 404 || status === 405 || status === 501 ? NoSuchAddress : FleetError
  return new Failure(code, `${store} answered ${status}${message === '' ? '' : `: ${message}`}`, hintOf(code, status))
}

/** The words of Prometheus, VictoriaMetrics (`-search.max...`) and Mimir (`err-mimir-max-...`) for a limit that is exceeded. */
const LIMIT =
  /too many (?:samples|points|series|time ?series|data|chunks|bytes)|exceed(?:s|ed)\b.*\b(?:limit|max)|-search\.max|err-mimir-max/i

function codeOf(status: number, type: string, message: string): ErrorCode {
  if (type === 'timeout' || status === 504 || status === 408) return 'query_timeout'
  if (type === 'canceled' || status === 499) return 'query_canceled'
  if (status === 413) return 'query_limit'
  if (status === 422 || status === 400) return LIMIT.test(message) ? 'query_limit' : 'query_execution'
  if (status === 429) return 'overloaded'
  return 'remote_unavailable'
}

function hintOf(code: ErrorCode, status: number): { readonly hint?: string } {
  if (status === 401 || status === 403)
    return { hint: 'check the headers and the tenant in the options store.metrics-*' }
  switch (code) {
    case 'query_limit':
      return { hint: 'the metrics store has this limit; select fewer series, a shorter range or a longer step' }
    case 'query_timeout':
      return { hint: 'the metrics store has this time limit; select fewer series, a shorter range or a longer step' }
    case 'overloaded':
      return { hint: 'the metrics store takes no more requests; retry later' }
    case 'remote_unavailable':
      return { hint: 'check the metrics store, and that store.metrics is its address for queries' }
    default:
      return {}
  }
}

/** Prometheus' and VictoriaMetrics' form, or the text as it is. */
function reasonIn(body: string): { readonly message: string; readonly type: string } {
  try {
    const answer = JSON.parse(body) as Record<string, unknown>
    const [error, type] = [ownValue(answer, 'error'), ownValue(answer, 'errorType')]
    if (typeof error === 'string') return { message: clipped(error), type: typeof type === 'string' ? type : '' }
  } catch {
    // Not JSON: a proxy answered.
  }
  return { message: clipped(body.trim()), type: '' }
}

function clipped(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`
}

const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['remote_unavailable', 'query_timeout', 'overloaded'])

/** Whether the store does not answer, or too slowly: the query itself is not the cause. */
export function isUnavailable(thrown: unknown): thrown is FleetError {
  return thrown instanceof FleetError && UNAVAILABLE.has(thrown.code)
}
