import { Value } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AlertRuns, AlertStrips, AuditEntries } from '../../../src/contract/alert-history.ts'
import { AlertMarks, AlertDetail, AlertItems } from '../../../src/contract/alerts.ts'
import { SilenceItem, SilenceItems, SilencePreview } from '../../../src/contract/silences.ts'
import { OwnError } from '../../../src/contract/ui.ts'
import type { Principal } from '../../../src/model/token.ts'
import type { RuleAlert } from '../../../src/model/alert.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'
import { ruleAlert } from '../rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const MINUTE_MS = 60_000

const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
}

let alerts: RuleAlert[]
let memory: MemoryPeople
let clock: FakeClock
let server: TestServer

beforeEach(async () => {
  alerts = [
    ruleAlert('A', 'c1'),
    ruleAlert('A', 'c2'),
    ruleAlert('B', 'c1', 'pending'),
    ruleAlert('C', 'c1', 'resolved'),
  ]
  clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({ clock, ruleAlerts: () => alerts })
  server = await makeServer({
    clock,
    people: memory.people,
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
})
afterEach(() => server.app.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

async function ask(method: Method, path: string, payload?: object, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await server.app.inject({
    method,
    url: `/api/fleet/v1/${path}`,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}

const SILENCE = {
  matchers: [{ name: 'alertname', op: '=', value: 'A' }],
  endsAtMs: NOW_MS + 60 * MINUTE_MS,
  comment: 'known',
  createdBy: 'mallory',
}

async function marksOf(name: string, cluster: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await ask('GET', 'alerts')
  expect(Value.Check(AlertItems, body)).toBe(true)
  const items = body['alerts'] as { alertname: string; cluster: string; marks: Record<string, unknown> }[]
  return items.find((item) => item.alertname === name && item.cluster === cluster)?.marks
}

describe('silences', () => {
  test('are made, seen on what they hide, changed, and ended; each with who did it', async () => {
    const made = await ask('POST', 'silences', SILENCE, 'r')
    expect([made.status, Value.Check(SilenceItem, made.body)]).toEqual([201, true])
    const id = made.body['id'] as string
    expect(made.body).toMatchObject({
      createdBy: 'ada',
      state: 'active',
      hides: [alerts[0]!.fingerprint, alerts[1]!.fingerprint],
    })
    expect((await marksOf('A', 'c2'))?.['silencedBy']).toEqual([id])
    expect((await marksOf('B', 'c1'))?.['silencedBy']).toEqual([])

    // A later end is the same silence; other matchers are another one.
    clock.advance(MINUTE_MS)
    const longer = await ask('PUT', `silences/${id}`, { ...SILENCE, endsAtMs: NOW_MS + 90 * MINUTE_MS }, 'r')
    expect(longer.body).toMatchObject({ id, startsAtMs: NOW_MS, endsAtMs: NOW_MS + 90 * MINUTE_MS })
    const matchers = [{ name: 'alertname', op: '=~', value: 'A|B' }]
    const wider = await ask('PUT', `silences/${id}`, { ...SILENCE, matchers }, 'r')
    expect(wider.body['id']).not.toBe(id)

    const list = await ask('GET', 'silences')
    expect(Value.Check(SilenceItems, list.body)).toBe(true)
    expect((list.body['silences'] as { id: string; state: string }[]).map(({ id, state }) => [id, state])).toEqual([
      [wider.body['id'], 'active'],
      [id, 'expired'],
    ])
    const ended = await ask('DELETE', `silences/${wider.body['id'] as string}`, undefined, 'r')
    expect([ended.status, ended.body['state']]).toEqual([200, 'expired'])
    expect((await marksOf('A', 'c2'))?.['silencedBy']).toEqual([])

    const audit = await ask('GET', 'audit?limit=3')
    expect(Value.Check(AuditEntries, audit.body)).toBe(true)
    const entries = audit.body['entries'] as { action: string; by: string }[]
    expect(entries.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'silence.expire ada',
      'silence.update ada',
      'silence.expire ada',
    ])
    const rest = await ask('GET', `audit?cursor=${audit.body['nextCursor'] as string}`)
    expect((rest.body['entries'] as { action: string }[]).map(({ action }) => action)).toEqual([
      'silence.update',
      'silence.create',
    ])
    expect(rest.body['nextCursor']).toBeUndefined()
  })

  test('of an open server are by whom the caller says, or by somebody', async () => {
    expect((await ask('POST', 'silences', SILENCE)).body['createdBy']).toBe('mallory')
    const { matchers, endsAtMs, comment } = SILENCE
    expect((await ask('POST', 'silences', { matchers, endsAtMs, comment })).body['createdBy']).toBe('loopback client')
  })

  test.each([
    ['no matchers', { ...SILENCE, matchers: [] }, 'matchers'],
    ['an operator that is none', { ...SILENCE, matchers: [{ name: 'a', op: '==', value: 'b' }] }, 'matchers/0'],
    ['no comment', { ...SILENCE, comment: '' }, 'comment'],
    ['an end in the past', { ...SILENCE, startsAtMs: 1, endsAtMs: 2 }, "end time can't be in the past"],
    ['an end before its start', { ...SILENCE, startsAtMs: SILENCE.endsAtMs }, 'start time must be before end time'],
    ['a bad pattern', { ...SILENCE, matchers: [{ name: 'a', op: '=~', value: '(' }] }, 'missing closing )'],
    ['a bad name', { ...SILENCE, matchers: [{ name: 'a-b', op: '=', value: 'c' }] }, 'invalid label name "a-b"'],
    [
      'matchers that match everything',
      { ...SILENCE, matchers: [{ name: 'a', op: '=~', value: '.*' }] },
      'at least one matcher',
    ],
    ['nothing', {}, 'matchers'],
  ])('with %s are refused', async (_, wish, message) => {
    const { status, body } = await ask('POST', 'silences', wish)
    expect([status, Value.Check(OwnError, body)]).toEqual([400, true])
    expect(body['error']).toContain(message)
    expect((await ask('GET', 'silences')).body['silences']).toEqual([])
  })

  test.each(['GET', 'PUT', 'DELETE'] as const)('%s of one that is not there is 404', async (method) => {
    const { status } = await ask(method, 'silences/no-such', method === 'PUT' ? SILENCE : undefined)
    expect(status).toBe(404)
  })

  test('are told beforehand: what they hide now, and what they would have hidden', async () => {
    await memory.people.cycle(NOW_MS)
    alerts = []
    await memory.people.cycle(NOW_MS + MINUTE_MS)
    alerts = [ruleAlert('A', 'c2'), ruleAlert('A', 'c3', 'pending')]
    clock.advance(2 * MINUTE_MS)
    const { status, body } = await ask('POST', 'silences/preview', {
      matchers: [{ name: 'cluster', op: '!=', value: 'c9' }],
    })
    expect([status, Value.Check(SilencePreview, body)]).toEqual([200, true])
    expect(body).toMatchObject({
      nowCount: 2,
      now: [
        { alertname: 'A', cluster: 'c2', state: 'firing' },
        { alertname: 'A', cluster: 'c3', state: 'pending' },
      ],
      past: [
        { alertname: 'A', runs: 2, clusters: 2, lastFiredAtMs: NOW_MS - 9 * MINUTE_MS },
        { alertname: 'C', runs: 1, clusters: 1 },
      ],
      pastRuns: 3,
    })
    expect((await ask('POST', 'silences/preview', { matchers: [{ name: 'a', op: '=~', value: '(' }] })).status).toBe(
      400,
    )
  })
})

describe('acknowledging', () => {
  const path = () => `alerts/${alerts[0]!.fingerprint}/acknowledge`

  test('says who looks after a run, hides nothing, and ends with the run', async () => {
    const { status, body } = await ask('POST', path(), { note: 'on it', by: 'mallory' }, 'r')
    expect([status, Value.Check(AlertMarks, body)]).toEqual([200, true])
    const acknowledged = { by: 'ada', atMs: NOW_MS, note: 'on it' }
    expect(await marksOf('A', 'c1')).toMatchObject({ acknowledged, silencedBy: [] })
    expect(await marksOf('A', 'c2')).not.toHaveProperty('acknowledged')
    const restarted = await memory.restart()
    expect(restarted.acknowledgements.of(alerts[0]!)).toMatchObject(acknowledged)

    // The next run of the same alert is not the one that somebody looks after.
    await memory.people.cycle(NOW_MS)
    alerts = [ruleAlert('A', 'c1', 'firing', { activeAtMs: NOW_MS, firedAtMs: NOW_MS })]
    await memory.people.cycle(NOW_MS + MINUTE_MS)
    expect(await marksOf('A', 'c1')).not.toHaveProperty('acknowledged')
    const runs = await ask('GET', 'alerts/history?alertname=A&cluster=c1')
    expect(runs.body['runs']).toMatchObject([
      { activeAtMs: NOW_MS },
      { acknowledgedBy: 'ada', acknowledgedNote: 'on it', resolvedAtMs: NOW_MS + MINUTE_MS },
    ])
    expect((await memory.restart()).acknowledgements.of(ruleAlert('A', 'c1'))).toBeUndefined()
  })

  test('is taken back', async () => {
    await ask('POST', path(), { note: '' })
    expect(await marksOf('A', 'c1')).toHaveProperty('acknowledged')
    expect((await ask('DELETE', path())).status).toBe(200)
    expect(await marksOf('A', 'c1')).not.toHaveProperty('acknowledged')
    expect((await ask('DELETE', path())).status).toBe(404)
    const audit = await ask('GET', 'audit')
    expect((audit.body['entries'] as { action: string }[]).map(({ action }) => action)).toEqual([
      'alert.unacknowledge',
      'alert.acknowledge',
    ])
  })

  test('is of an active alert only, with a note of bounded length', async () => {
    expect((await ask('POST', 'alerts/0123456789abcdef/acknowledge', { note: '' })).status).toBe(404)
    const resolved = await ask('POST', `alerts/${alerts[3]!.fingerprint}/acknowledge`, { note: '' })
    expect([resolved.status, resolved.body['error']]).toEqual([404, expect.stringContaining('is resolved')])
    expect((await ask('POST', path(), { note: 'x'.repeat(4001) })).status).toBe(400)
    expect((await ask('POST', path(), {})).status).toBe(400)
  })
})

test('who had the content read again is in the audit', async () => {
  const { app } = await makeServer({
    clock,
    people: memory.people,
    requiresToken: true,
    reload: () => Promise.resolve(),
    authenticate: () => Promise.resolve({ role: 'admin', name: 'root' } as const),
  })
  const headers = { authorization: 'Bearer x' }
  expect((await app.inject({ method: 'POST', url: '/-/reload', headers })).statusCode).toBe(200)
  expect(await memory.people.audit(9)).toMatchObject([{ action: 'rules.reload', by: 'root', subject: 'content' }])
  await app.close()
})

describe('one alert', () => {
  const { fingerprint } = ruleAlert('A', 'c1')

  test('comes with its threshold, what began before it, and where else it is', async () => {
    alerts = [
      ruleAlert('A', 'c1', 'firing', { value: 3 }),
      ruleAlert('A', 'c2'),
      ruleAlert('B', 'c1', 'pending', { activeAtMs: NOW_MS - 40 * MINUTE_MS }),
      ruleAlert('B', 'c2', 'pending', { activeAtMs: NOW_MS - 40 * MINUTE_MS }),
      ruleAlert('C', 'c1', 'firing', { activeAtMs: NOW_MS - 200 * MINUTE_MS }),
      ruleAlert('D', 'c1', 'firing', { activeAtMs: NOW_MS }),
    ]
    const { status, body } = await ask('GET', `alerts/${fingerprint}`)
    expect([status, Value.Check(AlertDetail, body)]).toEqual([200, true])
    expect(body).toMatchObject({
      alert: { fingerprint, source: 'rule', marks: { silencedBy: [] } },
      comparison: { value: 3, operator: '>', threshold: 0, expr: 'up', text: '3 is above the threshold 0' },
      changes: [{ kind: 'alert', text: 'B started', atMs: NOW_MS - 40 * MINUTE_MS }],
      elsewhere: { clusters: 2, alerts: [{ cluster: 'c2', state: 'firing' }] },
      reportedAlsoBy: [],
    })
  })

  test('is shown when what is around it cannot be read, and says so', async () => {
    const failing = () => Promise.reject(new Error('the query takes too long'))
    const { app } = await makeServer({
      clock,
      people: memory.people,
      context: { changes: failing, shared: failing, deliveries: failing },
    })
    const answer = await app.inject(`/api/fleet/v1/alerts/${fingerprint}`)
    const body = answer.json<{ unknown: string[]; changes: unknown[] }>()
    expect([answer.statusCode, Value.Check(AlertDetail, body)]).toEqual([200, true])
    expect(body.unknown).toEqual([
      'What changed could not be read: the query takes too long.',
      'What clusters share could not be read: the query takes too long.',
      'Deliveries could not be read: the query takes too long.',
    ])
    await app.close()
  })

  test('that nobody knows is 404', async () => {
    const { status, body } = await ask('GET', 'alerts/0123456789abcdef')
    expect([status, Value.Check(OwnError, body)]).toEqual([404, true])
  })
})

describe('the history', () => {
  test('has each run once, page by page, and says when alerts fired', async () => {
    await memory.people.cycle(NOW_MS)
    await memory.people.cycle(NOW_MS + 1000)
    alerts = [ruleAlert('A', 'c1', 'resolved', { resolvedAtMs: NOW_MS + MINUTE_MS }), alerts[1]!]
    clock.advance(2 * MINUTE_MS)
    await memory.people.cycle(clock.nowMs())
    const first = await ask('GET', 'alerts/history?limit=2')
    expect(Value.Check(AlertRuns, first.body)).toBe(true)
    const second = await ask('GET', `alerts/history?limit=2&cursor=${first.body['nextCursor'] as string}`)
    const runs = [...(first.body['runs'] as object[]), ...(second.body['runs'] as object[])]
    expect(second.body['nextCursor']).toBeUndefined()
    expect(runs).toHaveLength(3)
    expect(runs).toContainEqual(
      expect.objectContaining({ alertname: 'A', cluster: 'c1', resolvedAtMs: NOW_MS + MINUTE_MS }),
    )
    expect(runs).toContainEqual(expect.not.objectContaining({ resolvedAtMs: expect.anything() as unknown }))

    const [one, two] = [alerts[0]!.fingerprint, alerts[1]!.fingerprint]
    const strip = await ask(
      'GET',
      `alerts/strip?fingerprint=${one}&fingerprint=${two}&fingerprint=none&hours=1&blocks=12`,
    )
    expect(Value.Check(AlertStrips, strip.body)).toBe(true)
    const strips = strip.body['strips'] as Record<string, number[]>
    // Fired nine minutes ago (now eleven), five-minute blocks: one minute of the third last, then all; resolved a minute ago.
    expect(strips[one]!.slice(-4)).toEqual([0, 0.2, 1, 0.8])
    expect(strips[two]!.slice(-4)).toEqual([0, 0.2, 1, 1])
    expect(strips['none']).toEqual(Array.from({ length: 12 }, () => 0))
  })

  test('goes on when the disk was full for a while, and a beat does not fail for it', async () => {
    let isFull = true
    const full = await memoryPeople({
      clock,
      ruleAlerts: () => alerts,
      wrap: (store) => ({
        ...store,
        alertRuns: {
          listOpen: () => store.alertRuns.listOpen(),
          prune: (beforeMs) => store.alertRuns.prune(beforeMs),
          record: (runs) => (isFull ? Promise.reject(new Error('disk full')) : store.alertRuns.record(runs)),
        },
      }),
    })
    await full.people.cycle(NOW_MS)
    expect(await full.facts.alertRuns.listOpen()).toEqual([])
    isFull = false
    await full.people.cycle(NOW_MS + 1000)
    expect(await full.facts.alertRuns.listOpen()).toHaveLength(2)
  })

  test.each([
    'alerts/history?limit=0',
    'alerts/history?limit=1001',
    'alerts/history?fromMs=x',
    'alerts/history?cursor=x',
    `alerts/history?cursor=${Buffer.from('[1]').toString('base64url')}`,
    'alerts/strip?blocks=0',
    'alerts/strip?hours=NaN',
    `alerts/strip?${Array.from({ length: 501 }, (_, i) => `fingerprint=${i}`).join('&')}`,
    'audit?cursor=x',
  ])('refuses %.40s', async (path) => {
    const { status, body } = await ask('GET', path)
    expect([status, Value.Check(OwnError, body)]).toEqual([400, true])
  })
})

describe('who may', () => {
  const closed = async () =>
    makeServer({
      people: memory.people,
      clock,
      requiresToken: true,
      authenticate: (token) => Promise.resolve(TOKENS[token]),
    })

  test.each([
    ['POST', '/api/fleet/v1/silences', 'v', 403],
    ['POST', '/api/fleet/v1/silences', 'r', 201],
    ['POST', '/api/fleet/v1/silences', 'none', 401],
    ['GET', '/api/fleet/v1/silences', 'v', 200],
    ['GET', '/api/fleet/v1/audit', 'v', 200],
    ['DELETE', '/api/fleet/v1/silences/x', 'v', 403],
    ['POST', '/api/fleet/v1/alerts/x/acknowledge', 'v', 403],
  ] as const)('%s %s with token %s: %i', async (method, url, token, status) => {
    const { app } = await closed()
    const payload = method === 'POST' ? { payload: SILENCE } : {}
    const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...payload })
    expect(answer.statusCode).toBe(status)
    await app.close()
  })
})
