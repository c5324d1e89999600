/**
 * The HTTP server under Fastify with a fast path for the only hot request, a remote write: hooks, headers for browsers
 * and a copy of the body were most of its cost. Every unusual request goes to Fastify, whose route reports what is
 * wrong: the fast path only accepts.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from 'node:https'
import { inTurns } from './request-turns.ts'

/**
 * Returns whether it handles the request. It may still pass a request that it handles to `fallBack`, before it reads the
 * body or answers.
 */
export type FastPath = (request: IncomingMessage, response: ServerResponse, fallBack: () => void) => boolean

interface FastPathLimits {
  readonly keepAliveMs: number
  /** The time limit for the request line and the headers; a connection is closed up to a third of it later. */
  readonly headersArriveMs: number
  readonly requestArrivesMs: number
  /** Serves https. */
  readonly tls?: TlsServerOptions
}

/** Of the request line and the headers: Go's limit, with its slack, because clients send long selectors by GET. */
const HEADER_BYTES_MAX = 2 ** 20 + 4096

/** @param handler Fastify's, for requests that the fast path does not handle */
export function createFastPathServer(
  handler: RequestListener,
  fastPath: FastPath,
  { keepAliveMs, headersArriveMs, requestArrivesMs, tls }: FastPathLimits,
): Server {
  // Node applies the limits only as often as it checks, by default each half minute.
  const options = { maxHeaderSize: HEADER_BYTES_MAX, connectionsCheckingInterval: Math.ceil(headersArriveMs / 3) }
  const listener = inTurns((request, response) => {
    const fallBack = (): void => {
      handler(request, response)
    }
    if (!fastPath(request, response, fallBack)) fallBack()
  })
  const server =
    tls === undefined
      ? createServer(options, listener)
      : createTlsServer(
          {
            ...options,
            ...tls,
            handshakeTimeout: headersArriveMs,
            // A certificate that is not accepted is as good as none: the routes decide.
            rejectUnauthorized: false,
          },
          listener,
        )
  server.headersTimeout = headersArriveMs
  server.keepAliveTimeout = keepAliveMs
  server.requestTimeout = requestArrivesMs
  return server
}

/** HOT. Calls `read` with the whole body, in the pieces in which it arrived, or `left` when the connection ends early. */
export function readBody(
  request: IncomingMessage,
  read: (body: readonly Uint8Array[]) => void,
  left: () => void,
): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
  })
  request.on('end', () => {
    read(chunks)
  })
  request.on('error', left)
}
