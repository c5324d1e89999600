import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryItems } from '../../../src/contract/deliveries.ts'
import { DebugNotify } from '../../../src/contract/debug.ts'
import * as contract from '../../../src/contract/deliveries.ts'
import type { DeliveryRecord } from '../../../src/model/delivery.ts'
import { Value } from 'typebox/value'
import { alertOf } from '../../notify/timeline.ts'
import { memoryNotify } from '../../support/notify.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const CONFIG = `
route:
  receiver: rest
  group_by: ['...']
  group_wait: 0s
  routes:
    - { matchers: ['severity="critical"'], receiver: oncall, continue: true, group_by: [cluster], group_wait: 0s, mute_time_intervals: [t] }
receivers: [{ name: rest }, { name: oncall, pagerduty_configs: [{ routing_key: abcdef0123 }] }]
time_intervals: [{ name: t, time_intervals: [{ years: ['2000'] }] }]
`

const DELIVERY: DeliveryRecord = {
  atMs: NOW_MS,
  receiver: 'oncall',
  integration: 'pagerduty',
  target: 'https://events.pagerduty.com/v2/enqueue',
  groupKey: '{}:{}',
  alertnames: ['A'],
  fingerprints: ['00000000000000aa'],
  reason: 'first',
  outcome: 'delivered',
  attempt: 1,
  status: 202,
  latencyMs: 3,
  payload: '{"x":1}',
  answer: 'ok',
}

let server: TestServer
beforeAll(async () => {
  const notify = await memoryNotify({ clock: { nowMs: () => NOW_MS }, config: CONFIG })
  await notify.facts.deliveries.add(
    Array.from({ length: 5 }, (_, i) => ({ ...DELIVERY, attempt: i + 1, outcome: i === 4 ? 'failed' : 'delivered' })),
  )
  await notify.pipeline.cycle([alertOf('A severity=warning', 'firing', NOW_MS - 60_000)], NOW_MS)
  server = await makeServer({ notify: notify.api, pipeline: notify.pipeline })
})
afterAll(async () => {
  await server.app.close()
})

const get = (url: string) => server.app.inject(url)

describe('/api/fleet/v1/deliveries', () => {
  test('pages, newest first, until there are no more', async () => {
    const ids: number[] = []
    let cursor: string | undefined
    do {
      const answer = await get(`/api/fleet/v1/deliveries?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      const page = answer.json<DeliveryItems>()
      expect(Value.Check(contract.DeliveryItems, page)).toBe(true)
      ids.push(...page.deliveries.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(ids).toEqual([5, 4, 3, 2, 1])
  })

  test.each([
    ['outcome=failed', [5]],
    ['receiver=oncall&outcome=delivered', [4, 3, 2, 1]],
    ['receiver=nobody', []],
    ['fingerprint=00000000000000aa&limit=1', [5]],
    ['fingerprint=00000000000000bb', []],
    ['outcome=', [5, 4, 3, 2, 1]],
  ])('?%s', async (query, ids) => {
    const { deliveries } = (await get(`/api/fleet/v1/deliveries?${query}`)).json<DeliveryItems>()
    expect(deliveries.map(({ id }) => id)).toEqual(ids)
  })

  test.each(['outcome=lost', 'limit=many', 'cursor=-1', 'fingerprint=x%25', 'receiver=a&receiver=b'])(
    '?%s is refused',
    async (query) => {
      expect((await get(`/api/fleet/v1/deliveries?${query}`)).statusCode).toBe(400)
    },
  )

  test('one has its payload and the answer; lists have neither', async () => {
    const one = (await get('/api/fleet/v1/deliveries/1')).json<Record<string, unknown>>()
    expect(one).toMatchObject({ id: 1, payload: '{"x":1}', answer: 'ok', alerts: 1 })
    expect(Value.Check(contract.DeliveryItem, one)).toBe(true)
    const list = (await get('/api/fleet/v1/deliveries')).json<DeliveryItems>()
    expect(list.deliveries[0]).not.toHaveProperty('payload')
  })

  test.each(['9', 'x', '1e3', '99999999999999999999'])('there is no delivery %s', async (id) => {
    expect((await get(`/api/fleet/v1/deliveries/${id}`)).statusCode).toBe(404)
  })
})

test('/api/fleet/v1/receivers', async () => {
  const answer = (await get('/api/fleet/v1/receivers')).json<unknown>()
  expect(Value.Check(contract.ReceiverItems, answer)).toBe(true)
  expect(answer).toEqual({
    configFile: 'am.yml',
    receivers: [
      { name: 'rest', integrations: [] },
      {
        name: 'oncall',
        integrations: [
          {
            integration: 'pagerduty',
            target: 'https://events.pagerduty.com/v2/enqueue',
            waiting: 0,
            failuresInARow: 0,
          },
        ],
      },
    ],
  })
})

test('/api/fleet/v1/routes', async () => {
  const answer = (await get('/api/fleet/v1/routes')).json<unknown>()
  expect(Value.Check(contract.RouteItem, answer)).toBe(true)
  expect(answer).toMatchObject({
    receiver: 'rest',
    groupBy: ['...'],
    repeatIntervalMs: 4 * 3_600_000,
    routes: [
      { receiver: 'oncall', matchers: ['severity="critical"'], muteTimeIntervals: ['t'], continues: true, routes: [] },
    ],
  })
})

describe('/api/fleet/v1/routes/test', () => {
  const ask = (payload: unknown) =>
    server.app.inject({ method: 'POST', url: '/api/fleet/v1/routes/test', payload: payload as object })

  test('each receiver with the path to it', async () => {
    expect((await ask({ labels: { severity: 'critical' } })).json()).toEqual({
      matches: [{ receiver: 'oncall', path: [0], matchers: ['severity="critical"'] }],
    })
    expect((await ask({ labels: {} })).json()).toEqual({ matches: [{ receiver: 'rest', path: [], matchers: [] }] })
  })

  test.each([{}, { labels: [] }, { labels: { a: 1 } }, { labels: 'x' }])('%j is refused', async (body) => {
    expect((await ask(body)).statusCode).toBe(400)
  })
})

test('/debug/notify has the reason of each decision', async () => {
  const answer = (await get('/debug/notify')).json<DebugNotify>()
  expect(Value.Check(DebugNotify, answer)).toBe(true)
  expect(answer.groups).toMatchObject([
    { receiver: 'rest', alerts: [{ alertname: 'A', sends: false, reason: 'no_receiver' }] },
  ])
})
