import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BoundRunbook } from '../../src/contract/runbooks.ts'
import type { Principal } from '../../src/model/token.ts'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'
import { ruleAlert } from './rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from './test-server.ts'

const TOKENS: Readonly<Record<string, Principal>> = {
  bound: { role: 'ingest', name: 'brno', cluster: 'brno-2' },
  free: { role: 'ingest', name: 'collector' },
  viewer: { role: 'viewer', name: 'wall' },
  responder: { role: 'responder', name: 'ada' },
  admin: { role: 'admin', name: 'root' },
}

let server: TestServer

beforeEach(async () => {
  const clock = new FakeClock(NOW_MS)
  const rule = ruleAlert('KubeVirtCRModified', 'prague-1')
  const { people } = await memoryPeople({
    clock,
    ruleAlerts: () => [rule],
    aliases: { HCOOldName: 'KubeVirtCRModified' },
  })
  server = await makeServer({
    clock,
    people,
    rules: { groups: () => Promise.resolve([]), alerts: () => [rule] },
    requiresToken: true,
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
})
afterEach(() => server.app.close())

async function post(token: string, ...alerts: readonly Readonly<Record<string, string>>[]) {
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/v2/alerts',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: JSON.stringify(alerts.map((labels) => ({ labels }))),
  })
  return [answer.statusCode, answer.body === '' ? '' : answer.json<unknown>()]
}

async function get<T>(path: string): Promise<T> {
  const answer = await server.app.inject({ url: path, headers: { authorization: 'Bearer viewer' } })
  expect(answer.statusCode).toBe(200)
  return answer.json<T>()
}

describe('who may raise an alert', () => {
  test.each([
    ['bound', 200],
    ['free', 200],
    ['responder', 200],
    ['admin', 200],
    ['viewer', 403],
    ['nobody', 401],
  ])('%s: %i', async (token, status) => {
    const [got, body] = await post(token, { alertname: 'A' })
    expect(got).toBe(status)
    if (status !== 200) expect(body).toMatchObject({ code: status })
  })

  test('a token of one cluster raises alerts of that cluster only, and those of another are refused one by one', async () => {
    const alerts = [
      { alertname: 'A' },
      { alertname: 'B', cluster_id: 'prague-1' },
      { alertname: 'C', cluster: 'brno-2' },
    ]
    expect(await post('bound', ...alerts)).toEqual([400, 'cluster "prague-1" is not the token\'s cluster "brno-2"'])
    const known = await get<{ labels: { alertname: string; cluster: string } }[]>(
      '/api/v2/alerts?filter=alertname%3D~"A|B|C"',
    )
    expect(known.map(({ labels }) => `${labels.alertname} ${labels.cluster}`).sort()).toEqual(['A brno-2', 'C brno-2'])
  })
})

describe('an alert of others', () => {
  test('stands beside those of the rules, says where it is from, and leads to the same runbook under its old name too', async () => {
    await post('bound', { alertname: 'HCOOldName', component_name: 'kubevirt/kv', severity: 'warning' })
    const { alerts } = await get<{
      alerts: { alertname: string; source: string; runbook: string; fingerprint: string }[]
    }>('/api/fleet/v1/alerts')
    expect(alerts.map(({ alertname, source, runbook }) => [alertname, source, runbook]).sort()).toEqual([
      ['HCOOldName', 'external', 'KubeVirtCRModified'],
      ['KubeVirtCRModified', 'rule', 'KubeVirtCRModified'],
    ])
    const { fingerprint } = alerts.find(({ source }) => source === 'external')!
    const page = await get<{ markdown: string; instances: object[] }>(
      `/api/runbooks/v1/pages/KubeVirtCRModified?instance=${fingerprint}`,
    )
    expect(page.markdown).toContain('The object is kv on brno-2')
    expect(page.instances).toHaveLength(2)
  })

  test('without a runbook has a page with its alerts and a template, and a name of nobody has none', async () => {
    const rb = async (name: string): Promise<number> =>
      (await server.app.inject({ url: `/rb/${name}`, headers: { authorization: 'Bearer viewer' } })).statusCode
    expect([await rb('TeamQueueFull'), await rb('KubeVirtCRModified')]).toEqual([404, 200])
    await post('bound', { alertname: 'TeamQueueFull', queue: 'a' }, { alertname: 'TeamQueueFull', queue: 'b' })
    expect([await rb('TeamQueueFull'), await rb('TeamQueueFull.md'), await rb('TeamQueue')]).toEqual([200, 200, 404])
    const page = await get<BoundRunbook>('/api/runbooks/v1/pages/TeamQueueFull')
    expect(page).toMatchObject({ name: 'TeamQueueFull', markdown: '', cells: [] })
    expect(page.instance).toBeUndefined()
    expect(page.instances.map(({ cluster, labels }) => [cluster, labels['queue']])).toEqual([
      ['brno-2', expect.any(String)],
      ['brno-2', expect.any(String)],
    ])
    expect(page.template).toContain('# TeamQueueFull\n\n## Meaning')
    const { fingerprint } = page.instances[1]!
    const bound = await get<BoundRunbook>(`/api/runbooks/v1/pages/TeamQueueFull?instance=${fingerprint}`)
    expect(bound.instance?.fingerprint).toBe(fingerprint)
  })

  test('a rule without a runbook has such a page also while nothing fires', async () => {
    const text = 'groups:\n  - name: g\n    rules:\n      - { alert: TeamDown, expr: up == 0 }\n'
    const catalog = buildCatalog({ ruleFiles: [{ path: 'r.yaml', text }], pageFiles: [], dashboardFiles: [] })
    const own = await makeServer({ catalog })
    const statuses = ['/rb/TeamDown', '/rb/TeamUp'].map(async (url) => (await own.app.inject(url)).statusCode)
    expect(await Promise.all(statuses)).toEqual([200, 404])
    const page = await own.app.inject('/api/runbooks/v1/pages/TeamDown')
    const { instances, template } = page.json<BoundRunbook>()
    expect(instances).toEqual([])
    expect(template).toContain('# TeamDown')
    await own.app.close()
  })

  test('that a rule reports too is shown, and marked as the repetition that it is', async () => {
    await post('free', { alertname: 'HCOOldName', cluster_id: 'prague-1', prometheus: 'openshift-monitoring/k8s' })
    const people = server.deps.people as unknown as {
      withoutDuplicates(alerts: unknown): Promise<readonly { external?: object }[]>
    }
    const notified = await people.withoutDuplicates(server.deps.people.alerts())
    expect(notified.map(({ external }) => external)).toEqual([undefined])
    const listed =
      await get<{ labels: { alertname: string }; status: { state: string; inhibitedBy: string[] } }[]>('/api/v2/alerts')
    const repeated = listed.find(({ labels }) => labels.alertname === 'HCOOldName')!
    const rule = ruleAlert('KubeVirtCRModified', 'prague-1').fingerprint
    expect(repeated.status).toMatchObject({ state: 'suppressed', inhibitedBy: [rule] })
    expect(await get(`/api/fleet/v1/alerts/${rule}`)).toMatchObject({ reportedAlsoBy: [{ source: 'external' }] })
    // Prometheus' own routes know of rules only.
    const { data } = await get<{ data: { alerts: object[] } }>('/api/v1/alerts')
    expect(data.alerts).toHaveLength(1)
  })
})

describe('the room for alerts of others', () => {
  const remove = async (token: string, query: string) => {
    const url = `/api/fleet/v1/external-alerts${query}`
    const answer = await server.app.inject({ method: 'DELETE', url, headers: { authorization: `Bearer ${token}` } })
    return [answer.statusCode, answer.json<{ removed?: number; error?: string }>()] as const
  }

  test('is listed by sender and cluster, and an administrator removes what a sender posted', async () => {
    await post('bound', { alertname: 'A' }, { alertname: 'B' })
    await post('free', { alertname: 'A', cluster: 'prague-1' })
    expect(await get('/api/fleet/v1/external-alerts')).toMatchObject({
      alerts: 3,
      senders: [
        { sender: 'token brno', alerts: 2, clusters: [{ cluster: 'brno-2', alerts: 2 }] },
        { sender: 'token collector', alerts: 1, clusters: [{ cluster: 'prague-1', alerts: 1 }] },
      ],
    })
    expect((await remove('responder', '?sender=token%20brno'))[0]).toBe(403)
    expect(await remove('admin', '?sender=token%20brno')).toMatchObject([200, { removed: 2 }])
    expect(await get('/api/fleet/v1/external-alerts')).toMatchObject({ alerts: 1 })
    const { entries } = await get<{ entries: object[] }>('/api/fleet/v1/audit')
    expect(entries).toMatchObject([{ by: 'root', action: 'alert.remove', subject: 'token brno' }])
    const metrics = (await server.app.inject({ url: '/metrics', headers: { authorization: 'Bearer viewer' } })).body
    expect(metrics).toContain('daytwo_external_alerts_total{outcome="removed"} 2')
    expect(metrics).toContain('daytwo_external_alerts_total{outcome="taken"} 3')
  })

  test('is never emptied by a request that forgot its filter', async () => {
    await post('free', { alertname: 'A' })
    expect(await remove('admin', '')).toMatchObject([400, { error: expect.stringContaining('at least one') as string }])
    expect(await remove('admin', '?sender=')).toMatchObject([400, {}])
    expect(await get('/api/fleet/v1/external-alerts')).toMatchObject({ alerts: 1 })
  })

  test.each([
    ['alerts.external-cluster-max', 'cluster_limit', 'alerts of one cluster from this sender'],
    ['alerts.external-sender-max', 'sender_limit', 'alerts of this sender'],
    ['alerts.external-max', 'total_limit', 'alerts of all senders'],
  ])('without tokens is shared by address, and a refusal names %s', async (option, outcome, room) => {
    const clock = new FakeClock(NOW_MS)
    const { people } = await memoryPeople({ clock, options: { [option]: '1' } })
    const open = await makeServer({ clock, people })
    const names = ['A', 'B', 'C'].map((alertname) => ({ labels: { alertname } }))
    const answer = await open.app.inject({ method: 'POST', url: '/api/v2/alerts', payload: names })
    expect([answer.statusCode, answer.headers['retry-after'], answer.json<string>()]).toEqual([
      429,
      '5',
      `2 new alerts refused: no room for more ${room} (${option})`,
    ])
    expect(people.external.shares()).toMatchObject([{ sender: 'address 127.0.0.1', alerts: 1 }])
    const metrics = (await open.app.inject('/metrics')).body
    expect(metrics).toContain(`daytwo_external_alerts_total{outcome="${outcome}"} 2`)
    await open.app.close()
  })
})

describe('a request with very many alerts', () => {
  const many = (count: number): readonly Readonly<Record<string, string>>[] =>
    Array.from({ length: count }, () => ({ alertname: 'A' }))

  test('has at most 10,000', async () => {
    expect(await post('free', ...many(10_000))).toEqual([200, ''])
    expect(await post('free', ...many(10_001))).toEqual([400, 'got 10001 alerts in one request, want at most 10000'])
  })

  test('has at most 4 MiB', async () => {
    const [status] = await post('free', { alertname: 'A', text: 'x'.repeat(4 * 1024 * 1024) })
    expect(status).toBe(413)
  })
})

test('long lists are streamed with the text that short ones have', async () => {
  await post('free', ...Array.from({ length: 700 }, (_, i) => ({ alertname: 'Many', n: String(i) })))
  const one = await get<{ labels: { n: string } }[]>('/api/v2/alerts?filter=n="5"')
  expect(one.map(({ labels }) => labels.n)).toEqual(['5'])
  const all = await get<{ fingerprint: string; labels: { alertname: string } }[]>(
    '/api/v2/alerts?filter=alertname="Many"',
  )
  expect(all).toHaveLength(700)
  expect(all.map(({ fingerprint }) => fingerprint)).toEqual(all.map(({ fingerprint }) => fingerprint).sort())
  expect(all).toContainEqual(one[0])
  const none = await get<unknown[]>('/api/v2/alerts?filter=alertname="Absent"')
  expect(none).toEqual([])
  const page = await get<{ alerts: { alertname: string; fingerprint: string }[]; failing: unknown[] }>(
    '/api/fleet/v1/alerts',
  )
  expect(page.failing).toEqual([])
  expect(page.alerts.filter(({ alertname }) => alertname === 'Many')).toHaveLength(700)
})
