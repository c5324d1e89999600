import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { ApiRequest } from './api-requests.ts'

/** Sends what other clients would refuse to send. */

export interface ApiAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number
  readonly type: string
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Against hanging: far beyond what any request may take. */
const ANSWER_WITHIN_MS = 300_000
const NO_ANSWER: ApiAnswer = { status: 0, type: '', retryAfter: undefined, body: '' }

export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })
  readonly #port: number

  constructor(url: string) {
    this.#port = Number(new URL(url).port)
  }

  close(): void {
    this.#agent.destroy()
  }

  /** A stream of events is left after its head. Rejects when no answer comes. */
  send(sent: ApiRequest): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const { method, path, headers, body } = sent
      const length = body.length > 0 || method === 'POST' || method === 'PUT' ? { 'content-length': body.length } : {}
      const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path }
      const asked = request({ ...options, headers: { ...headers, ...length } }, (answer) => {
        const type = answer.headers['content-type'] ?? ''
        const retryAfter = answer.headers['retry-after']
        const head = { status: answer.statusCode ?? 0, type, retryAfter }
        const parts: Buffer[] = []
        if (type.startsWith('text/event-stream')) {
          answer.destroy()
          resolve({ ...head, body: '' })
          return
        }
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => {
          const isPlain = answer.headers['content-encoding'] === undefined
          resolve({ ...head, body: isPlain ? Buffer.concat(parts).toString() : '' })
        })
        answer.on('error', reject)
      })
      asked.setTimeout(ANSWER_WITHIN_MS, () => {
        asked.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`))
      })
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // A server that refuses a request before its body has been sent closes the connection.
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(NO_ANSWER)
        else reject(error)
      })
      asked.end(body)
    })
  }

  /** Bytes as they are, which may be no HTTP. */
  sendBytes(bytes: Uint8Array): Promise<ApiAnswer> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1')
      let received = ''
      const settle = (): void => {
        socket.destroy()
        resolve({ ...NO_ANSWER, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0) })
      }
      socket.on('data', (part) => (received += part.toString('latin1')))
      socket.on('close', settle)
      socket.on('error', settle)
      // An unfinished request is left: how long a server waits for it is tested elsewhere.
      socket.setTimeout(200, settle)
      socket.end(bytes)
    })
  }
}
