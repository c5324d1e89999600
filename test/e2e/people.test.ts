import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// What people and other programs said is there after kill -9: the product as it ships, its threads and its disk.

let data: ReturnType<typeof tempDir>
let server: RunningServer

beforeEach(async () => {
  data = tempDir('people')
  server = await start()
})
afterEach(async () => {
  await server.stop()
  data.remove()
})

function start(): Promise<RunningServer> {
  return startServer([
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    data.path,
    '--own-metrics',
    'false',
    ...withoutContent(),
  ])
}

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}/api/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  expect([path, response.status]).toEqual([path, method === 'POST' && path.endsWith('v1/silences') ? 201 : 200])
  return (text === '' ? undefined : JSON.parse(text)) as T
}

interface Item {
  readonly fingerprint: string
  readonly alertname: string
  readonly state: string
  readonly activeAtMs: number
  readonly marks: { readonly silencedBy: readonly string[]; readonly acknowledged?: object }
}

test('silences, acknowledgements, alerts of others, their history and the audit survive kill -9', async () => {
  const labels = { alertname: 'NodeDown', cluster: 'c1', severity: 'critical' }
  const startsAt = new Date(Date.now() - 60_000).toISOString()
  const endsAt = new Date(Date.now() + 3_600_000).toISOString()
  await ask('POST', 'v2/alerts', [{ labels, startsAt, endsAt, generatorURL: 'http://prometheus.c1/graph' }])
  const { alerts } = await ask<{ alerts: Item[] }>('GET', 'fleet/v1/alerts')
  const { fingerprint, activeAtMs } = alerts[0]!
  const matchers = [{ name: 'alertname', op: '=', value: 'NodeDown' }]
  const { id } = await ask<{ id: string }>('POST', 'fleet/v1/silences', {
    matchers,
    endsAtMs: Date.now() + 3_600_000,
    comment: 'known',
    createdBy: 'ada',
    untilResolved: true,
  })
  await ask('POST', `fleet/v1/alerts/${fingerprint}/acknowledge`, { note: 'on it', by: 'ada' })

  await server.kill()
  server = await start()
  const after = await ask<{ alerts: Item[] }>('GET', 'fleet/v1/alerts')
  expect(after.alerts).toMatchObject([
    {
      fingerprint,
      activeAtMs,
      state: 'firing',
      marks: { silencedBy: [id], acknowledged: { by: 'ada', note: 'on it' } },
    },
  ])
  const { entries } = await ask<{ entries: { action: string; by: string }[] }>('GET', 'fleet/v1/audit')
  expect(entries.map(({ action, by }) => `${action} ${by}`)).toEqual(['alert.acknowledge ada', 'silence.create ada'])

  // The run is written at a beat, and once, however often the process dies.
  const runs = async () => (await ask<{ runs: object[] }>('GET', 'fleet/v1/alerts/history')).runs
  await expect.poll(runs, { timeout: 20_000 }).toHaveLength(1)
  await server.kill()
  server = await start()
  await ask('POST', 'v2/alerts', [{ labels, startsAt, endsAt: new Date().toISOString() }])
  await expect
    .poll(runs, { timeout: 20_000 })
    .toMatchObject([{ fingerprint, activeAtMs, acknowledgedBy: 'ada', resolvedAtMs: expect.any(Number) as number }])
  const { alerts: resolved } = await ask<{ alerts: Item[] }>('GET', 'fleet/v1/alerts')
  expect(resolved.map(({ state, marks }) => [state, marks.acknowledged])).toEqual([['resolved', undefined]])
})
