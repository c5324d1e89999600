import { afterAll, expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { DebugIngest } from '../../../src/contract/debug.ts'
import { Labels } from '../../../src/model/labels.ts'
import { encodeWriteRequest } from '../../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../../src/wire/snappy.ts'
import { NOW_MS, makeServer } from '../test-server.ts'

const server = await makeServer()
afterAll(() => server.app.close())

const write = async (cluster: string, replica: string, timeMs: number): Promise<void> => {
  const labels = Labels.of({ __name__: 'up', cluster, prometheus_replica: replica })
  const payload = Buffer.from(encodeSnappy(encodeWriteRequest([{ labels, samples: [{ timeMs, value: 1 }] }])))
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
  await server.app.inject({ method: 'POST', url: '/api/v1/write', headers, payload })
}

test('answers why a sample is not there, as the contract says', async () => {
  await write('a', 'x', NOW_MS)
  await write('a', 'y', NOW_MS)
  await write('b', 'x', NOW_MS + 86_400_000)
  const answer = await server.app.inject('/debug/ingest')
  expect(answer.statusCode).toBe(200)
  expect([...Value.Errors(DebugIngest, answer.json())]).toEqual([])
  expect(answer.json<DebugIngest>()).toMatchObject({
    asOfMs: NOW_MS,
    refusals: [
      { reason: 'too_far_ahead', count: 1, lastMs: NOW_MS },
      { reason: 'ha_duplicate', count: 1, examples: [{ text: 'replica y of a is on standby, x is elected' }] },
    ],
    clusters: { count: 2, bySamples: [{ cluster: 'a', taken: 1 }], byRefused: [{ cluster: 'b', refused: 1 }] },
    replicas: { pairs: 1, elections: [{ cluster: 'a', replica: 'x', standbys: [{ replica: 'y' }] }] },
  })
})

test.each([
  ['1', 200],
  ['1000', 200],
  ['0', 400],
  ['1001', 400],
  ['-1', 400],
  ['x', 400],
  ['', 400],
])('top=%s is %i', async (top, status) => {
  expect((await server.app.inject(`/debug/ingest?top=${top}`)).statusCode).toBe(status)
})

test('is for viewers: a sender may not read about others', async () => {
  const guarded = await makeServer({
    requiresToken: true,
    authenticate: (token) =>
      Promise.resolve(token === 'v' ? { role: 'viewer', name: 'v' } : { role: 'ingest', name: 'i' }),
  })
  const ask = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await guarded.app.inject({ url: '/debug/ingest', headers })).statusCode
  }
  expect([await ask('v'), await ask('i')]).toEqual([200, 403])
  expect((await guarded.app.inject('/debug/ingest')).statusCode).toBe(401)
  await guarded.app.close()
})
