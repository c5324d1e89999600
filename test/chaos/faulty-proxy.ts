import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { SnappyDecoder } from '../../src/wire/snappy.ts'

/** In front of a metrics store: passes requests on, is not there, is slow, or answers 400 to writes with a marked series. */
export type ProxyMode = 'passing' | 'down' | 'slow' | 'refusing'

const SLOW_MS = 3000

export class FaultyProxy {
  mode: ProxyMode = 'passing'
  /** Writes that were answered 400. */
  refused = 0
  readonly #target: string
  readonly #marker: Buffer
  readonly #server = createServer((received, response) => {
    this.#handle(received, response).catch(() => response.destroy())
  })

  /** @param marker a text in requests that are refused */
  constructor(target: string, marker: string) {
    this.#target = target
    this.#marker = Buffer.from(marker)
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #handle(received: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of received as AsyncIterable<Buffer>) parts.push(part)
    const body = Buffer.concat(parts)
    if (this.mode === 'down') {
      response.destroy()
      return
    }
    if (this.mode === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    const isWrite = received.url?.endsWith('/write') === true
    if (this.mode === 'refusing' && isWrite && this.#isMarked(body)) {
      this.refused++
      response.writeHead(400).end('invalid sample')
      return
    }
    const url = new URL(received.url ?? '/', this.#target)
    const sent = request(url, { method: received.method ?? 'GET', headers: received.headers })
    sent.on('error', () => response.destroy())
    sent.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.end(body)
  }

  #isMarked(body: Buffer): boolean {
    return body.length > 0 && Buffer.from(new SnappyDecoder(64 * 1024 * 1024).decode(body)).includes(this.#marker)
  }
}
