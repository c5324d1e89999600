import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastifyCompress from '@fastify/compress'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { sendInPieces } from '../../../src/api/server/pieces.ts'
import { until } from '../../support/until.ts'

// Over real sockets: what is asked here is what happens when a client reads slowly, or leaves.

const PIECES = 2000
/** No compressor makes it smaller, so 100 MB leave in any case: far more than all buffers on the way hold. */
const PIECE = randomBytes(25_000).toString('hex')

let app: FastifyInstance | undefined
afterEach(() => app?.close())

async function serve(): Promise<{ readonly url: string; made: number; isOver: boolean }> {
  const server = Fastify()
  app = server
  await server.register(fastifyCompress, {
    globalDecompression: false,
    encodings: ['gzip', 'deflate'],
    threshold: 1024,
  })
  const seen = { url: '', made: 0, isOver: false }
  server.get('/', (_request, reply) =>
    sendInPieces(reply, 'application/json', 1e9, function* () {
      try {
        for (; seen.made < PIECES; seen.made++) yield PIECE
      } finally {
        seen.isOver = true
      }
    }),
  )
  await server.listen({ host: '127.0.0.1', port: 0 })
  seen.url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`
  return seen
}

const answered = (url: string, encoding: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, resolve).once('error', reject)
  })

test.each(['identity', 'gzip'])(
  '%s: nothing is written ahead of a client that does not read, nor after it left',
  async (encoding) => {
    const seen = await serve()
    const answer = await answered(seen.url, encoding)
    expect(answer.headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined)
    answer.once('error', () => undefined)
    // It reads one piece and no more: the buffers on the way fill, and then nothing is made for some turns of the loop.
    answer.once('readable', () => {
      answer.read(1)
    })
    let [before, turns] = [-1, 0]
    await until('the buffers to be full', () => {
      turns = seen.made === before && before > 0 ? turns + 1 : 0
      before = seen.made
      return turns > 20 ? true : undefined
    })
    expect(seen).toMatchObject({ isOver: false })
    expect(seen.made).toBeLessThan(PIECES / 2)
    answer.destroy()
    await until('the work to end', () => (seen.isOver ? true : undefined))
    expect(seen.made).toBeLessThan(PIECES / 2)
  },
)

test('a client that reads gets it all', async () => {
  const seen = await serve()
  const answer = await answered(seen.url, 'identity')
  let bytes = 0
  for await (const part of answer) bytes += (part as Buffer).length
  expect([bytes, seen.isOver]).toEqual([PIECES * PIECE.length, true])
})

test('other work runs while an answer is made, however fast the client reads', async () => {
  const server = Fastify()
  app = server
  // They fit into the buffers of the socket, so it never makes the answer wait.
  const text = 'x'.repeat(70_000)
  let rounds = 0
  const count = (): void => {
    rounds++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const roundOf: number[] = []
  server.get('/', (_request, reply) =>
    sendInPieces(reply, 'application/json', 1e9, function* () {
      for (let piece = 0; piece < 12; piece++) {
        const endMs = performance.now() + 15
        while (performance.now() < endMs);
        roundOf.push(rounds)
        yield text
      }
    }),
  )
  await server.listen({ host: '127.0.0.1', port: 0 })
  const answer = await answered(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`, 'identity')
  answer.resume()
  await until('the end', () => (roundOf.length === 12 ? true : undefined))
  clearImmediate(counting)
  expect(new Set(roundOf).size).toBeGreaterThanOrEqual(5)
})
