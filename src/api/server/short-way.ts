/**
 * The HTTP server under Fastify, which answers the one hot request, a remote write, itself: hooks, headers for browsers and
 * a copy of the body were most of what it cost. Everything unusual goes to Fastify, where the same route says what is
 * wrong: the short way only accepts.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

/**
 * Takes a request, or says that it does not. One that it took it may still hand to `goOn` as long as it has read nothing
 * of the body and answered nothing.
 */
export type ShortWay = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => boolean

interface ShortWayLimits {
  readonly keepAliveMs: number
  readonly requestArrivesMs: number
}

/** @param handler Fastify's own, for everything that the way does not take */
export function createShortWayServer(
  handler: RequestListener,
  way: ShortWay,
  { keepAliveMs, requestArrivesMs }: ShortWayLimits,
): Server {
  const server = createServer((request, response) => {
    const goOn = (): void => {
      handler(request, response)
    }
    if (!way(request, response, goOn)) goOn()
  })
  server.keepAliveTimeout = keepAliveMs
  server.requestTimeout = requestArrivesMs
  return server
}

/** The whole body, in the pieces in which it arrived; `undefined` when the connection ended before. */
export function readBody(request: IncomingMessage): Promise<readonly Uint8Array[] | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
    })
    request.on('end', () => {
      resolve(chunks)
    })
    request.on('close', () => {
      resolve(undefined)
    })
    request.on('error', () => {
      resolve(undefined)
    })
  })
}
