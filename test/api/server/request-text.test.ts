import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeServer, type TestServer } from '../test-server.ts'

let server: TestServer
let url: URL
beforeAll(async () => {
  server = await makeServer()
  url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(() => server.app.close())

/** Over a connection, because a request in memory has no bytes. */
function send(path: string, type?: string, body?: Uint8Array): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = type === undefined ? {} : { 'content-type': type }
    const { hostname, port } = url
    const sent = request(
      { agent: false, hostname, port, path, method: body === undefined ? 'GET' : 'POST', headers },
      (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString() })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const bytes = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['an escape without digits in a URL', '/api/v1/query?query=%zz', 'invalid URL escape \\"%zz\\"'],
  ['an escape that is cut off', '/api/v1/query?query=up%2', 'invalid URL escape \\"%2\\"'],
  ['an escaped byte that is no UTF-8', '/api/v1/query?query=%ff', 'malformed UTF-8'],
  ['an escaped half of a surrogate pair', '/api/v1/labels?start=%ED%A0%80', 'malformed UTF-8'],
  ['a byte that is not ASCII', '/api/v1/query?query=\xff', ''],
  ['in the URL of a fleet route', '/api/fleet/v1/clusters?state=%zz', 'invalid URL escape'],
  ['in the URL of a debug route', '/debug/series?by=%ff', 'malformed UTF-8'],
  ['in the URL of Alertmanager', '/api/v2/alerts?filter=%zz', 'invalid URL escape'],
  ['in a path', '/api/v1/label/%ff/values', ''],
  ['an escape in a form', '/api/v1/query', 'invalid URL escape \\"%z\\"', FORM, 'query=1%z'],
  ['an escaped byte in a form', '/api/v1/query', 'malformed UTF-8', FORM, 'query=%c3%28'],
  ['a byte in a form', '/api/v1/query', 'malformed UTF-8', FORM, 'query=\xff'],
  ['in JSON', '/api/fleet/v1/routes/test', 'malformed UTF-8', JSON_TYPE, '{"labels":{"a":"\xff"}}'],
  ['in the JSON of Alertmanager', '/api/v2/alerts', 'malformed UTF-8', JSON_TYPE, '[{"labels":{"alertname":"\xff"}}]'],
])('%s is refused', async (_what, path, message, type?: string, body?: string) => {
  const answer = await send(path, type, body === undefined ? undefined : bytes(body))
  expect(answer).toEqual({ status: 400, body: expect.stringContaining(message) as string })
})

test('UTF-8 is read as such, in escapes and in bytes', async () => {
  const query = 'x{a="ü💥"}'
  await send(`/api/v1/query?query=${encodeURIComponent(query)}`)
  await send('/api/v1/query', FORM, Buffer.from(`query=${query}`))
  expect(server.engine.instants.map(({ expr }) => expr)).toEqual([query, query])
})

const MULTIPART = 'multipart/form-data; boundary=--x'
const multipart = (...parts: readonly string[]): Buffer =>
  Buffer.from([...parts.map((part) => `----x\r\nContent-Disposition: form-data; ${part}\r\n`), '----x--\r\n'].join(''))

test('fields of multipart/form-data are parameters, in front of those of the URL; files are not', async () => {
  const query = 'sum(up{a="ü"})\r\n+ 1'
  server.engine.instants.length = 0
  const file = 'name="time"; filename="x"\r\nContent-Type: text/plain\r\n\r\n7'
  const body = multipart(`name="query"\r\n\r\n${query}`, file, 'name="time"\r\n\r\n5')
  expect(await send('/api/v1/query?query=down&time=3', MULTIPART, body)).toMatchObject({ status: 200 })
  expect(server.engine.instants).toMatchObject([{ expr: query, timeMs: 5000 }])
})

test.each([
  ['without a boundary', 'multipart/form-data', multipart('name="query"\r\n\r\n1'), 400],
  ['with another boundary', 'multipart/form-data; boundary=y', multipart('name="query"\r\n\r\n1'), 400],
  ['that is cut off', MULTIPART, multipart('name="query"\r\n\r\n1').subarray(0, 40), 400],
  ['without a name', MULTIPART, multipart('other="query"\r\n\r\n1'), 400],
  ['with bytes that are no UTF-8', MULTIPART, Buffer.concat([multipart('name="query"\r\n\r\n1'), Buffer.of(255)]), 400],
  ['above the limit', MULTIPART, Buffer.alloc(10 * 2 ** 20 + 1), 413],
])('multipart/form-data %s is refused', async (_what, type, body, status) => {
  expect(await send('/api/v1/query', type, body)).toMatchObject({ status })
})

test('a request with 1 MB of headers and URL is accepted, one with more is not', async () => {
  const selector = `up{a="${'x'.repeat(2 ** 20 - 1000)}"}`
  expect(await send(`/api/v1/series?match[]=${encodeURIComponent(selector)}`)).toMatchObject({ status: 200 })
  // A comparison of the text itself would print it.
  expect(JSON.stringify(server.engine.reads.at(-1)).includes(selector.slice(6, -2))).toBe(true)
  expect(await send(`/api/v1/labels?x=${'x'.repeat(2 ** 20 + 5000)}`)).toMatchObject({ status: 431 })
})
