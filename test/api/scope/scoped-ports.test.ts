import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { tryAccess } from '../../../src/api/server/access.ts'
import { parseSelectors, type ClusterScope } from '../../../src/model/cluster-scope.ts'
import type { RuleAlert } from '../../../src/model/alert.ts'
import type { Principal } from '../../../src/model/token.ts'
import type { RuleGroupStatus } from '../../../src/rules/rule-status.ts'
import type { ApiDeps } from '../../../src/api/server/server.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { memoryNotify } from '../../support/notify.ts'
import { memoryPeople } from '../../support/people.ts'
import { ruleAlert } from '../rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

// What the main thread has in memory, for principals with a scope; all routes together are in test/e2e/scopes.test.ts.

const A = parseSelectors('cluster=a-*')!
const PRINCIPALS: Readonly<Record<string, Principal>> = {
  a: { role: 'admin', name: 'a', scopes: [{ role: 'admin', clusters: A }] },
  // Sees all, and acts in a part.
  both: { role: 'responder', name: 'both', scopes: [{ role: 'viewer' }, { role: 'responder', clusters: A }] },
}
const scopes: NonNullable<ApiDeps['scopes']> = {
  resolve: (clusters): Promise<ClusterScope> =>
    Promise.resolve({ clusters, includes: (cluster) => cluster.startsWith('a-') }),
  readers: () => {
    const { people, notify, ...query } = server.deps
    const audit = { list: (limit: number, before?: number) => people.audit(limit, before) }
    return { ...query, alertRuns: people.runs, audit, deliveries: notify.deliveries, runbookWork: people.runbookWork }
  },
}

let server: TestServer
afterEach(() => server.app.close())

async function start(alerts: readonly RuleAlert[], groups: readonly RuleGroupStatus[] = []): Promise<void> {
  const clock = new FakeClock(NOW_MS)
  const { people } = await memoryPeople({ clock, ruleAlerts: () => alerts })
  const config = `
route:
  receiver: rest
  routes: [{ receiver: team-b, matchers: ['cluster=~"b-.*"'] }]
receivers: [{ name: rest }, { name: team-b }, { name: unused }]
inhibit_rules:
- { source_matchers: [alertname="Worse"], target_matchers: [alertname="Better"] }
`
  const notify = await memoryNotify({ clock, config })
  const notified = alerts.map((alert) => ({ ...alert, generatorUrl: '' }))
  await notify.pipeline.cycle(notified, NOW_MS)
  await notify.pipeline.cycle(notified, NOW_MS + 60_000)
  server = await makeServer({
    ...{ people, scopes, requiresToken: true, pipeline: notify.pipeline, notify: notify.api },
    rules: { groups: () => Promise.resolve(groups), alerts: () => alerts },
    authenticate: (token) => Promise.resolve(PRINCIPALS[token]),
  })
}

async function get<T>(url: string, token = 'a'): Promise<T> {
  const answer = await server.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  expect([url, answer.statusCode]).toEqual([url, 200])
  return answer.json<T>()
}

interface Marked {
  readonly alerts: readonly {
    readonly alertname: string
    readonly marks: { readonly inhibitedBy: readonly string[]; readonly decisions: readonly { reason: string }[] }
  }[]
}

test('an alert outside the scope that inhibits one within is not named, one within is', async () => {
  const [worse, other, better] = [ruleAlert('Worse', 'b-1'), ruleAlert('Worse', 'a-2'), ruleAlert('Better', 'a-1')]
  await start([worse, better])
  const marksOf = async (token: string) =>
    (await get<Marked>('/api/fleet/v1/alerts', token)).alerts.find(({ alertname }) => alertname === 'Better')!.marks
  expect(await marksOf('a')).toMatchObject({
    inhibitedBy: ['outside-your-scope'],
    decisions: [{ reason: 'inhibited_by: outside-your-scope' }],
  })
  expect((await marksOf('both')).inhibitedBy).toEqual([worse.fingerprint])
  const [shown] = await get<readonly { readonly status: { readonly state: string } }[]>('/api/v2/alerts')
  expect(shown?.status.state).toBe('suppressed')
  await server.app.close()

  await start([other, better])
  expect(await marksOf('a')).toMatchObject({
    inhibitedBy: [other.fingerprint],
    decisions: [{ reason: `inhibited_by: ${other.fingerprint}` }],
  })
})

test('receivers are those of alerts that are shown, and the configuration of routes is not', async () => {
  await start([ruleAlert('X', 'a-1'), ruleAlert('X', 'b-1')])
  expect(await get('/api/v2/receivers')).toEqual([{ name: 'rest' }])
  expect(await get('/api/v2/receivers', 'both')).toHaveLength(3)
  expect(JSON.stringify(await get('/api/v2/status'))).not.toContain('team-b')
  expect(JSON.stringify(await get('/api/v2/status', 'both'))).toContain('team-b')
  const groups = await get<readonly { readonly receiver: { readonly name: string } }[]>('/api/v2/alerts/groups')
  expect(groups.map(({ receiver }) => receiver.name)).toEqual(['rest'])
})

test('states and counts of rules are of alerts that are shown; failures quote no series', async () => {
  const rule = (name: string): RuleGroupStatus['rules'][number] => ({
    ...{ kind: 'alerting', name, ruleKey: name, labels: {}, annotations: {}, forMs: 0, keepFiringForMs: 0 },
    ...{ query: 'up > 0', health: 'err', lastError: 'duplicate series {cluster="b-1"}', warnings: ['b-1 is old'] },
    ...{ evaluationMs: 1, lastSamples: 3, state: 'firing', alertCounts: { pending: 1, firing: 2, resolved: 0 } },
  })
  const group = {
    name: 'g',
    file: 'f.yaml',
    intervalMs: 30_000,
    limit: 0,
    queryOffsetMs: 0,
    evaluationMs: 1,
    missed: 0,
  }
  await start(
    [
      ruleAlert('Both', 'a-1'),
      ruleAlert('Both', 'b-1'),
      ruleAlert('Wait', 'a-1', 'pending'),
      ruleAlert('Other', 'b-1'),
    ],
    [{ ...group, rules: ['Both', 'Wait', 'Other'].map(rule) }],
  )
  interface Rules {
    readonly data: { readonly groups: readonly { readonly rules: readonly Record<string, unknown>[] }[] }
  }
  const { data } = await get<Rules>('/api/v1/rules')
  expect(data.groups[0]!.rules.map(({ name, state, alerts }) => [name, state, (alerts as unknown[]).length])).toEqual([
    ['Both', 'firing', 1],
    ['Wait', 'pending', 1],
    ['Other', 'inactive', 0],
  ])
  expect(JSON.stringify(data)).not.toContain('b-1')
  expect(JSON.stringify(data)).toContain('could not be evaluated')
  expect(JSON.stringify(await get('/api/fleet/v1/alerts'))).not.toContain('b-1')
  expect(JSON.stringify(await get('/api/v1/rules', 'both'))).toContain('duplicate series')
})

test('a person who sees all acts where the role of a group covers the cluster', async () => {
  const [own, other] = [ruleAlert('X', 'a-1'), ruleAlert('X', 'b-1')]
  await start([own, other])
  const acknowledge = async ({ fingerprint }: RuleAlert): Promise<number> => {
    const url = `/api/fleet/v1/alerts/${fingerprint}/acknowledge`
    const headers = { authorization: 'Bearer both' }
    return (await server.app.inject({ method: 'POST', url, headers, payload: { note: '', by: '' } })).statusCode
  }
  expect((await get<Marked>('/api/fleet/v1/alerts', 'both')).alerts).toHaveLength(2)
  expect([await acknowledge(own), await acknowledge(other)]).toEqual([200, 404])
  await get('/debug/notify', 'both')
  const headers = { authorization: 'Bearer a' }
  const refused = await server.app.inject({ url: '/debug/notify', headers })
  expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
    403,
    'token "a" has role viewer over cluster=a-*, this needs it over all clusters',
  ])
})

test('the fast path of writes takes nothing from a principal with a scope', async () => {
  await start([])
  const options = { requiresToken: true, listenHost: '127.0.0.1', externalUrl: 'http://127.0.0.1', corsOrigins: [] }
  const grantOf = (principal: Principal) =>
    tryAccess({ ...options, identify: () => principal }, 'ingest')(new IncomingMessage(new Socket()))
  expect(grantOf(PRINCIPALS['a']!)).toBeUndefined()
  expect(grantOf({ role: 'admin', name: 'all' })).toBeDefined()
  expect(grantOf({ role: 'admin', name: 'all', scopes: [{ role: 'admin' }] })).toBeDefined()
})
