import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFleetIndex, type FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import type { ClusterTraits } from '../../../src/fleet/clusters/cluster-traits.ts'
import { fleetNow } from '../../../src/fleet/now/now.ts'
import { createClusterScopes, SCOPES_MAX } from '../../../src/fleet/scope/cluster-scopes.ts'
import { strandedVersions } from '../../../src/fleet/edges/stranded.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { parseSelectors } from '../../../src/model/cluster-scope.ts'
import type { Decommission } from '../../../src/model/decommission.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS
const EU = parseSelectors('region=eu')!
const NAMED = parseSelectors('cluster=a,cluster=only-*')!

interface PutStep {
  readonly does: 'put'
  readonly cluster: string
  readonly region: string | undefined
  readonly version: string
  readonly runs: readonly number[]
  readonly openMinute: number | undefined
}

const name = fc.constantFrom('a', 'b', 'c', 'd')
const region = fc.constantFrom('eu', 'us', undefined)
const step = fc.oneof(
  fc.record<PutStep>({
    does: fc.constant('put' as const),
    cluster: name,
    region,
    version: fc.constantFrom('1.16.0', '1.17.0'),
    runs: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 10 }),
    openMinute: fc.option(fc.nat(60), { nil: undefined }),
  }),
  fc.record({ does: fc.constant('see' as const), cluster: fc.constantFrom('a', 'b', 'only-a'), minute: fc.nat(120) }),
  fc.record({ does: fc.constant('remove' as const), cluster: name }),
  fc.record({ does: fc.constant('describe' as const), cluster: name, region }),
  fc.record({ does: fc.constant('declare' as const), clusters: fc.uniqueArray(name) }),
  fc.record({ does: fc.constant('ask' as const), minute: fc.nat(120) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

function factsOf({ cluster, region, version, runs, openMinute }: PutStep): ClusterFacts {
  const finished = runs.map((takes, i) =>
    recordOf({
      ...{ cluster, id: `${cluster}/${i}`, startMinute: -1000 + i, endMinute: -900 },
      phases: [phase('olm', -1000, -1000 + takes)],
    }),
  )
  const open =
    openMinute === undefined
      ? []
      : [recordOf({ cluster, id: `${cluster}/open`, startMinute: openMinute, phases: [phase('olm', openMinute)] })]
  const record = emptyRecord(cluster, {
    aliases: [`alias-${cluster}`],
    hcoVersion: version,
    ...(region === undefined ? {} : { region }),
    coverage: { objects: true, metrics: false, spans: false, objectsLastMs: T0, kinds: [] },
  })
  return { cluster: record, upgrades: [...finished, ...open], intervals: [], modifications: [] }
}

function apply(index: FleetIndex, one: Step): void {
  switch (one.does) {
    case 'put':
      index.put(factsOf(one))
      break
    case 'see':
      index.markSeen(one.cluster, { metricsMs: at(one.minute) })
      break
    case 'remove':
      index.remove(one.cluster)
      break
    case 'describe':
      index.describe(
        new Map<string, ClusterTraits>([[one.cluster, one.region === undefined ? {} : { region: one.region }]]),
      )
      break
    case 'declare':
      index.declare(one.clusters.map(declared))
      break
    case 'ask':
      break
  }
}

function declared(cluster: string): Decommission {
  return { id: cluster, cluster, sinceMs: at(200), by: 'ada', reason: 'closed', saidMs: at(200) }
}

function answersOf(index: FleetIndex, nowMs: number): unknown {
  const page = { sort: 'cluster', isDescending: false, limit: 10, hasFacets: true } as const
  return {
    now: fleetNow(index, nowMs, 3),
    clusters: index.clusters(page, nowMs),
    byAlias: index.cluster('alias-b', nowMs),
    edges: index.edges.edges({}),
    lengths: index.edges.lengths({ limit: 100 }),
    typical: index.edges.typical({ operator: 'kubevirt-hyperconverged', from: '1.16.0', to: '1.17.0' }),
    falling: index.fallingEdges(nowMs),
    stranded: strandedVersions(index.active(nowMs), index.edges.runs(), index.notOffered(nowMs), nowMs),
    verdicts: index.verdicts(nowMs),
    gone: [...index.gone(nowMs)],
    reports: ['a', 'b', 'alias-a', 'only-a'].map((one) => index.lastReportOf(one)),
  }
}

test.each([
  ['region=eu', EU],
  ['cluster=a,cluster=only-*', NAMED],
])('the index of %s is that of a fleet without the others, whatever happened before', (_, selectors) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.nat(120), (steps, minute) => {
      const scopes = createClusterScopes(createFleetIndex())
      for (const one of steps) {
        apply(scopes.fleet, one)
        // Asked before, so that it follows what comes.
        if (one.does === 'ask') answersOf(scopes.scope(selectors).index, at(one.minute))
      }
      const { index, clusters, names } = { ...scopes.scope(selectors), names: scopes.scope(selectors).names() }
      const fresh = createFleetIndex()
      for (const one of steps) {
        if (one.does === 'declare')
          apply(fresh, { ...one, clusters: one.clusters.filter((each) => clusters.has(each)) })
        else if (one.does !== 'ask' && clusters.has(one.cluster)) apply(fresh, one)
      }
      expect(answersOf(index, at(minute))).toEqual(answersOf(fresh, at(minute)))
      const known = Array.from(scopes.fleet.known(), ({ cluster, record }) => record ?? emptyRecord(cluster))
      const wanted = known.filter((one) =>
        selectors === EU ? one.region === 'eu' : /^(?:a|only-.*)$/.test(one.cluster),
      )
      expect([...clusters].sort()).toEqual(wanted.map(({ cluster }) => cluster).sort())
      expect(names.names).toEqual(wanted.flatMap(({ cluster, aliases }) => [cluster, ...aliases]).sort())
    }),
    { numRuns: 100 },
  )
})

describe('names', () => {
  const record = (cluster: string, more: Partial<ClusterRecord> = {}): ClusterFacts => {
    return { cluster: emptyRecord(cluster, more), upgrades: [], intervals: [], modifications: [] }
  }

  test('another name that is a cluster outside is not of the scope, whichever comes first', () => {
    const { fleet, scope } = createClusterScopes(createFleetIndex())
    fleet.put(record('a', { aliases: ['a-uid', 'b'] }))
    expect(scope(NAMED).names().names).toEqual(['a', 'a-uid', 'b'])
    fleet.put(record('b'))
    expect(scope(NAMED).names().names).toEqual(['a', 'a-uid'])
    expect(['a', 'a-uid', 'b', ''].map((one) => scope(NAMED).includes(one))).toEqual([true, true, false, false])
    fleet.remove('b')
    expect(scope(NAMED).includes('b')).toBe(true)
    fleet.markSeen('b', { metricsMs: T0 })
    expect(scope(NAMED).includes('b')).toBe(false)
  })

  test('the revision changes with the names alone', () => {
    const { fleet, scope } = createClusterScopes(createFleetIndex())
    const revision = () => scope(NAMED).names().revision
    const none = revision()
    fleet.put(record('b'))
    expect(revision()).toBe(none)
    fleet.put(record('a'))
    const one = revision()
    expect(one).not.toBe(none)
    fleet.put(record('a', { hcoVersion: '1.17.0' }))
    expect(revision()).toBe(one)
    fleet.put(record('a', { aliases: ['x'] }))
    expect(revision()).not.toBe(one)
  })

  test('a problem of a cluster does not name the other one', () => {
    const problem = { cause: 'identity_conflict', sinceMs: T0 } as const
    const evidence = [{ source: 'objects', atMs: T0, text: '"b" claims', ref: 'metadata' }] as const
    const problems = [
      { ...problem, reason: 'taken', text: '"b" also claims the name "a"', evidence },
      { ...problem, reason: 'too_many', text: 'too many names', evidence: [] },
    ]
    const early = createClusterScopes(createFleetIndex())
    early.scope(NAMED)
    const late = createClusterScopes(createFleetIndex())
    for (const { fleet, scope } of [early, late]) {
      fleet.put(record('a', { problems }))
      expect(JSON.stringify(scope(NAMED).index.recordOf('a')?.problems)).not.toContain('"b')
      expect(
        scope(NAMED)
          .index.recordOf('a')
          ?.problems?.map(({ text }) => text)[1],
      ).toBe('too many names')
      expect(fleet.recordOf('a')?.problems).toEqual(problems)
    }
  })
})

test('indexes of many scopes are dropped, the one not used for longest first', () => {
  const { scope } = createClusterScopes(createFleetIndex())
  const of = (i: number) => scope(parseSelectors(`cluster=c-${i}`)!)
  const [first, second] = [of(0), of(1)]
  for (let i = 2; i < SCOPES_MAX; i++) of(i)
  expect(of(0)).toBe(first)
  of(SCOPES_MAX)
  expect(of(0)).toBe(first)
  expect(of(1)).not.toBe(second)
})
