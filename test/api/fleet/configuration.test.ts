import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  BaselineAnswer,
  BaselineReplayAnswer,
  ConfigurationAnswer,
  DeprecatedApisAnswer,
  DifferencesAnswer,
  KvmStackAnswer,
  SettingDetail,
} from '../../../src/contract/fleet-configuration.ts'
import type { ClusterDetail } from '../../../src/contract/fleet-clusters.ts'
import type { ValueInterval } from '../../../src/model/cluster-value.ts'
import type { MachineTypeUse } from '../../../src/fleet/configuration/machine-types.ts'
import type { ClusterRecord, ClusterSettings } from '../../../src/model/cluster-record.ts'
import type { Principal } from '../../../src/model/token.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'
import { putFacts } from '../../support/put-facts.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
}
const LONG_AGO_MS = NOW_MS - 86_400_000

const cluster = (
  name: string,
  hcoVersion: string,
  settings: Partial<ClusterSettings>,
  more: Partial<ClusterRecord> = {},
) =>
  emptyRecord(name, {
    ...{ hcoVersion, lastSeenMs: NOW_MS, firstSeenMs: LONG_AGO_MS, region: 'eu' },
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {}, ...settings },
    ...more,
  })

const CHANGED: Partial<ClusterSettings> = {
  liveMigration: { progressTimeout: 300 },
  written: { 'liveMigration.progressTimeout': { sinceMs: LONG_AGO_MS, by: 'kubectl-edit' } },
}
const FLEET: readonly ClusterRecord[] = [
  cluster('prague', '1.17.0', {}, { aliases: ['cz-1'], versions: { kubevirt: 'v1.7.1' } }),
  cluster('brno', '1.18.1', {}, { versions: { kubevirt: 'v1.8.4' } }),
  cluster('zlin', '1.17.0', { evictionStrategy: '=cmd|' }, { region: 'us', versions: { kubevirt: 'v1.4.0' } }),
  cluster('olomouc', '1.17.0', CHANGED, {
    platform: { kind: 'openshift' },
    versions: { kubevirt: 'v1.4.1' },
    machineTypes: { 'pc-q35-rhel8.6.0': 2 },
    apiClients: [{ api: 'things.v1.g', removedIn: '1.34', clients: ['argocd'] }],
  }),
  emptyRecord('silent', { lastSeenMs: NOW_MS, firstSeenMs: LONG_AGO_MS, versions: { cdi: 'v1' } }),
]
const USE: MachineTypeUse = { vms: new Map([['prague', new Map([['q35', 7]])]]), deprecated: new Map() }

/** An hour ago olomouc and prague both had another timeout, and prague a condition. */
const CHANGED_MS = NOW_MS - 3_600_000

function pastOf({ cluster, settings }: ClusterRecord): readonly ValueInterval[] {
  if (settings.apiVersion === undefined) return []
  const key = 'settings/liveMigration/progressTimeout'
  const api: ValueInterval = { key: 'settings/apiVersion', fromMs: LONG_AGO_MS, value: settings.apiVersion }
  switch (cluster) {
    case 'olomouc':
      return [
        api,
        { key, fromMs: LONG_AGO_MS, untilMs: CHANGED_MS, value: 200 },
        { key, fromMs: CHANGED_MS, value: 300 },
      ]
    case 'prague':
      return [
        api,
        { key, fromMs: LONG_AGO_MS, untilMs: CHANGED_MS, value: 250 },
        {
          key: 'condition/Available',
          fromMs: LONG_AGO_MS,
          untilMs: CHANGED_MS,
          value: { status: 'False', reason: 'R', message: 'm' },
        },
        { key: 'nodes', fromMs: LONG_AGO_MS, value: { count: 3, ready: 2, kubeletVersions: ['v1.30.1'] } },
      ]
    default:
      return [api]
  }
}

let memory: MemoryPeople
let server: TestServer
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  await putFacts(
    fleet,
    FLEET.map((record) => ({
      ...{ cluster: record, upgrades: [], modifications: [], values: pastOf(record) },
      intervals:
        record.hcoVersion === undefined
          ? []
          : [
              {
                ...{ cluster: record.cluster, operator: 'kubevirt-hyperconverged', version: record.hcoVersion },
                ...{ fromMs: LONG_AGO_MS, isStartKnown: true, resolutionSeconds: 1 },
              },
            ],
    })),
  )
  const over = await fleetFactsOver(fleet, Infinity)
  const clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({
    clock,
    baselineTold: async () => {
      over.index.chooseBaseline(await memory.facts.configurationBaseline.read())
    },
  })
  server = await makeServer({
    ...{ clock, people: memory.people, fleet: over.fleet, requiresToken: true },
    authenticate: (token) => Promise.resolve(TOKENS[token]),
    usage: {
      machineTypes: () => Promise.resolve(USE),
      requestedApis: () =>
        Promise.resolve([{ cluster: 'brno', group: 'g', version: 'v1', resource: 'things', removedRelease: '1.34' }]),
    },
  })
})
afterAll(async () => {
  await server.app.close()
})

// The type of the answer is of the contract.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
async function ask<T>(path: string, method: 'GET' | 'PUT' | 'DELETE' = 'GET', token = 'v', body?: object) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await server.app.inject({
    method,
    url: `/api/fleet/v1${path}`,
    headers,
    ...(body && { payload: body }),
  })
  const isJson = String(response.headers['content-type']).includes('json')
  return { status: response.statusCode, text: response.body, body: (isJson ? response.json() : undefined) as T }
}

const TIMEOUT = 'liveMigration.progressTimeout'

describe('without a baseline clusters are compared with most of them', () => {
  test('settings with values, denominator and outliers', async () => {
    const { body } = await ask<ConfigurationAnswer>('/configuration')
    expect(body).toMatchObject({ clusters: 5, reporting: 4, differing: 2, baseline: null })
    expect(body.total).toBe(body.settings.length)
    expect(body.settings.find(({ name }) => name === TIMEOUT)).toEqual({
      ...{ name: TIMEOUT, reporting: 4, otherClusters: 0, outliers: 1 },
      values: [
        { value: 150, default: true, clusters: 3 },
        { value: 300, default: false, clusters: 1 },
      ],
      reference: { by: 'majority', value: 150, default: true },
    })
  })

  test('of a region or a version', async () => {
    const of = async (query: string) => (await ask<ConfigurationAnswer>(`/configuration?${query}`)).body
    expect(await of('region=us')).toMatchObject({ clusters: 1, reporting: 1, differing: 0 })
    expect(await of('version=1.17')).toMatchObject({ clusters: 3, reporting: 3, differing: 2 })
    expect((await ask(`/configuration?at=${new Date(NOW_MS + 1).toISOString()}`)).status).toBe(400)
  })

  test('of a past moment: settings, conditions and nodes as they were, to the millisecond of the change', async () => {
    const valuesAt = async (atMs: number) => {
      const { body } = await ask<SettingDetail>(`/configuration/settings/${TIMEOUT}?at=${new Date(atMs).toISOString()}`)
      return Object.fromEntries(body.clusters.map(({ cluster, value }) => [cluster, value]))
    }
    expect(await valuesAt(CHANGED_MS - 1)).toEqual({ prague: 250, olomouc: 200, brno: 150, zlin: 150 })
    expect(await valuesAt(CHANGED_MS)).toEqual({ prague: 150, olomouc: 300, brno: 150, zlin: 150 })
    const at = `at=${new Date(CHANGED_MS - 1).toISOString()}`
    const { body } = await ask<ConfigurationAnswer>(`/configuration?${at}`)
    expect(body).toMatchObject({
      asOf: new Date(CHANGED_MS - 1).toISOString(),
      reporting: 4,
      past: { unavailable: ['coverage.silent'] },
    })
    const { body: differences } = await ask<DifferencesAnswer>(`/configuration/clusters/prague?against=olomouc&${at}`)
    expect(differences.differences).toMatchObject([{ name: TIMEOUT, value: 250, expected: 200 }])
    const { body: cluster } = await ask<ClusterDetail>(`/clusters/prague?${at}`)
    expect(cluster).toMatchObject({
      conditions: [{ type: 'Available', status: 'False' }],
      nodes: { count: 3, ready: 2 },
      hyperConvergedApi: 'hco.kubevirt.io/v1beta1',
    })
    expect(cluster.past?.unavailable).not.toContain('conditions')
  })

  test('another baseline over a past time: which clusters would have differed from it, and when', async () => {
    const from = new Date(CHANGED_MS - 3_600_000).toISOString()
    const replay = (query: string) => ask<BaselineReplayAnswer>(`/configuration/baseline/replay?${query}`)
    const { body } = await replay(`baseline=cz-1&from=${from}`)
    expect(body).toMatchObject({
      proposed: 'prague',
      present: null,
      total: 5,
      compared: 4,
      onlyPresent: { clusters: 0 },
    })
    // Each other one keeps the default, prague did only in the last hour; olomouc never did.
    expect(body.clusters[0]).toMatchObject({ cluster: 'olomouc', comparedSeconds: 7200 })
    expect(body.clusters.find(({ cluster }) => cluster === 'brno')!.times).toEqual([
      { from, until: new Date(CHANGED_MS).toISOString(), proposed: [TIMEOUT], present: [] },
    ])
    expect(body.onlyProposed.clusters).toBe(3)
    expect((await replay(`baseline=cz-1&from=${from}&region=us`)).body).toMatchObject({ total: 1 })
    expect((await replay(`baseline=nobody&from=${from}`)).status).toBe(404)
    expect((await replay(`baseline=cz-1&from=${new Date(NOW_MS).toISOString()}`)).status).toBe(400)
    expect((await replay(`baseline=cz-1&from=${from}&to=${new Date(NOW_MS + 1).toISOString()}`)).status).toBe(400)
    expect((await replay('baseline=cz-1&from=2020-01-01T00:00:00Z')).status).toBe(400)
  })

  test('one setting: who differs, since when and by whom, page by page', async () => {
    const { body } = await ask<SettingDetail>(`/configuration/settings/${TIMEOUT}?limit=2`)
    expect(body).toMatchObject({ known: 5, total: 4, reporting: 4, outliers: 1 })
    expect(body.clusters.map((one) => one.cluster)).toEqual(['olomouc', 'brno'])
    expect(body.clusters[0]).toEqual({
      ...{ cluster: 'olomouc', version: '1.17.0', value: 300, default: false, outlier: true, by: 'kubectl-edit' },
      since: new Date(LONG_AGO_MS).toISOString(),
    })
    const next = await ask<SettingDetail>(`/configuration/settings/${TIMEOUT}?limit=2&cursor=${body.nextCursor ?? ''}`)
    expect(next.body.clusters.map((one) => one.cluster)).toEqual(['prague', 'zlin'])
    expect(next.body.nextCursor).toBeNull()
    const only = await ask<SettingDetail>(`/configuration/settings/${TIMEOUT}?outliers=true`)
    expect(only.body.clusters.map((one) => one.cluster)).toEqual(['olomouc'])
    expect((await ask('/configuration/settings/nothing')).status).toBe(404)
  })

  test('as CSV, in which a value cannot be a formula', async () => {
    const all = await ask('/configuration?format=csv')
    expect(all.text).toContain(`\r\n${TIMEOUT},150,true,3,4,1\r\n`)
    const one = await ask('/configuration/settings/evictionStrategy?format=csv&outliers=true')
    expect(one.text).toBe("cluster,version,value,default,outlier,since,by\r\nzlin,1.17.0,'=cmd|,false,true,,\r\n")
  })

  test('one cluster against most clusters, and against another one by an alias', async () => {
    const most = await ask<DifferencesAnswer>('/configuration/clusters/olomouc')
    expect(most.body).toMatchObject({ against: 'majority', reference: null })
    expect(most.body.differences.map(({ name, value, expected }) => [name, value, expected])).toEqual([
      [TIMEOUT, 300, 150],
    ])
    const one = await ask<DifferencesAnswer>('/configuration/clusters/olomouc?against=cz-1')
    expect(one.body).toMatchObject({ against: 'cluster', reference: 'prague' })
    expect(one.body.differences).toHaveLength(1)
    expect((await ask<DifferencesAnswer>('/configuration/clusters/silent')).body).toMatchObject({
      compared: 0,
      differences: [],
    })
    expect((await ask('/configuration/clusters/nobody')).status).toBe(404)
    expect((await ask('/configuration/clusters/brno?against=nobody')).status).toBe(404)
  })
})

test('a baseline is chosen by a responder, by an alias too, is audited, and is removed', async () => {
  expect((await ask('/configuration/baseline', 'PUT', 'v', { cluster: 'olomouc' })).status).toBe(403)
  expect((await ask('/configuration/baseline', 'PUT', 'r', { cluster: 'nobody' })).status).toBe(404)
  const chosen = await ask<BaselineAnswer>('/configuration/baseline', 'PUT', 'r', {
    cluster: 'cz-1',
    by: 'somebody else',
  })
  expect(chosen.body.baseline).toEqual({ cluster: 'prague', by: 'ada', chosenAt: new Date(NOW_MS).toISOString() })
  const { body } = await ask<ConfigurationAnswer>('/configuration')
  expect(body.baseline?.cluster).toBe('prague')
  expect(body.settings.find(({ name }) => name === TIMEOUT)?.reference?.by).toBe('baseline')
  const most = await ask<ConfigurationAnswer>('/configuration?against=majority')
  expect(most.body.settings.find(({ name }) => name === TIMEOUT)?.reference?.by).toBe('majority')
  const one = await ask<DifferencesAnswer>('/configuration/clusters/olomouc')
  expect(one.body).toMatchObject({ against: 'baseline', reference: 'prague' })
  expect((await ask<BaselineAnswer>('/configuration/baseline', 'DELETE', 'r')).body.baseline).toBeNull()
  expect((await ask<ConfigurationAnswer>('/configuration')).body.baseline).toBeNull()
  expect((await memory.facts.audit.list(5)).map(({ action, by }) => [action, by])).toEqual([
    ['configuration.baseline.remove', 'ada'],
    ['configuration.baseline.choose', 'ada'],
  ])
})

test('QEMU and libvirt by version, machine types, and what a target brings', async () => {
  const { body } = await ask<KvmStackAnswer>('/kvm-stack')
  expect(body.stacks.map(({ kubevirt, qemu, clusters }) => [kubevirt, qemu, clusters.names])).toEqual([
    ['1.8', '10.1.0', ['brno']],
    ['1.7', null, ['prague']],
    ['1.4', '9.0.0', ['olomouc', 'zlin']],
  ])
  expect(body.machineTypes.map(({ machineType, vms, state }) => [machineType, vms, state])).toEqual([
    ['q35', 7, 'alias'],
    ['pc-q35-rhel8.6.0', 2, 'deprecated'],
  ])
  expect(body).toMatchObject({ reporting: 2, target: null, migrations: [] })
  const { body: moved } = await ask<KvmStackAnswer>('/kvm-stack?target=4.19.0')
  expect(moved.target).toMatchObject({ kubevirt: '1.5', qemu: '9.1.0' })
  expect(moved.migrations).toMatchObject([{ from: '1.4', to: '1.5', backward: 'hazard', clusters: { count: 2 } }])
  expect((await ask('/kvm-stack?target=x')).status).toBe(400)
  expect((await ask('/kvm-stack?target=1.99.0')).status).toBe(400)
  expect(
    (await ask<KvmStackAnswer>(`/kvm-stack?at=${new Date(NOW_MS - 60_000).toISOString()}`)).body.past?.unavailable,
  ).toContain('machineTypes.objects')
})

test('deprecated APIs with their clients, and where a target breaks them', async () => {
  const { body } = await ask<DeprecatedApisAnswer>('/deprecated-apis?target=4.21.0')
  expect(body).toMatchObject({ withClients: 1, total: 1 })
  expect(body.apis[0]).toMatchObject({
    ...{ group: 'g', version: 'v1', resource: 'things' },
    removals: [{ by: 'kubernetes', release: '1.34', source: null }],
    clusters: { count: 2, names: ['brno', 'olomouc'] },
    clients: [{ client: 'argocd', clusters: { names: ['olomouc'] } }],
    breaksOn: { names: ['olomouc'] },
  })
  expect((await ask('/deprecated-apis?target=x')).status).toBe(400)
})
