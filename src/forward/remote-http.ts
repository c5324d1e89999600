/** HTTP to the remote side, with its headers and certificates, over connections that stay open. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { messageOf } from '../base/errors.ts'
import { retryAfterOf } from '../base/retry-after.ts'
import type { HttpAnswer } from './remote-answer.ts'

export interface RemoteHttpOptions {
  /** Authorities (PEM), instead of those of Node. */
  readonly ca: string | undefined
  /** Requests at the same time. */
  readonly connections: number
  /** Of the tenant. */
  readonly tenantHeaders: Readonly<Record<string, string>>
  /** Further headers, from a file. Throws when it cannot be used. */
  readonly readHeaders: () => Readonly<Record<string, string>>
}

/** Without an answer: connections that are refused or reset, and answers that take too long. */
export interface NoAnswer {
  readonly failure: string
  readonly isTimeout: boolean
}

export interface RemoteHttp {
  post(url: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<HttpAnswer | NoAnswer>
  /** @param bytesMax of the answer; what is longer is cut */
  get(url: string, bytesMax: number): Promise<HttpAnswer | NoAnswer>
  /** Reads the file of headers. Throws when it cannot be used: the former headers stay. */
  reloadHeaders(): void
  /** Ends requests under way. */
  close(): void
}

/** Longer than any receiver takes for a request, and short enough that one that hangs is noticed. */
const TIMEOUT_MS = 30_000
const ERROR_BYTES_MAX = 4096

export function createRemoteHttp(options: RemoteHttpOptions, timeoutMs = TIMEOUT_MS): RemoteHttp {
  const { ca, connections } = options
  // One more, so that a probe does not wait behind requests that hang.
  const limits = { keepAlive: true, maxSockets: connections + 1 }
  const agents = {
    'http:': new HttpAgent(limits),
    'https:': new HttpsAgent({ ...limits, ...(ca === undefined ? {} : { ca }) }),
  }
  const closing = new AbortController()
  let headers = options.readHeaders()

  const send = (
    url: string,
    method: 'GET' | 'POST',
    body: Uint8Array | undefined,
    more: Readonly<Record<string, string>>,
    bytesMax: number,
  ): Promise<HttpAnswer | NoAnswer> =>
    new Promise((resolve) => {
      const target = new URL(url)
      const isTls = target.protocol === 'https:'
      const timeout = AbortSignal.timeout(timeoutMs)
      const signal = AbortSignal.any([timeout, closing.signal])
      const fail = (thrown: unknown): void => {
        const failure = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(thrown)
        resolve({ failure, isTimeout: timeout.aborted })
      }
      const sent = (isTls ? httpsRequest : httpRequest)(target, {
        method,
        agent: isTls ? agents['https:'] : agents['http:'],
        signal,
        headers: {
          ...{ ...options.tenantHeaders, ...headers, ...more },
          ...(body === undefined ? {} : { 'content-length': String(body.length) }),
        },
      })
      sent.on('error', fail)
      sent.on('response', (response) => {
        textOf(response, bytesMax).then((text) => {
          const { statusCode = 0, headers: received } = response
          const retryAfterMs = retryAfterOf(received['retry-after'], Date.parse(received.date ?? ''))
          resolve({ status: statusCode, headers: received, text, retryAfterMs })
        }, fail)
      })
      sent.end(body)
    })

  return {
    post: (url, body, more) => send(url, 'POST', body, more, ERROR_BYTES_MAX),
    get: (url, bytesMax) => send(url, 'GET', undefined, {}, bytesMax),
    reloadHeaders: () => {
      headers = options.readHeaders()
    },
    close: () => {
      closing.abort()
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** All of it is read, so that the connection can be used again; the start is returned. */
async function textOf(response: IncomingMessage, bytesMax: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    if (length < bytesMax) parts.push(part.subarray(0, bytesMax - length))
    length += part.length
  }
  return Buffer.concat(parts).toString('utf8')
}

function reasonOf(thrown: unknown): string {
  // A connection that fails at several addresses has one error per address.
  const causes = thrown instanceof AggregateError ? thrown.errors.map((one: unknown) => messageOf(one)) : []
  return causes.length > 0 ? causes.join('; ') : messageOf(thrown)
}
