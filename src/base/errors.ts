/**
 * Operational failures, each with a code and a hint for the administrator. Refused data is a value, not a failure
 * (`Refusal` in model/refusal.ts); a bug is an `InvariantError` (invariant.ts).
 */

/** The HTTP status of each code, and whether the same request may succeed later. A test compares the docs with it. */
export const ERROR_CODES = {
  bad_request: { status: 400, isRetryable: false, errorType: 'bad_data' },
  query_parse: { status: 400, isRetryable: false, errorType: 'bad_data' },
  query_execution: { status: 422, isRetryable: false, errorType: 'execution' },
  query_limit: { status: 422, isRetryable: false, errorType: 'execution' },
  query_timeout: { status: 503, isRetryable: true, errorType: 'timeout' },
  query_canceled: { status: 499, isRetryable: true, errorType: 'canceled' },
  not_found: { status: 404, isRetryable: false, errorType: 'not_found' },
  /** Another user changed the same record after the client had read it. */
  conflict: { status: 409, isRetryable: false, errorType: 'bad_data' },
  unauthenticated: { status: 401, isRetryable: false, errorType: 'unauthorized' },
  forbidden: { status: 403, isRetryable: false, errorType: 'unauthorized' },
  too_large: { status: 413, isRetryable: false, errorType: 'bad_data' },
  unsupported_media: { status: 415, isRetryable: false, errorType: 'bad_data' },
  /** This client has too much under way; other clients are served. */
  too_many_requests: { status: 429, isRetryable: true, errorType: 'unavailable' },
  overloaded: { status: 503, isRetryable: true, errorType: 'unavailable' },
  not_ready: { status: 503, isRetryable: true, errorType: 'unavailable' },
  storage_full: { status: 503, isRetryable: true, errorType: 'unavailable' },
  storage_failed: { status: 503, isRetryable: true, errorType: 'unavailable' },
  /** The metrics store that queries are sent to (`store.metrics`) does not answer, or not as it should. */
  remote_unavailable: { status: 503, isRetryable: true, errorType: 'unavailable' },
  data_dir_in_use: { status: 500, isRetryable: false, errorType: 'internal' },
  data_dir_too_new: { status: 500, isRetryable: false, errorType: 'internal' },
  config_invalid: { status: 500, isRetryable: false, errorType: 'internal' },
  content_invalid: { status: 500, isRetryable: false, errorType: 'internal' },
  /** A feature of Prometheus that Daytwo does not offer; the status of a Prometheus where the feature is disabled. */
  feature_off: { status: 500, isRetryable: false, errorType: 'unavailable' },
  internal: { status: 500, isRetryable: true, errorType: 'internal' },
} as const satisfies Record<string, { status: number; isRetryable: boolean; errorType: string }>

export type ErrorCode = keyof typeof ERROR_CODES

/** Optional parts of a failure: how to fix it, and the error that caused it. */
interface FailureContext {
  readonly hint?: string
  readonly cause?: unknown
}

/** A failure with a code. The message states what was tried, what was received and what was expected. */
export class FleetError extends Error {
  override readonly name: string = 'FleetError'
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, context: FailureContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause })
    this.code = code
    this.hint = context.hint
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
