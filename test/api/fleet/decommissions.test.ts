import Database from 'better-sqlite3'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DecommissionItem, DecommissionItems } from '../../../src/contract/decommissions.ts'
import { ClusterDetail, ClusterItems } from '../../../src/contract/fleet-clusters.ts'
import { ModificationItems } from '../../../src/contract/fleet-modifications.ts'
import { UpgradeDetailItem, UpgradeItems } from '../../../src/contract/fleet-upgrades.ts'
import { Now } from '../../../src/contract/now.ts'
import type { FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { Principal } from '../../../src/model/token.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'
import { putFacts } from '../../support/put-facts.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
}
const timeOf = (ms: number): string => new Date(ms).toISOString()

let clock: FakeClock
let memory: MemoryPeople
let index: FleetIndex
let server: TestServer

const facts = (name: string, lastMs: number, aliases: readonly string[] = []): ClusterFacts => ({
  cluster: emptyRecord(name, {
    ...{ aliases, firstSeenMs: NOW_MS - 40 * DAY_MS, lastSeenMs: lastMs, hcoVersion: '1.17.0' },
    coverage: { objects: false, metrics: true, spans: false, metricsLastMs: lastMs, kinds: [] },
  }),
  intervals: [],
  upgrades:
    name === 'brno'
      ? [
          upgradeRecord(
            { id: 'u-brno', cluster: 'brno', state: 'in_progress', startedMs: lastMs - HOUR_MS },
            { observedUntilMs: lastMs },
          ),
        ]
      : [],
  modifications: [
    {
      ...{ id: `m-${name}`, cluster: name, kind: 'jsonpatch', component: 'kubevirt', startedMs: lastMs - HOUR_MS },
      ...{ count: 1, text: 'a patch', isUpgradeMode: false, resolutionSeconds: 1 },
    },
  ],
})

beforeEach(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  const all = [
    facts('here', NOW_MS),
    facts('prague', NOW_MS - 3 * DAY_MS, ['prague-id']),
    facts('brno', NOW_MS - 2 * DAY_MS),
    facts('zlin', NOW_MS - 20 * DAY_MS),
  ]
  await putFacts(fleet, all)
  const over = await fleetFactsOver(fleet, 14 * DAY_MS)
  index = over.index
  clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({
    clock,
    decommissionsTold: async () => {
      index.declare(await memory.facts.decommissions.list())
    },
  })
  server = await makeServer({
    ...{ clock, people: memory.people, fleet: over.fleet, requiresToken: true },
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
})
afterEach(() => server.app.close())

async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, token = 'r') {
  const answer = await server.app.inject({
    method,
    url: `/api/fleet/v1/${path}`,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, never>>() }
}

const names = async (query: string): Promise<readonly string[]> => {
  const { body } = await ask('GET', `clusters?${query}`)
  expect(Value.Check(ClusterItems, body)).toBe(true)
  return (body as unknown as ClusterItems).clusters.map(({ cluster }) => cluster)
}

test('somebody says it of several at once, everybody sees it, and it is taken back', async () => {
  const made = await ask('POST', 'decommissions', { clusters: ['prague-id', 'brno', 'brno'], reason: ' site closed ' })
  expect([made.status, Value.Check(DecommissionItems, made.body)]).toEqual([201, true])
  const { decommissions } = made.body as unknown as DecommissionItems
  expect(decommissions).toMatchObject([
    { cluster: 'prague', since: timeOf(NOW_MS), by: 'ada', reason: 'site closed', state: 'standing', endedAt: null },
    { cluster: 'brno' },
  ])
  expect([await names(''), await names('state=gone')]).toEqual([['here'], ['brno', 'prague', 'zlin']])
  const { body } = await ask('GET', 'now', undefined, 'v')
  expect(Value.Check(Now, body)).toBe(true)
  expect((body as unknown as Now).clusters).toMatchObject({ total: 1, silent: 0, gone: 3 })

  const prague = (await ask('GET', 'clusters/prague')).body as unknown as ClusterDetail
  expect(Value.Check(ClusterDetail, prague)).toBe(true)
  expect(prague).toMatchObject({
    states: ['gone'],
    gone: { since: timeOf(NOW_MS), why: 'declared', decommission: { by: 'ada', reason: 'site closed' } },
    decommissions: [{ state: 'standing' }],
  })
  expect((await ask('GET', 'clusters/zlin')).body).toMatchObject({
    gone: { since: timeOf(NOW_MS - 6 * DAY_MS), why: 'unheard', afterSeconds: 14 * 86_400, decommission: null },
    decommissions: [],
  })

  clock.advance(HOUR_MS)
  const back = await ask('DELETE', `decommissions/${decommissions[0]!.id}`)
  expect([back.status, Value.Check(DecommissionItem, back.body)]).toEqual([200, true])
  expect(back.body).toMatchObject({ state: 'withdrawn', endedAt: timeOf(NOW_MS + HOUR_MS), endedBy: 'ada' })
  expect(await names('state=silent')).toEqual(['here', 'prague'])
  const all = (await ask('GET', 'decommissions', undefined, 'v')).body as unknown as DecommissionItems
  expect(all.decommissions.map(({ cluster, state }) => `${cluster} ${state}`)).toEqual([
    'brno standing',
    'prague withdrawn',
  ])
  const { entries } = (await ask('GET', 'audit')).body as unknown as { entries: { action: string; subject: string }[] }
  expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    'cluster.decommission.withdraw prague',
    'cluster.decommission brno',
    'cluster.decommission prague',
  ])
})

test('with a moment in the past it is gone from then on, and counted before', async () => {
  const since = timeOf(NOW_MS - DAY_MS)
  expect((await ask('POST', 'decommissions', { clusters: ['brno'], reason: 'sold', since })).status).toBe(201)
  const total = async (atMs: number) => ((await ask('GET', `now?at=${timeOf(atMs)}`)).body as unknown as Now).clusters
  expect(await total(NOW_MS - DAY_MS - 1)).toMatchObject({ total: 3, gone: 1 })
  expect(await total(NOW_MS - DAY_MS)).toMatchObject({ total: 2, gone: 2 })
  expect(await names(`state=gone&at=${timeOf(NOW_MS - DAY_MS)}`)).toEqual(['brno', 'zlin'])
})

test('its modifications stay in the list, which says whose cluster is gone', async () => {
  await ask('POST', 'decommissions', { clusters: ['brno'], reason: 'sold' })
  const list = (await ask('GET', 'modifications?open=true')).body
  expect(Value.Check(ModificationItems, list)).toBe(true)
  const { modifications, goneClusters } = list as unknown as ModificationItems
  expect(modifications.map(({ id }) => id)).toEqual(['m-here', 'm-brno', 'm-prague', 'm-zlin'])
  expect(goneClusters).toEqual(['brno', 'zlin'])
})

test('its upgrade is with those that run still, and says that nobody waits for it', async () => {
  await ask('POST', 'decommissions', { clusters: ['brno'], reason: 'sold' })
  const list = (await ask('GET', 'upgrades?state=in_progress')).body
  expect(Value.Check(UpgradeItems, list)).toBe(true)
  expect(list).toMatchObject({ upgrades: [{ id: 'u-brno' }], goneClusters: ['brno'] })
  const detail = (await ask('GET', 'upgrades/u-brno/detail')).body
  expect(Value.Check(UpgradeDetailItem, detail)).toBe(true)
  expect(detail).toMatchObject({ clusterGoneSince: timeOf(NOW_MS), verdict: { stuck: false } })
  expect((await ask('GET', 'stuck')).body).toMatchObject({ open: 0, stuckCount: 0, silentCount: 0 })
})

test('a cluster that is seen again is back, and says so', async () => {
  await ask('POST', 'decommissions', { clusters: ['prague'], reason: 'sold' })
  clock.advance(HOUR_MS)
  index.markSeen('prague', { metricsMs: NOW_MS + 1 })
  expect(await names('')).toEqual(['brno', 'here', 'prague'])
  await memory.people.decommissions.endReturned(index.returned(), clock.nowMs())
  expect(index.returned()).toEqual([])
  expect((await ask('GET', 'clusters/prague')).body).toMatchObject({
    gone: null,
    decommissions: [{ state: 'returned', endedAt: timeOf(NOW_MS + 1), endedBy: 'daytwo' }],
  })
})

test.each([
  ['a cluster nobody knows', { clusters: ['prague', 'paris'], reason: 'x' }, 404, 'no cluster is called "paris"'],
  [
    'a moment before it was last heard',
    { clusters: ['prague'], reason: 'x', since: timeOf(NOW_MS - 4 * DAY_MS) },
    400,
    `since: got "${timeOf(NOW_MS - 4 * DAY_MS)}", want ${timeOf(NOW_MS - 3 * DAY_MS)} or later: "prague" was seen then`,
  ],
  [
    'a moment that is yet to come',
    { clusters: ['prague'], reason: 'x', since: timeOf(NOW_MS + 1) },
    400,
    `since: got "${timeOf(NOW_MS + 1)}", want a time in the past: the server time is ${timeOf(NOW_MS)}`,
  ],
  ['no reason', { clusters: ['prague'] }, 400, 'the body must have required properties reason'],
  [
    'a reason that says nothing',
    { clusters: ['prague'], reason: '  ' },
    400,
    'reason: got "  ", want the reason for the decommissioning',
  ],
  ['no cluster', { clusters: [], reason: 'x' }, 400, 'clusters must not have fewer than 1 items'],
  [
    'a moment that is none',
    { clusters: ['prague'], reason: 'x', since: 'monday' },
    400,
    'since must match format "date-time"',
  ],
])('%s is refused, and nothing is said of anybody', async (_, body, status, error) => {
  const answer = await ask('POST', 'decommissions', body)
  expect([answer.status, answer.body]).toMatchObject([status, { error }])
  expect(memory.people.decommissions.all()).toEqual([])
})

test('it takes a responder, and one that nobody said is not found', async () => {
  const wish = { clusters: ['prague'], reason: 'x' }
  expect((await ask('POST', 'decommissions', wish, '')).status).toBe(401)
  const refused = await ask('POST', 'decommissions', wish, 'v')
  expect([refused.status, refused.body]).toMatchObject([
    403,
    { error: 'token "wall" has role viewer, this needs responder' },
  ])
  expect((await ask('DELETE', 'decommissions/x', undefined, 'v')).status).toBe(403)
  expect((await ask('DELETE', 'decommissions/x')).body).toMatchObject({
    error: 'no decommissioned cluster has the id "x"',
  })
})

test('a silent cluster has its cause, the list is filtered by it, and a declaration decides', async () => {
  const causeOf = async (): Promise<unknown> => (await ask('GET', 'clusters/prague')).body
  expect(await causeOf()).toMatchObject({
    silence: { sources: ['metrics'], total: true, cause: 'unknown', since: timeOf(NOW_MS - 3 * DAY_MS), evidence: [] },
  })
  expect(await names('silence=unknown')).toContain('prague')
  expect(await names('silence=network')).toEqual([])
  const body = { clusters: ['prague'], reason: 'mail of 3 May', kind: 'opted_out' }
  const declared = await ask('POST', 'decommissions', body)
  expect(declared.body).toMatchObject({ decommissions: [{ kind: 'opted_out', state: 'standing' }] })
  expect(await causeOf()).toMatchObject({
    states: ['gone'],
    gone: { why: 'declared', decommission: { kind: 'opted_out' } },
    silence: { cause: 'opted_out', evidence: [{ text: 'Declared opted out by ada: mail of 3 May' }], missing: [] },
  })
  // Decommissioned ones are listed by their cause, and else only on request.
  expect(await names('silence=opted_out')).toEqual(['prague'])
  expect(await names('silence=opted_out&state=silent')).toEqual([])
  expect(await names('silence=decommissioned')).toEqual([])
})
