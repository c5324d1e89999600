import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchJson, postJson, sendJson } from '../../../src/web/query/fetch-json.ts'

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

test.each([
  [
    500,
    '{"error": "internal error"}',
    'internal error',
    'Try again. If it fails again, the log of the server has the cause.',
  ],
  [503, '{"error": "overloaded"}', 'overloaded', 'The server is busy or starting: wait a moment, then try again.'],
  [429, '{"error": "x"}', 'x', 'The server is busy or starting: wait a moment, then try again.'],
  [503, '{"error": "the disk is full", "hint": "Free space."}', 'the disk is full', 'Free space.'],
  [
    ...[502, '<html>', 'The server responded with 502 Bad Gateway.'],
    'A proxy cannot reach the server: check that the server is running.',
  ] as const,
  [
    ...[504, '', 'The server responded with 504 Gateway Timeout.'],
    'A proxy cannot reach the server: check that the server is running.',
  ] as const,
  [422, '{"error": "too many samples"}', 'too many samples', undefined],
] as const)('%d %s: what failed, and what to do', async (status, body, message, hint) => {
  answer = (response) => {
    response.statusCode = status
    if (!body.startsWith('{')) response.setHeader('content-type', 'text/html')
    response.end(body)
  }
  await expect(fetchJson(origin)).rejects.toMatchObject({ status, message, hint })
})

test('after a lost response only a change may not have been applied', async () => {
  answer = (response) => {
    response.destroy()
  }
  const hintOf = (sent: Promise<unknown>) =>
    sent.catch((thrown: unknown) => (thrown as { readonly hint?: string }).hint)
  expect(await hintOf(fetchJson(origin))).toBe('The page retries automatically.')
  expect(await hintOf(postJson(origin, {}))).toBe('Nothing was changed: try again.')
  expect(await hintOf(sendJson('POST', origin, {}))).toBe('The change was probably not applied: try again.')
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
