import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { startAlertmanager } from '../support/alertmanager.ts'
import { memoryNotify } from '../support/notify.ts'
import { memoryPeople } from '../support/people.ts'
import { requirePeer } from '../support/peers.ts'
import { until } from '../support/until.ts'
import { makeServer } from './test-server.ts'

// Debian's Alertmanager and Daytwo are asked the same, and amtool works with both.

const CONFIG = `
route: { receiver: hook, group_wait: 1h }
receivers: [{ name: hook }]
`

async function startDaytwo(options: Readonly<Record<string, string>> = {}): Promise<string> {
  const { people } = await memoryPeople({ clock: systemClock, options })
  const { app } = await makeServer({ clock: systemClock, people })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: unknown
}

async function ask(
  url: string,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<Answer> {
  const response = await fetch(`${url}/api/v2/${path}`, {
    method,
    ...(body === undefined ? {} : { body: Buffer.from(body), headers: { 'content-type': type } }),
  })
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: text === '' ? '' : JSON.parse(text),
  }
}

/** Without what two servers cannot have in common: ids, the moment, and who would be told. */
function shared(value: unknown, without: readonly string[] = ['mutedBy', 'receivers']): unknown {
  if (Array.isArray(value)) return value.map((item) => shared(item, without))
  if (typeof value === 'string')
    return value
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
      .replace(/\b202\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<now>')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      // mutedBy came with 0.28; receivers are the configuration's.
      without.includes(key) ? [] : [[key, shared(item, without)]],
    ),
  )
}

const ENDS = '"endsAt":"3000-01-01T00:00:00Z"'
/** Within `alerts.external-ends-within`: an Alertmanager takes any end. */
const ALERT_ENDS = `"endsAt":"${new Date(systemClock.nowMs() + 86_400_000).toISOString()}"`
const STARTS = '"startsAt":"2026-01-01T00:00:00Z"'
const WHO = '"createdBy":"x","comment":"y"'
const silence = (matchers: string, rest = `${STARTS},${ENDS},${WHO}`) => `{"matchers":[${matchers}],${rest}}`
const M = '{"name":"a","value":"b","isRegex":false}'

/** In this order to both: what a line makes, later ones see. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: string, type?: string])[] = [
  ['GET', 'alerts'],
  ['GET', 'silences'],
  ['GET', 'alerts/groups'],
  ['GET', 'alerts?filter=foo'],
  ['GET', 'alerts?filter='],
  ['GET', 'alerts?filter=%7Ba%3D%221%22%7D'],
  ['GET', 'alerts?filter=a%3D~%22(%22'],
  ['GET', 'alerts?filter=a%3D%22x%22y%22'],
  ['GET', 'alerts?filter=a%3D%22x'],
  ['GET', 'alerts?receiver=('],
  ['GET', 'alerts/groups?receiver=('],
  ['GET', 'alerts/groups?filter=x'],
  ['GET', 'silences?filter=x'],
  ['GET', 'alerts?active=perhaps'],
  ['POST', 'alerts', ''],
  ['POST', 'alerts', '[]'],
  ['POST', 'alerts', '{'],
  ['POST', 'alerts', '[{"labels":'],
  ['POST', 'alerts', '{}'],
  ['POST', 'alerts', '"x"'],
  ['POST', 'alerts', '[{}]'],
  ['POST', 'alerts', '[{"labels":{"a":"1"}},{"labels":null}]'],
  ['POST', 'alerts', '[{"labels":{}}]'],
  ['POST', 'alerts', '[{"labels":{"a":""}}]'],
  ['POST', 'alerts', '[{"labels":{"a-b":"x"}}]'],
  ['POST', 'alerts', '[{"labels":{"a":1}}]'],
  ['POST', 'alerts', '[{"labels":{"a":"1"},"annotations":{"x-y":"1"}},{"labels":{"1":"2"}},{"labels":{"good":"1"}}]'],
  ['POST', 'alerts', '[{"labels":{"a":"1"},"startsAt":"foo"}]'],
  ['POST', 'alerts', `[{"labels":{"a":"1"},${STARTS},"endsAt":"2025-01-01T00:00:00Z"}]`],
  ['POST', 'alerts', '[{"labels":{"a":"1"},"generatorURL":"foo bar"}]'],
  ['POST', 'alerts', '[{"labels":{"a":"1"},"generatorURL":"foo"}]'],
  ['POST', 'alerts', '[{"labels":{"a":"1"}}]', 'text/plain'],
  ['POST', 'alerts', '[{"labels":{"a":"1"}}]', 'application/json; charset=utf-8'],
  [
    'POST',
    'alerts',
    `[{"labels":{"a":"2","b":"","z":"ü\\n"},"annotations":{"s":"","t":"u"},"generatorURL":"http://x/y?z","foo":1,${STARTS}}]`,
  ],
  ['POST', 'alerts', `[{"labels":{"a":"3"},${STARTS},${ALERT_ENDS}}]`],
  ['POST', 'alerts', `[{"labels":{"a":"4"},${STARTS},"endsAt":"2026-02-01T00:00:00Z"}]`],
  [
    'POST',
    'alerts',
    '[{"labels":{"a":"5"},"startsAt":"0001-01-01T00:00:00.000Z","endsAt":"0001-01-01T00:00:00.000Z"}]',
  ],
  ['GET', 'alerts'],
  ['GET', 'alerts?filter=a%3D%222%22'],
  ['GET', 'alerts?filter=a%3D2'],
  ['GET', 'alerts?filter=a%3D~%221%7C3%22&filter=z%3D'],
  ['GET', 'alerts?filter=z!%3D'],
  ['GET', 'alerts?filter=a!~%22.%22'],
  ['GET', 'alerts?active=false'],
  ['POST', 'silences', ''],
  ['POST', 'silences', '{'],
  ['POST', 'silences', '[]'],
  ['POST', 'silences', '{}'],
  ['POST', 'silences', `{${WHO},${ENDS},${STARTS}}`],
  ['POST', 'silences', silence('')],
  ['POST', 'silences', silence(M, `${STARTS},"endsAt":"2026-01-01T00:00:00Z",${WHO}`)],
  ['POST', 'silences', silence(M, `${STARTS},"endsAt":"2026-01-02T00:00:00Z",${WHO}`)],
  ['POST', 'silences', silence(M, `${ENDS},${WHO}`)],
  ['POST', 'silences', silence(M, `${STARTS},${WHO}`)],
  ['POST', 'silences', silence(M, `${STARTS},${ENDS}`)],
  ['POST', 'silences', silence(M, `${STARTS},${ENDS},"createdBy":"x"`)],
  ['POST', 'silences', silence('{"name":"a","value":"","isRegex":false}')],
  ['POST', 'silences', silence('{"name":"a","value":".*","isRegex":true}')],
  ['POST', 'silences', silence('{"name":"a","value":"(","isRegex":true}')],
  ['POST', 'silences', silence('{"name":"a-b","value":"x","isRegex":true}')],
  ['POST', 'silences', silence('{"name":"a","value":"x"}')],
  ['POST', 'silences', silence('{"value":"x","isRegex":false}')],
  ['POST', 'silences', silence('{"name":"a","isRegex":false}')],
  ['POST', 'silences', `{"id":"foo",${silence(M).slice(1)}`],
  ['POST', 'silences', `{"id":"00000000-0000-0000-0000-000000000000",${silence(M).slice(1)}`],
  ['POST', 'silences', silence('{"name":"a","value":"2|3","isRegex":true}')],
  [
    'POST',
    'silences',
    silence(
      '{"name":"b","value":"x.*","isRegex":true,"isEqual":false},{"name":"a","value":"1","isRegex":false}',
      `"startsAt":"2999-01-01T00:00:00Z",${ENDS},${WHO}`,
    ),
  ],
  ['POST', 'silences', silence(M, `"startsAt":"0001-01-01T00:00:00Z","endsAt":"2999-01-01T00:00:00.123456Z",${WHO}`)],
  [
    'POST',
    'silences',
    silence(M, `"startsAt":"2026-01-01T00:00:00+02:00","endsAt":"2998-01-01T00:00:00Z","createdBy":"","comment":""`),
  ],
  ['GET', 'silences'],
  ['GET', 'silences?filter=a%3D%22b%22'],
  ['GET', 'silences?filter=a%3D%222%7C3%22'],
  ['GET', 'silences?filter=a%3D~%222%7C3%22'],
  ['GET', 'alerts?silenced=false'],
  ['GET', 'alerts?silenced=0&inhibited=0&unprocessed=0'],
  ['GET', 'alerts?active=false'],
  ['GET', 'silence/foo'],
  ['GET', 'silence/00000000-0000-0000-0000-000000000000'],
  ['DELETE', 'silence/foo'],
  ['GET', 'nothing'],
]

test('answers as a real Alertmanager does, request by request', async (context) => {
  const peer = await startAlertmanager(requirePeer('prometheus-alertmanager', context), CONFIG)
  const own = await startDaytwo()
  const got: object[] = []
  const wanted: object[] = []
  for (const request of REQUESTS) {
    const [method, path, body, type] = request
    const want = await ask(peer, method, path, body, type)
    const answer = await ask(own, method, path, body, type)
    // Groups are the pipeline's, and here is none.
    const isGroups = path.startsWith('alerts/groups') && want.status === 200
    wanted.push({ request, ...want, body: isGroups ? [] : shared(want.body) })
    got.push({ request, ...answer, body: shared(answer.body) })
  }
  expect(got).toEqual(wanted)
})

test('a silence that HCO makes for its disruption budgets is found, hides, and ends as HCO does it', async (context) => {
  const urls = [await startDaytwo(), await startAlertmanager(requirePeer('prometheus-alertmanager', context), CONFIG)]
  for (const url of urls) {
    const pdb = {
      alertname: 'PodDisruptionBudgetAtLimit',
      namespace: 'vms',
      poddisruptionbudget: 'kubevirt-disruption-budget-x',
    }
    const other = { ...pdb, poddisruptionbudget: 'mine' }
    await ask(url, 'POST', 'alerts', JSON.stringify([{ labels: pdb }, { labels: other }]))
    // The operator first looks whether its own is there, and takes anything but 200 for a failure.
    expect((await ask(url, 'GET', 'silences')).body).toEqual([])
    const made = await ask(
      url,
      'POST',
      'silences',
      JSON.stringify({
        comment: 'Silence KubeVirt PDB alerts',
        createdBy: 'hyperconverged-cluster-operator',
        endsAt: '3000-01-01T00:00:00Z',
        matchers: [
          { isEqual: true, isRegex: false, name: 'alertname', value: 'PodDisruptionBudgetAtLimit' },
          { isEqual: true, isRegex: true, name: 'poddisruptionbudget', value: 'kubevirt-disruption-budget-.*' },
        ],
        startsAt: new Date().toISOString(),
      }),
    )
    expect(made.status).toBe(200)
    const [kept] = (await ask(url, 'GET', 'silences')).body as { id: string; createdBy: string; endsAt: string }[]
    expect(kept).toMatchObject({
      createdBy: 'hyperconverged-cluster-operator',
      endsAt: '3000-01-01T00:00:00.000Z',
      status: { state: 'active' },
    })
    const active = (await ask(url, 'GET', 'alerts?silenced=false')).body as { labels: object }[]
    expect(active.map(({ labels }) => labels)).toEqual([other])
    expect((await ask(url, 'DELETE', `silence/${kept!.id}`)).status).toBe(200)
    expect((await ask(url, 'GET', 'alerts?silenced=false')).body).toHaveLength(2)
  }
})

test('who changes a silence keeps it or gets another, as with Alertmanager', async (context) => {
  const urls = [await startDaytwo(), await startAlertmanager(requirePeer('prometheus-alertmanager', context), CONFIG)]
  const histories: string[][] = []
  for (const url of urls) {
    const history: string[] = []
    const post = async (body: object): Promise<string> => {
      const { body: answer } = await ask(url, 'POST', 'silences', JSON.stringify(body))
      return (answer as { silenceID: string }).silenceID
    }
    const [startsAt, endsAt] = ['2026-01-01T00:00:00Z', '3000-01-01T00:00:00Z']
    const matchers = [{ name: 'a', value: 'b', isRegex: false }]
    const common = { matchers, createdBy: 'me', comment: 'c', endsAt }
    const note = (what: string, id: string, next: string) =>
      history.push(`${what}: ${id === next ? 'the same' : 'another'}`)

    const running = await post({ ...common, startsAt })
    const { body } = await ask(url, 'GET', `silence/${running}`)
    const began = (body as { startsAt: string }).startsAt
    note('longer', running, await post({ ...common, id: running, startsAt: began, endsAt: '3001-01-01T00:00:00Z' }))
    note('comment', running, await post({ ...common, id: running, startsAt: began, comment: 'd' }))
    const moved = await post({ ...common, id: running, startsAt: '2999-01-01T00:00:00Z' })
    note('later start', running, moved)
    note('earlier pending', moved, await post({ ...common, id: moved, startsAt: '2998-01-01T00:00:00Z' }))
    const wider = await post({
      ...common,
      id: moved,
      startsAt: '2998-01-01T00:00:00Z',
      matchers: [{ ...matchers[0], isRegex: true }],
    })
    note('other matchers', moved, wider)
    note('of an expired one', running, await post({ ...common, id: running, startsAt: began }))
    const states = (await ask(url, 'GET', 'silences')).body as { status: { state: string } }[]
    history.push(...states.map(({ status }) => status.state))
    histories.push(history)
  }
  expect(histories[0]).toEqual(histories[1])
  expect(histories[0]).toContain('other matchers: another')
})

const GROUPED = `
route:
  receiver: hook
  group_by: [cluster]
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
  routes:
    - { receiver: night, matchers: [severity="warning"], continue: true, group_by: ['...'] }
    - { receiver: quiet, matchers: [severity="warning"], mute_time_intervals: [always], group_by: [alertname] }
receivers: [{ name: hook }, { name: night }, { name: quiet }]
inhibit_rules:
  - { source_matchers: [severity="critical"], target_matchers: [severity="warning"], equal: [cluster] }
time_intervals: [{ name: always, time_intervals: [{ years: ['2000:3000'] }] }]
`

const GROUP_PATHS = [
  'receivers',
  'alerts',
  'alerts?receiver=night',
  'alerts?receiver=ni.*',
  'alerts?receiver=nobody',
  'alerts?inhibited=false',
  'alerts?active=false',
  'alerts/groups',
  'alerts/groups?receiver=hook',
  'alerts/groups?receiver=h.*%7Cnight',
  'alerts/groups?filter=cluster%3D%22c1%22',
  'alerts/groups?filter=severity%3D%22critical%22&receiver=hook',
  'alerts/groups?inhibited=false',
  'alerts/groups?silenced=false',
  'alerts/groups?active=false',
]

test('groups, receivers and what hides an alert are as with a real Alertmanager', async (context) => {
  const peer = await startAlertmanager(requirePeer('prometheus-alertmanager', context), GROUPED)
  const { people } = await memoryPeople({ clock: systemClock })
  const { pipeline } = await memoryNotify({ clock: systemClock, config: GROUPED, silences: people.silences })
  const { app } = await makeServer({ clock: systemClock, people, pipeline })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const own = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const labels = [
    { alertname: 'A', cluster: 'c1', severity: 'critical' },
    { alertname: 'B', cluster: 'c1', severity: 'warning' },
    { alertname: 'B', cluster: 'c2', severity: 'warning' },
    { alertname: 'C', cluster: 'c2', severity: 'info' },
    { alertname: 'D', cluster: 'c3', severity: 'info', vm: 'x' },
  ]
  const hiding = silence('{"name":"vm","value":"x","isRegex":false}')
  for (const url of [peer, own]) {
    await ask(
      url,
      'POST',
      'alerts',
      JSON.stringify(labels.map((one) => ({ labels: one, startsAt: '2026-01-01T00:00:00Z' }))),
    )
    await ask(url, 'POST', 'silences', hiding)
  }
  const beat = async (): Promise<void> => {
    const nowMs = systemClock.nowMs()
    const alerts = await people.withoutDuplicates(people.alerts())
    await pipeline.cycle(
      alerts.map((alert) => ({ ...alert, generatorUrl: '' })),
      nowMs,
    )
  }
  await beat()
  // Alertmanager knows what inhibits when its groups have been looked at.
  await until('Alertmanager to have grouped all', async () => {
    const { body } = await ask(peer, 'GET', 'alerts?active=false')
    return (body as unknown[]).length === 2 ? true : undefined
  })
  for (const path of GROUP_PATHS) {
    const [want, got] = [await ask(peer, 'GET', path), await ask(own, 'GET', path)]
    expect({ path, status: got.status, body: byPlace(got.body) }).toEqual({
      path,
      status: want.status,
      body: byPlace(want.body),
    })
  }
  expect((await ask(own, 'GET', 'alerts/groups?muted=false')).body).toHaveLength(
    ((await ask(own, 'GET', 'alerts/groups')).body as unknown[]).length - 1,
  )
})

/** Without ids and moments; alerts of a group in one order, because Alertmanager has none; receivers kept. */
function byPlace(body: unknown): unknown {
  const known = shared(body, ['mutedBy', 'updatedAt', 'endsAt'])
  if (!Array.isArray(known)) return known
  return (known as { alerts?: { fingerprint: string }[] }[]).map((group) =>
    group.alerts === undefined
      ? group
      : { ...group, alerts: [...group.alerts].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)) },
  )
}

const run = promisify(execFile)

test('amtool asks, adds, silences, changes and ends', async (context) => {
  const amtool = requirePeer('amtool', context)
  const url = await startDaytwo()
  const am = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await run(amtool, [`--alertmanager.url=${url}`, ...args])
    expect(stderr).toBe('')
    return stdout.trim()
  }
  expect(await am('alert', 'query')).toMatch(/^Alertname/)
  await am(
    'alert',
    'add',
    'alertname=KubeVirtCRModified',
    'cluster_id=c1',
    'severity=warning',
    '--annotation=summary=s',
  )
  await am('alert', 'add', 'Other', 'node=n1')
  expect(await am('-o', 'json', 'alert', 'query', 'KubeVirtCRModified')).toContain('"cluster":"c1"')
  expect(JSON.parse(await am('-o', 'json', 'alert', 'query', 'node=~n.'))).toHaveLength(1)

  const id = await am('silence', 'add', '-a', 'me', '-c', 'known', '-d', '1h', 'alertname=KubeVirtCRModified')
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.parse(await am('-o', 'json', 'alert', 'query'))).toHaveLength(1)
  expect(JSON.parse(await am('-o', 'json', 'alert', 'query', '--silenced'))).toMatchObject([
    { status: { silencedBy: [id] } },
  ])
  expect(await am('silence', 'query', '-q')).toBe(id)
  expect(await am('silence', 'update', '-d', '2h', '-c', 'longer', id)).toContain('longer')
  expect(await am('silence', 'query', '-q', 'alertname=KubeVirtCRModified')).toBe(id)

  const folder = mkdtempSync(join(tmpdir(), 'daytwo-amtool-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'silences.json')
  writeFileSync(file, await am('-o', 'json', 'silence', 'query'))
  await am('silence', 'expire', id)
  expect(await am('silence', 'query', '-q')).toBe('')
  await am('silence', 'import', '--force', file)
  expect(await am('silence', 'query', '-q')).toMatch(/^[0-9a-f-]{36}$/)

  expect(await am('cluster', 'show')).toContain('disabled')
  expect(await am('config', 'show')).toContain('receiver')
  expect(await am('config', 'routes', 'test', 'severity=critical')).not.toBe('')
})

test('a silence until resolved stays one when amtool changes its end', async (context) => {
  const amtool = requirePeer('amtool', context)
  const url = await startDaytwo()
  const response = await fetch(`${url}/api/fleet/v1/silences`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      matchers: [{ name: 'a', op: '=', value: 'b' }],
      endsAtMs: Date.now() + 3_600_000,
      comment: 'c',
      untilResolved: true,
    }),
  })
  const { id } = (await response.json()) as { id: string }
  await run(amtool, [`--alertmanager.url=${url}`, 'silence', 'update', '-d', '3h', id])
  const { silences } = (await (await fetch(`${url}/api/fleet/v1/silences`)).json()) as { silences: object[] }
  expect(silences).toMatchObject([{ id, untilResolved: true }])
})

test('there is room for so many alerts of others, and known ones go on', async () => {
  const url = await startDaytwo({ 'alerts.external-max': '2' })
  const post = (...names: readonly string[]) =>
    ask(url, 'POST', 'alerts', JSON.stringify(names.map((alertname) => ({ labels: { alertname } }))))
  expect((await post('A', 'B')).status).toBe(200)
  const { status, body } = await post('A', 'C')
  expect([status, body]).toEqual([
    429,
    '1 new alerts refused: no room for more alerts of all senders (alerts.external-max)',
  ])
  expect((await post('A', 'B')).status).toBe(200)
  expect((await ask(url, 'GET', 'alerts')).body).toHaveLength(2)
})
