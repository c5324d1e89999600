import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { AlertMarks } from '../../src/contract/alerts.ts'
import type { DebugNotify } from '../../src/contract/debug.ts'
import type { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem, RouteTest } from '../../src/contract/deliveries.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

/** The program as it ships, its own file, a real receiver: what is told, what a killed process forgets, and what is shown. */

const SECRET = 'sEcReT-0123456789'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Place {
  readonly hook: HookServer
  readonly configPath: string
  readonly start: () => Promise<RunningServer>
}

async function place(config: (url: string) => string): Promise<Place> {
  const dir = tempDir('e2e-notify')
  const hook = await startHook()
  closers.push(
    () => {
      dir.remove()
    },
    () => hook.stop(),
  )
  const configPath = join(dir.path, 'am.yml')
  writeFileSync(configPath, config(hook.url))
  return {
    hook,
    configPath,
    start: async () => {
      const server = await startServer([
        'serve',
        '--listen=127.0.0.1:0',
        `--data=${join(dir.path, 'data')}`,
        `--notify.config=${configPath}`,
        '--own-metrics=false',
        ...withoutContent(),
      ])
      closers.push(() => server.kill())
      return server
    },
  }
}

const config = (url: string): string => `
route: { receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: hook
    webhook_configs: [{ url: '${url}/hook?token=${SECRET}' }]
`

async function post(server: RunningServer, name: string, endsAtMs?: number): Promise<void> {
  const answer = await fetch(`${server.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      {
        labels: { alertname: name, cluster: 'east' },
        annotations: { summary: `${name} is wrong` },
        ...(endsAtMs === undefined ? {} : { endsAt: new Date(endsAtMs).toISOString() }),
      },
    ]),
  })
  expect(answer.status).toBe(200)
}

async function get<T>(server: RunningServer, path: string): Promise<T> {
  const answer = await fetch(server.url + path)
  expect(answer.status, path).toBe(200)
  return (await answer.json()) as T
}

const statusesOf = (hook: HookServer): readonly string[] =>
  hook.got.map(({ body }) => {
    const { status, commonLabels } = JSON.parse(body) as { status: string; commonLabels: Record<string, string> }
    return `${commonLabels['alertname']} ${status}`
  })

const heard = (hook: HookServer, count: number): Promise<unknown> =>
  until(`${count} messages`, () => (hook.got.length >= count ? true : undefined), 30_000)

test('what was told is not told again by a process that was killed, and its end is', { timeout: 120_000 }, async () => {
  const { hook, start } = await place(config)
  const first = await start()
  await post(first, 'A')
  await heard(hook, 1)
  // The message has arrived; that it was told is durable a commit later, and shown when it is.
  await until('the delivery to be kept', async () => {
    const { deliveries } = await get<DeliveryItems>(first, '/api/fleet/v1/deliveries')
    return deliveries.length > 0 ? true : undefined
  })
  await first.kill()

  const second = await start()
  await post(second, 'B')
  await heard(hook, 2)
  await post(second, 'A', Date.now())
  await heard(hook, 3)
  expect(statusesOf(hook)).toEqual(['A firing', 'B firing', 'A resolved'])
  expect(await second.stop()).toBe(0)
})

test('a message that did not arrive before the kill arrives after it', { timeout: 120_000 }, async () => {
  const { hook, start } = await place(config)
  hook.answer = [{ status: 503 }]
  const first = await start()
  await post(first, 'A')
  await heard(hook, 1)
  await first.kill()
  hook.answer = [{}]
  const tried = hook.got.length
  const second = await start()
  await heard(hook, tried + 1)
  const { deliveries } = await until('it to be kept', async () => {
    const found = await get<DeliveryItems>(second, '/api/fleet/v1/deliveries?outcome=delivered')
    return found.deliveries.length > 0 ? found : undefined
  })
  expect(deliveries).toMatchObject([{ receiver: 'hook', alertnames: ['A'], reason: 'first', attempt: 1 }])
})

test(
  'everything that is shown: deliveries, receivers, routes, marks, reasons; and no secret in it',
  { timeout: 120_000 },
  async () => {
    const { hook, configPath, start } = await place(config)
    const server = await start()
    await post(server, 'A')
    await heard(hook, 1)
    const { deliveries } = await until('the delivery to be kept', async () => {
      const found = await get<DeliveryItems>(server, '/api/fleet/v1/deliveries')
      return found.deliveries.length > 0 ? found : undefined
    })
    const [delivery] = deliveries
    expect(delivery).toMatchObject({
      outcome: 'delivered',
      target: `${hook.url}/…`,
      groupKey: '{}:{alertname="A"}',
      alerts: 1,
    })
    const one = await get<DeliveryItem>(server, `/api/fleet/v1/deliveries/${delivery!.id}`)
    expect(JSON.parse(one.payload ?? '')).toMatchObject({ version: '4', receiver: 'hook' })
    const receivers = await get<ReceiverItems>(server, '/api/fleet/v1/receivers')
    expect(receivers).toMatchObject({
      configFile: configPath,
      receivers: [{ name: 'hook', integrations: [{ integration: 'webhook', waiting: 0, failuresInARow: 0 }] }],
    })
    const routes = await get<RouteItem>(server, '/api/fleet/v1/routes')
    expect(routes).toMatchObject({ receiver: 'hook', groupBy: ['alertname'], routes: [] })
    const tested = await fetch(`${server.url}/api/fleet/v1/routes/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labels: { alertname: 'X' } }),
    })
    expect((await tested.json()) as RouteTest).toEqual({ matches: [{ receiver: 'hook', path: [], matchers: [] }] })
    const debug = await get<DebugNotify>(server, '/debug/notify')
    expect(debug.groups).toMatchObject([{ groupKey: '{}:{alertname="A"}', alerts: [{ alertname: 'A' }] }])
    const { alerts } = await get<{ alerts: readonly { marks: AlertMarks }[] }>(server, '/api/fleet/v1/alerts')
    expect(alerts[0]?.marks).toMatchObject({ receivers: ['hook'], decisions: [{ receiver: 'hook' }] })
    const status = await get<{ config: { original: string } }>(server, '/api/v2/status')
    expect(status.config.original).toContain('url: <secret>')
    expect(await get(server, '/api/v2/receivers')).toEqual([{ name: 'hook' }])
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(/daytwo_notifications_total\{receiver="hook",integration="webhook",outcome="delivered"\} 1/)

    const shown = JSON.stringify([deliveries, one, receivers, routes, debug, alerts, status, metrics, server.output()])
    expect(shown).not.toContain(SECRET)
  },
)

test('a bad file is refused whole and without its secrets; a good one is used', { timeout: 120_000 }, async () => {
  const { hook, configPath, start } = await place(config)
  const server = await start()
  const reload = async (): Promise<Response> => fetch(`${server.url}/-/reload`, { method: 'POST' })
  writeFileSync(configPath, config(hook.url).replace('receiver: hook', 'receiver: nobody'))
  const refused = await reload()
  expect(refused.status).toBe(500)
  const text = await refused.text()
  expect(text).toContain('there is no receiver named "nobody"')
  expect(text + server.output()).not.toContain(SECRET)
  await post(server, 'A')
  await heard(hook, 1)

  const other = await startHook()
  closers.push(() => other.stop())
  writeFileSync(configPath, config(other.url).replace(/\bhook\b/g, 'other'))
  expect((await reload()).status).toBe(200)
  await post(server, 'B')
  await heard(other, 2)
  // Another receiver has been told nothing yet, of A neither.
  expect([...statusesOf(other)].sort()).toEqual(['A firing', 'B firing'])
  expect(statusesOf(hook)).toEqual(['A firing'])
})

test('a file that cannot be used keeps the server from starting', { timeout: 60_000 }, async () => {
  const { start } = await place((url) => config(url).replace('group_wait: 0s', 'group_wait: soon'))
  await expect(start()).rejects.toThrow(/want a duration/)
})
