import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// The server as it is built: a bundler that takes a check for a call without an effect leaves the check out.

const data = tempDir('malformed')
let server: RunningServer
beforeAll(async () => {
  server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...withoutContent()])
})
afterAll(async () => {
  await server.stop()
  data.remove()
})

const FORM = 'application/x-www-form-urlencoded'

test.each([
  ['a byte of a URL', '/api/v1/query?query=%22%ff%22', undefined, 'malformed UTF-8'],
  ['half of a surrogate pair in a URL', '/api/v1/series?match[]=%7Ba=%22%ed%a0%80%22%7D', undefined, 'malformed UTF-8'],
  ['an escape of a URL', '/api/v1/query?query=%zz', undefined, 'invalid URL escape'],
  ['an escaped byte of a form', '/api/v1/query', 'query=%22%c3%28%22', 'malformed UTF-8'],
  ['a byte of a form', '/api/v1/query', Buffer.from('query="\xff"', 'latin1'), 'malformed UTF-8'],
])('%s that is malformed is refused', async (_what, path, body, message) => {
  const sent = body === undefined ? {} : { method: 'POST', headers: { 'content-type': FORM }, body }
  const answer = await fetch(`${server.url}${path}`, sent)
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)])
})

test('well-formed escapes are read', async () => {
  const answer = await fetch(`${server.url}/api/v1/query?query=%22%c3%bc%f0%9f%92%a5%22`)
  expect(await answer.json()).toMatchObject({ data: { resultType: 'string', result: [expect.any(Number), 'ü💥'] } })
})
