import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestCertificate } from './certificate.ts'

/** A receiver on loopback: keeps what it got, answers what it is told to. */
export interface HookServer {
  readonly url: string
  readonly got: readonly Got[]
  /** What the next ones are answered; the last one stays. */
  answer: readonly Answer[]
  stop(): Promise<void>
}

export interface Got {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** No answer at all until the server stops. */
  readonly isSilent?: boolean
}

export async function startHook(tls?: TestCertificate): Promise<HookServer> {
  const got: Got[] = []
  const hook = { got, answer: [{}] as readonly Answer[] }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      got.push({ method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') })
      const [answer = {}, ...rest] = hook.answer
      if (rest.length > 0) hook.answer = rest
      if (answer.isSilent === true) return
      response.writeHead(answer.status ?? 200, answer.headers)
      response.end(answer.body ?? '')
    })
  }
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(hook, {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  })
}
