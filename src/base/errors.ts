/**
 * Operational failures: coded, with a hint for whoever runs the server. Refused data is not here (it is an answer,
 * `Refusal` in model/refusal.ts), and neither are bugs (invariant.ts).
 */

/** Each code with the HTTP status it becomes, and whether the same request may succeed later. Docs are tested against it. */
export const ERROR_CODES = {
  bad_request: { status: 400, isRetryable: false, errorType: 'bad_data' },
  query_parse: { status: 400, isRetryable: false, errorType: 'bad_data' },
  query_execution: { status: 422, isRetryable: false, errorType: 'execution' },
  query_limit: { status: 422, isRetryable: false, errorType: 'execution' },
  query_timeout: { status: 503, isRetryable: true, errorType: 'timeout' },
  query_canceled: { status: 499, isRetryable: true, errorType: 'canceled' },
  not_found: { status: 404, isRetryable: false, errorType: 'not_found' },
  unauthenticated: { status: 401, isRetryable: false, errorType: 'unauthorized' },
  forbidden: { status: 403, isRetryable: false, errorType: 'unauthorized' },
  too_large: { status: 413, isRetryable: false, errorType: 'bad_data' },
  unsupported_media: { status: 415, isRetryable: false, errorType: 'bad_data' },
  overloaded: { status: 503, isRetryable: true, errorType: 'unavailable' },
  not_ready: { status: 503, isRetryable: true, errorType: 'unavailable' },
  storage_full: { status: 503, isRetryable: true, errorType: 'unavailable' },
  storage_failed: { status: 503, isRetryable: true, errorType: 'unavailable' },
  data_dir_in_use: { status: 500, isRetryable: false, errorType: 'internal' },
  data_dir_too_new: { status: 500, isRetryable: false, errorType: 'internal' },
  config_invalid: { status: 500, isRetryable: false, errorType: 'internal' },
  content_invalid: { status: 500, isRetryable: false, errorType: 'internal' },
  /** Prometheus knows it and it is not offered here; the status is the one of a Prometheus that has it turned off. */
  feature_off: { status: 500, isRetryable: false, errorType: 'unavailable' },
  internal: { status: 500, isRetryable: true, errorType: 'internal' },
} as const satisfies Record<string, { status: number; isRetryable: boolean; errorType: string }>

export type ErrorCode = keyof typeof ERROR_CODES

/** What may travel with a failure: what to do about it, what caused it, and where in a text it was found. */
export interface FailureContext {
  readonly hint?: string
  readonly cause?: unknown
}

/** A failure with a code. The message says what was tried, what was got and what was wanted. */
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
