import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { FARO_LIMITS } from '../../../src/ingest/faro.ts'
import type { Principal } from '../../../src/model/token.ts'
import { until } from '../../support/until.ts'
import { writeBody } from '../../support/remote-write.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const MIB = 1024 * 1024
/** What each request holds beside its body. */
const REQUEST_BYTES = 16 * 1024

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Listening extends TestServer {
  readonly port: number
}

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  loud: { name: 'loud token', role: 'ingest', cluster: 'loud' },
  twin: { name: 'other token', role: 'ingest', cluster: 'loud' },
  quiet: { name: 'quiet token', role: 'ingest', cluster: 'quiet' },
  free: { name: 'free token', role: 'admin' },
}

async function listening(settings: Parameters<typeof makeServer>[0] extends infer O ? NonNullable<O> : never) {
  const server = await makeServer({
    authenticate: (token) => Promise.resolve(PRINCIPALS[token]),
    ...settings,
    settings: { bodyBytesMax: 16 * MIB, decodedBytesMax: 32 * MIB, requestBytesMax: 64 * MIB, ...settings.settings },
  })
  closers.push(() => server.app.close())
  const url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
  return { ...server, port: Number(url.port) }
}

interface Client {
  readonly socket: Socket
  /** What the server sent so far. */
  readonly answer: () => string
}

async function client(port: number, sent: string | Uint8Array = ''): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  closers.push(() => socket.destroy())
  const parts: Buffer[] = []
  socket.on('data', (data: Buffer) => parts.push(data))
  socket.on('error', () => undefined) // Refused while it sends.
  await once(socket, 'connect')
  socket.write(sent)
  return { socket, answer: () => Buffer.concat(parts).toString() }
}

const answered = ({ answer, socket }: Client): Promise<string> =>
  until('an answer', () => (answer() !== '' || socket.destroyed ? answer().split('\r\n\r\n')[0]! : undefined))

interface Head {
  readonly path?: string
  readonly token?: string
  /** Absent: chunked. */
  readonly bytes?: number
  readonly more?: string
}

function head({ path = '/api/v1/write', token, bytes, more = '' }: Head): string {
  const length = bytes === undefined ? 'transfer-encoding: chunked' : `content-length: ${bytes}`
  const types: Readonly<Record<string, string>> = {
    '/api/v1/write': 'content-type: application/x-protobuf\r\ncontent-encoding: snappy\r\n',
    '/api/v1/query': 'content-type: application/x-www-form-urlencoded\r\n',
    '/api/v2/alerts': 'content-type: application/json\r\n',
  }
  const type = types[path] ?? 'content-type: application/x-protobuf\r\n'
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${type}${authorization}${more}${length}\r\n\r\n`
}

async function heldBytes({ deps }: Listening): Promise<number> {
  return (await deps.metrics.requestBytes.get()).values[0]?.value ?? 0
}

/** Waits until requests hold so much. */
async function untilHeld(server: Listening, bytes: number): Promise<void> {
  await until(`requests to hold ${bytes} bytes`, async () => ((await heldBytes(server)) === bytes ? true : undefined))
}

async function refusals({ deps }: Listening): Promise<Record<string, number>> {
  const { values } = await deps.metrics.requestsRefused.get()
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels.reason} ${labels.owner}`, value]))
}

/** Tokens whose check ends when the test says so. */
function gatedTokens() {
  let [asked, open] = [0, (): void => undefined]
  const opened = new Promise<void>((resolve) => (open = resolve))
  const authenticate = async (token: string) => {
    asked++
    await opened
    return PRINCIPALS[token]
  }
  return {
    authenticate,
    asked: () => asked,
    open: () => {
      open()
    },
  }
}

/** Closes the connection, and waits until the server knows. */
async function gone({ app }: Listening, { socket }: Client): Promise<void> {
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      app.server.getConnections((error, count) => {
        if (error === null) resolve(count)
        else reject(error)
      })
    })
  socket.destroy()
  await until('the connection to be closed', async () => ((await connections()) === 0 ? true : undefined))
}

const SAMPLE = Buffer.from(
  writeBody([{ labels: { __name__: 'up', job: 'x' }, samples: [{ timeMs: NOW_MS, value: 1 }] }]),
)

describe.each([
  ['the fast path', ''],
  ['Fastify', 'sec-fetch-site: same-origin\r\n'],
])('over %s', (_way, more) => {
  test('150 half-sent bodies of 15.5 MiB hold no more than the share of their sender, and little memory', async () => {
    const server = await listening({ settings: { requestBytesMax: 128 * MIB } })
    const half = Buffer.alloc(7.75 * MIB)
    const bytes = 15.5 * MIB
    const beforeBytes = process.memoryUsage().rss
    const clients = await Promise.all(
      Array.from({ length: 150 }, async () => {
        const one = await client(server.port, head({ bytes, more }))
        one.socket.write(half)
        return one
      }),
    )
    const admitted = 4 // Of half of the budget.
    await until('all others to be refused', async () => {
      return (await refusals(server))['share address'] === clients.length - admitted ? true : undefined
    })
    expect(await heldBytes(server)).toBe(admitted * (bytes + REQUEST_BYTES))
    expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(600 * MIB)
    for (const { socket } of clients) socket.destroy()
    await untilHeld(server, 0)
    const after = await client(server.port, head({ bytes: SAMPLE.length, more }))
    after.socket.write(SAMPLE)
    expect(await answered(after)).toMatch(/^HTTP\/1\.1 204 /)
  })

  test('an admitted request gives back what it holds with its answer', async () => {
    const server = await listening({})
    const { socket, answer } = await client(server.port, head({ bytes: SAMPLE.length, more }))
    await untilHeld(server, SAMPLE.length + REQUEST_BYTES)
    socket.write(SAMPLE)
    await until('the answer', () => (answer().startsWith('HTTP/1.1 204') ? true : undefined))
    await untilHeld(server, 0)
    // Over the same connection.
    socket.write(head({ bytes: SAMPLE.length, more }))
    await untilHeld(server, SAMPLE.length + REQUEST_BYTES)
    socket.destroy()
    await untilHeld(server, 0)
  })

  test('a body that does not arrive is given up, one that makes progress is not', async () => {
    const server = await listening({})
    const stuck = await client(server.port, head({ bytes: MIB, more }) + 'abc')
    const slow = await client(server.port, head({ bytes: 4 * MIB, more }))
    await untilHeld(server, 5 * MIB + 2 * REQUEST_BYTES)
    for (let second = 0; second < 15; second++) {
      slow.socket.write(Buffer.alloc(128 * 1024))
      await new Promise((sent) => setTimeout(sent, 5))
      server.clock.advance(1000)
    }
    expect(await answered(stuck)).toMatch(/^HTTP\/1\.1 408 /)
    await untilHeld(server, 4 * MIB + REQUEST_BYTES)
    expect(slow.answer()).toBe('')
    expect(await refusals(server)).toEqual({ 'slow address': 1 })
  })

  test.each([
    ['declared', 4 * MIB],
    ['chunked', undefined],
  ])('a sender that leaves while its token is checked holds nothing: length %s', async (_length, bytes) => {
    const gate = gatedTokens()
    const server = await listening({ authenticate: gate.authenticate, requiresToken: true })
    const left = await client(
      server.port,
      head({ token: 'free', ...(bytes === undefined ? {} : { bytes }), more }) + 'abc',
    )
    await until('its token to be checked', () => (gate.asked() === 1 ? true : undefined))
    await gone(server, left)
    gate.open()
    const after = await client(server.port, head({ token: 'free', bytes: SAMPLE.length, more }))
    after.socket.write(SAMPLE)
    expect(await answered(after)).toMatch(/^HTTP\/1\.1 204 /)
    await untilHeld(server, 0)
    // Nothing looks for slow bodies any more.
    server.clock.advance(60_000)
    expect(await refusals(server)).toEqual({})
  })

  test('a cluster that sends too much leaves room for the others, whichever of its tokens it uses', async () => {
    const server = await listening({ requiresToken: true })
    const loud = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        client(server.port, head({ token: i % 2 === 0 ? 'loud' : 'twin', bytes: 8 * MIB, more })),
      ),
    )
    await until('the share of the cluster to be used', async () => {
      return (await refusals(server))['share cluster'] === 17 ? true : undefined
    })
    for (let i = 0; i < 20; i++) {
      const quiet = await client(server.port, head({ token: 'quiet', bytes: SAMPLE.length, more }))
      quiet.socket.write(SAMPLE)
      expect(await answered(quiet)).toMatch(/^HTTP\/1\.1 204 /)
      quiet.socket.destroy()
    }
    const free = await client(server.port, head({ token: 'free', bytes: 8 * MIB, more }))
    await untilHeld(server, 4 * (8 * MIB + REQUEST_BYTES))
    expect(free.answer()).toBe('')
    expect(Object.keys(await refusals(server))).toEqual(['share cluster'])
    const refused = loud.filter(({ answer }) => answer() !== '').map(({ answer }) => answer())
    expect(refused).toHaveLength(17)
    // Prometheus drops what is answered 429.
    for (const text of refused) expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/is)
  })
})

test.each([
  ['/v1/metrics', 429],
  ['/v1/logs', 429],
  ['/api/v2/alerts', 429],
  ['/api/v1/query', 429],
  ['/api/v1/write', 503],
])('%s is refused with %i and Retry-After, whole', async (path, status) => {
  const server = await listening({})
  const holds = await Promise.all(Array.from({ length: 3 }, () => client(server.port, head({ bytes: 10 * MIB }))))
  await untilHeld(server, 3 * (10 * MIB + REQUEST_BYTES))
  const { answer, socket } = await client(server.port, head({ path, bytes: 10 * MIB }))
  await once(socket, 'close')
  expect(answer()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer()).toMatch(/\r\nretry-after: 5\r\n/i)
  expect(answer()).toContain('web.request-bytes-max, 67108864')
  expect(holds.every((one) => one.answer() === '')).toBe(true)
})

test('a refused small request keeps its connection', async () => {
  const server = await listening({ settings: { requestBytesMax: 4 * REQUEST_BYTES } })
  const hold = await client(server.port, head({ bytes: REQUEST_BYTES / 2 }))
  await untilHeld(server, 1.5 * REQUEST_BYTES)
  const { answer, socket } = await client(server.port, head({ bytes: REQUEST_BYTES }))
  await until('the refusal', () => (answer().startsWith('HTTP/1.1 503') ? true : undefined))
  hold.socket.destroy()
  await untilHeld(server, 0)
  socket.write(Buffer.alloc(REQUEST_BYTES))
  socket.write(head({ bytes: SAMPLE.length }))
  socket.write(SAMPLE)
  await until('the next answer', () => (answer().includes('HTTP/1.1 204') ? true : undefined))
})

describe('a body without a length', () => {
  test('holds what arrived, and is refused when that is too much', async () => {
    const server = await listening({ settings: { requestBytesMax: 2 * MIB } })
    const hold = await client(server.port, head({ bytes: MIB / 2 }))
    await untilHeld(server, MIB / 2 + REQUEST_BYTES)
    const { socket, answer } = await client(server.port, head({ path: '/v1/metrics' }))
    const chunk = Buffer.alloc(MIB / 4)
    const send = () => {
      socket.write(`${chunk.length.toString(16)}\r\n`)
      socket.write(chunk)
      socket.write('\r\n')
    }
    send()
    await untilHeld(server, MIB / 2 + MIB / 4 + 2 * REQUEST_BYTES)
    send()
    send()
    await once(socket, 'close')
    expect(answer()).toMatch(/^HTTP\/1\.1 429 /)
    await untilHeld(server, MIB / 2 + REQUEST_BYTES)
    hold.socket.destroy()
    await untilHeld(server, 0)
  })

  test('within the limits is taken', async () => {
    const server = await listening({})
    const { socket, answer } = await client(server.port, head({}))
    socket.write(`${SAMPLE.length.toString(16)}\r\n`)
    socket.write(SAMPLE)
    socket.write('\r\n0\r\n\r\n')
    await until('the answer', () => (answer().startsWith('HTTP/1.1 204') ? true : undefined))
    await untilHeld(server, 0)
  })
})

describe('a body that grows when it is decompressed', () => {
  const bomb = gzipSync(Buffer.alloc(3 * MIB))
  const gzip = 'content-encoding: gzip\r\n'

  test('takes from the same budget, and is refused when that is too much', async () => {
    const server = await listening({ settings: { requestBytesMax: 4 * MIB } })
    await client(server.port, head({ bytes: MIB }))
    await untilHeld(server, MIB + REQUEST_BYTES)
    const refused = await client(server.port, head({ path: '/v1/traces', bytes: bomb.length, more: gzip }))
    refused.socket.write(bomb)
    expect(await answered(refused)).toMatch(/^HTTP\/1\.1 429 /)
    await untilHeld(server, MIB + REQUEST_BYTES)
  })

  test('is read when there is room', async () => {
    const server = await listening({ settings: { requestBytesMax: 4 * MIB } })
    const read = await client(server.port, head({ path: '/v1/traces', bytes: bomb.length, more: gzip }))
    read.socket.write(bomb)
    expect(await answered(read)).toMatch(/^HTTP\/1\.1 400 /)
    await untilHeld(server, 0)
  })

  test('counts for browser telemetry, too', async () => {
    const faro = { requestsPerSecond: 100, burst: 100 }
    const server = await listening({ faro, settings: { requestBytesMax: 2 * MIB } })
    await client(server.port, head({ bytes: MIB / 2 }))
    await untilHeld(server, MIB / 2 + REQUEST_BYTES)
    const packed = gzipSync(Buffer.alloc(FARO_LIMITS.bodyBytesMax))
    const sent = await client(server.port, head({ path: '/collect', bytes: packed.length, more: gzip }))
    sent.socket.write(packed)
    expect(await answered(sent)).toMatch(/^HTTP\/1\.1 429 /)
  })
})
