/**
 * Sends prepared requests over keep-alive connections, each back to back with its own: the next request leaves when
 * the answer to the one before has arrived. Latency is from the first byte sent to the last byte of the answer.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface Sent {
  readonly requests: number
  readonly seconds: number
  readonly ackMsP50: number
  readonly ackMsP99: number
}

/** A whole HTTP request as bytes. */
export function httpRequest(path: string, body: Buffer): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'User-Agent: Prometheus/3.5.0',
    'Content-Type: application/x-protobuf',
    'Content-Encoding: snappy',
    'X-Prometheus-Remote-Write-Version: 0.1.0',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** @param lanes one list a connection: what is in one lane arrives in its order */
export async function send(port: number, lanes: readonly (readonly Buffer[])[]): Promise<Sent> {
  const ackMs: number[] = []
  const startMs = performance.now()
  await Promise.all(lanes.map((lane) => sendLane(port, lane, ackMs)))
  const seconds = (performance.now() - startMs) / 1000
  ackMs.sort((a, b) => a - b)
  const at = (share: number): number => ackMs[Math.floor((ackMs.length - 1) * share)] ?? 0
  return { requests: ackMs.length, seconds, ackMsP50: at(0.5), ackMsP99: at(0.99) }
}

function sendLane(port: number, lane: readonly Buffer[], ackMs: number[]): Promise<void> {
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
    const sendNext = (): void => {
      sentMs = performance.now()
      socket.write(lane[next++]!)
    }
    socket.on('connect', sendNext)
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error(`the connection ended after ${next} requests: ${answer.slice(0, 500)}`))
    })
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (!isWhole(answer)) return
      if (!answer.startsWith('HTTP/1.1 204') && !answer.startsWith('HTTP/1.1 200')) {
        fail(socket, reject, `a write was not taken: ${answer.slice(0, 1000)}`)
        return
      }
      if (/^x-daytwo-refused:/im.test(answer)) {
        fail(socket, reject, `samples were refused: ${answer.slice(0, 1000)}`)
        return
      }
      answer = ''
      ackMs.push(performance.now() - sentMs)
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
