import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ClusterRecord } from '../../src/model/cluster-record.ts'
import type { Principal } from '../../src/model/token.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { changedRecord, seen, type Changed } from '../fleet/readiness/healthy.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { fleetFactsOver } from '../support/fleet-facts.ts'
import { memoryPeople, type MemoryPeople } from '../support/people.ts'
import { putFacts } from '../support/put-facts.ts'
import { daytwo, type Ran } from './run.ts'

// The real program asks the real API, which has real facts.

const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
}

function record(cluster: string, region: string, changed: Changed = {}): ClusterRecord {
  const made = changedRecord(changed)
  const coverage = { ...made.coverage, objectsLastMs: NOW_MS, metricsLastMs: NOW_MS }
  return { ...made, cluster, region, lastSeenMs: NOW_MS, coverage }
}

let memory: MemoryPeople
let server: TestServer
let url: string
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  const records = [
    record('ams', 'eu'),
    record('bru', 'eu', { facts: { pausedPools: seen(['worker']) } }),
    record('chi', 'us', { record: { upgradeable: { status: 'False', reason: 'X', message: '' } } }),
    record('den', 'us-west', { facts: { operatorGroupStrategy: undefined } }),
    record('eze', 'sa', { record: { hcoVersion: '4.21.0' } }),
  ]
  await putFacts(
    fleet,
    records.map((cluster) => ({ cluster, intervals: [], upgrades: [], modifications: [] })),
  )
  const over = await fleetFactsOver(fleet, Infinity)
  over.index.readiness.setAlerts([])
  const clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({
    clock,
    risksAccepted: async () => {
      over.index.readiness.accept(await memory.facts.acceptedRisks.list())
    },
  })
  server = await makeServer({
    ...{ clock, people: memory.people, fleet: over.fleet, requiresToken: true },
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.app.close()
})

const ready = (...args: readonly string[]): Promise<Ran> => daytwo('ready', '--url', url, '--token', 'v', ...args)

interface AnswerBody {
  readonly acceptances: readonly { readonly id: string; readonly reason: string; readonly state: string }[]
  readonly hazards: readonly unknown[]
  readonly clusters: readonly unknown[]
  readonly nextCursor: string
}

const call = async (method: string, path: string, token: string, body?: unknown) => {
  const response = await fetch(`${url}/api/fleet/v1/readiness${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as AnswerBody }
}

const expiresAt = new Date(NOW_MS + 86_400_000).toISOString()

describe('daytwo ready', () => {
  test.each([
    [[], 'got no --target, want the version to upgrade to'],
    [['--target', '4.21.0', 'x'], 'daytwo ready: got "x", want options only'],
    [['--target', '4.21.0', '--format', 'xml'], 'option --format: got "xml", want text or json'],
    [['--target', '4.21.0', '--selector', 'colour=red'], 'option --selector: got "colour=red", want KEY=VALUE'],
    [['--target', '4.21.0', '--selector', 'region='], 'option --selector: got "region=", want KEY=VALUE'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await ready(...args)
    expect(stderr).toContain(message)
    expect([code, stdout]).toEqual([2, ''])
  })

  test.each([
    ['region=eu&text=ams', 0],
    ['region=eu', 3],
    ['region=us', 4],
    ['region=us-west', 5],
    ['region=nowhere', 6],
    ['region=sa', 0],
    ['', 4],
  ])('the exit code of the selection %j is %i', async (selector, code) => {
    expect((await ready('--target', '4.21.0', '--selector', selector)).code).toBe(code)
  })

  test('lists every cluster with its hazards, and what is missing', async () => {
    const { stdout } = await ready('--target', '4.21.0')
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'CLUSTER  VERSION  VERDICT          HAZARDS',
      'ams      4.20.1   ready',
      'bru      4.20.1   at_risk          paused_pool',
      'chi      4.20.1   not_recommended  not_upgradeable',
      'den      4.20.1   unknown          unknown: fail_forward',
      '1.17.0: 1 ready, 1 at_risk, 1 not_recommended, 1 unknown; 1 already there',
      '',
    ])
    const json = await ready('--target', '4.21.0', '--selector', 'region=us', '--format', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ cluster: 'chi', hazards: [{ id: 'not_upgradeable' }] })
  })

  test('a version that is none, and a server that does not know the token, are no verdict', async () => {
    expect(await ready('--target', 'latest')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('want a version') as unknown,
    })
    expect((await daytwo('ready', '--url', url, '--token', 'nobody', '--target', '1.17')).code).toBe(1)
  })
})

describe('accepted risks', () => {
  test('a responder accepts a risk for a selection; the verdict follows, the audit has it, and it can be withdrawn', async () => {
    const request = { hazard: 'paused_pool', selector: { region: 'eu' }, to: '4.21.0', reason: 'CHG-1', expiresAt }
    expect((await call('POST', '/acceptances', 'v', request)).status).toBe(403)
    const made = await call('POST', '/acceptances', 'r', request)
    expect(made).toMatchObject({
      status: 201,
      body: { acceptances: [{ hazard: 'paused_pool', by: 'ada', state: 'in_effect', clusters: ['bru'], expiresAt }] },
    })
    expect((await ready('--target', '4.21.0', '--selector', 'region=eu')).stdout).toContain('paused_pool (accepted)')
    expect((await ready('--target', '4.21.0', '--selector', 'region=eu')).code).toBe(0)
    const [entry] = await memory.facts.audit.list(1)
    expect(entry).toMatchObject({ action: 'risk.accept', by: 'ada', subject: 'bru' })
    const { id } = made.body.acceptances[0]!
    // The same once more replaces it.
    const again = await call('POST', '/acceptances', 'r', { ...request, reason: 'CHG-2' })
    const list = async () => {
      const { body } = await call('GET', '/acceptances', 'v')
      return body.acceptances.map(({ reason, state }) => `${reason} ${state}`)
    }
    expect((await list()).toSorted()).toEqual(['CHG-1 withdrawn', 'CHG-2 in_effect'])
    expect((await call('DELETE', `/acceptances/${id}`, 'v')).status).toBe(403)
    const last = again.body.acceptances[0]!.id
    expect((await call('DELETE', `/acceptances/${last}`, 'r')).status).toBe(200)
    expect((await list()).toSorted()).toEqual(['CHG-1 withdrawn', 'CHG-2 withdrawn'])
    expect((await ready('--target', '4.21.0', '--selector', 'region=eu')).code).toBe(3)
    expect(await memory.facts.acceptedRisks.list()).toHaveLength(2)
  })

  test.each([
    [{ reason: ' ' }, 400, 'want why the risk is accepted'],
    [{ expiresAt: new Date(NOW_MS).toISOString() }, 400, 'want a time between'],
    [{ expiresAt: new Date(NOW_MS + 367 * 86_400_000).toISOString() }, 400, 'want a time between'],
    [{ clusters: ['nobody'] }, 404, 'no cluster is called'],
    [{ clusters: ['bru'], selector: {} }, 400, 'want one of them'],
    [{ clusters: undefined }, 400, 'want one of them'],
    [{ clusters: undefined, selector: { region: 'us' } }, 404, 'no selected cluster has the hazard paused_pool'],
    [{ clusters: undefined, selector: { colour: 'red' } }, 400, ''],
    [{ hazard: 'bad_luck' }, 400, ''],
  ])('%j is refused', async (more, status, message) => {
    const request = { hazard: 'paused_pool', clusters: ['bru'], reason: 'r', expiresAt, ...more }
    const answer = await call('POST', '/acceptances', 'r', request)
    expect(answer.status).toBe(status)
    expect(JSON.stringify(answer.body)).toContain(message)
  })

  test('an acceptance that nobody made is not found', async () => {
    expect((await call('DELETE', '/acceptances/none', 'r')).status).toBe(404)
  })
})

describe('the routes', () => {
  test('hazards have their calibration, lists their facets, a cluster its readiness for a version', async () => {
    const hazards = await call('GET', '/hazards', 'v')
    expect(hazards.body.hazards).toHaveLength(31)
    expect(hazards.body.hazards[0]).toMatchObject({ id: 'json_patch', calibration: { result: 'too_few' } })
    const list = await call('GET', '?to=4.21.0&facets=true&limit=1&verdict=at_risk', 'v')
    expect(list.body).toMatchObject({
      target: { to: '1.17.0' },
      total: 1,
      reached: 1,
      facets: { verdicts: { ready: 1, at_risk: 1, not_recommended: 1, unknown: 1 } },
      clusters: [
        {
          cluster: 'bru',
          hazards: [{ id: 'paused_pool', fix: { command: expect.stringContaining('worker') as unknown } }],
        },
      ],
    })
    const paged = await call('GET', '?to=4.21.0&limit=3', 'v')
    const next = await call('GET', `?to=4.21.0&limit=3&cursor=${encodeURIComponent(paged.body.nextCursor)}`, 'v')
    expect(next.body.clusters).toMatchObject([{ cluster: 'den' }])
    expect((await call('GET', '?to=latest', 'v')).status).toBe(400)
    const detail = await fetch(`${url}/api/fleet/v1/clusters/bru?to=${encodeURIComponent('openshift 4.22.0')}`, {
      headers: { authorization: 'Bearer v' },
    })
    expect(await detail.json()).toMatchObject({
      readiness: {
        target: { operator: 'openshift' },
        hazards: expect.arrayContaining([expect.objectContaining({ id: 'version_skew' })]) as unknown,
      },
    })
  })
})
