import { describe, expect, test } from 'vitest'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { AcceptedRisk, HazardId } from '../../../src/model/readiness.ts'
import type { UpgradeState } from '../../../src/model/upgrade.ts'
import { createFleetIndex, type FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { parseSelectors } from '../../../src/model/cluster-scope.ts'
import { parseTarget } from '../../../src/fleet/readiness/target.ts'
import { createClusterScopes } from '../../../src/fleet/scope/cluster-scopes.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { recordOf } from '../edge-script.ts'
import { alertOf, changedRecord, HOUR, modification, NOW, seen, type Changed } from './healthy.ts'

const TO = parseTarget('4.21.0', RELEASES)!
const PAGE = { isDescending: false, limit: 10, target: TO }

function named(cluster: string, changed: Changed = {}): ClusterRecord {
  return { ...changedRecord(changed), cluster }
}

function put(
  index: FleetIndex,
  record: ClusterRecord,
  modifications = [] as readonly ReturnType<typeof modification>[],
): void {
  index.put({
    cluster: record,
    intervals: [],
    upgrades: [],
    modifications: modifications.map((one) => ({ ...one, cluster: record.cluster })),
  })
}

/** One of each verdict, one that is there already, and one on another platform. */
function filled(index: FleetIndex): FleetIndex {
  index.readiness.setAlerts([])
  put(index, named('a-ready'))
  put(index, named('b-risk'), [modification({ operations: [{ op: 'add', path: '/spec/a' }] })])
  put(index, named('c-bad', { record: { upgradeable: { status: 'False', reason: 'X', message: '' } } }))
  put(index, named('d-unknown', { facts: { deprecatedMachineTypes: undefined } }))
  put(index, named('e-there', { record: { hcoVersion: '4.21.0' } }))
  put(index, { ...named('f-kubevirt', { without: ['hcoVersion'] }), versions: { kubevirt: 'v1.6.2' } })
  return index
}

function accepted(cluster: string, hazard: HazardId, more: Partial<AcceptedRisk> = {}): AcceptedRisk {
  return { id: 'r', cluster, hazard, reason: 'why', by: 'ada', acceptedMs: NOW - HOUR, expiresMs: NOW + HOUR, ...more }
}

const verdictsOf = (index: FleetIndex, nowMs = NOW) =>
  Object.fromEntries(index.readiness.list(PAGE, nowMs).clusters.map(({ record, verdict }) => [record.cluster, verdict]))

describe('the readiness of the fleet', () => {
  test('lists the candidates with their verdicts; clusters that are there, or have no HCO, are counted only', () => {
    const index = filled(createFleetIndex())
    expect(verdictsOf(index)).toEqual({
      'a-ready': 'ready',
      'b-risk': 'at_risk',
      'c-bad': 'not_recommended',
      'd-unknown': 'unknown',
    })
    expect(index.readiness.list({ ...PAGE, hasFacets: true }, NOW)).toMatchObject({
      total: 4,
      reached: 1,
      others: 1,
      facets: {
        verdicts: { ready: 1, at_risk: 1, not_recommended: 1, unknown: 1 },
        hazards: [
          { hazard: 'json_patch', present: 1, accepted: 0, unknown: 0 },
          { hazard: 'machine_types', present: 0, accepted: 0, unknown: 1 },
          { hazard: 'not_upgradeable', present: 1, accepted: 0, unknown: 0 },
        ],
        versions: [{ value: '4.20.1', count: 4 }],
      },
    })
  })

  test('filters by verdict, hazard and cluster, and pages', () => {
    const index = filled(createFleetIndex())
    const names = (query: object) =>
      index.readiness.list({ ...PAGE, ...query }, NOW).clusters.map(({ record }) => record.cluster)
    expect(names({ verdicts: ['ready', 'unknown'] })).toEqual(['a-ready', 'd-unknown'])
    expect(names({ hazard: 'json_patch' })).toEqual(['b-risk'])
    expect(names({ text: 'BAD' })).toEqual(['c-bad'])
    expect(names({ states: ['tainted'] })).toEqual([])
    const first = index.readiness.list({ ...PAGE, limit: 3 }, NOW)
    expect(first.next).toEqual({ key: 'c-bad', id: 'c-bad' })
    expect(names({ after: first.next })).toEqual(['d-unknown'])
    expect(index.readiness.list({ ...PAGE, limit: 4 }, NOW).next).toBeUndefined()
  })

  test('a cluster that is silent is not ready, and one that is gone is not listed', () => {
    const index = filled(createFleetIndex(48 * HOUR))
    expect(verdictsOf(index, NOW + 2 * HOUR)).toMatchObject({ 'a-ready': 'unknown', 'b-risk': 'at_risk' })
    expect(verdictsOf(index, NOW + 49 * HOUR)).toEqual({})
    expect(index.readiness.of('a-ready', TO, NOW + 49 * HOUR)).toBeUndefined()
  })

  test('an accepted risk does not count until it expires or is withdrawn, and stays visible', () => {
    const index = filled(createFleetIndex())
    index.readiness.accept([accepted('b-risk', 'json_patch')])
    expect(verdictsOf(index)['b-risk']).toBe('ready')
    expect(index.readiness.list({ ...PAGE, hazard: 'json_patch', hasFacets: true }, NOW)).toMatchObject({
      clusters: [
        {
          verdict: 'ready',
          hazards: expect.arrayContaining([
            expect.objectContaining({ id: 'json_patch', accepted: expect.objectContaining({ by: 'ada' }) as unknown }),
          ]) as unknown,
        },
      ],
      facets: {
        hazards: expect.arrayContaining([{ hazard: 'json_patch', present: 1, accepted: 1, unknown: 0 }]) as unknown,
      },
    })
    expect(verdictsOf(index, NOW + HOUR - 1)['b-risk']).not.toBe('at_risk')
    expect(verdictsOf(index, NOW + HOUR)['b-risk']).toBe('at_risk')
    index.readiness.accept([accepted('b-risk', 'json_patch', { withdrawn: { atMs: NOW, by: 'bo' } })])
    expect(verdictsOf(index)['b-risk']).toBe('at_risk')
    // A signal that is missing is a risk that a user may take too.
    index.readiness.accept([accepted('d-unknown', 'machine_types')])
    expect(verdictsOf(index)['d-unknown']).toBe('ready')
  })

  test('follows changed facts and alerts', () => {
    const index = filled(createFleetIndex())
    index.readiness.setAlerts([alertOf('SSPDown', 'a-ready', 'critical')])
    expect(verdictsOf(index)['a-ready']).toBe('at_risk')
    index.readiness.setAlerts([])
    expect(verdictsOf(index)['a-ready']).toBe('ready')
    put(index, named('a-ready', { facts: { pausedPools: seen(['worker']) } }))
    expect(verdictsOf(index)['a-ready']).toBe('at_risk')
    index.remove('a-ready')
    expect(verdictsOf(index)['a-ready']).toBeUndefined()
  })

  test('until alerts are known no cluster is ready', () => {
    const index = createFleetIndex()
    put(index, named('a'))
    expect(index.readiness.of('a', TO, NOW)!.verdict).toBe('unknown')
    const copy = index.only(() => true)
    expect(copy.readiness.of('a', TO, NOW)!.verdict).toBe('unknown')
    index.readiness.setAlerts([])
    expect(index.readiness.of('a', TO, NOW)!.verdict).toBe('ready')
    expect(index.only(() => true).readiness.of('a', TO, NOW)!.verdict).toBe('ready')
  })

  test('the next minor is the target of a cluster', () => {
    const found = filled(createFleetIndex()).readiness.of('a-ready', undefined, NOW)!
    expect(found.target).toMatchObject({ minor: 17 })
    expect(found.hazards.length).toBe(31)
    expect(filled(createFleetIndex()).readiness.of('f-kubevirt', undefined, NOW)).toBeUndefined()
  })

  test('a scope has its own clusters, alerts, acceptances and history, also those that come later', () => {
    const scopes = createClusterScopes(createFleetIndex())
    const { fleet } = scopes
    filled(fleet)
    const scope = scopes.scope(parseSelectors('cluster=b*,cluster=n*')!)
    const index = scope.index
    expect(verdictsOf(index)).toEqual({ 'b-risk': 'at_risk' })
    fleet.readiness.accept([accepted('b-risk', 'json_patch'), accepted('new', 'critical_alerts')])
    fleet.readiness.setAlerts([alertOf('SSPDown', 'new', 'critical')])
    expect(verdictsOf(index)).toEqual({ 'b-risk': 'ready' })
    put(fleet, named('new'))
    expect(index.readiness.of('new', TO, NOW)!.verdict).toBe('ready')
    expect(index.readiness.of('new', TO, NOW)!.hazards.find(({ id }) => id === 'critical_alerts')).toMatchObject({
      finding: { state: 'present' },
      accepted: { by: 'ada' },
    })
    expect(index.readiness.accepted()).toHaveLength(2)
    expect(index.readiness.of('a-ready', TO, NOW)).toBeUndefined()
  })
})

describe('calibration', () => {
  const upgrades = (count: number, state: UpgradeState, present: readonly string[], absent: readonly string[]) =>
    Array.from({ length: count }, (_, i) =>
      recordOf({
        id: `${state}-${present.join()}-${i}`,
        state,
        detail: { hazardsAtStart: { present, absent } },
      }),
    )

  test('compares upgrades with a hazard to those without; of too few nothing is concluded', () => {
    const index = createFleetIndex()
    const all = [
      ...upgrades(8, 'failed', ['json_patch'], ['paused_pool']),
      ...upgrades(2, 'succeeded', ['json_patch', 'few_nodes'], ['paused_pool']),
      ...upgrades(1, 'rolled_back', ['manual_approval'], ['json_patch']),
      ...upgrades(29, 'succeeded', ['manual_approval'], ['json_patch']),
      ...upgrades(5, 'in_progress', ['json_patch'], []),
      ...upgrades(5, 'superseded', ['json_patch'], []),
      ...upgrades(1, 'succeeded', ['a hazard of tomorrow'], []),
    ]
    index.put({ cluster: named('a'), intervals: [], upgrades: all, modifications: [] })
    const found = new Map(index.readiness.calibration().map((one) => [one.hazard, one]))
    expect(found.get('json_patch')).toMatchObject({
      withHazard: { upgrades: 10, failed: 8 },
      withoutHazard: { upgrades: 30, failed: 1 },
      result: 'more_failures',
    })
    expect(found.get('json_patch')!.withHazard.interval!.low).toBeCloseTo(0.49, 2)
    expect(found.get('few_nodes')).toMatchObject({ withHazard: { upgrades: 2 }, result: 'too_few' })
    // Of the clusters without a paused pool none are compared with any.
    expect(found.get('paused_pool')).toMatchObject({ withHazard: { upgrades: 0 }, result: 'too_few' })
    index.remove('a')
    expect(index.readiness.calibration().every(({ withHazard }) => withHazard.upgrades === 0)).toBe(true)
  })

  test('a hazard with as many failures as without shows no difference', () => {
    const index = createFleetIndex()
    const all = [
      ...upgrades(1, 'failed', ['manual_approval'], []),
      ...upgrades(19, 'succeeded', ['manual_approval'], []),
      ...upgrades(2, 'failed', [], ['manual_approval']),
      ...upgrades(38, 'succeeded', [], ['manual_approval']),
    ]
    index.put({ cluster: named('a'), intervals: [], upgrades: all, modifications: [] })
    expect(index.readiness.calibration().find(({ hazard }) => hazard === 'manual_approval')).toMatchObject({
      difference: { difference: 0 },
      result: 'no_difference',
    })
  })
})
