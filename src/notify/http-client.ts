/**
 * HTTP requests to configured receivers, with their certificates, authentication and redirects. An unreachable receiver is a
 * result; a request rejects only when a secret or certificate cannot be read.
 */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { messageOf } from '../base/errors.ts'
import { retryAfterOf } from '../base/retry-after.ts'
import type { Clock } from '../base/clock.ts'
import type { HttpConfig, TlsConfig } from './config/http-config.ts'
import { resolveSecret, type Secret } from './config/secret.ts'

export interface HttpRequest {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly http: HttpConfig
  readonly timeoutMs: number
}

export interface HttpAnswer {
  /** `undefined` without a response. */
  readonly status: number | undefined
  readonly contentType: string
  /** The start of the response, or why there was none. */
  readonly text: string
  readonly latencyMs: number
  /** From `Retry-After`, in seconds or as a date. */
  readonly retryAfterMs?: number
}

export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>

/** The part of a response that is read. */
const ANSWER_BYTES_MAX = 4096
const REDIRECTS_MAX = 10

/** The clock is for latencies, and for a `Retry-After` that is a date. */
export function createHttpClient(clock: Pick<Clock, 'nowMs'>): HttpClient {
  return async ({ url, body, headers, http, timeoutMs }) => {
    const startMs = clock.nowMs()
    const authorization = await authorizationOf(http)
    const tls = await tlsOptions(http.tlsConfig)
    const signal = AbortSignal.timeout(timeoutMs)
    const done = (status: number | undefined, text: string, more: Partial<HttpAnswer> = {}): HttpAnswer => {
      return { status, text, contentType: '', latencyMs: clock.nowMs() - startMs, ...more }
    }
    let current: Hop = { url: new URL(url), method: 'POST', body }
    try {
      for (let redirects = 0; ; redirects++) {
        const isSameHost = current.url.host === new URL(url).host
        const allHeaders = { ...(isSameHost ? authorization : {}), ...headers }
        const { response, text } = await request(current, allHeaders, { ...tls, signal })
        const status = response.statusCode ?? 0
        const next = http.followRedirects ? redirectOf(current, status, response.headers.location) : undefined
        if (next === undefined) {
          const retryAfterMs = retryAfterOf(response.headers['retry-after'], clock.nowMs())
          return done(status, text, {
            contentType: response.headers['content-type'] ?? '',
            ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          })
        }
        if (redirects === REDIRECTS_MAX) return done(undefined, `stopped after ${REDIRECTS_MAX} redirects`)
        current = next
      }
    } catch (thrown) {
      return done(undefined, signal.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(thrown))
    }
  }
}

interface Hop {
  readonly url: URL
  readonly method: 'POST' | 'GET'
  readonly body: string
}

function request(
  { url, method, body }: Hop,
  headers: Readonly<Record<string, string>>,
  options: RequestOptions,
): Promise<{ readonly response: IncomingMessage; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const send = (all: RequestOptions, onAnswer: (response: IncomingMessage) => void): ClientRequest =>
      url.protocol === 'https:' ? httpsRequest(url, all, onAnswer) : httpRequest(url, all, onAnswer)
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    // No keep-alive: messages are rare, and a broken idle connection would cost a retry.
    const outgoing = send({ ...options, method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        if (bytes < ANSWER_BYTES_MAX) chunks.push(chunk)
        bytes += chunk.length
      })
      response.on('end', () => {
        resolve({ response, text: Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8') })
      })
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(method === 'POST' ? body : undefined)
  })
}

/** 307 and 308 repeat the message; the others become a GET, as in Go and in browsers. */
function redirectOf(current: Hop, status: number, location: string | undefined): Hop | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  if (!URL.canParse(location, current.url.href)) return undefined
  const url = new URL(location, current.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  return { url, method: status >= 307 ? current.method : 'GET', body: current.body }
}

async function authorizationOf({ basicAuth, authorization }: HttpConfig): Promise<Record<string, string>> {
  if (basicAuth !== undefined) {
    const username = await resolveSecret(basicAuth.username)
    const password = basicAuth.password === undefined ? '' : await resolveSecret(basicAuth.password)
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  }
  if (authorization === undefined) return {}
  const credentials = authorization.credentials === undefined ? '' : await resolveSecret(authorization.credentials)
  return { authorization: `${authorization.type} ${credentials}`.trim() }
}

/** TLS options for connections to a receiver, also for mail servers. */
export async function tlsOptions(tls: TlsConfig): Promise<{
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly servername?: string
  readonly rejectUnauthorized: boolean
  readonly minVersion?: NonNullable<TlsConfig['minVersion']>
  readonly maxVersion?: NonNullable<TlsConfig['maxVersion']>
}> {
  const read = (secret: Secret | undefined): Promise<string | undefined> =>
    secret === undefined ? Promise.resolve(undefined) : resolveSecret(secret)
  const [ca, cert, key] = await Promise.all([read(tls.ca), read(tls.cert), read(tls.key)])
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    rejectUnauthorized: !tls.insecureSkipVerify,
    ...(tls.minVersion === undefined ? {} : { minVersion: tls.minVersion }),
    ...(tls.maxVersion === undefined ? {} : { maxVersion: tls.maxVersion }),
  }
}

function reasonOf(thrown: unknown): string {
  // A connection that fails at several addresses has one error per address.
  const causes = thrown instanceof AggregateError ? thrown.errors.map((one: unknown) => messageOf(one)) : []
  return causes.length > 0 ? causes.join('; ') : messageOf(thrown)
}
