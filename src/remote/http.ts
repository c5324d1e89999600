/** One HTTP request to the store and its answer as a stream. Connections are kept for the next request. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { createGunzip } from 'node:zlib'
import type { RemoteStoreOptions } from './options.ts'

export interface HttpCall {
  /** With a leading slash, below the address of the store. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly body?: Uint8Array | string
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  /** Decompressed. Rejects when the connection breaks, and when the signal is aborted. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface HttpClient {
  /** Rejects when there is no answer. An aborted signal closes the connection. */
  send(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>
  close(): void
}

/** An idle connection is closed after this time: most servers close theirs later. */
const IDLE_MS = 30_000

export function createHttpClient({ url, tls }: Pick<RemoteStoreOptions, 'url' | 'tls'>): HttpClient {
  const base = new URL(url)
  const isSecure = base.protocol === 'https:'
  const connections = { keepAlive: true, keepAliveMsecs: IDLE_MS, timeout: IDLE_MS }
  const agent = isSecure
    ? new HttpsAgent({
        ...connections,
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
        ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
        rejectUnauthorized: tls.isInsecure !== true,
      })
    : new HttpAgent(connections)
  const prefix = base.pathname.replace(/\/+$/, '')
  const auth =
    base.username === '' ? {} : { auth: `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}` }
  return {
    send: (call, signal) =>
      new Promise((resolve, reject) => {
        const { body = '', contentType } = call
        const options: RequestOptions = {
          ...{
            protocol: base.protocol,
            hostname: base.hostname.replace(/^\[|\]$/g, ''),
            port: base.port,
            agent,
            signal,
          },
          ...auth,
          method: call.method,
          path: `${prefix}${call.path}`,
          headers: {
            'accept-encoding': 'gzip',
            ...call.headers,
            ...(call.method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
            ...(contentType === undefined ? {} : { 'content-type': contentType }),
          },
        }
        const answer = (response: IncomingMessage): void => {
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            body: bodyOf(response),
          })
        }
        const sent: ClientRequest = isSecure ? httpsRequest(options, answer) : httpRequest(options, answer)
        sent.on('error', reject)
        sent.end(call.method === 'GET' ? undefined : body)
      }),
    close: () => {
      agent.destroy()
    },
  }
}

function bodyOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
  if (response.headers['content-encoding'] !== 'gzip') return response as AsyncIterable<Uint8Array>
  const plain = createGunzip()
  response.on('error', (cause) => plain.destroy(cause))
  plain.on('close', () => response.destroy())
  return response.pipe(plain) as AsyncIterable<Uint8Array>
}
