/** Shared by all receivers: the result of one attempt, and the outcome of an HTTP response. */
import { FleetError } from '../../base/errors.ts'
import { TemplateError } from '../../template/value.ts'
import type { DeliveryOutcome } from '../../model/delivery.ts'
import type { HttpConfig } from '../config/http-config.ts'
import { resolveSecret, withoutSecrets, type Secret } from '../config/secret.ts'
import type { HttpAnswer, HttpClient } from '../http-client.ts'
import type { TemplateSet } from '../template-set.ts'

/** One attempt to deliver a message. Contains no secrets. */
export interface Attempt {
  readonly outcome: DeliveryOutcome
  readonly target: string
  readonly payload: string
  readonly latencyMs: number
  readonly status?: number
  readonly answer?: string
  readonly error?: string
  readonly retryAfterMs?: number
}

export interface Sending {
  readonly http: HttpClient
  readonly templates: TemplateSet
  /** All secrets written in the configuration. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  /** For durations only. */
  readonly stopwatchMs: () => number
}

/** What a JSON request needs. */
export type Posting = Omit<Sending, 'templates' | 'stopwatchMs'>

/** Waiting time after the first failure, doubled by each further one. */
const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000
/** The longest `Retry-After` of a receiver that is respected. */
const RETRY_AFTER_MAX_MS = 600_000

/** The wait after this many consecutive failures; the receiver's own `Retry-After` takes precedence. */
export function retryDelayMs(failures: number, retryAfterMs = 0): number {
  if (retryAfterMs > 0) return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)
  return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 20), BACKOFF_MAX_MS)
}

/** The outcome of a 2xx response whose text reports a failure. */
export type Judge = (answer: HttpAnswer) => { readonly outcome: DeliveryOutcome; readonly error: string } | undefined

export interface JsonPost {
  readonly url: Secret
  /** The address is a secret: only its host is shown. */
  readonly hidesPath: boolean
  readonly http: HttpConfig
  /** A text is JSON already. */
  readonly body: unknown
  readonly timeoutMs?: number
  /** Beside those of the configuration. */
  readonly secrets?: readonly string[]
  readonly judge?: Judge
}

export async function postJson(sending: Posting, post: JsonPost): Promise<Attempt> {
  const payload = typeof post.body === 'string' ? post.body : JSON.stringify(post.body)
  return attempting(post.url, payload, sending, async () => {
    const url = await resolveSecret(post.url)
    const own = [...(post.secrets ?? []), ...(post.hidesPath ? secretsOfUrl(url) : [])]
    const secrets = [...sending.secrets, ...own]
    const target = post.hidesPath ? hostOf(url) : url
    const timeoutMs = post.timeoutMs === undefined || post.timeoutMs === 0 ? sending.timeoutMs : post.timeoutMs
    const headers = { 'content-type': 'application/json', 'user-agent': 'Daytwo' }
    const answer = await sending.http({ url, body: payload, headers, http: post.http, timeoutMs })
    return judged(answer, { target, payload: withoutSecrets(payload, secrets) }, secrets, post.judge)
  })
}

/** A failure before anything is sent also counts as an attempt. */
export async function attempting(
  url: Secret,
  payload: string,
  { secrets }: Pick<Sending, 'secrets'>,
  run: () => Promise<Attempt>,
): Promise<Attempt> {
  try {
    return await run()
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown
    const target = url.kind === 'file' ? `address in ${url.path}` : hostOf(url.value)
    return { outcome: 'failed', target, payload: withoutSecrets(payload, secrets), latencyMs: 0, error: thrown.message }
  }
}

/** A failing template is an error of the configuration, so it is not retried. */
export async function expanding(target: string, build: () => Promise<Attempt>): Promise<Attempt> {
  try {
    return await build()
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown
    return { outcome: 'refused', target, payload: '', latencyMs: 0, error: `template failed: ${thrown.message}` }
  }
}

function judged(
  answer: HttpAnswer,
  about: { readonly target: string; readonly payload: string },
  secrets: readonly string[],
  judge: Judge | undefined,
): Attempt {
  const { status, latencyMs, retryAfterMs } = answer
  const text = withoutSecrets(answer.text, secrets)
  const outcome = outcomeOf(status)
  const verdict = outcome === 'delivered' ? judge?.(answer) : undefined
  const error =
    verdict === undefined ? (outcome === 'delivered' ? undefined : text || `status ${status}`) : verdict.error
  return {
    ...about,
    outcome: verdict?.outcome ?? outcome,
    latencyMs,
    ...(status === undefined ? {} : { status, answer: text }),
    ...(error === undefined ? {} : { error: withoutSecrets(error, secrets) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** `failed` is retried: no response, or one that asks for a later attempt. */
function outcomeOf(status: number | undefined): DeliveryOutcome {
  if (status === undefined || status === 408 || status === 429 || status >= 500) return 'failed'
  return status >= 200 && status < 300 ? 'delivered' : 'refused'
}

/** `https://hooks.example/…`: the host, without the secret path. */
export function hostOf(url: string): string {
  if (!URL.canParse(url)) return 'an address that cannot be read'
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname === '/' && search === '' ? '' : '/…'}`
}

/** A receiver may respond with the path of the request. */
function secretsOfUrl(url: string): readonly string[] {
  if (!URL.canParse(url)) return [url]
  const { pathname, search, password } = new URL(url)
  const path = pathname + search
  return [
    url,
    ...(path.length >= PATH_CHARS_MIN ? [path] : []),
    ...(password === '' ? [] : [decodeURIComponent(password)]),
  ]
}

/** Shorter paths, such as `/hook`, are not secret. */
const PATH_CHARS_MIN = 12

/** The expanded templates, without empty texts. */
export function nonEmptyTexts(
  templates: Readonly<Record<string, string>>,
  expand: (template: string) => string,
): Record<string, string> {
  const texts = Object.entries(templates).map(([key, template]) => [key, expand(template)] as const)
  return Object.fromEntries(texts.filter(([, value]) => value !== ''))
}

/** At most this many code points; the last one is an ellipsis when the text is cut. */
export function truncate(text: string, charsMax: number): string {
  const chars = Array.from(text)
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join('')}…`
}
