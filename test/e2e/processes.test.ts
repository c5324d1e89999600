import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { daytwo, daytwoIn } from '../cli/run.ts'
import { startFakeWebhook, type FakeWebhook } from '../support/fake-webhook.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { activeAlerts, startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// Three servers as they ship, with data folders of their own, that share one PostgreSQL.

const POSTGRES = findPostgres()

const RULES = `
groups:
- name: fast
  interval: 1s
  rules:
  - {alert: Always, expr: vector(1), for: 2s, labels: {cluster: c1, severity: warning}}
- name: slow
  interval: 1s
  rules:
  - {alert: Patient, expr: vector(1), for: 25s, labels: {cluster: c2, severity: warning}}
`

const NOTIFY = (url: string): string => `
route: {receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 12h}
receivers:
- name: hook
  webhook_configs: [{url: '${url}', send_resolved: true}]
`

interface Leased {
  readonly kind: string
  readonly name: string
  readonly process: string
}

describe.skipIf(POSTGRES === undefined)('servers that share PostgreSQL', () => {
  let folder: ReturnType<typeof tempDir>
  let postgres: PostgresServer
  let webhook: FakeWebhook
  let url: string
  let database: Client
  const servers = new Map<string, RunningServer>()

  beforeEach(async () => {
    folder = tempDir('processes')
    postgres = await startPostgres(POSTGRES!)
    url = await postgres.createDatabase()
    webhook = await startFakeWebhook()
    mkdirSync(join(folder.path, 'rules'))
    writeFileSync(join(folder.path, 'rules', 'test.yaml'), RULES)
    writeFileSync(join(folder.path, 'notify.yaml'), NOTIFY(webhook.url))
    await connect()
  })
  afterEach(async () => {
    for (const server of servers.values()) await server.stop()
    servers.clear()
    await database.end()
    await webhook.close()
    await postgres.stop()
    folder.remove()
  })

  async function connect(): Promise<void> {
    database = new Client(url)
    database.on('error', () => undefined)
    await database.connect()
  }

  async function start(name: string, ...more: readonly string[]): Promise<RunningServer> {
    const server = await startServer([
      ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, name), '--process.name', name],
      ...['--store.facts', url, '--own-metrics', 'false', '--notify.config', join(folder.path, 'notify.yaml')],
      ...withoutContent(join(folder.path, 'rules')),
      ...more,
    ])
    servers.set(name, server)
    return server
  }

  async function leases(): Promise<readonly Leased[]> {
    const { rows } = await database.query<Leased>(
      `SELECT kind, lease.name, process.name AS process FROM lease JOIN process ON owner = instance
         WHERE lives_until > clock_timestamp() ORDER BY 1, 2`,
    )
    return rows
  }

  const ownerOf = async (kind: string): Promise<string | undefined> =>
    (await leases()).find((lease) => lease.kind === kind)?.process

  async function ask<T>(server: RunningServer, method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  const sent = (alertname: string): readonly string[] =>
    webhook.messages.flatMap(({ body }) => (body.commonLabels['alertname'] === alertname ? [body.status] : []))

  test('each group of rules has one evaluator, everything is notified once, also when owners are killed', async () => {
    // At one moment: one of them makes the schema.
    await Promise.all(['a', 'b', 'c'].map((name) => start(name)))
    await until('all leases to have an owner', async () => ((await leases()).length === 3 ? true : undefined))
    await until('the first notification', () => (sent('Always').length > 0 ? true : undefined))
    for (const server of servers.values()) {
      await until('the alert on every server', async () => {
        const all = await activeAlerts(server.url)
        return all.some(({ labels, state }) => labels['alertname'] === 'Always' && state === 'firing') || undefined
      })
    }
    const pending = await activeAlerts(servers.get('a')!.url)
    const activeAt = pending.find(({ labels }) => labels['alertname'] === 'Patient')!.activeAt

    const tookMs: number[] = []
    for (const kind of ['alerts', 'rules']) {
      const owner = (await ownerOf(kind))!
      const killedMs = performance.now()
      await servers.get(owner)!.kill()
      servers.delete(owner)
      await until('the leases to be taken over', async () => {
        const all = await leases()
        return (all.length === 3 && all.every(({ process }) => process !== owner)) || undefined
      })
      tookMs.push(performance.now() - killedMs)
    }
    // The usual interval of rules.
    expect(Math.max(...tookMs)).toBeLessThan(60_000)
    expect(servers.size).toBe(1)
    await until('the alert that waits to fire', () => (sent('Patient').length > 0 ? true : undefined), 90_000)
    expect(sent('Patient')).toEqual(['firing'])
    expect(sent('Always')).toEqual(['firing'])
    const [left] = [...servers.values()]
    const after = await activeAlerts(left!.url)
    // `for` went on counting: it is the same occurrence, but for time that nobody evaluated.
    const again = after.find(({ labels }) => labels['alertname'] === 'Patient')!
    expect(Date.parse(again.activeAt) - Date.parse(activeAt)).toBeLessThan(40_000)
    const { runs } = await ask<{ runs: { alertname: string }[] }>(left!, 'GET', '/api/fleet/v1/alerts/history')
    expect(runs.map(({ alertname }) => alertname).sort()).toEqual(['Always', 'Patient'])
    const { deliveries } = await ask<{ deliveries: { outcome: string }[] }>(left!, 'GET', '/api/fleet/v1/deliveries')
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
  }, 240_000)

  test('what users do on one server is on the others within a second', async () => {
    const [a, b] = [await start('a'), await start('b')]
    const events: string[] = []
    const feed = await fetch(`${b.url}/api/fleet/v1/events`)
    void (async () => {
      for await (const part of feed.body!) events.push(Buffer.from(part).toString())
    })().catch(() => undefined)
    const startsAt = new Date(Date.now() - 60_000).toISOString()
    const labels = { alertname: 'NodeDown', cluster: 'c9', severity: 'critical' }
    interface Alerts {
      readonly alerts: readonly {
        readonly fingerprint: string
        readonly alertname: string
        readonly marks: { readonly silencedBy: readonly string[]; readonly acknowledged?: object }
      }[]
    }
    const nodeDown = async (server: RunningServer) =>
      (await ask<Alerts>(server, 'GET', '/api/fleet/v1/alerts')).alerts.find(
        ({ alertname }) => alertname === 'NodeDown',
      )
    await ask(a, 'POST', '/api/v2/alerts', [{ labels, startsAt }])
    const { fingerprint } = await until('the external alert', () => nodeDown(b))
    const { id } = await ask<{ id: string }>(a, 'POST', '/api/fleet/v1/silences', {
      matchers: [{ name: 'alertname', op: '=', value: 'NodeDown' }],
      ...{ endsAtMs: Date.now() + 3_600_000, comment: 'known', createdBy: 'ada', untilResolved: false },
    })
    await until('the silence', async () => (await nodeDown(b))?.marks.silencedBy.includes(id) || undefined)
    await ask(a, 'POST', `/api/fleet/v1/alerts/${fingerprint}/acknowledge`, { note: 'mine', by: 'ada' })
    await until('the acknowledgement', async () => (await nodeDown(b))?.marks.acknowledged)
    await ask(b, 'DELETE', `/api/v2/silence/${id}`)
    await until('the end of the silence', async () => (await nodeDown(a))?.marks.silencedBy.length === 0 || undefined)
    await until(
      'the events of the other server',
      () => ['alerts', 'silences'].every((topic) => events.join('').includes(`"topic":"${topic}"`)) || undefined,
    )
    const { entries } = await ask<{ entries: { action: string }[] }>(b, 'GET', '/api/fleet/v1/audit')
    expect(entries.map(({ action }) => action)).toEqual(['silence.expire', 'alert.acknowledge', 'silence.create'])
  }, 120_000)

  test('while PostgreSQL is away data is received, actions are answered with 503, and all goes on afterwards', async () => {
    const server = await start('a')
    await until('the first notification', () => (sent('Always').length > 0 ? true : undefined))
    await database.end()
    await postgres.kill()
    const silence = {
      matchers: [{ name: 'alertname', op: '=', value: 'Always' }],
      ...{ endsAtMs: Date.now() + 3_600_000, comment: 'x', createdBy: 'ada', untilResolved: false },
    }
    await expect(ask(server, 'POST', '/api/fleet/v1/silences', silence)).rejects.toThrow(/: 503 .*PostgreSQL/)
    const timeUnixNano = `${Date.now()}000000`
    const point = { resource: { attributes: [{ key: 'cluster', value: { stringValue: 'c1' } }] } }
    const metric = { name: 'away', gauge: { dataPoints: [{ asDouble: 7, timeUnixNano }] } }
    await ask(server, 'POST', '/v1/metrics', { resourceMetrics: [{ ...point, scopeMetrics: [{ metrics: [metric] }] }] })
    expect((await server.query('away'))[0]?.value[1]).toBe('7')
    await postgres.start()
    await connect()
    await until('the server to go on', async () => {
      try {
        await ask(server, 'POST', '/api/fleet/v1/silences', silence)
        return true
      } catch {
        return undefined
      }
    })
    await until('its leases', async () => ((await leases()).length === 3 ? true : undefined), 60_000)
    await until('the alert that waits to fire', () => (sent('Patient').length > 0 ? true : undefined), 90_000)
    expect(sent('Always')).toEqual(['firing'])
    expect(sent('Patient')).toEqual(['firing'])
  }, 240_000)

  test('roles: who does not receive or serve says so, and who does not evaluate takes no leases', async () => {
    const [collector, evaluator] = [
      await start('c', '--roles', 'collect'),
      await start('e', '--roles', 'evaluate,serve'),
    ]
    await until('all leases to have an owner', async () => ((await leases()).length === 3 ? true : undefined))
    expect(new Set((await leases()).map(({ process }) => process))).toEqual(new Set(['e']))
    const body = { resourceMetrics: [] }
    await ask(collector, 'POST', '/v1/metrics', body)
    await expect(ask(evaluator, 'POST', '/v1/metrics', body)).rejects.toThrow(
      /: 503 .*this process has the roles evaluate, serve, and not collect/,
    )
    await expect(ask(collector, 'GET', '/api/v1/labels')).rejects.toThrow('and not serve')
    await ask(evaluator, 'GET', '/api/v1/labels')
    expect((await fetch(`${collector.url}/-/ready`)).status).toBe(200)
  }, 120_000)

  test('tokens and the audit are in PostgreSQL, and tokens count while it is away', async () => {
    const options = ['--store.facts', url]
    const made = await daytwo('token', 'add', '--role', 'admin', '--name', 'root', '--data', folder.path, ...options)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('role admin')])
    const token = made.stdout.trim()
    const server = await start('a')
    const status = async (path: string, bearer?: string): Promise<number> => {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
      return (await fetch(`${server.url}${path}`, { headers })).status
    }
    expect([await status('/api/v1/labels'), await status('/api/v1/labels', token)]).toEqual([401, 200])
    const second = await daytwo('token', 'add', '--role', 'viewer', '--name', 'v', '--data', folder.path, ...options)
    await until(
      'the new token',
      async () => (await status('/api/v1/labels', second.stdout.trim())) === 200 || undefined,
    )
    const verified = await daytwo('audit', 'verify', '--data', folder.path, ...options)
    expect([verified.code, verified.stderr]).toEqual([0, '2 entries are sound; the newest one is:\n'])
    const listed = await daytwoIn({ DAYTWO_STORE_FACTS: url }, 'token', 'list')
    expect(listed.stdout).toContain('viewer')
    await database.end()
    await postgres.kill()
    // It reads the list again after five seconds.
    const awayMs = performance.now()
    await until('the next reading of tokens', () => performance.now() - awayMs > 6000 || undefined)
    expect([await status('/api/v1/labels'), await status('/api/v1/labels', token)]).toEqual([401, 200])
    await postgres.start()
    await connect()
  }, 120_000)
})
