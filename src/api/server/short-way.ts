/**
 * The HTTP server under Fastify, which answers the few hot requests itself. For them hooks, headers for browsers and a
 * copy of the body were most of what they cost. Everything that is in any way unusual goes to Fastify, where the same
 * route says what is wrong with it: so a short way only ever knows how to say yes.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

/**
 * Takes a request, or says that it does not. One that it took it may still hand to `goOn` as long as it has read nothing
 * of the body and answered nothing.
 */
export type ShortWay = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => boolean

export interface ShortWayLimits {
  readonly keepAliveMs: number
  readonly requestArrivesMs: number
}

/** @param handler Fastify's own, for everything that no way takes */
export function createShortWayServer(
  handler: RequestListener,
  ways: readonly ShortWay[],
  { keepAliveMs, requestArrivesMs }: ShortWayLimits,
): Server {
  const server = createServer((request, response) => {
    const goOn = (): void => {
      handler(request, response)
    }
    for (const way of ways) if (way(request, response, goOn)) return
    goOn()
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
