/**
 * Sends prepared requests over keep-alive connections. Back to back: the next request leaves when the answer to the one
 * before has arrived. At a pace: it leaves when it is due, or as soon as the answer before it is there. Latency is from
 * the first byte sent to the last byte of the answer; a request that was put off (429, 503) is sent again and its
 * latency counts on. Bodies are whole before the clock starts, so that the sender takes little of two processors: how
 * much is part of the result.
 */
import { connect, type Socket } from 'node:net'

export interface Sent {
  readonly requests: number
  readonly seconds: number
  readonly ackMsP50: number
  readonly ackMsP99: number
  /** Requests that had to be sent again. */
  readonly putOff: number
  /** Processor time of this process over the time it sent: 0.1 is a tenth of one core. */
  readonly senderShare: number
  /** How long after it was due the latest request left; 0 for back to back. */
  readonly lateMsMax: number
}

export interface Request {
  readonly bytes: Buffer
  /** Milliseconds after the start; absent: as soon as the connection is free. */
  readonly dueMs?: number
}

const PUT_OFF_MS = 250

/** Headers of a remote write 1.0 request. */
const REMOTE_WRITE = [
  'User-Agent: Prometheus/3.5.0',
  'Content-Type: application/x-protobuf',
  'Content-Encoding: snappy',
  'X-Prometheus-Remote-Write-Version: 0.1.0',
]

/** A whole HTTP request as bytes. @param headers those of remote write when absent */
export function httpRequest(path: string, body: Buffer, headers: readonly string[] = REMOTE_WRITE): Buffer {
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, `Content-Length: ${body.length}`]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

interface Tally {
  readonly startMs: number
  readonly ackMs: number[]
  putOff: number
  lateMsMax: number
}

/** @param lanes one list a connection: what is in one lane arrives in its order */
export async function send(port: number, lanes: readonly (readonly Request[])[]): Promise<Sent> {
  const cpu = process.cpuUsage()
  const tally: Tally = { startMs: performance.now(), ackMs: [], putOff: 0, lateMsMax: 0 }
  await Promise.all(lanes.map((lane) => sendLane(port, lane, tally)))
  const seconds = (performance.now() - tally.startMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const { ackMs, putOff, lateMsMax } = tally
  ackMs.sort((a, b) => a - b)
  const at = (share: number): number => ackMs[Math.floor((ackMs.length - 1) * share)] ?? 0
  return {
    requests: ackMs.length,
    seconds,
    ackMsP50: at(0.5),
    ackMsP99: at(0.99),
    putOff,
    senderShare: (user + system) / 1e6 / seconds,
    lateMsMax,
  }
}

function sendLane(port: number, lane: readonly Request[], tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    if (lane.length === 0) {
      resolve()
      return
    }
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let next = 0
    let sentMs = 0
    let answer = ''
    const sendNow = (): void => {
      const { bytes, dueMs } = lane[next]!
      sentMs = performance.now()
      if (dueMs !== undefined) tally.lateMsMax = Math.max(tally.lateMsMax, sentMs - tally.startMs - dueMs)
      socket.write(bytes)
    }
    const sendNext = (): void => {
      const waitMs = tally.startMs + (lane[next]!.dueMs ?? 0) - performance.now()
      if (waitMs <= 0) sendNow()
      else setTimeout(sendNow, waitMs)
    }
    socket.on('connect', sendNext)
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error(`the connection ended after ${next} requests: ${answer.slice(0, 500)}`))
    })
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (!isWhole(answer)) return
      const status = Number(answer.slice(9, 12))
      if (status === 429 || status === 503) {
        tally.putOff++
        answer = ''
        setTimeout(() => socket.write(lane[next]!.bytes), PUT_OFF_MS)
        return
      }
      if ((status !== 200 && status !== 204) || /^x-daytwo-refused:/im.test(answer)) {
        fail(socket, reject, `a write was not taken whole: ${answer.slice(0, 1000)}`)
        return
      }
      answer = ''
      tally.ackMs.push(performance.now() - sentMs)
      next++
      if (next < lane.length) sendNext()
      else {
        socket.removeAllListeners('close')
        socket.end()
        resolve()
      }
    })
  })
}

function fail(socket: Socket, reject: (cause: Error) => void, message: string): void {
  reject(new Error(message))
  socket.removeAllListeners('close')
  socket.destroy()
}

/** An answer with its body: write routes answer with a length, or with none at all. */
function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, headEnd))
  return answer.length >= headEnd + 4 + Number(length?.[1] ?? 0)
}
