/** The only place, beside fetch-file.ts, where the UI sends requests. Answers have the types of `contract`; failures become `ApiFailure`. */

/** A failed request. `status` 0: the server was not reached. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly hint: string | undefined
  /** The body, for routes whose failure has more than a message. */
  readonly body: unknown

  /** The reader lacks the permission. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403
  }

  constructor(status: number, message: string, details: { readonly hint?: string; readonly body?: unknown } = {}) {
    super(message)
    this.status = status
    this.hint = details.hint
    this.body = details.body
  }
}

/** After this time the server counts as unreachable; the next poll tries again. */
const TIMEOUT_MS = 20_000

/** Throws `ApiFailure`, or the abort of `signal`. */
export async function fetchJson<T>(path: string, signal?: AbortSignal, timeoutMs: number = TIMEOUT_MS): Promise<T> {
  return (await send('GET', path, { timeoutMs, ...(signal === undefined ? {} : { signal }) })) as T
}

/** The `data` of an answer of Prometheus' API. Throws as `fetchJson` does. */
export async function fetchData<T>(path: string, signal?: AbortSignal, timeoutMs?: number): Promise<T> {
  return (await fetchJson<{ readonly data: T }>(path, signal, timeoutMs)).data
}

/** A read that needs a body, such as a preview. Throws as `fetchJson` does. */
export async function postJson<T>(
  path: string,
  body: unknown,
  signal?: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Promise<T> {
  return (await send('POST', path, { body, timeoutMs, isRead: true, ...(signal === undefined ? {} : { signal }) })) as T
}

/** Changes something on the server. The answer may be empty. Throws `ApiFailure`. */
export async function sendJson(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
  return send(method, path, { body, mayBeEmpty: true })
}

interface SendOptions {
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly mayBeEmpty?: boolean
  readonly timeoutMs?: number
  /** It changes nothing, although it has a body. */
  readonly isRead?: boolean
}

/** An answer that takes longer is reported to the page's telemetry as slow. */
export const SLOW_MS = 2000

/** Without the query string, which may contain user input. */
interface SlowAnswer {
  readonly path: string
  readonly tookMs: number
}

let reportSlow: ((slow: SlowAnswer) => void) | undefined

/** One listener: the page's telemetry. */
export function onSlowAnswer(listener: (slow: SlowAnswer) => void): void {
  reportSlow = listener
}

async function send(method: string, path: string, options: SendOptions): Promise<unknown> {
  const startedMs = performance.now()
  try {
    return await sendOnce(method, path, options)
  } finally {
    const tookMs = Math.round(performance.now() - startedMs)
    if (tookMs >= SLOW_MS && options.signal?.aborted !== true) reportSlow?.({ path: path.split('?')[0] ?? '', tookMs })
  }
}

/** With this header the server does not trigger the browser's password prompt; the page reports a missing token itself. */
const OWN_PAGE = { 'x-requested-with': 'daytwo' }

async function sendOnce(method: string, path: string, options: SendOptions): Promise<unknown> {
  const { body: sent, signal, mayBeEmpty, timeoutMs = TIMEOUT_MS, isRead = false } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const failed = (thrown: unknown, brokenOff: string): never => {
    if (signal?.aborted === true) throw thrown
    throw new ApiFailure(0, timeout.aborted ? `The server did not respond within ${timeoutMs / 1000} s.` : brokenOff, {
      hint:
        method === 'GET'
          ? 'The page retries automatically.'
          : isRead
            ? 'Nothing was changed: try again.'
            : 'The change was probably not applied: try again.',
    })
  }
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...OWN_PAGE,
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    credentials: 'same-origin',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((thrown: unknown) => failed(thrown, 'The server cannot be reached.'))
  const body = await readBody(response).catch((thrown: unknown) =>
    failed(thrown, 'The response of the server was cut off.'),
  )
  if (!response.ok) throw failureOf(response, body)
  if (body === undefined && mayBeEmpty !== true) {
    throw new ApiFailure(
      response.status,
      `The response to ${path} is not JSON: a proxy may have answered instead of the server.`,
    )
  }
  return body
}

/** `undefined`: not JSON. Throws when the connection breaks. */
async function readBody(response: Response): Promise<unknown> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return undefined
  try {
    return await response.json()
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

function failureOf(response: Response, body: unknown): ApiFailure {
  const { status } = response
  if (status === 403 && errorOf(body).message !== undefined) {
    return new ApiFailure(status, errorOf(body).message ?? '', {
      hint: 'Insufficient role: viewer reads, responder acknowledges and silences, admin reloads.',
      body,
    })
  }
  if (status === 401 || status === 403) {
    return new ApiFailure(status, 'Not signed in, or the session has expired.', { body })
  }
  const { message, hint = hintOf(status) } = errorOf(body)
  return new ApiFailure(status, message ?? `The server responded with ${status} ${response.statusText}.`, {
    ...(hint === undefined ? {} : { hint }),
    body,
  })
}

/** What to do, where the response does not name it. */
export function hintOf(status: number): string | undefined {
  if (status === 429 || status === 503) return 'The server is busy or starting: wait a moment, then try again.'
  if (status === 502 || status === 504) return 'A proxy cannot reach the server: check that the server is running.'
  return status >= 500 ? 'Try again. If it fails again, the log of the server has the cause.' : undefined
}

/** All routes have `error`; Daytwo's own may have `hint`. */
function errorOf(body: unknown): { readonly message?: string; readonly hint?: string } {
  const { error, hint } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return { ...(typeof error === 'string' ? { message: error } : {}), ...(typeof hint === 'string' ? { hint } : {}) }
}

/** The failure of a query, whatever was thrown. */
export function toFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure(0, thrown instanceof Error ? thrown.message : String(thrown))
}
