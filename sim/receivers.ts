import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Whom the simulated fleet's alerts are told to: a pager and a chat that speak their services' HTTP on loopback. The chat
 * is busy now and then, as real ones are, so that retries are there to be seen.
 */
export interface SimReceivers {
  /** Without a slash at the end; the pager is at `/pager`, the chat at `/chat`. */
  readonly url: string
  stop(): Promise<void>
}

/** Every so many messages the chat says "later". */
const CHAT_BUSY_EVERY = 5

export async function startReceivers(): Promise<SimReceivers> {
  let chatMessages = 0
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      if (request.url === '/pager') {
        response.writeHead(202, { 'content-type': 'application/json' })
        response.end('{"status":"success","message":"Event processed"}')
      } else if (++chatMessages % CHAT_BUSY_EVERY === 0) {
        response.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '5' })
        response.end('rate_limited')
      } else {
        response.writeHead(200, { 'content-type': 'text/plain' })
        response.end('ok')
      }
    })
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
