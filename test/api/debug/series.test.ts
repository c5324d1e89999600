import { afterAll, expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { DebugSeries } from '../../../src/contract/debug.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS as STORE_NOW_MS, TempStore } from '../../store/temp-store.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

// The real store behind the real route.
const asked: unknown[] = []
const store = new TempStore()
const server = await makeServer({
  cardinality: (request) => {
    asked.push(request)
    return Promise.resolve(store.reader.cardinality({ ...request, nowMs: STORE_NOW_MS + 2 * HOUR_MS }))
  },
})
afterAll(() => server.app.close())

async function add(metric: string, clusters: number, pod: string): Promise<void> {
  for (let i = 0; i < clusters; i++) {
    const ref = store.resolve({ __name__: metric, cluster: `c${i}`, pod })
    store.writer.appender.append(ref, STORE_NOW_MS, 1)
  }
  await store.writer.appender.commit()
}

test('says what the series are made of and which of it grows, as the contract says', async () => {
  await add('up', 5, 'p1')
  await add('kubevirt_info', 3, 'p1')
  // Noted within a minute: does not count.
  for (const minutes of [30, 59.5, 90]) store.reader.recordGrowth(STORE_NOW_MS + minutes * MINUTE_MS)
  await add('up', 1, 'p2')
  await add('up', 2, 'p3')
  await add('new_metric', 1, 'p3')
  const answer = await server.app.inject('/debug/series?top=2')
  expect(answer.statusCode).toBe(200)
  expect([...Value.Errors(DebugSeries, answer.json())]).toEqual([])
  expect(answer.json()).toEqual({
    asOfMs: NOW_MS,
    series: 12,
    added: 4,
    sinceMs: STORE_NOW_MS + 59.5 * MINUTE_MS,
    metrics: {
      count: 3,
      top: [
        { value: 'up', series: 8, added: 3 },
        { value: 'kubevirt_info', series: 3, added: 0 },
      ],
      growing: [
        { value: 'up', series: 8, added: 3 },
        { value: 'new_metric', series: 1, added: 1 },
      ],
    },
    labels: {
      count: 3,
      top: [
        { name: 'cluster', values: 5, series: 12 },
        { name: '__name__', values: 3, series: 12 },
      ],
    },
    by: {
      label: 'cluster',
      values: {
        count: 5,
        top: [
          { value: 'c0', series: 5, added: 3 },
          { value: 'c1', series: 3, added: 1 },
        ],
        growing: [
          { value: 'c0', series: 5, added: 3 },
          { value: 'c1', series: 3, added: 1 },
        ],
      },
    },
  })
  expect(asked).toEqual([{ nowMs: NOW_MS, top: 2, by: 'cluster' }])

  const byPod = (await server.app.inject('/debug/series?by=pod')).json<DebugSeries>()
  expect(byPod.by.values.top.map(({ value, series }) => [value, series])).toEqual([
    ['p1', 8],
    ['p3', 3],
    ['p2', 1],
  ])
  const byNone = (await server.app.inject('/debug/series?by=nobody')).json<DebugSeries>()
  expect(byNone.by).toEqual({ label: 'nobody', values: { count: 0, top: [], growing: [] } })
})

test.each([
  ['top=0', 400],
  ['top=1001', 400],
  ['top=x', 400],
  ['by=', 400],
  ['by=a&by=b', 400],
  [`by=${'x'.repeat(1001)}`, 400],
])('%s is refused', async (query, status) => {
  expect((await server.app.inject(`/debug/series?${query}`)).statusCode).toBe(status)
})

test('is for viewers: a sender may not read about others', async () => {
  const guarded = await makeServer({
    requiresToken: true,
    authenticate: () => Promise.resolve({ role: 'ingest', name: 'i' }),
  })
  const headers = { authorization: 'Bearer i' }
  expect((await guarded.app.inject({ url: '/debug/series', headers })).statusCode).toBe(403)
  expect((await guarded.app.inject('/debug/series')).statusCode).toBe(401)
  await guarded.app.close()
})
