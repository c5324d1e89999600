import { describe, expect, test } from 'vitest'
import { clusterValues, modificationCounts } from '../../../src/fleet/series/derived-clusters.ts'
import { DERIVED_METRICS, type DerivedValue } from '../../../src/fleet/series/derived-metrics.ts'
import { createDerivedSeriesState, derivedSeries } from '../../../src/fleet/series/derived-series.ts'
import { edgeValues, openUpgradeValues } from '../../../src/fleet/series/derived-upgrades.ts'
import { createEdgeIndex } from '../../../src/fleet/edges/edge-index.ts'
import type { Gone } from '../../../src/fleet/clusters/gone.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { ClusterRecord, Modification } from '../../../src/model/cluster-record.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { FLEET_METRICS } from '../../../src/rules/metrics/fleet.ts'
import { readMetricTable } from '../../../src/rules/metrics/metric-catalog.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const GONE: ReadonlyMap<string, Gone> = new Map([
  ['off-1', { sinceMs: T0, why: { kind: 'unheard', afterMs: MINUTE_MS } }],
])

function clusterOf(cluster: string, more: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord(cluster, {
    firstSeenMs: T0,
    lastSeenMs: T0,
    coverage: { objects: true, metrics: true, spans: false, kinds: [] },
    ...more,
  })
}

const edit = (more: Partial<Modification> = {}): Modification => ({
  id: 'm',
  cluster: 'fra-1',
  kind: 'out_of_band',
  component: 'cdi',
  count: 1,
  text: '',
  isUpgradeMode: false,
  resolutionSeconds: 1,
  ...more,
})

/** `name{labels} value`, without the metrics' common prefix. */
const shown = (values: readonly DerivedValue[]): string[] =>
  values.map(({ name, labels, value }) => {
    const pairs = Object.entries(labels).filter(([, text]) => text !== '')
    return `${name.replace('daytwo_', '')}{${pairs.map(([key, text]) => `${key}=${text}`).join(',')}} ${value}`
  })

describe('of clusters', () => {
  const values = (...clusters: ClusterRecord[]): string[] =>
    shown(
      clusterValues(
        clusters.map((cluster) => ({ cluster, modifications: [] })),
        at(2),
      ),
    )

  test('what is not known is absent, not empty', () => {
    expect(values(clusterOf('fra-1'))).toEqual([
      'cluster_info{cluster=fra-1} 1',
      'cluster_last_seen_seconds{cluster=fra-1} 120',
    ])
  })

  test('problems with one cause and reason are one series, of the one that lasts longest', () => {
    const problem = (reason: string, minute: number) => {
      return { cause: 'identity_conflict' as const, reason, text: '', sinceMs: at(minute), evidence: [] }
    }
    const told = values(
      clusterOf('a', { problems: [problem('taken', 1), problem('taken', 0), problem('too_many', 2)] }),
    )
    expect(told.filter((line) => line.startsWith('cluster_problem')).sort()).toEqual([
      'cluster_problem_seconds{cluster=a,cause=identity_conflict,reason=taken} 120',
      'cluster_problem_seconds{cluster=a,cause=identity_conflict,reason=too_many} 0',
    ])
  })

  test('versions are counted by operator; KubeVirt counts by itself only where there is no HCO', () => {
    const told = values(
      clusterOf('a', { hcoVersion: '1.17.0', versions: { kubevirt: '1.7.0' } }),
      clusterOf('b', { hcoVersion: '1.17.0', platform: { kind: 'openshift', version: '4.20.3' } }),
      clusterOf('c', { versions: { kubevirt: '1.7.0' }, platform: { kind: 'kubernetes', version: '1.34.1' } }),
    )
    expect(told.filter((line) => line.startsWith('adoption'))).toEqual([
      'adoption_clusters{operator=kubevirt-hyperconverged,version=1.17.0} 2',
      'adoption_clusters{operator=openshift,version=4.20.3} 1',
      'adoption_clusters{operator=kubevirt,version=1.7.0} 1',
    ])
  })

  test('the rarest of too many versions are counted together', () => {
    const told = clusterValues(
      Array.from({ length: 310 }, (_, i) => ({
        cluster: clusterOf(`c-${i}`, { hcoVersion: `1.0.${i}` }),
        modifications: [],
      })),
      at(0),
    ).filter(({ name }) => name === 'daytwo_adoption_clusters')
    expect(told).toHaveLength(301)
    expect(told.at(-1)).toMatchObject({ labels: { version: 'other' }, value: 10 })
    expect(told.reduce((sum, { value }) => sum + value, 0)).toBe(310)
  })

  test.each([
    ['behind its platform', '4.19.7', '4.20.3', '4.19', '4.20', -1],
    ['ahead of it', '4.20.1', '4.19.3', '4.20', '4.19', 1],
    ['beside it', '4.20.1', '4.20.9', '4.20', '4.20', 0],
    ['4.23, which is 5.0', '4.23.2', '5.0.9', '4.23', '5.0', 0],
    ['5.1, which is one beyond 4.23', '5.1.0', '4.23.1', '5.1', '4.23', 1],
  ])('OpenShift Virtualization %s', (_, hcoVersion, version, minor, platformMinor, skew) => {
    const told = values(clusterOf('a', { flavour: 'openshift', hcoVersion, platform: { kind: 'openshift', version } }))
    expect(told).toContain(`version_skew{cluster=a,minor=${minor},platform_minor=${platformMinor}} ${skew}`)
  })

  test.each([
    [
      'the community numbers by itself',
      { flavour: 'community', hcoVersion: '1.16.0', platform: { kind: 'openshift', version: '4.20.3' } },
    ],
    ['a platform that says nothing is no skew', { flavour: 'openshift', hcoVersion: '4.19.7' }],
    [
      'a version nobody can read is no skew',
      { flavour: 'openshift', hcoVersion: 'latest', platform: { kind: 'openshift', version: '4.20.3' } },
    ],
  ] as const)('%s', (_, more) => {
    expect(values(clusterOf('a', more)).some((line) => line.startsWith('version_skew'))).toBe(false)
  })

  test('a cluster that was not seen for a week has no series', () => {
    const cluster = {
      cluster: clusterOf('a', { hcoVersion: '1.17.0' }),
      modifications: [{ component: 'cdi', edits: 1, patches: 1 }],
    }
    const week = 7 * 24 * 60
    expect(clusterValues([cluster], at(week))).toHaveLength(5)
    expect(clusterValues([cluster], at(week + 1))).toEqual([])
  })

  test('modifications are counted by component: edits without those of an upgrade, patches that stand', () => {
    const counts = modificationCounts([
      edit({ count: 3 }),
      edit({ count: 9, isUpgradeMode: true }),
      edit({ component: 'ssp', kind: 'jsonpatch' }),
      edit({ component: 'ssp', kind: 'jsonpatch', endedMs: T0 }),
    ])
    expect(counts).toEqual([
      { component: 'cdi', edits: 3, patches: 0 },
      { component: 'ssp', edits: 0, patches: 1 },
    ])
    expect(shown(clusterValues([{ cluster: clusterOf('a'), modifications: counts }], at(0))).slice(2)).toEqual([
      'out_of_band_modifications_total{cluster=a,component=cdi} 3',
      'unsafe_modifications{cluster=a,component=ssp} 1',
    ])
  })
})

describe('of upgrades', () => {
  test('an open one has its phases, its approval and its verdict', () => {
    const record = recordOf({ startMinute: 0, phases: [phase('offered', 0, 1), phase('approval', 1)] })
    const verdict = {
      upgradeId: record.upgrade.id,
      isStuck: true,
      phase: 'approval',
      causes: [{ cause: 'approval_waiting', text: '', evidence: [] }],
    } as const
    const edge = 'cluster=fra-1,operator=kubevirt-hyperconverged,from=1.16.0,to=1.17.0'
    expect(shown(openUpgradeValues([record], [verdict], at(11)))).toEqual([
      `upgrade_in_progress{${edge}} 1`,
      `upgrade_phase_seconds{${edge},phase=approval} 600`,
      `approval_waiting_seconds{${edge}} 600`,
      `upgrade_stuck{${edge},phase=approval,cause=approval_waiting} 1`,
    ])
  })

  test('one whose machines follow is not in progress any more', () => {
    const record = recordOf({ startMinute: 0, endMinute: 5, phases: [phase('workloads', 5)] })
    expect(shown(openUpgradeValues([record], [], at(6)))).toEqual([
      'upgrade_phase_seconds{cluster=fra-1,operator=kubevirt-hyperconverged,from=1.16.0,to=1.17.0,phase=workloads} 60',
    ])
  })

  test('an edge has all its outcomes, and a histogram that adds up', () => {
    const index = createEdgeIndex()
    index.put(
      'a',
      [5, 5, 10, 400].map((endMinute) => recordOf({ startMinute: 0, endMinute })),
    )
    index.put('b', [recordOf({ startMinute: 0, seenMinute: 9 })])
    const values = edgeValues(index.finished())
    const told = shown(values).map((line) =>
      line.replace('operator=kubevirt-hyperconverged,from=1.16.0,to=1.17.0', 'edge'),
    )
    expect(told.slice(0, 2)).toEqual(['edge_attempts{edge} 5', 'edge_success_ratio{edge} 1'])
    expect(told.filter((line) => line.startsWith('upgrades_total'))).toEqual([
      'upgrades_total{edge,outcome=succeeded} 4',
      'upgrades_total{edge,outcome=failed} 0',
      'upgrades_total{edge,outcome=superseded} 0',
      'upgrades_total{edge,outcome=rolled_back} 0',
    ])
    const buckets = values.filter(({ name }) => name === 'daytwo_upgrade_duration_seconds_bucket')
    expect(buckets.map(({ labels, value }) => `${labels['le']!} ${value}`)).toEqual([
      ...['120 0', '300 2', '450 2', '600 3', '900 3', '1200 3', '1800 3', '2700 3', '3600 3', '7200 3'],
      ...['14400 3', '28800 4', '86400 4', '+Inf 4'],
    ])
    expect(told.slice(-2)).toEqual([
      'upgrade_duration_seconds_count{edge} 4',
      'upgrade_duration_seconds_sum{edge} 25200',
    ])
  })

  test('of too many edges those have series that were taken last', () => {
    const index = createEdgeIndex()
    const records = Array.from({ length: 510 }, (_, i) =>
      recordOf({ to: `1.17.${i}`, startMinute: i, endMinute: i + 1 }),
    )
    index.put('a', records)
    const told = new Set(edgeValues(index.finished()).map(({ labels }) => labels['to']))
    expect(told.size).toBe(500)
    expect(told.has('1.17.509')).toBe(true)
    expect(told.has('1.17.9')).toBe(false)
  })
})

describe('samples', () => {
  const gauge = (cluster: string, value = 1): DerivedValue => ({
    name: 'daytwo_upgrade_in_progress',
    labels: { cluster },
    value,
  })
  const counter = (value: number, outcome = 'failed'): DerivedValue => {
    return { name: 'daytwo_upgrades_total', labels: { outcome }, value, isCounter: true }
  }
  const lines = (
    state: ReturnType<typeof createDerivedSeriesState>,
    values: readonly DerivedValue[],
    minute: number,
  ): string[] =>
    state.next(values, at(minute)).map(({ labels, value, isStale, timeMs }) => {
      expect(timeMs).toBe(at(minute))
      return `${labels.toString()} ${isStale ? 'stale' : value}`
    })

  test('a series whose subject is gone ends once', () => {
    const state = createDerivedSeriesState()
    lines(state, [gauge('a'), gauge('b')], 0)
    expect(lines(state, [gauge('b')], 1)).toEqual([
      'daytwo_upgrade_in_progress{cluster="b"} 1',
      'daytwo_upgrade_in_progress{cluster="a"} stale',
    ])
    expect(lines(state, [gauge('b')], 2)).toEqual(['daytwo_upgrade_in_progress{cluster="b"} 1'])
  })

  test('a label set is one object for as long as its series lives', () => {
    const state = createDerivedSeriesState()
    const [first] = state.next([gauge('a')], at(0))
    const [second] = state.next([gauge('a', 2)], at(1))
    expect(second?.labels).toBe(first?.labels)
  })

  test('a counter never falls, and one that appears is born at zero', () => {
    const state = createDerivedSeriesState()
    expect(lines(state, [counter(7)], 0)).toEqual(['daytwo_upgrades_total{outcome="failed"} 7'])
    expect(lines(state, [counter(6), counter(2, 'rolled_back')], 1)).toEqual([
      'daytwo_upgrades_total{outcome="failed"} 7',
      'daytwo_upgrades_total{outcome="rolled_back"} 0',
    ])
    expect(lines(state, [counter(8), counter(2, 'rolled_back')], 2)).toEqual([
      'daytwo_upgrades_total{outcome="failed"} 8',
      'daytwo_upgrades_total{outcome="rolled_back"} 2',
    ])
  })

  test('a restart goes on where the process before it stopped', () => {
    const state = createDerivedSeriesState()
    const old = Labels.of({ __name__: 'daytwo_upgrades_total', outcome: 'failed' })
    const gone = Labels.of({ __name__: 'daytwo_upgrade_in_progress', cluster: 'a' })
    state.restore([
      { labels: old, value: 9 },
      { labels: gone, value: 1 },
    ])
    expect(lines(state, [counter(8)], 5)).toEqual([
      'daytwo_upgrades_total{outcome="failed"} 9',
      'daytwo_upgrade_in_progress{cluster="a"} stale',
    ])
  })

  test('a series is the same whatever the order of its labels, and without empty ones', () => {
    const state = createDerivedSeriesState()
    state.restore([{ labels: Labels.of({ __name__: 'daytwo_upgrades_total', from: 'a', to: 'b' }), value: 9 }])
    const labels = { to: 'b', outcome: '', from: 'a' }
    const value: DerivedValue = { name: 'daytwo_upgrades_total', labels, value: 1, isCounter: true }
    expect(lines(state, [value], 5)).toEqual(['daytwo_upgrades_total{from="a", to="b"} 9'])
    // Neither a name nor a value runs into the next one.
    const others = [{ from: 'ab', to: 'c' }, { from: 'a', to: 'bc' }, { from: 'a' }, { to: 'a' }] // prettier-ignore
    const gauges = others.map((labels): DerivedValue => ({ name: 'daytwo_edge_attempts', labels, value: 1 }))
    expect(new Set(lines(createDerivedSeriesState(), gauges, 6)).size).toBe(4)
  })
})

/** A cluster with everything: every metric there is. */
function everything(): { cluster: ClusterRecord; upgrades: UpgradeRecord[]; modifications: Modification[] } {
  const cluster = clusterOf('fra-1', {
    flavour: 'openshift',
    hcoVersion: '4.19.7',
    versions: { kubevirt: '1.7.0' },
    platform: { kind: 'openshift', version: '4.20.3' },
    subscription: { package: 'p', channel: 'stable', approval: 'Manual', source: 's', state: 'AtLatestKnown' },
    problems: [
      {
        cause: 'cannot_plan',
        reason: 'ResolutionFailed',
        text: 'OLM cannot resolve.',
        sinceMs: at(2000),
        evidence: [],
      },
    ],
    region: 'eu',
    environment: 'prod',
    lastSeenMs: at(3000),
    coverage: {
      objects: true,
      metrics: true,
      spans: false,
      kinds: [],
      metricsLastMs: at(3000),
      objectsLastMs: at(3000),
    },
  })
  const upgrades = [
    recordOf({ from: '4.19.5', to: '4.19.7', startMinute: 0, endMinute: 9 }),
    recordOf({ from: '4.19.7', to: '4.20.1', startMinute: 10, phases: [phase('approval', 10)] }),
  ]
  return {
    cluster,
    upgrades,
    modifications: [edit(), edit({ kind: 'jsonpatch' })].map((one) => ({ ...one, cluster: 'fra-1' })),
  }
}

test('every metric is written by somebody, with no label that is not in its table', () => {
  const index = createFleetIndex()
  index.put({ ...everything(), intervals: [] })
  for (const name of ['ber-1', 'ber-2', 'ber-3']) {
    const upgrades = [
      recordOf({ cluster: name, from: '4.19.7', to: '4.20.1', startMinute: -50_000, endMinute: -49_990 }),
    ]
    index.put({ cluster: { ...everything().cluster, cluster: name }, upgrades, modifications: [], intervals: [] })
  }
  expect(index.notOffered(at(3000))).toMatchObject([{ cluster: 'fra-1', version: '4.19.7', offered: '4.20.1' }])
  index.markSeen('ham-1', { metricsMs: at(5) })
  index.declare([{ id: 'off', cluster: 'ham-1', sinceMs: at(10), by: 'ada', reason: 'moved', saidMs: at(20) }])
  const samples = index.series(at(3000))
  const byName = new Map<string, Set<string>>()
  for (const { labels } of samples) {
    const family = labels.metricName.replace(/_(bucket|count|sum)$/, '')
    const names = byName.get(family) ?? new Set()
    for (const [name] of labels.pairs()) if (name !== '__name__' && name !== 'le') names.add(name)
    byName.set(family, names)
  }
  expect([...byName.keys()].sort()).toEqual(DERIVED_METRICS.map(({ name }) => name).sort())
  for (const { name, labels } of DERIVED_METRICS) expect([...byName.get(name)!].sort()).toEqual([...labels].sort())
})

test('lint knows each of them, with its type, labels and unit', () => {
  const known = readMetricTable(FLEET_METRICS)
  expect(known).toEqual([...DERIVED_METRICS].sort((a, b) => (a.name < b.name ? -1 : 1)))
})

test('the index forgets a cluster that is removed', () => {
  const index = createFleetIndex()
  index.put({ ...everything(), intervals: [] })
  expect(index.verdicts(at(3000))).toMatchObject([{ isStuck: true, phase: 'approval' }])
  expect(index.verdicts(at(100))).toMatchObject([{ isStuck: false }])
  expect(index.edges.edges().map(({ to }) => to)).toEqual(['4.20.1', '4.19.7'])
  index.series(at(0))
  index.remove('fra-1')
  expect(index.verdicts(at(3000))).toEqual([])
  expect(index.edges.edges()).toEqual([])
  expect(index.series(at(1)).every(({ isStale }) => isStale)).toBe(true)
})

test('the series of the last report includes reports that changed no facts', () => {
  const index = createFleetIndex()
  index.put({ ...everything(), intervals: [] })
  const lastSeen = (minute: number) =>
    index.series(at(minute)).find(({ labels }) => labels.metricName === 'daytwo_cluster_last_seen_seconds')?.value
  const before = lastSeen(9000)!
  index.markSeen('fra-1', { metricsMs: at(8990), objectsMs: at(8980) })
  index.markSeen('fra-1', { objectsMs: at(8985) })
  expect(before).toBeGreaterThan(600)
  expect(lastSeen(9000)).toBe(600)
})

test('the series are a function of the facts', () => {
  const { cluster, upgrades } = everything()
  const facts = {
    clusters: [{ cluster, modifications: [] }],
    gone: GONE,
    open: upgrades,
    verdicts: [],
    edges: [],
    notOffered: [],
  }
  expect(derivedSeries(facts, at(5))).toEqual(derivedSeries(facts, at(5)))
})
