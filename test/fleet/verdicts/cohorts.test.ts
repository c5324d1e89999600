import { describe, expect, test } from 'vitest'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { UpgradeOperator, UpgradeState } from '../../../src/model/upgrade.ts'
import type { EdgeRun } from '../../../src/fleet/edges/edges.ts'
import { DAY_MS } from '../../../src/fleet/verdicts/blocks.ts'
import {
  clusterCohorts,
  rolloutCohorts,
  type CanaryCohort,
  type RunsOfEdge,
} from '../../../src/fleet/verdicts/cohorts.ts'
import { createClusterCounts } from '../../../src/fleet/verdicts/cluster-counts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const HOUR_MS = 3600_000
const T0 = 200 * DAY_MS
const OPERATOR: UpgradeOperator = 'kubevirt-hyperconverged'

function run(id: string, startedMs: number, known: Partial<EdgeRun> = {}): EdgeRun {
  const state: UpgradeState = 'succeeded'
  return {
    ...{ id, state, startedMs, begunMs: startedMs, lastMs: startedMs + HOUR_MS },
    ...{ phases: { names: [], areFinished: [] }, phaseSeconds: [] },
    ...known,
  }
}

function edge(to: string, runs: Readonly<Record<string, readonly EdgeRun[]>>, operator = OPERATOR): RunsOfEdge {
  return { name: { operator, from: '1.0.0', to }, byCluster: new Map(Object.entries(runs)) }
}

const RECORDS = new Map<string, ClusterRecord>(
  [
    emptyRecord('a', {
      platform: { kind: 'openshift', version: '4.20' },
      nodes: { count: 3, ready: 3, kubeletVersions: [] },
      aliases: ['a-uid'],
    }),
    emptyRecord('b', {
      platform: { kind: 'openshift', version: '4.20' },
      nodes: { count: 4, ready: 4, kubeletVersions: [] },
      environment: 'prod',
    }),
    emptyRecord('c', { platform: { kind: 'kubernetes', version: '1.33' }, region: 'eu' }),
  ].map((record) => [record.cluster, record]),
)

function cohorts(edges: readonly RunsOfEdge[], cohort: CanaryCohort = {}) {
  const query = { operator: OPERATOR, version: '1.2.0', cohort } as const
  return rolloutCohorts(edges, query, (cluster) => RECORDS.get(cluster), { strata: ['platform', 'size'] })
}

describe('the two groups', () => {
  test('upgrades to the version, and all others from 90 days before the first of them', () => {
    const { runs } = cohorts([
      edge('1.2.0', { a: [run('a1', T0)] }),
      edge('1.1.0', { b: [run('b1', T0 - 90 * DAY_MS), run('b0', T0 - 90 * DAY_MS - 1)], c: [run('c1', T0 + DAY_MS)] }),
      edge('1.2.0', { a: [run('other operator', T0)] }, 'openshift'),
    ])
    expect(runs.map(({ id, isCanary }) => [id, isCanary])).toEqual([
      ['a1', true],
      ['b1', false],
      ['c1', false],
    ])
  })

  test('strata are those of the cluster, its nodes those at the start; what is not known is a stratum of its own', () => {
    const { runs } = cohorts([
      edge('1.2.0', { a: [run('a1', T0, { nodes: 31 })], b: [run('b1', T0)], d: [run('d1', T0)], c: [run('c1', T0)] }),
    ])
    expect(runs.map(({ stratum }) => stratum)).toEqual([
      'openshift / 31 to 100 nodes',
      'openshift / 4 to 10 nodes',
      'kubernetes / unknown size',
      'unknown platform / unknown size',
    ])
  })

  test('outcomes: failed and rolled back are failures, an open one has no end, superseded and unknown are left out', () => {
    const states = ['succeeded', 'failed', 'rolled_back', 'in_progress', 'superseded', 'unknown'] as const
    const { runs, leftOut } = cohorts([edge('1.2.0', { a: states.map((state, i) => run(state, T0 + i, { state })) })])
    expect(runs.map(({ id, ended }) => [id, ended?.isFailure])).toEqual([
      ['succeeded', false],
      ['failed', true],
      ['rolled_back', true],
      ['in_progress', undefined],
    ])
    expect(leftOut).toBe(2)
  })

  test('the start is that of the work, after an approval', () => {
    const approved = run('a1', T0, { lastMs: T0 + 50 * HOUR_MS, whole: { seconds: 3600, isFinished: true } })
    expect(cohorts([edge('1.2.0', { a: [approved] })]).runs[0]!.startedMs).toBe(T0 + 49 * HOUR_MS)
  })

  test('without a start an upgrade is in no group', () => {
    const { id, state, begunMs, lastMs, phases, phaseSeconds } = run('a1', T0)
    const own = { id, state, begunMs, lastMs, phases, phaseSeconds }
    expect(cohorts([edge('1.2.0', { a: [own] })])).toEqual({ runs: [], leftOut: 0 })
  })

  const all = [edge('1.2.0', { a: [run('a1', T0 + 2)], b: [run('b1', T0 + 1)], c: [run('c1', T0)] })]
  test.each<[string, CanaryCohort, readonly string[]]>([
    ['all', {}, ['a1', 'b1', 'c1']],
    ['the first in the order of arrival', { first: 2 }, ['b1', 'c1']],
    ['a list of names and aliases', { clusters: new Set(['a-uid', 'b', 'zzz']) }, ['a1', 'b1']],
    ['a label', { environment: 'prod' }, ['b1']],
    ['a filter', { filter: { region: 'eu' } }, ['c1']],
    ['a filter and the first of it', { filter: { platform: 'openshift' }, first: 1 }, ['b1']],
  ])('the canary is %s; others that upgraded to the version are in no group', (_, cohort, ids) => {
    expect(cohorts(all, cohort).runs.map(({ id }) => id)).toEqual(ids)
  })
})

describe('clusters beside the canary', () => {
  const windows = { windowMs: DAY_MS, horizonMs: 6 * HOUR_MS }
  const canary = (cluster: string, startedMs: number) => ({
    id: cluster,
    cluster,
    isCanary: true,
    stratum: 's',
    startedMs,
    observedUntilMs: 0,
  })
  const others = (count: number, upgradedMs: readonly number[] = []) =>
    Array.from({ length: count }, (_, i) => ({ cluster: `o${i}`, stratum: 's', upgradedMs }))

  test('four of the stratum for each canary, each once', () => {
    const found = clusterCohorts(
      [canary('a', T0), canary('b', T0 + DAY_MS), canary('a', T0 + 9 * DAY_MS)],
      others(20),
      windows,
    )
    expect(found.filter(({ isCanary }) => isCanary).map(({ cluster }) => cluster)).toEqual(['a', 'b'])
    const beside = found.filter(({ isCanary }) => !isCanary)
    expect(beside).toHaveLength(8)
    expect(new Set(beside.map(({ cluster }) => cluster)).size).toBe(8)
  })

  test('not of another stratum, not the canary itself, and not while they upgrade', () => {
    const elsewhere = others(4).map((one) => ({ ...one, stratum: 'other' }))
    expect(clusterCohorts([canary('a', T0)], elsewhere, windows)).toHaveLength(1)
    expect(clusterCohorts([canary('a', T0)], [{ cluster: 'a', stratum: 's', upgradedMs: [] }], windows)).toHaveLength(1)
    const beside = (upgradedMs: number): number =>
      clusterCohorts([canary('a', T0)], others(1, [upgradedMs]), windows).length - 1
    expect(beside(T0 - DAY_MS)).toBe(0)
    expect(beside(T0 - DAY_MS - 1)).toBe(1)
    const untilMs = T0 + DAY_MS + windows.horizonMs + windows.windowMs
    expect(beside(untilMs - 1)).toBe(0)
    expect(beside(untilMs)).toBe(1)
  })
})

describe('what happened on a cluster', () => {
  const windows = { windowMs: DAY_MS, horizonMs: 6 * HOUR_MS }
  const member = { cluster: 'a', isCanary: true, stratum: 's', startedMs: T0 + HOUR_MS }
  const overMs = T0 + DAY_MS + windows.horizonMs + windows.windowMs

  test('alerts in the window before the start and in the one after the horizon; those of the upgrade itself do not count', async () => {
    const asked: (readonly number[])[] = []
    const counts = createClusterCounts(
      {
        firedOn: (_, { fromMs, toMs }) => {
          asked.push([fromMs, toMs])
          const severities = {
            VirtAPIDown: 'critical',
            NodeDown: 'warning',
            DaytwoUpgradeStuck: 'critical',
            UpdateAvailable: 'info',
          }
          return Promise.resolve(
            Object.entries(severities).map(([alertname, severity]) => ({ alertname, severity, firedAtMs: fromMs })),
          )
        },
      },
      { modifications: () => Promise.resolve([]) },
    )
    expect(await counts.alerts([member], windows, overMs - 1)).toEqual([])
    expect(await counts.alerts([member], windows, overMs)).toEqual([
      { ...member, before: ['VirtAPIDown', 'NodeDown'], after: ['VirtAPIDown', 'NodeDown'] },
    ])
    const afterMs = member.startedMs + windows.horizonMs
    expect(asked).toEqual([
      [member.startedMs - DAY_MS, member.startedMs - 1],
      [afterMs, afterMs + DAY_MS - 1],
    ])
    // Read once; other windows are others.
    await counts.alerts([member], windows, overMs + 1)
    expect(asked).toHaveLength(2)
    await counts.alerts([member], { ...windows, windowMs: HOUR_MS }, overMs)
    expect(asked).toHaveLength(4)
  })

  test('modifications without those that HCO makes during an upgrade', async () => {
    const one = { cluster: 'a', id: 'm', kind: 'out_of_band', component: 'kubevirt', count: 1 } as const
    const counts = createClusterCounts(
      { firedOn: () => Promise.resolve([]) },
      { modifications: () => Promise.resolve([one, { ...one, isUpgradeMode: true }] as never) },
    )
    expect(await counts.modifications([member], windows, overMs)).toMatchObject([
      { before: ['kubevirt'], after: ['kubevirt'] },
    ])
  })
})
