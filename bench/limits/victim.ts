/**
 * A server under attack: its peak memory is read from the kernel, the longest block of its main thread from its own metric,
 * the size of its log from its output, and its answers are counted by status.
 */
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { RunningServer } from '../peers/server.ts'

/** What one attack cost. */
export interface Damage {
  readonly peakBytes: number
  readonly logBytes: number
  /** The largest value of `daytwo_main_thread_blocked_seconds` that was read. */
  readonly blockedMs: number
  readonly statuses: ReadonlyMap<string, number>
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The address of the sender, which the limits tell apart: 127.0.0.1 when absent. */
  readonly from?: string
}

const METRICS_EVERY_MS = 1000
/** A request without an answer is given up. */
const ANSWER_WITHIN_MS = 120_000
/** A machine that others use is slow. */
const REACHED_WITHIN_MS = 600_000

export class Victim {
  readonly #server: RunningServer
  readonly #statuses = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  #blockedMs = 0
  #isWatched = true
  readonly #watching: Promise<void>

  constructor(server: RunningServer) {
    this.#server = server
    this.#watching = this.#watch()
  }

  get nowMs(): number {
    return Date.now()
  }

  /** Counts the status of the answer, or `closed`, and returns the answer's text. */
  async ask(path: string, { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked = {}): Promise<string> {
    const { status, text } = await this.#exchange(path, method, headers, body, from)
    this.#count(status)
    return text
  }

  post(
    path: string,
    body: Uint8Array | string,
    headers: Readonly<Record<string, string>>,
    from?: string,
  ): Promise<string> {
    return this.ask(path, { method: 'POST', body, headers, ...(from === undefined ? {} : { from }) })
  }

  json(path: string, body: unknown, from?: string): Promise<string> {
    return this.post(path, JSON.stringify(body), { 'content-type': 'application/json' }, from)
  }

  write(body: Uint8Array, from?: string): Promise<string> {
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    return this.post('/api/v1/write', body, headers, from)
  }

  /** A connection of which only the start of a request is sent; what is answered is counted. */
  open(head: string, body?: Uint8Array): Socket {
    const socket = connect(this.#server.port, '127.0.0.1')
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data: Buffer) => {
      this.#count(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 'other')
    })
    socket.once('close', () => this.#sockets.delete(socket))
    socket.write(head)
    if (body !== undefined) socket.write(body)
    return socket
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  /** The sum of a metric's series that match; 0 when there is none. */
  async metric(pattern: RegExp): Promise<number> {
    const { text } = await this.#exchange('/metrics', 'GET', {}, undefined, '127.0.0.3')
    const lines = text.split('\n').filter((line) => pattern.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  /** Resolves when the metric is at least that large; rejects after ten minutes. */
  async reaches(pattern: RegExp, least: number): Promise<void> {
    const endMs = performance.now() + REACHED_WITHIN_MS
    while (performance.now() < endMs) {
      if ((await this.metric(pattern)) >= least) return
      await wait(200)
    }
    throw new Error(`${pattern.source} did not reach ${least}`)
  }

  /** Two more beats of the server's own measure, then the end. */
  async end(): Promise<Damage> {
    for (const socket of this.#sockets) socket.destroy()
    await wait(2500)
    this.#isWatched = false
    await this.#watching
    await this.#readBlock()
    const peakBytes = this.#server.peakBytes()
    const logBytes = this.#server.logBytes()
    await this.#server.stop()
    return { peakBytes, logBytes, blockedMs: this.#blockedMs, statuses: this.#statuses }
  }

  async #watch(): Promise<void> {
    while (this.#isWatched) {
      await this.#readBlock()
      await wait(METRICS_EVERY_MS)
    }
  }

  async #readBlock(): Promise<void> {
    const seconds = await this.metric(/^daytwo_main_thread_blocked_seconds /).catch(() => 0)
    this.#blockedMs = Math.max(this.#blockedMs, seconds * 1000)
  }

  #count(status: string): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
  }

  #exchange(
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | string | undefined,
    from: string,
  ): Promise<{ readonly status: string; readonly text: string }> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    return new Promise((resolve) => {
      const lost = (): void => {
        resolve({ status: 'closed', text: '' })
      }
      const { port } = this.#server
      const length = bytes === undefined ? {} : { 'content-length': bytes.length }
      const asked = request({
        host: '127.0.0.1',
        port,
        path,
        method,
        localAddress: from,
        agent: false,
        headers: { ...headers, ...length },
      })
      asked.on('error', lost)
      asked.setTimeout(ANSWER_WITHIN_MS, () => asked.destroy())
      asked.on('response', (answer) => {
        const parts: Buffer[] = []
        let kept = 0
        answer.on('data', (part: Buffer) => {
          kept += part.length
          if (kept < TEXT_BYTES_MAX) parts.push(part)
        })
        answer.on('end', () => {
          resolve({ status: String(answer.statusCode), text: Buffer.concat(parts).toString() })
        })
        answer.on('error', lost)
      })
      asked.end(bytes)
    })
  }
}

/** Of an answer that is looked at. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024
