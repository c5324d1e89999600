import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { compareAnswers } from '../../src/cli/answer-comparison.ts'
import { serverOf } from '../../src/cli/prometheus-client.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const AT_MS = 1_700_000_000_000

/** Answers each query with the value, and with notes. */
async function serve(value: string, notes: object): Promise<ReturnType<typeof serverOf>> {
  const http = createServer((request, response) => {
    const path = request.url ?? ''
    const isNames = path.startsWith('/api/v1/label/')
    const data = isNames ? ['up'] : { resultType: 'vector', result: [{ metric: {}, value: [1_700_000_000, value] }] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(path.startsWith('/api/fleet/') ? {} : { status: 'success', data, ...notes }))
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  closers.push(() => http.close())
  return serverOf(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, new Map())
}

test('answers are alike whatever notes are beside the results, and not with other values', async () => {
  const one = await serve('1', {})
  const remote = await serve('1', { infos: ['PromQL info: stored elsewhere'], warnings: ['PromQL warning: late'] })
  const alike = await compareAnswers(one, remote, AT_MS)
  expect(alike.differences).toEqual([])
  expect(alike.asked).toBeGreaterThan(10)
  const { differences } = await compareAnswers(one, await serve('2', {}), AT_MS)
  expect(differences.map(({ path }) => path.split('?')[0])).toEqual([
    ...['/api/v1/query', '/api/v1/query', '/api/v1/query_range', '/api/v1/query_range'],
  ])
})
