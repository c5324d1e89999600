import { join } from 'node:path'
import { Lexer, type Tokens } from 'marked'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AuditEntries } from '../../../src/contract/alert-history.ts'
import { OutcomeList, OutcomesAnswer, ReviewAnswer, WorkAnswer } from '../../../src/contract/runbook-work.ts'
import { OwnError } from '../../../src/contract/ui.ts'
import type { StoredAlertRun } from '../../../src/model/alert-run.ts'
import type { RuleAlert } from '../../../src/model/alert.ts'
import type { Principal } from '../../../src/model/token.ts'
import { recordRevisions } from '../../../src/runtime/runbook-work.ts'
import { loadCatalog } from '../../../src/catalog/catalog.ts'
import { PROJECT_ROOT } from '../../../src/config/project-root.ts'
import { silentLog } from '../../../src/base/log.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'
import { ruleAlert } from '../rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const MINUTE_MS = 60_000
const NAME = 'VirtAPIDown'
const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
  s: { role: 'responder', name: 'bo' },
}

const folder = (name: string): string => join(PROJECT_ROOT, name)
const CATALOG = loadCatalog(
  { rulesDir: folder('alert-rules'), runbooksDir: folder('runbooks'), dashboardsDir: folder('dashboards') },
  { experimental: false },
)

let alert: RuleAlert
let memory: MemoryPeople
let clock: FakeClock
let server: TestServer

beforeEach(async () => {
  alert = ruleAlert(NAME, '')
  clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({ clock, ruleAlerts: () => [alert] })
  server = await makeServer({
    clock,
    people: memory.people,
    catalog: CATALOG,
    requiresToken: true,
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
  const { catalog } = server.deps
  await recordRevisions({ catalog, store: memory.facts.runbookWork, retentionMs: 1, clock, log: silentLog })
})
afterEach(() => server.app.close())

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the type of the JSON that it reads
async function call<T = unknown>(method: 'GET' | 'POST', path: string, token: string, payload?: object) {
  const answer = await server.app.inject({
    ...{ method, url: `/api/runbooks/v1/${path}`, headers: { authorization: `Bearer ${token}` } },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, body: answer.json<T & { readonly error: string }>() }
}

const PLACE = () => `work/${alert.fingerprint}/${alert.activeAtMs}`
const read = () => call<WorkAnswer>('GET', PLACE(), 'v')
const send = (payload: object, token = 'r') => call<WorkAnswer>('POST', PLACE(), token, payload)

async function keyOf(text: string): Promise<string> {
  return (await read()).body.steps.find((step) => step.text.startsWith(text))!.key
}

/** The alert ends. */
async function end(minutes: number, more: Partial<StoredAlertRun> = {}): Promise<void> {
  const { fingerprint, labels, annotations, activeAtMs } = alert
  clock.advance(minutes * MINUTE_MS)
  const firedAtMs = alert.firedAtMs ?? activeAtMs
  const run = { fingerprint, labels, annotations, activeAtMs, firedAtMs, resolvedAtMs: clock.nowMs(), ...more }
  await memory.facts.alertRuns.record([run])
}

describe('work on an alert', () => {
  test('has the steps of its runbook, and takes ticks, marks and notes with who recorded them', async () => {
    const before = await read()
    expect([before.status, Value.Check(WorkAnswer, before.body)]).toEqual([200, true])
    expect(before.body).toMatchObject({ runbook: NAME, acknowledged: null, end: null, seen: 0, notes: [] })
    expect(before.body.steps.every(({ ticked, isCurrent }) => ticked === null && isCurrent)).toBe(true)

    const step = await keyOf('Pending, FailedScheduling')
    const ticked = await send({ kind: 'tick', step, seen: 0 })
    expect([ticked.status, Value.Check(WorkAnswer, ticked.body)]).toEqual([200, true])
    expect(ticked.body).toMatchObject({ seen: 1, acknowledged: { by: 'ada', atMs: NOW_MS } })
    await send({ kind: 'helped', step, seen: 1 }, 's')
    const noted = await send({ kind: 'note', text: '  <b>node</b> was *full*\n' })
    expect(noted.body.notes).toEqual([{ number: 3, text: '<b>node</b> was *full*', by: 'ada', atMs: NOW_MS }])
    expect(noted.body.steps.find(({ key }) => key === step)).toMatchObject({
      ticked: { by: 'ada', atMs: NOW_MS },
      helped: { by: 'bo', atMs: NOW_MS },
    })
    const { body } = await server.app.inject({
      ...{ method: 'GET', url: '/api/fleet/v1/audit', headers: { authorization: 'Bearer r' } },
    })
    const audit = JSON.parse(body) as {
      readonly entries: readonly Readonly<Record<'action' | 'by' | 'subject', string>>[]
    }
    expect(Value.Check(AuditEntries, audit)).toBe(true)
    expect(audit.entries.map(({ action, by, subject }) => [action, by, subject])).toEqual([
      ['runbook.note', 'ada', alert.fingerprint],
      ['runbook.step', 'bo', alert.fingerprint],
      ['runbook.step', 'ada', alert.fingerprint],
    ])
  })

  test('of two people is all kept; the opposite of what somebody recorded meanwhile is refused', async () => {
    const [first, second] = [await keyOf('Pending'), await keyOf('ImagePull')]
    const both = await Promise.all([
      send({ kind: 'tick', step: first, seen: 0 }),
      send({ kind: 'tick', step: second, seen: 0 }, 's'),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const { body } = await read()
    expect(
      body.steps
        .filter(({ ticked }) => ticked !== null)
        .map(({ ticked }) => ticked!.by)
        .sort(),
    ).toEqual(['ada', 'bo'])
    const refused = await send({ kind: 'untick', step: first, seen: 0 }, 's')
    expect([refused.status, Value.Check(OwnError, refused.body)]).toEqual([409, true])
    expect(refused.body.error).toBe('ada recorded the opposite at 2026-08-20T10:00:00.000Z')
    expect((await send({ kind: 'untick', step: first, seen: 2 }, 's')).status).toBe(200)
    // The same again is no error and no entry.
    expect((await send({ kind: 'untick', step: first, seen: 2 }, 's')).body.seen).toBe(3)
  })

  test('needs the role responder', async () => {
    expect((await call('POST', PLACE(), 'v', { kind: 'note', text: 'x' })).status).toBe(403)
  })

  test.each([
    [{ kind: 'tick' }, 'tick without step'],
    [{ kind: 'tick', step: 'nope' }, 'the runbook has no step "nope"'],
    [{ kind: 'tick', step: 'constructor' }, 'the runbook has no step'],
    [{ kind: 'note', text: ' \n ' }, 'an empty note'],
    [{ kind: 'note', text: 'x'.repeat(2001) }, 'text'],
    [{ kind: 'note', text: 'x', step: 'a' }, 'a note with a step'],
    [{ kind: 'end', text: 'luck' }, 'the cause "luck"'],
    [{ kind: 'end' }, 'the cause ""'],
    [{ kind: 'climb' }, 'kind'],
    [{ kind: 'note', text: 'x', seen: -1 }, 'seen'],
    [{}, 'kind'],
  ])('%j is refused', async (payload, message) => {
    const { status, body } = await send(payload)
    expect(status).toBe(400)
    expect(body.error).toContain(message)
    expect((await read()).body.seen).toBe(0)
  })

  test('refuses a text with a tick, and a step with a cause that is no fix', async () => {
    const step = await keyOf('Pending')
    expect((await send({ kind: 'tick', step, text: 'x' })).body.error).toContain('tick with a text')
    expect((await send({ kind: 'end', step, text: 'unknown' })).body.error).toContain('a step with the cause unknown')
    expect((await send({ kind: 'end', step, text: 'fix' })).status).toBe(200)
  })

  test.each(['work/0000000000000000/1', 'work/0000000000000000/x', 'work/0000000000000000/-1'])(
    '%s: there is no such alert',
    async (path) => {
      expect((await call('GET', path, 'v')).status).toBe(404)
      expect((await call('POST', path, 'r', { kind: 'note', text: 'x' })).status).toBe(404)
    },
  )

  test('of an alert without a runbook has notes and the outcome', async () => {
    alert = ruleAlert('OfATeam', '')
    const { body } = await read()
    expect(body).toMatchObject({ runbook: null, revision: null, steps: [] })
    expect((await send({ kind: 'note', text: 'x' })).status).toBe(200)
    expect((await send({ kind: 'tick', step: 'x' })).status).toBe(400)
    expect((await send({ kind: 'end', text: 'by_itself' })).status).toBe(200)
  })

  test('says what ended the alert, and a person can correct it, also later', async () => {
    const step = await keyOf('Pending')
    await send({ kind: 'tick', step })
    await end(5)
    expect((await read()).body.end).toMatchObject({ cause: 'fix', isStated: false, step })
    const stated = await send({ kind: 'end', text: 'by_itself' }, 's')
    expect(stated.body.end).toEqual({
      ...{ cause: 'by_itself', isStated: true, evidence: ['Stated by bo.'], step: null, upgradeId: null },
    })
    expect((await send({ kind: 'end', text: 'derived' })).body.end).toMatchObject({ cause: 'fix', isStated: false })
  })
})

describe('outcomes', () => {
  test('are by revision, with the steps that never helped first', async () => {
    const [diagnosis, step] = [await keyOf('Why do the pods'), await keyOf('Pending')]
    await send({ kind: 'tick', step: diagnosis })
    clock.advance(2 * MINUTE_MS)
    await send({ kind: 'tick', step })
    await send({ kind: 'helped', step })
    await end(5)
    const { status, body } = await call<OutcomesAnswer>('GET', `outcomes/${NAME}.md`, 'v')
    expect([status, Value.Check(OutcomesAnswer, body)]).toEqual([200, true])
    const firedSeconds = (NOW_MS - (alert.firedAtMs ?? alert.activeAtMs)) / 1000
    expect(body).toMatchObject({
      name: NAME,
      isPartial: false,
      summary: { runs: 1, worked: 1, ended: { fix: 1 }, acknowledge: { complete: 1, of: 1, p50Seconds: firedSeconds } },
      worked: [{ end: { cause: 'fix' }, stepText: expect.stringMatching(/^Pending/) as string }],
    })
    expect(body.revisions).toHaveLength(1)
    expect(body.revisions[0]!.revision).toMatch(/^[0-9a-f]{12}$/)
    expect(body.steps[0]).toMatchObject({ key: diagnosis, ticked: 1, of: 1, helped: 0 })
    expect(body.steps.at(-1)).toMatchObject({ key: step, ticked: 1, of: 1, helped: 1 })

    const list = await call<OutcomeList>('GET', 'outcomes', 'v')
    expect([list.status, Value.Check(OutcomeList, list.body)]).toEqual([200, true])
    expect(list.body.alerts).toMatchObject([{ name: NAME, hasRunbook: true, summary: { runs: 1 } }])
  })

  test('are of the days that are asked for, of alerts without a runbook too, and of no unknown name', async () => {
    await end(5)
    clock.advance(2 * 86_400_000)
    const days = async (count: number) =>
      (await call<OutcomesAnswer>('GET', `outcomes/${NAME}?days=${count}`, 'v')).body.summary.runs
    expect([await days(1), await days(3)]).toEqual([0, 1])
    expect((await call('GET', `outcomes/${NAME}?days=0`, 'v')).status).toBe(400)
    expect((await call('GET', 'outcomes/Nothing', 'v')).status).toBe(404)
    alert = ruleAlert('OfATeam', '')
    expect((await call<OutcomesAnswer>('GET', 'outcomes/OfATeam', 'v')).body).toMatchObject({
      steps: [],
      revisions: [],
    })
  })
})

describe('a post-incident review', () => {
  const PLACE_OF_REVIEW = () => `reviews/alerts/${alert.fingerprint}/${alert.activeAtMs}`

  test('has the timeline of the alert, and no text of a person becomes markup', async () => {
    const step = await keyOf('Pending')
    await send({ kind: 'tick', step })
    await send({ kind: 'note', text: '| # <script>alert(1)</script> [x](javascript:1)\n\n# Title' })
    await send({ kind: 'helped', step })
    await end(5, { annotations: { summary: '*No* virt-api | pod' } })
    const { status, body } = await call<ReviewAnswer>('GET', PLACE_OF_REVIEW(), 'v')
    expect([status, Value.Check(ReviewAnswer, body)]).toEqual([200, true])
    expect(body.review.timeline.map(({ kind }) => kind)).toEqual([
      ...['alert', 'alert', 'acknowledgement', 'step', 'note', 'step', 'alert'],
    ])
    expect(body.review.timeline.map(({ atMs }) => atMs)).toEqual(body.review.timeline.map(({ atMs }) => atMs).sort())
    expect(body.review.alerts[0]).toMatchObject({ end: { cause: 'fix' }, summary: '*No* virt-api | pod' })
    expect(body.fileName).toMatch(/^review-VirtAPIDown-[A-Za-z0-9.-]+$/)
    const tokens = new Lexer({ gfm: true }).lex(body.markdown)
    const titles = tokens.filter((token): token is Tokens.Heading => token.type === 'heading').map(({ text }) => text)
    expect(titles).toEqual([
      ...['Review of VirtAPIDown', 'Alerts', 'VirtAPIDown', 'Timeline', 'Missing information', 'Lessons'],
    ])
    expect(tokens.some(({ type }) => type === 'html')).toBe(false)
    const tables = tokens.filter((token): token is Tokens.Table => token.type === 'table')
    expect(tables.at(-1)!.rows).toHaveLength(7)
    expect(body.markdown).toContain('**the fix**')
    expect(body.markdown).toContain('Ended by: a fix.')
  })

  test('of an alert that fires and has no work says what is missing', async () => {
    const { body } = await call<ReviewAnswer>('GET', PLACE_OF_REVIEW(), 'v')
    expect(body.review).toMatchObject({
      alerts: [{ end: null, resolveSeconds: null, acknowledgeSeconds: null }],
      unknown: ['Of some alerts no step is recorded: the review has their times only.'],
    })
    expect(body.markdown).toContain('| not acknowledged | firing |')
  })

  test('of an upgrade that is not known does not exist', async () => {
    expect((await call('GET', 'reviews/upgrades/none', 'v')).status).toBe(404)
    expect((await call('GET', 'reviews/alerts/none/1', 'v')).status).toBe(404)
  })
})
