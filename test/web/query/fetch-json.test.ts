import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchJson } from '../../../src/web/query/fetch-json.ts'

let server: Server
let origin: string
/** What answers the next question. */
let answer: (response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    answer(response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each<readonly [string, (response: ServerResponse) => void, string]>([
  [
    'an answer that stalls half-way',
    (response) => {
      response.write('{"alerts": [')
    },
    'The server did not respond within 0.2 s.',
  ],
  [
    'an answer that breaks off',
    (response) => {
      response.write('{"alerts": [', () => {
        response.destroy()
      })
    },
    'The response of the server was cut off.',
  ],
  [
    'a proxy that speaks for the server',
    (response) => {
      response.end('<html>')
    },
    `The response to PATH is not JSON: a proxy may have answered instead of the server.`,
  ],
])('%s', async (_, how, message) => {
  answer = how
  const path = `${origin}/api`
  await expect(fetchJson(path, undefined, 200)).rejects.toThrow(message.replace('PATH', path))
})

test('a question that is given up while it is answered is no failure of the server', async () => {
  const giveUp = new AbortController()
  answer = (response) => {
    response.write('{"alerts": [', () => {
      giveUp.abort()
    })
  }
  await expect(fetchJson(origin, giveUp.signal, 10_000)).rejects.toMatchObject({ name: 'AbortError' })
})
