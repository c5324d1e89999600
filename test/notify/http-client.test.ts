import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HTTP_DEFAULTS } from '../../src/notify/config/http-config.ts'
import { createHttpClient } from '../../src/notify/http-client.ts'

let server: Server | undefined

afterEach(async () => {
  await close()
})

async function close(): Promise<void> {
  const closing = server
  server = undefined
  if (closing !== undefined) await new Promise((resolve) => closing.close(resolve))
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

let timeMs = 0
const post = createHttpClient({ nowMs: () => (timeMs += 7) })
const request = (url: string) => ({
  url,
  body: '[]',
  headers: { 'content-type': 'application/json' },
  http: { ...HTTP_DEFAULTS, followRedirects: false },
  timeoutMs: 2000,
})

test('sends the body, with credentials from the address as basic authentication', async () => {
  let seen: unknown
  const host = await serve((incoming, response) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => {
      seen = [incoming.method, incoming.headers.authorization, incoming.headers['content-type'], body]
      response.end('fine')
    })
  })
  const result = await post(request(`http://me:p%40ss@${host}/api/v2/alerts`))
  expect(result).toEqual({ status: 200, text: 'fine', contentType: '', latencyMs: 14 })
  expect(seen).toEqual(['POST', `Basic ${Buffer.from('me:p@ss').toString('base64')}`, 'application/json', '[]'])
})

test('an answer is kept short, and Retry-After is read', async () => {
  const host = await serve((_, response) => {
    response.writeHead(503, { 'retry-after': '7' }).end('x'.repeat(10_000))
  })
  const result = await post(request(`http://${host}/`))
  expect(result).toMatchObject({ status: 503, retryAfterMs: 7000 })
  expect(result.text).toHaveLength(4096)
})

test('a receiver that is not there is an answer with the reason', async () => {
  const host = await serve(() => undefined)
  await close()
  expect((await post(request(`http://${host}/`))).text).toMatch(/ECONNREFUSED/)
})

test('a receiver that never answers is given up, and a redirect is an answer', async () => {
  const host = await serve((incoming, response) => {
    if (incoming.url === '/moved') response.writeHead(302, { location: '/' }).end()
  })
  expect(await post({ ...request(`http://${host}/`), timeoutMs: 50 })).toMatchObject({ status: undefined })
  expect(await post(request(`http://${host}/moved`))).toMatchObject({ status: 302 })
  server!.closeAllConnections()
})
