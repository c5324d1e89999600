import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LogQuery, LogRecord } from '../../../src/model/log-record.ts'
import type { ObjectTransition } from '../../../src/model/observation.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const RECORD: LogRecord = {
  timeNs: BigInt(NOW_MS) * 1_000_000n + 7n,
  cluster: 'prague',
  service: 'hco',
  severity: 17,
  severityText: 'ERROR',
  eventName: 'e',
  body: {
    entries: [
      { key: 'n', value: 2n ** 60n },
      { key: 'list', value: [undefined, NaN, Uint8Array.of(1)] },
    ],
  },
  attributes: [{ key: 'a', value: true }],
  traceId: '5b8efff798038103d269b633813fc60c',
  spanId: '',
}
const CDI = { kind: 'cdis', phase: 'Deployed', conditions: [] } as const
const TRANSITION: ObjectTransition = {
  before: { ...CDI, phase: 'Upgrading', operatorVersion: 'v1' },
  after: {
    cluster: 'prague',
    uid: 'u',
    name: 'cdi',
    namespace: 'cnv',
    resourceVersion: '7',
    change: 'modified',
    observedMs: NOW_MS,
    facts: CDI,
  },
  manager: { name: 'cdi-operator', operation: 'Update', subresource: 'status' },
}

let server: TestServer
const asked: unknown[] = []
beforeAll(async () => {
  server = await makeServer({
    logRecords: {
      logs: (query: LogQuery) => {
        asked.push(query)
        return Promise.resolve(Array.from({ length: Math.min(query.limit, 3) }, () => RECORD))
      },
    },
    objectChanges: (cluster, range) => {
      asked.push({ cluster, ...range })
      return Promise.resolve([TRANSITION, { after: TRANSITION.after }].slice(0, range.limit))
    },
  })
})
afterAll(() => server.app.close())

async function get(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await server.app.inject(url)
  return { status: answer.statusCode, body: answer.json() }
}

describe('/api/fleet/v1/logs', () => {
  test('answers the newest, as JSON can say them', async () => {
    const { status, body } = await get('/api/fleet/v1/logs?limit=2')
    expect(status).toBe(200)
    expect(body).toMatchObject({ asOf: '2026-08-20T10:00:00.000Z', hasMore: true })
    expect((body['logs'] as unknown[])[0]).toEqual({
      time: '2026-08-20T10:00:00.000000007Z',
      cluster: 'prague',
      service: 'hco',
      severity: 17,
      severityText: 'ERROR',
      eventName: 'e',
      body: { n: '1152921504606846976', list: [null, 'NaN', 'AQ=='] },
      attributes: { a: true },
      traceId: RECORD.traceId,
      spanId: '',
    })
    expect(body['logs']).toHaveLength(2)
  })

  test('passes on what is asked for', async () => {
    const { body } = await get(
      '/api/fleet/v1/logs?cluster=prague&service=hco&contains=x&severity=warn&from=2026-08-20T09:00:00Z&to=2026-08-20T09:30:00.5Z&traceId=5B8EFFF798038103D269B633813FC60C',
    )
    expect(body).toMatchObject({ hasMore: false })
    expect(asked.at(-1)).toEqual({
      cluster: 'prague',
      service: 'hco',
      contains: 'x',
      severityMin: 13,
      traceId: RECORD.traceId,
      fromNs: BigInt(NOW_MS - 3_600_000) * 1_000_000n,
      toNs: BigInt(NOW_MS - 1_799_500) * 1_000_000n + 999_999n,
      limit: 101,
    })
  })

  test.each([
    ['severity=loud', 'one of trace, debug'],
    ['from=yesterday', 'want a time'],
    ['limit=0', 'a whole number'],
    ['traceId=7', '32 hexadecimal digits'],
    ['namespace=x', 'unknown parameter'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await get(`/api/fleet/v1/logs?${query}`)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(message)
  })
})

describe('/api/fleet/v1/clusters/:cluster/changes', () => {
  test('tells what a state has that the one before had not', async () => {
    const { status, body } = await get('/api/fleet/v1/clusters/prague/changes?from=2026-08-20T09:00:00Z&limit=1')
    expect(status).toBe(200)
    expect(asked.at(-1)).toEqual({
      cluster: 'prague',
      fromMs: NOW_MS - 3_600_000,
      toMs: Number.MAX_SAFE_INTEGER,
      limit: 2,
    })
    expect(body).toEqual({
      asOf: '2026-08-20T10:00:00.000Z',
      cluster: 'prague',
      hasMore: true,
      changes: [
        {
          at: '2026-08-20T10:00:00.000Z',
          kind: 'cdis',
          namespace: 'cnv',
          name: 'cdi',
          uid: 'u',
          resourceVersion: '7',
          change: 'modified',
          manager: { name: 'cdi-operator', operation: 'Update', subresource: 'status' },
          isFirst: false,
          fields: [
            { field: 'operatorVersion', before: 'v1', after: null },
            { field: 'phase', before: 'Upgrading', after: 'Deployed' },
          ],
        },
      ],
    })
  })

  test('a first state has no fields that changed', async () => {
    const { body } = await get('/api/fleet/v1/clusters/prague/changes')
    expect((body['changes'] as object[])[1]).toMatchObject({ isFirst: true, fields: [], manager: null })
  })

  test('tells the states themselves when they are asked for, of one object too', async () => {
    const { body } = await get('/api/fleet/v1/clusters/prague/changes?uid=u&states=true')
    expect(asked.at(-1)).toMatchObject({ uid: 'u' })
    expect((body['changes'] as object[])[0]).toMatchObject({ state: CDI })
    expect((await get('/api/fleet/v1/clusters/prague/changes?states=all')).status).toBe(400)
  })
})
