/** The one place where the UI speaks to its server. Answers have the types of `contract`; failures become `ApiFailure`. */

/** Why there is no answer. `status` 0: the server was not reached. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly hint: string | undefined
  /** The answer's body, for routes whose failure says more than a sentence. */
  readonly body: unknown

  constructor(status: number, message: string, details: { readonly hint?: string; readonly body?: unknown } = {}) {
    super(message)
    this.status = status
    this.hint = details.hint
    this.body = details.body
  }
}

/** A server that does not answer in this time is called unreachable; the next poll tries again. */
const TIMEOUT_MS = 20_000

/** Throws `ApiFailure`, or the abort of `signal`. */
export async function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(path, {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown
    const isTimeout = timeout.aborted
    throw new ApiFailure(0, isTimeout ? 'The server did not answer in 20 seconds.' : 'The server cannot be reached.', {
      hint: 'The page keeps trying.',
    })
  })
  const body = await readBody(response)
  if (!response.ok) throw failureOf(response, body)
  if (body === undefined) {
    throw new ApiFailure(response.status, `Something on the way answered for the server: ${path} is not JSON.`)
  }
  return body as T
}

async function readBody(response: Response): Promise<unknown> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return undefined
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

function failureOf(response: Response, body: unknown): ApiFailure {
  const { status } = response
  if (status === 401 || status === 403) {
    return new ApiFailure(status, 'This server asks who you are, and did not get an answer it accepts.', {
      hint: 'Reload the page and give a token with the role viewer as the password; the user name does not matter.',
      body,
    })
  }
  const said = typeof body === 'object' && body !== null ? (body as { error?: unknown; hint?: unknown }) : {}
  const message = typeof said.error === 'string' ? said.error : `The server answered ${status} ${response.statusText}.`
  return new ApiFailure(status, message, { ...(typeof said.hint === 'string' ? { hint: said.hint } : {}), body })
}

/** The failure of a query, whatever was thrown. */
export function toFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure(0, thrown instanceof Error ? thrown.message : String(thrown))
}
