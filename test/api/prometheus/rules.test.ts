import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AlertItems } from '../../../src/contract/alerts.ts'
import { AlertList, RuleList } from '../../../src/contract/prometheus.ts'
import { BoundRunbook, RunbookList, RunbookSource, RunbookUnknown } from '../../../src/contract/runbooks.ts'
import { OwnError } from '../../../src/contract/ui.ts'
import { Labels } from '../../../src/model/labels.ts'
import { createLocalEngine, type LocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { createRuleEngine } from '../../../src/rules/engine.ts'
import { loadRuleFiles } from '../../../src/rules/rule-file.ts'
import { emptyFleet } from '../../support/fleet-facts.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const RULES = `
groups:
  - name: alerts
    interval: 30s
    limit: 10
    rules:
      - alert: KubeVirtCRModified
        expr: modified > 0
        labels: { severity: warning, operator_health_impact: none }
        annotations: { summary: '{{ $labels.component_name }} was changed' }
      - alert: Waiting
        expr: modified > 1
        for: 10m
        keep_firing_for: 5m
        labels: { severity: critical }
      - alert: Quiet
        expr: modified > 100
      - alert: Broken
        expr: modified * on() modified
        labels: { severity: info }
  - name: records
    rules:
      - record: modified:sum
        expr: sum(modified)
`

/** Rules evaluated once over a few series, by the real engines. */
async function evaluated(): Promise<Pick<TestServer['deps'], 'rules'> & { readonly query: LocalEngine }> {
  const queryable = new MemoryQueryable()
  const rows = [
    ['prague-1', 'kubevirt/kubevirt-kubevirt-hyperconverged', 1],
    ['brno-2', 'cdi/cdi-kubevirt-hyperconverged', 3],
  ] as const
  for (const [cluster, component_name, value] of rows) {
    queryable.append(Labels.of({ __name__: 'modified', cluster, component_name }), NOW_MS - 1000, value)
  }
  const query = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS })
  const loaded = loadRuleFiles([{ path: 'hco.yaml', text: RULES }])
  expect(loaded.diagnostics).toEqual([])
  const engine = createRuleEngine({
    groups: loaded.groups,
    query: (expr, timeMs) => query.instant({ expr, timeMs }),
    appendDerived: () => Promise.resolve(),
    states: { load: () => Promise.resolve(new Map()), replaceGroup: () => Promise.resolve() },
    externalUrl: 'http://127.0.0.1:4318',
  })
  await engine.restore(NOW_MS)
  // Groups are due at an offset of their own; within two intervals each has been.
  for (let atMs = NOW_MS; atMs <= NOW_MS + 120_000; atMs += 1000) await engine.evaluate(atMs)
  return {
    query,
    rules: { groups: () => Promise.resolve(engine.groups()), alerts: () => engine.alerts() },
  }
}

let server: TestServer
beforeAll(async () => {
  server = await makeServer({
    ...(await evaluated()),
    inventory: (cluster) =>
      cluster === 'prague-1'
        ? Promise.resolve({ cluster, namespace: 'openshift-cnv' })
        : Promise.reject(new Error('the query worker is busy')),
    fleet: (moment) => ({ ...emptyFleet()(moment), now: () => Promise.reject(new Error('not asked here')) }),
  })
})
afterAll(() => server.app.close())

const get = async (url: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const answer = await server.app.inject(url)
  return { status: answer.statusCode, body: answer.json<unknown>() }
}

describe('/api/v1/rules', () => {
  const rules = async (search = ''): Promise<RuleList['data']['groups']> => {
    const { status, body } = await get(`/api/v1/rules${search}`)
    expect(status).toBe(200)
    expect([...Value.Errors(RuleList, body)]).toEqual([])
    return (body as RuleList).data.groups
  }
  type RuleList = {
    data: { groups: { name: string; rules: { name: string; type: string }[] }[]; groupNextToken?: string }
  }

  test('are in Prometheus shape, with health and alerts', async () => {
    const [alerts, records] = await rules()
    expect(alerts).toMatchObject({ name: 'alerts', file: 'hco.yaml', interval: 30, limit: 10 })
    expect(alerts!.rules).toMatchObject([
      {
        name: 'KubeVirtCRModified',
        type: 'alerting',
        state: 'firing',
        health: 'ok',
        query: 'modified > 0',
        duration: 0,
        labels: { severity: 'warning' },
        alerts: [{ state: 'firing', value: expect.stringMatching(/e\+00$/) as unknown }, { state: 'firing' }],
      },
      { name: 'Waiting', state: 'pending', duration: 600, keepFiringFor: 300, alerts: [{ state: 'pending' }] },
      { name: 'Quiet', state: 'inactive', alerts: [] },
      { name: 'Broken', health: 'err', lastError: expect.stringMatching(/./) as unknown },
    ])
    expect(records).toMatchObject({
      name: 'records',
      rules: [{ name: 'modified:sum', type: 'recording', health: 'ok' }],
    })
  })

  test.each([
    ['?type=alert', ['KubeVirtCRModified', 'Waiting', 'Quiet', 'Broken']],
    ['?type=record', ['modified:sum']],
    ['?rule_name[]=Quiet&rule_name[]=modified:sum', ['Quiet', 'modified:sum']],
    ['?rule_group[]=records', ['modified:sum']],
    ['?file[]=other.yaml', []],
    ['?match[]={severity="critical"}', ['Waiting']],
    ['?match[]={severity=~"crit.*"}&match[]={severity="info"}', ['Waiting', 'Broken']],
    ['?group_limit=1', ['KubeVirtCRModified', 'Waiting', 'Quiet', 'Broken']],
  ])('%s filters', async (search, names) => {
    expect((await rules(search)).flatMap((group) => group.rules.map(({ name }) => name))).toEqual(names)
  })

  test('alerts can be left out', async () => {
    expect((await rules('?exclude_alerts=true'))[0]!.rules[0]).toMatchObject({ state: 'firing', alerts: [] })
  })

  test('pages follow one another', async () => {
    const first = (await get('/api/v1/rules?group_limit=1')).body as RuleList
    const token = first.data.groupNextToken!
    const second = (await get(`/api/v1/rules?group_limit=1&group_next_token=${token}`)).body as RuleList
    expect(second.data.groups.map(({ name }) => name)).toEqual(['records'])
    expect(second.data).not.toHaveProperty('groupNextToken')
  })

  test.each([
    ['?type=x', 'invalid parameter "type": not supported value "x"'],
    ['?group_limit=0', 'invalid parameter "group_limit": group_limit needs to be greater than 0'],
    ['?group_next_token=x', 'group_limit needs to be set in order to paginate over the groups'],
    ['?group_limit=1&group_next_token=x', 'invalid parameter "group_next_token": invalid group_next_token'],
    [
      '?exclude_alerts=maybe',
      'invalid parameter "exclude_alerts": error converting exclude_alerts: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
  ])('%s is refused', async (search, error) => {
    expect(await get(`/api/v1/rules${search}`)).toEqual({
      status: 400,
      body: { status: 'error', errorType: 'bad_data', error },
    })
  })
})

test('an alert that is kept firing says since when', async () => {
  const [firing] = server.deps.rules.alerts()
  const kept = { ...firing!, state: 'firing' as const, keepFiringSinceMs: NOW_MS + 500 }
  const other = await makeServer({
    rules: { groups: () => Promise.resolve([]), alerts: () => [kept] },
  })
  const body = (await other.app.inject('/api/v1/alerts')).json<{ data: { alerts: unknown[] } }>()
  expect([...Value.Errors(AlertList, body)]).toEqual([])
  expect(body.data.alerts).toMatchObject([{ keepFiringSince: '2026-08-20T10:00:00.5Z' }])
  await other.app.close()
})

test('/api/v1/alerts holds what is active', async () => {
  const { body } = await get('/api/v1/alerts')
  expect([...Value.Errors(AlertList, body)]).toEqual([])
  const { alerts } = (body as { data: { alerts: { state: string; labels: Record<string, string> }[] } }).data
  expect(alerts.map(({ state, labels }) => [labels['alertname'], labels['cluster'], state]).sort()).toEqual([
    ['KubeVirtCRModified', 'brno-2', 'firing'],
    ['KubeVirtCRModified', 'prague-1', 'firing'],
    ['Waiting', 'brno-2', 'pending'],
  ])
})

test('/api/fleet/v1/alerts holds each alert with its rule and runbook, and the rules that fail', async () => {
  const { body } = await get('/api/fleet/v1/alerts')
  expect([...Value.Errors(AlertItems, body)]).toEqual([])
  const { asOfMs, alerts, failing } = body as AlertItems
  expect(asOfMs).toBe(NOW_MS)
  expect(alerts.map(({ alertname, state, runbook }) => [alertname, state, runbook])).toEqual([
    ['KubeVirtCRModified', 'firing', 'KubeVirtCRModified'],
    ['KubeVirtCRModified', 'firing', 'KubeVirtCRModified'],
    ['Waiting', 'pending', undefined],
  ])
  expect(alerts.find(({ cluster }) => cluster === 'prague-1')).toMatchObject({
    severity: 'warning',
    healthImpact: 'none',
    value: 1,
    annotations: { summary: 'kubevirt/kubevirt-kubevirt-hyperconverged was changed' },
    rule: { group: 'alerts', file: 'hco.yaml', expr: 'modified > 0', forMs: 0, keepFiringForMs: 0 },
  })
  expect(failing).toEqual([{ group: 'alerts', rule: 'Broken', error: expect.stringMatching(/./) as unknown }])
})

describe('/api/runbooks/v1', () => {
  const page = async (path: string): Promise<BoundRunbook> => {
    const { status, body } = await get(`/api/runbooks/v1/pages/${path}`)
    expect(status).toBe(200)
    expect([...Value.Errors(BoundRunbook, body)]).toEqual([])
    return body as BoundRunbook
  }

  test('lists the pages with what fires', async () => {
    const { body } = await get('/api/runbooks/v1/pages')
    expect(Value.Check(RunbookList, body)).toBe(true)
    expect(body).toEqual({
      pages: [
        { name: 'KubeVirtCRModified', summary: 'Somebody changed an operand by hand.', hasRule: true, firing: 2 },
      ],
    })
  })

  test('gives the file as it is kept, by an old name too, to whoever wants to mend it', async () => {
    const { body } = await get('/api/runbooks/v1/pages/HCOOldName/source')
    expect(Value.Check(RunbookSource, body)).toBe(true)
    expect(body).toMatchObject({ name: 'KubeVirtCRModified' })
    expect((body as RunbookSource).path).toMatch(/KubeVirtCRModified\.md$/)
    expect((body as RunbookSource).text).toMatch(/\{\{ ?\w+/)
    expect((await get('/api/runbooks/v1/pages/Nonsense/source')).status).toBe(404)
  })

  test('with several instances nobody is chosen', async () => {
    const { instance, instances, markdown, unbound } = await page('KubeVirtCRModified')
    expect(instance).toBeUndefined()
    expect(instances.map(({ cluster, labels }) => [cluster, labels]).sort()).toEqual([
      ['brno-2', { component_name: 'cdi/cdi-kubevirt-hyperconverged' }],
      ['prague-1', { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }],
    ])
    expect(unbound).toContain('cluster')
    expect(markdown).not.toContain('prague-1')
  })

  test('an instance fills the page from its labels and the inventory', async () => {
    const { instances } = await page('KubeVirtCRModified')
    const { fingerprint } = instances.find(({ cluster }) => cluster === 'prague-1')!
    const bound = await page(`KubeVirtCRModified?instance=${fingerprint}`)
    expect(bound.instance).toMatchObject({ fingerprint, cluster: 'prague-1', state: 'firing' })
    expect(bound.markdown).toContain('kubectl get hco -n openshift-cnv')
    expect(bound.bindings).toContainEqual({ name: 'namespace', value: 'openshift-cnv', source: 'inventory' })
    expect(bound.cells).toMatchObject([{ expr: 'kubevirt_hco_out_of_band_modifications_total{cluster="prague-1"}' }])
    expect(bound.unbound).toEqual([])
  })

  test('without the inventory the page is still there, with what is known', async () => {
    const { instances } = await page('KubeVirtCRModified')
    const { fingerprint } = instances.find(({ cluster }) => cluster === 'brno-2')!
    const bound = await page(`KubeVirtCRModified?instance=${fingerprint}`)
    expect([bound.unbound, bound.markdown.includes('brno-2')]).toEqual([['namespace'], true])
  })

  test.each([
    ['KubeVirtCRModified.md', false],
    ['kubevirtcrmodified', false],
    ['HCOOldName', true],
  ])('%s leads to the page; renamed: %s', async (asked, isRenamed) => {
    expect(await page(asked)).toMatchObject({ name: 'KubeVirtCRModified', askedName: asked, isRenamed })
  })

  test('an instance that is gone leaves the plain page', async () => {
    expect((await page('KubeVirtCRModified?instance=0000000000000000')).instance).toBeUndefined()
  })

  test('an unknown name is 404 with the nearest', async () => {
    const { status, body } = await get('/api/runbooks/v1/pages/KubeVirtCRModifed')
    expect([status, Value.Check(RunbookUnknown, body)]).toEqual([404, true])
    expect((body as RunbookUnknown).nearest).toEqual(['KubeVirtCRModified'])
  })
})

test('a bug on an own route is told without its details', async () => {
  const { status, body } = await get('/api/fleet/v1/now')
  expect([status, Value.Check(OwnError, body)]).toEqual([500, true])
  expect(body).toEqual({ error: 'internal error; the server log has the details', code: 'internal' })
})
