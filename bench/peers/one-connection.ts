/** One kept connection that asks and waits, as a client that looks things up does. It adds nothing a server has to read. */
import { connect, type Socket } from 'node:net'

export interface OneConnection {
  /** The body of the answer, as it came. Rejects when its status is not 200. */
  get(path: string): Promise<Buffer>
  close(): void
}

export async function openConnection(port: number, headers: readonly string[] = []): Promise<OneConnection> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const tail = ['Host: 127.0.0.1', ...headers].join('\r\n')
  return {
    get: (path) => {
      const answer = readAnswer(socket)
      socket.write(`GET ${path} HTTP/1.1\r\n${tail}\r\n\r\n`)
      return answer
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const settle = (settled: () => void): void => {
      socket.removeAllListeners('data').removeAllListeners('close')
      settled()
    }
    socket.on('close', () => {
      reject(new Error(`the connection ended within an answer: ${received.toString('latin1')}`))
    })
    socket.on('data', (piece: Buffer) => {
      received = received.length === 0 ? piece : Buffer.concat([received, piece])
      const body = wholeBody(received)
      if (body === undefined) return
      const isGood = received.toString('latin1', 9, 12) === '200'
      settle(() => {
        if (isGood) resolve(body)
        else reject(new Error(received.toString('latin1')))
      })
    })
  })
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** `undefined` until it is there: as long as it says, or up to the last chunk. */
function wholeBody(received: Buffer): Buffer | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const body = received.subarray(headEnd + HEAD_END.length)
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, headEnd))?.[1]
  if (length !== undefined) return body.length >= Number(length) ? body : undefined
  return body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ? body : undefined
}
