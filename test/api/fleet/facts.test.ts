import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClusterDetail, ClusterItems, type ClusterItem } from '../../../src/contract/fleet-clusters.ts'
import { EdgeComparisonItem, EdgeItems, RunItems } from '../../../src/contract/fleet-edges.ts'
import { GateDetail, GateItems } from '../../../src/contract/fleet-gates.ts'
import { ModificationItems } from '../../../src/contract/fleet-modifications.ts'
import { StrandedItems } from '../../../src/contract/fleet-stranded.ts'
import { StuckItems, UpgradeDetailItem, UpgradeItem, UpgradeItems } from '../../../src/contract/fleet-upgrades.ts'
import type { ClusterRecord, Modification } from '../../../src/model/cluster-record.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { upgradeTraceId } from '../../../src/fleet/trace/trace-ids.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { T0_MS, UPGRADE, UPGRADE_FIELDS, upgradeRecord } from '../../support/upgrade-record.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'
import { putFacts } from '../../support/put-facts.ts'

const MINUTE_MS = 60_000
const at = (minutes: number): number => NOW_MS + minutes * MINUTE_MS

function record(cluster: string, more: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord(cluster, {
    firstSeenMs: at(-900),
    lastSeenMs: at(-1),
    coverage: { objects: false, metrics: true, spans: false, metricsLastMs: at(-1), kinds: [] },
    ...more,
  })
}

const channel = (name: string): NonNullable<ClusterRecord['subscription']> => ({
  package: 'community-kubevirt-hyperconverged',
  channel: name,
  approval: 'Manual',
  source: 'operatorhub',
  state: 'AtLatestKnown',
})

function upgrade(
  cluster: string,
  id: string,
  more: Partial<UpgradeRecord['upgrade']> = {},
  detail: Partial<UpgradeRecord['detail']> = {},
): UpgradeRecord {
  const ended = more.state === 'in_progress' ? {} : { endedMs: at(-85) }
  return upgradeRecord({ id, cluster, startedMs: at(-100), ...ended, ...more }, { observedUntilMs: at(-1), ...detail })
}

function modification(cluster: string, id: string, more: Partial<Modification> = {}): Modification {
  return {
    id,
    cluster,
    kind: 'jsonpatch',
    component: 'kubevirt',
    startedMs: at(-50),
    count: 1,
    operations: [{ op: 'add', path: '/spec/x', value: 1 }],
    annotation: 'kubevirt.kubevirt.io/jsonpatch',
    text: 'patched',
    isUpgradeMode: false,
    resolutionSeconds: 1,
    ...more,
  }
}

/** In `olm.installing` for hours, and heard of until now. */
const STUCK = upgrade(
  'c-stuck',
  'u-stuck',
  {
    state: 'in_progress',
    startedMs: at(-240),
    phases: [
      {
        name: 'olm.installing',
        startedMs: at(-200),
        state: 'in_progress',
        resolutionSeconds: 1,
        isReconstructed: false,
      },
    ],
  },
  { lastProgressMs: at(-200), observedUntilMs: at(-1) },
)

const facts = (cluster: ClusterRecord, more: Partial<ClusterFacts> = {}): ClusterFacts => ({
  cluster,
  intervals: [],
  upgrades: [],
  modifications: [],
  ...more,
})

const FLEET: readonly ClusterFacts[] = [
  facts(
    record('c-1', {
      aliases: ['2c0d4e9a', 'lab-east-1'],
      flavour: 'community',
      platform: { kind: 'openshift', version: '4.20.3' },
      hcoVersion: '1.17.0',
      versions: { kubevirt: 'v1.7.0' },
      subscription: channel('stable'),
      settings: {
        apiVersion: 'hco.kubevirt.io/v1beta1',
        liveMigration: { parallelMigrationsPerCluster: 8 },
        featureGates: { downwardMetrics: true },
        workloadUpdateMethods: [],
      },
      isTainted: true,
      region: 'eu-west',
    }),
    {
      upgrades: [
        upgrade('c-1', 'u-1', { nodes: 12 }),
        upgrade('c-1', 'u-2', { from: '1.15.0', to: '1.16.0', startedMs: at(-500), endedMs: at(-470) }),
      ],
      intervals: [
        {
          cluster: 'c-1',
          operator: 'kubevirt-hyperconverged',
          version: '1.17.0',
          fromMs: at(-85),
          isStartKnown: true,
          resolutionSeconds: 1,
        },
      ],
      modifications: [modification('c-1', 'm-1'), modification('c-1', 'm-2', { startedMs: at(-20), endedMs: at(-10) })],
    },
  ),
  facts(
    record('c-2', {
      hcoVersion: '1.9.1',
      platform: { kind: 'kubernetes', version: 'v1.34.1' },
      subscription: channel('candidate'),
    }),
    { upgrades: [upgrade('c-2', 'u-3', { state: 'failed', startedMs: at(-90) })] },
  ),
  facts(
    record('c-old', {
      lastSeenMs: at(-600),
      coverage: { objects: true, metrics: false, spans: false, objectsLastMs: at(-600), kinds: ['nodes'] },
    }),
  ),
  facts(record('c-stuck', { hcoVersion: '1.16.0', workloads: { outdated: 5, atMs: at(-1) } }), { upgrades: [STUCK] }),
]

let server: TestServer

beforeAll(async () => {
  server = await serverOf(FLEET)
})

/** On a store of its own, which holds these facts; both are closed after the tests. */
async function serverOf(fleet: readonly ClusterFacts[]): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-fleet-'))
  const database = openDatabase(dir)
  const store = createFacts(database, new ConnectionLock()).fleet
  await putFacts(store, fleet)
  const made = await makeServer({ fleet: (await fleetFactsOver(store)).fleet })
  cleanups.push(async () => {
    await made.app.close()
    database.close()
    rmSync(dir, { recursive: true })
  })
  return made
}

const cleanups: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})

/** The answer, which fits its schema. */
async function ask<T>(path: string, schema: TSchema, asked = server): Promise<T> {
  const answer = await asked.app.inject(path)
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, answer.body.slice(0, 300)])
  const body = answer.json<T>()
  expect([...Value.Errors(schema, body)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([])
  return body
}

async function refusal(path: string): Promise<string> {
  const answer = await server.app.inject(path)
  return `${answer.statusCode} ${answer.json<{ error: string }>().error}`
}

const clusters = async (query = ''): Promise<readonly string[]> =>
  (await ask<{ clusters: ClusterItem[] }>(`/api/fleet/v1/clusters${query}`, ClusterItems)).clusters.map(
    ({ cluster }) => cluster,
  )

describe('clusters', () => {
  test.each([
    ['', ['c-1', 'c-2', 'c-old', 'c-stuck']],
    ['?order=desc', ['c-stuck', 'c-old', 'c-2', 'c-1']],
    ['?sort=version', ['c-1', 'c-stuck', 'c-2', 'c-old']],
    ['?sort=last_seen&order=asc', ['c-old', 'c-1', 'c-2', 'c-stuck']],
    ['?sort=outdated_workloads&limit=1', ['c-stuck']],
    ['?version=1.17', ['c-1']],
    ['?version=1.1', []],
    ['?version=1.17.0&version=1.9.1', ['c-1', 'c-2']],
    ['?channel=candidate', ['c-2']],
    ['?platform=openshift', ['c-1']],
    ['?platform=openshift%204.20', ['c-1']],
    ['?platform=openshift%204.2', []],
    ['?flavour=community', ['c-1']],
    ['?region=eu-west', ['c-1']],
    ['?region=eu', []],
    ['?state=stuck', ['c-stuck']],
    ['?state=tainted&state=silent', ['c-1', 'c-old']],
    ['?state=unknown', ['c-old']],
    ['?state=steady', ['c-2']],
    ['?text=EAST', ['c-1']],
    ['?text=', ['c-1', 'c-2', 'c-old', 'c-stuck']],
  ])('%s', async (query, want) => {
    expect(await clusters(query)).toEqual(want)
  })

  test('a list says of how many it speaks, and how fresh they are', async () => {
    const body = await ask<Record<string, unknown>>('/api/fleet/v1/clusters?state=stuck', ClusterItems)
    expect(body).toMatchObject({
      asOf: '2026-08-20T10:00:00.000Z',
      total: 1,
      coverage: {
        clusters: 4,
        withObjects: 1,
        withMetrics: 3,
        withSpans: 0,
        silent: 1,
        unknown: 1,
        newestAt: '2026-08-20T09:59:00.000Z',
        oldestAt: '2026-08-20T09:59:00.000Z',
      },
    })
  })

  test('choices are counted over what fits but for the choice itself, and only when asked for', async () => {
    const { facets, total } = await ask<ClusterItems>(
      '/api/fleet/v1/clusters?version=1.17&limit=1&facets=true',
      ClusterItems,
    )
    expect(total).toBe(1)
    expect(facets!.versions).toEqual([
      { value: '1.17.0', count: 1 },
      { value: '1.16.0', count: 1 },
      { value: '1.9.1', count: 1 },
      { value: null, count: 1 },
    ])
    expect(facets).toMatchObject({
      channels: [{ value: 'stable', count: 1 }],
      platforms: [{ value: 'openshift 4.20', count: 1 }],
      flavours: [{ value: 'community', count: 1 }],
      regions: [{ value: 'eu-west', count: 1 }],
    })
    expect(facets!.states.filter(({ count }) => count > 0)).toEqual([{ value: 'tainted', count: 1 }])
    const states = (await ask<ClusterItems>('/api/fleet/v1/clusters?state=stuck&facets=true', ClusterItems)).facets!
      .states
    expect(states.filter(({ count }) => count > 0).map(({ value, count }) => `${value} ${count}`)).toEqual([
      'upgrading 1',
      'stuck 1',
      'silent 1',
      'tainted 1',
      'outdated_workloads 1',
      'unknown 1',
      'steady 1',
    ])
    expect((await ask<ClusterItems>('/api/fleet/v1/clusters', ClusterItems)).facets).toBeNull()
  })

  test('a page with counts goes on with a page without', async () => {
    const { nextCursor } = await ask<ClusterItems>('/api/fleet/v1/clusters?limit=2&facets=true', ClusterItems)
    expect(await clusters(`?cursor=${nextCursor}`)).toEqual(['c-old', 'c-stuck'])
  })

  test('one, by any of its names, with what is set and what holds where nothing is', async () => {
    const detail = await ask<ClusterDetail>('/api/fleet/v1/clusters/lab-east-1', ClusterDetail)
    expect(detail).toMatchObject({
      cluster: 'c-1',
      version: '1.17.0',
      states: ['tainted'],
      upgradeCount: 2,
      open: [],
      nodes: null,
      featureGates: { downwardMetrics: true },
      intervals: [{ version: '1.17.0', startKnown: true, until: null }],
      modifications: [{ id: 'm-2' }, { id: 'm-1' }],
    })
    const unset = (name: string, value: unknown) => ({ name, set: null, default: value })
    expect(detail.settings).toEqual([
      unset('batchEvictionInterval', '1m0s'),
      unset('batchEvictionSize', 10),
      unset('certConfig.ca.duration', '48h0m0s'),
      unset('certConfig.ca.renewBefore', '24h0m0s'),
      unset('certConfig.server.duration', '24h0m0s'),
      unset('certConfig.server.renewBefore', '12h0m0s'),
      unset('enableCommonBootImageImport', true),
      unset('liveMigration.allowAutoConverge', false),
      unset('liveMigration.allowPostCopy', false),
      unset('liveMigration.completionTimeoutPerGiB', 150),
      { name: 'liveMigration.parallelMigrationsPerCluster', set: 8, default: 5 },
      unset('liveMigration.parallelOutboundMigrationsPerNode', 2),
      unset('liveMigration.progressTimeout', 150),
      unset('memoryOvercommitPercentage', 100),
      unset('uninstallStrategy', 'BlockUninstallIfWorkloadsExist'),
      { name: 'workloadUpdateMethods', set: [], default: ['LiveMigrate'] },
    ])
  })

  test('one that is stuck says on what', async () => {
    const detail = await ask<ClusterDetail>('/api/fleet/v1/clusters/c-stuck', ClusterDetail)
    expect(detail.states).toEqual(['upgrading', 'stuck', 'outdated_workloads'])
    expect(detail.openUpgrades).toEqual([
      {
        id: 'u-stuck',
        operator: 'kubevirt-hyperconverged',
        from: '1.16.0',
        to: '1.17.0',
        phase: 'olm.installing',
        startedAt: '2026-08-20T06:00:00.000Z',
        stuck: true,
      },
    ])
    expect(detail.open[0]!.verdict).toMatchObject({ stuck: true, stalledSince: '2026-08-20T06:40:00.000Z' })
  })

  test('nobody of that name', async () => {
    expect(await refusal('/api/fleet/v1/clusters/x')).toBe('404 no cluster is called "x"')
  })
})

describe('upgrades', () => {
  const ids = async (query = ''): Promise<readonly string[]> =>
    (await ask<UpgradeItems>(`/api/fleet/v1/upgrades${query}`, UpgradeItems)).upgrades.map(({ id }) => id)

  test.each([
    ['', ['u-3', 'u-1', 'u-stuck', 'u-2']],
    ['?order=asc', ['u-2', 'u-stuck', 'u-1', 'u-3']],
    ['?sort=duration&order=desc&limit=1', ['u-2']],
    ['?cluster=c-1', ['u-1', 'u-2']],
    ['?from=1.15.0', ['u-2']],
    ['?to=1.17.0&state=failed&state=in_progress', ['u-3', 'u-stuck']],
    ['?operator=openshift', []],
    ['?startedFrom=2026-08-20T08:20:00Z', ['u-3', 'u-1']],
    ['?startedTo=2026-08-20T08:20:00%2B03:00', ['u-2']],
  ])('%s', async (query, want) => {
    expect(await ids(query)).toEqual(want)
  })

  test.each([1, 2, 3])('pages of %i give each once, in order', async (limit) => {
    const found: string[] = []
    let cursor = ''
    do {
      const page = await ask<UpgradeItems>(`/api/fleet/v1/upgrades?limit=${limit}${cursor}`, UpgradeItems)
      found.push(...page.upgrades.map(({ id }) => id))
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
    } while (cursor !== '')
    expect(found).toEqual(['u-3', 'u-1', 'u-stuck', 'u-2'])
  })

  test('a cursor is good for its own filter and order only', async () => {
    const { nextCursor } = await ask<UpgradeItems>('/api/fleet/v1/upgrades?limit=1', UpgradeItems)
    const other = '400 got a cursor of a different query, want one with the same filter and order'
    expect(await refusal(`/api/fleet/v1/upgrades?limit=1&state=failed&cursor=${nextCursor}`)).toBe(other)
    expect(await refusal(`/api/fleet/v1/upgrades?order=asc&cursor=${nextCursor}`)).toBe(other)
    expect(await refusal(`/api/fleet/v1/clusters?cursor=${nextCursor}`)).toBe(other)
    expect(await ids(`?limit=3&cursor=${nextCursor}`)).toEqual(['u-1', 'u-stuck', 'u-2'])
    expect(await refusal('/api/fleet/v1/upgrades?cursor=x')).toBe(
      '400 got cursor "x", want `nextCursor` of the previous page',
    )
  })

  test('an upgrade has always the same fields, null where nobody knows', async () => {
    const one = await ask<UpgradeItem>('/api/fleet/v1/upgrades/u-stuck', UpgradeItem)
    expect(Object.keys(one)).toEqual(UPGRADE_FIELDS)
    expect(one.phases).toEqual([
      {
        name: 'olm.installing',
        startedAt: '2026-08-20T06:40:00.000Z',
        endedAt: null,
        state: 'in_progress',
        resolutionSeconds: 1,
        reconstructed: false,
      },
    ])
    expect([one.channel, one.endedAt, one.blockedBy]).toEqual([null, null, null])
  })

  test('its detail, with the verdict while it is open', async () => {
    const over = await ask<UpgradeDetailItem>('/api/fleet/v1/upgrades/u-1/detail', UpgradeDetailItem)
    expect(over.verdict).toBeNull()
    const open = await ask<UpgradeDetailItem>('/api/fleet/v1/upgrades/u-stuck/detail', UpgradeDetailItem)
    expect(open).toMatchObject({ hco: null, workloads: null, verdict: { stuck: true, phase: 'olm.installing' } })
  })

  test('the detail of a whole one fits its schema', async () => {
    const { cluster } = UPGRADE.upgrade
    const other = await serverOf([facts(record(cluster), { upgrades: [UPGRADE] })])
    const path = `/api/fleet/v1/upgrades/${UPGRADE.upgrade.id}/detail`
    const detail = await ask<UpgradeDetailItem>(path, UpgradeDetailItem, other)
    expect(detail.csv.steps[0]).toMatchObject({ phase: 'Pending', startedAt: new Date(T0_MS).toISOString() })
    expect(detail.components.map(({ name }) => name)).toEqual(['kubevirt', 'cdi'])
  })

  test('the detail says where its trace is, and what its phases take on its edge', async () => {
    const { traceId, usual, usualFrom } = await ask<UpgradeDetailItem>(
      '/api/fleet/v1/upgrades/u-stuck/detail',
      UpgradeDetailItem,
    )
    expect(traceId).toBe(upgradeTraceId(STUCK))
    expect(usual.find(({ phase }) => phase === 'olm.installing')).toMatchObject({
      runs: 1,
      censored: 1,
      p50Seconds: null,
    })
    const { medianRun } = await ask<UpgradeDetailItem>('/api/fleet/v1/upgrades/u-stuck/detail', UpgradeDetailItem)
    expect(medianRun).toMatchObject({ id: 'u-1', cluster: 'c-1' })
    expect(medianRun?.traceId).toMatch(/^[0-9a-f]{32}$/)
    // Fewer than eight took the edge, and all upgrades of its operator that are known here took it.
    expect(usualFrom).toBe('fleet')
    const { edges: same } = await ask<EdgeItems>('/api/fleet/v1/edges?from=1.16.0&to=1.17.0', EdgeItems)
    expect(usual).toEqual(same[0]!.phases)
  })

  test('no such upgrade', async () => {
    const want = '404 no upgrade has the id "x"'
    expect([await refusal('/api/fleet/v1/upgrades/x'), await refusal('/api/fleet/v1/upgrades/x/detail')]).toEqual([
      want,
      want,
    ])
  })
})

describe('stuck', () => {
  test('what does not get further, and of how many', async () => {
    const body = await ask<StuckItems>('/api/fleet/v1/stuck', StuckItems)
    expect(body).toMatchObject({ open: 1, stuckCount: 1, silentCount: 0, stuck: [{ upgrade: { id: 'u-stuck' } }] })
  })

  test.each([
    ['?cause=unknown', 1],
    ['?cause=approval_waiting', 0],
    ['?operator=openshift', 0],
  ])('%s', async (query, count) => {
    const { stuck } = await ask<StuckItems>(`/api/fleet/v1/stuck${query}`, StuckItems)
    expect(stuck.length).toBe(count)
  })
})

describe('edges', () => {
  const edges = async (query = ''): Promise<readonly string[]> =>
    (await ask<EdgeItems>(`/api/fleet/v1/edges${query}`, EdgeItems)).edges.map(({ from, to, attempts }) => {
      return `${from}..${to} x${attempts}`
    })

  test.each([
    ['', ['1.16.0..1.17.0 x3', '1.15.0..1.16.0 x1']],
    ['?order=asc', ['1.15.0..1.16.0 x1', '1.16.0..1.17.0 x3']],
    ['?sort=success', ['1.15.0..1.16.0 x1', '1.16.0..1.17.0 x3']],
    ['?sort=success_low&order=asc', ['1.16.0..1.17.0 x3', '1.15.0..1.16.0 x1']],
    ['?sort=attempts&order=asc&limit=1', ['1.15.0..1.16.0 x1']],
    ['?to=1.17.0', ['1.16.0..1.17.0 x3']],
  ])('%s', async (query, want) => {
    expect(await edges(query)).toEqual(want)
  })

  test('single runs with how large their clusters were', async () => {
    const body = await ask<RunItems>('/api/fleet/v1/edges/runs?from=1.16.0&limit=2', RunItems)
    expect(body).toMatchObject({ total: 3, since: null, coverage: { clusters: FLEET.length } })
    expect(body.runs.map(({ id, nodes, finished }) => [id, nodes, finished])).toEqual([
      ['u-3', null, false],
      ['u-1', 12, true],
    ])
    expect(body.classes.map(({ fromNodes, toNodes, runs }) => [fromNodes, toNodes, runs])).toEqual([
      [11, 30, 1],
      [null, null, 2],
    ])
    const { total } = await ask<RunItems>('/api/fleet/v1/edges/runs?phase=olm.installing', RunItems)
    expect(total).toBe(1)
  })

  test('over the upgrades that began since a time, or so long ago at most', async () => {
    const since = new Date(at(-240)).toISOString()
    expect((await ask<EdgeItems>(`/api/fleet/v1/edges?since=${since}`, EdgeItems)).since).toBe(since)
    expect(await edges(`?since=${since}`)).toEqual(['1.16.0..1.17.0 x3'])
    expect(await edges(`?since=${new Date(at(-239)).toISOString()}`)).toEqual(['1.16.0..1.17.0 x2'])
    const { since: whole } = await ask<EdgeItems>('/api/fleet/v1/edges?window=90m', EdgeItems)
    expect(Date.parse(whole ?? '') % 3_600_000).toBe(0)
    expect(await edges('?window=10y')).toEqual(await edges())
  })

  test.each([
    ['?window=week', '400 invalid parameter "window": got "week", want a duration such as 7d'],
    ['?window=0', '400 invalid parameter "window": got "0", want a duration such as 7d'],
    [
      '?window=7d&since=2026-01-01T00:00:00Z',
      '400 invalid parameter "window": got both since and window, want one of them',
    ],
  ])('%s', async (query, want) => {
    expect(await refusal(`/api/fleet/v1/edges${query}`)).toBe(want)
  })

  test('the second page', async () => {
    const { nextCursor } = await ask<EdgeItems>('/api/fleet/v1/edges?limit=1', EdgeItems)
    expect(await edges(`?limit=1&cursor=${nextCursor}`)).toEqual(['1.15.0..1.16.0 x1'])
  })

  test('two beside each other: so few tell nothing', async () => {
    const path = '/api/fleet/v1/edges/compare?first=1.15.0..1.16.0&second=1.16.0..1.17.0'
    const compared = await ask<EdgeComparisonItem>(path, EdgeComparisonItem)
    expect(compared.success).toMatchObject({ verdict: 'insufficient_data' })
    expect(compared.first.to).toBe('1.16.0')
  })

  test.each([
    ['?first=1.15.0..1.16.0', '400 invalid parameter "second": got nothing, want a value'],
    [
      '?first=1.15.0&second=1.16.0..1.17.0',
      '400 invalid parameter "first": got "1.15.0", want two versions such as 1.16.0..1.17.0',
    ],
    [
      '?first=1.15.0..1.16.0&second=1.16.0..1.17.0&since=2099-01-01T00:00:00Z',
      '404 no upgrade of kubevirt-hyperconverged went from 1.15.0 to 1.16.0 and started at 2099-01-01T00:00:00.000Z or later',
    ],
    ['?first=1.15.0..1.16.0&second=1.1.0..1.2.0', '404 no upgrade of kubevirt-hyperconverged went from 1.1.0 to 1.2.0'],
  ])('compare%s', async (query, want) => {
    expect(await refusal(`/api/fleet/v1/edges/compare${query}`)).toBe(want)
  })
})

describe('modifications', () => {
  test.each([
    ['', ['m-2', 'm-1']],
    ['?open=true', ['m-1']],
    ['?open=false', ['m-2']],
    ['?cluster=c-2', []],
    ['?kind=jsonpatch&component=kubevirt', ['m-2', 'm-1']],
    ['?startedFrom=2026-08-20T09:30:00Z', ['m-2']],
  ])('%s', async (query, want) => {
    const { modifications } = await ask<ModificationItems>(`/api/fleet/v1/modifications${query}`, ModificationItems)
    expect(modifications.map(({ id }) => id)).toEqual(want)
  })

  test('the second page', async () => {
    const { nextCursor } = await ask<ModificationItems>('/api/fleet/v1/modifications?limit=1', ModificationItems)
    const path = `/api/fleet/v1/modifications?limit=1&cursor=${nextCursor}`
    const { modifications, nextCursor: end } = await ask<ModificationItems>(path, ModificationItems)
    expect([modifications.map(({ id }) => id), end]).toEqual([['m-1'], null])
  })
})

test.each([
  [
    'clusters?colour=red',
    '400 unknown parameter "colour", want one of at, channel, cursor, facets, flavour, limit, order, platform, region, silence, sort, state, text, version',
  ],
  [
    'clusters?state=happy',
    '400 invalid parameter "state": got "happy", want one of upgrading, stuck, silent, unhealthy, cannot_plan, identity_conflict, tainted, outdated_workloads, paused_pool, unknown, steady, gone',
  ],
  ['clusters?limit=0', '400 invalid parameter "limit": got "0", want a whole number from 1 to 1000'],
  ['clusters?limit=1001', '400 invalid parameter "limit": got "1001", want a whole number from 1 to 1000'],
  ['clusters?limit=ten', '400 invalid parameter "limit": got "ten", want a whole number from 1 to 1000'],
  ['clusters?channel=a&channel=b', '400 invalid parameter "channel": got 2 values, want one'],
  ['clusters/c-1?x=1', '400 unknown parameter "x", want one of at, to'],
  [
    'upgrades?startedFrom=yesterday',
    '400 invalid parameter "startedFrom": got "yesterday", want a time such as 2026-11-21T23:38:01Z',
  ],
  [
    'upgrades?startedFrom=1787220000',
    '400 invalid parameter "startedFrom": got "1787220000", want a time such as 2026-11-21T23:38:01Z',
  ],
  ['modifications?open=1', '400 invalid parameter "open": got "1", want true or false'],
])('%s is refused: %s', async (path, want) => {
  expect(await refusal(`/api/fleet/v1/${path}`)).toBe(want)
})

test('stranded: versions nobody left lately, with who is on them', async () => {
  const { stranded, total, coverage } = await ask<StrandedItems>('/api/fleet/v1/stranded', StrandedItems)
  // 1.16.0 was left by c-1, and 1.17.0 is the newest.
  expect(stranded.map(({ version, reason, names, population }) => [version, reason, names, population])).toEqual([
    ['1.9.1', 'never_left', ['c-2'], 1],
  ])
  expect([total, coverage.clusters]).toEqual([1, 4])
  const { past } = await ask<StrandedItems>('/api/fleet/v1/stranded?at=2026-08-20T09:59:30Z', StrandedItems)
  expect(past?.unavailable).toContain('stranded.notOffered')
})

describe('feature gates', () => {
  const add = (path: string, value: unknown) => ({ operations: [{ op: 'add', path, value }] })
  const gated = (cluster: string, featureGates: Readonly<Record<string, boolean>>, more: Partial<ClusterRecord> = {}) =>
    record(cluster, { settings: { apiVersion: 'v', liveMigration: {}, featureGates }, ...more })
  const list = '/spec/configuration/developerConfiguration/featureGates/-'
  let gates: TestServer
  beforeAll(async () => {
    gates = await serverOf([
      facts(
        gated(
          'a',
          {},
          {
            hcoVersion: '1.17.0',
            settings: {
              ...{ apiVersion: 'v', liveMigration: {}, featureGates: { downwardMetrics: true } },
              featureGatesWritten: { downwardMetrics: { sinceMs: at(-90), by: 'argocd' } },
            },
          },
        ),
      ),
      facts(gated('b', { downwardMetrics: false }, { hcoVersion: '1.16.0' }), {
        modifications: [
          modification('b', 'p-1', { ...add(list, 'DownwardMetrics'), by: 'kubectl-edit', startedMs: at(-20) }),
          modification('b', 'p-2', { ...add(list, 'CPUManager'), endedMs: at(-10) }),
        ],
      }),
      facts(record('untold')),
    ])
  })

  test('each with how many set it, and how many tell', async () => {
    const { telling, gates: found, coverage } = await ask<GateItems>('/api/fleet/v1/gates', GateItems, gates)
    expect([telling, coverage.clusters]).toEqual([2, 3])
    const [set] = found
    expect(found).toHaveLength(1)
    expect(set).toMatchObject({ gate: 'downwardMetrics', on: 1, off: 1, patched: 1 })
    // Who set it, and when, as far as it is known: of one cluster it is not.
    expect(set!.managers).toEqual([
      { manager: null, places: 1 },
      { manager: 'argocd', places: 1 },
      { manager: 'kubectl-edit', places: 1 },
    ])
    expect([set!.firstSet, set!.lastSet].map((time) => Date.parse(time!))).toEqual([at(-90), at(-20)])
  })

  test('one: patches first, page by page, narrowed', async () => {
    const one = (query = '') => ask<GateDetail>(`/api/fleet/v1/gates/DOWNWARDMETRICS${query}`, GateDetail, gates)
    const first = await one('?limit=2')
    expect(first.uses.map(({ cluster, on, source, component, by }) => [cluster, on, source, component, by])).toEqual([
      ['b', true, 'jsonpatch', 'kubevirt', 'kubectl-edit'],
      ['a', true, 'hyperconverged', null, 'argocd'],
    ])
    expect([first.total, first.versions]).toEqual([
      3,
      [
        { version: '1.17.0', clusters: 1 },
        { version: '1.16.0', clusters: 1 },
      ],
    ])
    const rest = await one(`?limit=2&cursor=${first.nextCursor}`)
    expect(rest.uses.map(({ cluster, on, since, by }) => [cluster, on, since, by])).toEqual([['b', false, null, null]])
    expect(rest.nextCursor).toBeNull()
    expect((await one('?source=jsonpatch')).uses[0]).toMatchObject({ spelled: 'DownwardMetrics', version: '1.16.0' })
    expect((await one('?on=false')).total).toBe(1)
  })

  test('a gate nobody sets; and one of the past, when its patch stood', async () => {
    expect((await gates.app.inject('/api/fleet/v1/gates/CPUManager')).json()).toMatchObject({
      error: 'no cluster is known to set a feature gate "CPUManager"',
    })
    const then = new Date(at(-30)).toISOString()
    const { uses } = await ask<GateDetail>(`/api/fleet/v1/gates/CPUManager?at=${then}`, GateDetail, gates)
    expect(uses).toMatchObject([{ cluster: 'b', source: 'jsonpatch' }])
  })
})
