/** Sending a message to a receiver: the port, and the one implementation over `fetch`. */
import { messageOf } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'

/** What came of one POST. Never rejects: an unreachable receiver is an answer too. */
export type HttpPost = (request: PostRequest) => Promise<PostResult>

export interface PostRequest {
  /** May hold user and password; they travel as basic authentication. */
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface PostResult {
  /** `undefined` when no answer came. */
  readonly status: number | undefined
  /** The beginning of the answer, or why there was none. */
  readonly text: string
  readonly latencyMs: number
  /** From a `Retry-After` header in seconds. */
  readonly retryAfterMs?: number
}

/** As much of an answer as is worth keeping. */
const TEXT_CHARS_MAX = 500

/** The clock is for latencies only. */
export function createFetchPost(clock: Pick<Clock, 'nowMs'>): HttpPost {
  return async ({ url, body, headers, timeoutMs }) => {
    const startMs = clock.nowMs()
    const { target, authorization } = splitCredentials(url)
    try {
      const response = await fetch(target, {
        method: 'POST',
        body,
        headers: { ...authorization, ...headers },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = (await response.text()).slice(0, TEXT_CHARS_MAX)
      const retryAfter = /^\d+$/.exec(response.headers.get('retry-after') ?? '')?.[0]
      return {
        status: response.status,
        text,
        latencyMs: clock.nowMs() - startMs,
        ...(retryAfter === undefined ? {} : { retryAfterMs: Number(retryAfter) * 1000 }),
      }
    } catch (thrown) {
      return { status: undefined, text: reasonOf(thrown), latencyMs: clock.nowMs() - startMs }
    }
  }
}

/** The URL as it may be shown and logged: without user and password. */
export function publicUrl(url: string): string {
  return splitCredentials(url).target
}

function splitCredentials(url: string): { readonly target: string; readonly authorization: Record<string, string> } {
  if (!URL.canParse(url)) return { target: url, authorization: {} }
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return { target: url, authorization: {} }
  const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
  parsed.username = ''
  parsed.password = ''
  return { target: parsed.href, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}

/** `fetch` hides why it failed in the cause. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : ''
  return `${messageOf(thrown)}${cause}`.slice(0, TEXT_CHARS_MAX)
}
