import { describe, expect, test } from 'vitest'
import { withoutPause } from '../../../src/base/thread-slices.ts'
import { clusterValues } from '../../../src/fleet/series/derived-clusters.ts'
import {
  DERIVED_METRICS,
  FACT_SERIES,
  WRITTEN_METRICS,
  type DerivedValue,
} from '../../../src/fleet/series/derived-metrics.ts'
import { createDerivedSeriesState, derivedSeries } from '../../../src/fleet/series/derived-series.ts'
import type { Gone } from '../../../src/fleet/clusters/gone.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { ClusterRecord, Modification } from '../../../src/model/cluster-record.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { FLEET_METRICS } from '../../../src/rules/metrics/fleet.ts'
import { readMetricTable } from '../../../src/rules/metrics/metric-catalog.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../edge-script.ts'
import { FactFleet } from './fact-fleet.ts'

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
  const values = (cluster: ClusterRecord, minute: number): string[] => shown(clusterValues([cluster], at(minute)))

  test('problems with one cause and reason are one series, of the one that lasts longest', () => {
    const problem = (reason: string, minute: number) => {
      return { cause: 'identity_conflict' as const, reason, text: '', sinceMs: at(minute), evidence: [] }
    }
    const problems = [problem('taken', 1), problem('taken', 0), problem('too_many', 2)]
    expect(values(clusterOf('a', { problems }), 2).sort()).toEqual([
      'cluster_last_seen_seconds{cluster=a} 120',
      'cluster_problem_seconds{cluster=a,cause=identity_conflict,reason=taken} 120',
      'cluster_problem_seconds{cluster=a,cause=identity_conflict,reason=too_many} 0',
    ])
  })

  test('a cluster that was not seen for a week has no series', () => {
    const week = 7 * 24 * 60
    expect(values(clusterOf('a'), week)).toHaveLength(1)
    expect(values(clusterOf('a'), week + 1)).toEqual([])
  })

  test('an upgrade that is stuck has a series with its phase and the most likely cause', () => {
    const record = recordOf({ startMinute: 0, phases: [phase('approval', 1)] })
    const verdictOf = (isStuck: boolean) => ({
      upgradeId: record.upgrade.id,
      isStuck,
      phase: 'approval' as const,
      causes: [{ cause: 'approval_waiting' as const, text: '', evidence: [] }],
    })
    const of = (isStuck: boolean) =>
      shown(
        derivedSeries(
          {
            clusters: [],
            gone: new Map(),
            open: [{ record, verdict: verdictOf(isStuck) }],
            notOffered: [],
            patches: [],
          },
          at(11),
        ),
      )
    expect([of(true), of(false)]).toEqual([
      [
        'upgrade_stuck{cluster=fra-1,operator=kubevirt-hyperconverged,from=1.16.0,to=1.17.0,phase=approval,cause=approval_waiting} 1',
      ],
      [],
    ])
  })
})

describe('samples', () => {
  const gauge = (cluster: string, value = 1): DerivedValue => ({
    name: 'daytwo_upgrade_stuck',
    labels: { cluster },
    value,
  })
  const lines = (
    state: ReturnType<typeof createDerivedSeriesState>,
    values: readonly DerivedValue[],
    minute: number,
  ): string[] =>
    withoutPause(state.next(values, at(minute))).map(({ labels, value, isStale, timeMs }) => {
      expect(timeMs).toBe(at(minute))
      return `${labels.toString()} ${isStale ? 'stale' : value}`
    })

  test('a series whose subject is gone ends once', () => {
    const state = createDerivedSeriesState()
    lines(state, [gauge('a'), gauge('b')], 0)
    expect(lines(state, [gauge('b')], 1)).toEqual([
      'daytwo_upgrade_stuck{cluster="b"} 1',
      'daytwo_upgrade_stuck{cluster="a"} stale',
    ])
    expect(lines(state, [gauge('b')], 2)).toEqual(['daytwo_upgrade_stuck{cluster="b"} 1'])
  })

  test('a label set is one object for as long as its series lives', () => {
    const state = createDerivedSeriesState()
    const [first] = withoutPause(state.next([gauge('a')], at(0)))
    const [second] = withoutPause(state.next([gauge('a', 2)], at(1)))
    expect(second?.labels).toBe(first?.labels)
  })

  test('a series that was written before a restart and is gone ends', () => {
    const state = createDerivedSeriesState()
    const gone = Labels.of({ __name__: 'daytwo_upgrade_stuck', cluster: 'a' })
    state.restore([{ labels: gone }])
    expect(lines(state, [gauge('b')], 5)).toEqual([
      'daytwo_upgrade_stuck{cluster="b"} 1',
      'daytwo_upgrade_stuck{cluster="a"} stale',
    ])
  })

  test('a series is the same whatever the order of its labels, and without empty ones', () => {
    const state = createDerivedSeriesState()
    const restored = Labels.of({ __name__: 'daytwo_upgrade_stuck', from: 'a', to: 'b' })
    state.restore([{ labels: restored }])
    const values = [{ name: 'daytwo_upgrade_stuck' as const, labels: { to: 'b', phase: '', from: 'a' }, value: 1 }]
    const [same, ...others] = withoutPause(state.next(values, at(5)))
    expect([same?.labels, others]).toEqual([restored, []])
    expect(same?.labels).toBe(restored)
    // Neither a name nor a value runs into the next one.
    const sets = [{ from: 'ab', to: 'c' }, { from: 'a', to: 'bc' }, { from: 'a' }, { to: 'a' }] // prettier-ignore
    const gauges = sets.map((labels): DerivedValue => ({ name: 'daytwo_upgrade_stuck', labels, value: 1 }))
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
    settings: { apiVersion: 'hco.kubevirt.io/v1', liveMigration: {}, featureGates: {} },
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

test('every metric is written or computed, with no label that is not in its table', async () => {
  const fleet = new FactFleet([{ ...everything(), intervals: [] }], at(3000))
  const { index } = fleet
  for (const name of ['ber-1', 'ber-2', 'ber-3']) {
    const upgrades = [
      recordOf({ cluster: name, from: '4.19.7', to: '4.20.1', startMinute: -50_000, endMinute: -49_990 }),
    ]
    index.put({ cluster: { ...everything().cluster, cluster: name }, upgrades, modifications: [], intervals: [] })
  }
  const path = '/spec/configuration/developerConfiguration/featureGates/-'
  const operations = [{ op: 'add', path, value: 'ExperimentalVirtiofsSupport' }]
  const patch = edit({ cluster: 'rom-1', kind: 'jsonpatch', component: 'kubevirt', operations })
  const changed = 'parallelMigrationsPerCluster'
  const settings = {
    ...{ apiVersion: 'hco.kubevirt.io/v1', liveMigration: { [changed]: 77 }, featureGates: {} },
    written: { [`liveMigration.${changed}`]: { sinceMs: at(1), by: 'kubectl-edit' } },
  }
  const breaking = { cluster: clusterOf('rom-1', { hcoVersion: '1.16.0', settings }), modifications: [patch] }
  index.put({ ...breaking, upgrades: [], intervals: [] })
  expect(index.notOffered(at(3000))).toMatchObject([{ cluster: 'fra-1', version: '4.19.7', offered: '4.20.1' }])
  index.markSeen('ham-1', { metricsMs: at(5) })
  index.markSeen('lis-1', { metricsMs: at(5) })
  index.declare([{ id: 'off', cluster: 'ham-1', sinceMs: at(10), by: 'ada', reason: 'moved', saidMs: at(20) }])
  index.readiness.accept([
    { id: 'r', cluster: 'fra-1', hazard: 'json_patch', reason: 'r', by: 'a', acceptedMs: at(0), expiresMs: at(9000) },
  ])
  index.chooseBaseline({ cluster: 'fra-1', by: 'ada', chosenMs: at(0) })
  const ofHco = { operator: 'kubevirt-hyperconverged', version: '1.17.0' }
  const others = [
    { name: 'daytwo_rollout_verdict', labels: { ...ofHco, verdict: 'hold' }, value: 1 },
    { name: 'daytwo_rollout_clusters', labels: ofHco, value: 40 },
    { name: 'daytwo_rollout_evidence_ratio', labels: { ...ofHco, signal: 'failures' }, value: 1 },
    {
      name: 'daytwo_cluster_deprecated',
      labels: { cluster: 'fra-1', operator: 'openshift', subject: 'channel', name: 'stable' },
      value: 1,
    },
    {
      name: 'daytwo_cluster_dead_end',
      labels: { cluster: 'fra-1', operator: 'openshift', version: '4.18.2' },
      value: 1,
    },
  ] as const
  const written = withoutPause(index.series(at(3000), others)).map(({ labels }) => labels)
  const computed = await fleet.engine().series([[]], { fromMs: T0, toMs: at(3000) })
  const namesOf = (all: readonly Labels[]) => new Set(all.map(({ metricName }) => metricName))
  expect(namesOf(written)).toEqual(new Set(WRITTEN_METRICS))
  expect(namesOf(computed)).toEqual(new Set(FACT_SERIES))
  const byName = new Map<string, Set<string>>()
  for (const labels of [...written, ...computed]) {
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
  const derived = DERIVED_METRICS.map(({ name, type, labels, ...one }) => {
    return { name, type, labels, ...('unit' in one ? { unit: one.unit } : {}) }
  })
  expect(known).toEqual(derived.sort((a, b) => (a.name < b.name ? -1 : 1)))
})

test('the index forgets a cluster that is removed', () => {
  const index = createFleetIndex()
  index.put({ ...everything(), intervals: [] })
  expect(index.verdicts(at(3000))).toMatchObject([{ isStuck: true, phase: 'approval' }])
  expect(index.verdicts(at(100))).toMatchObject([{ isStuck: false }])
  expect(index.edges.edges().map(({ to }) => to)).toEqual(['4.20.1', '4.19.7'])
  withoutPause(index.series(at(0)))
  index.remove('fra-1')
  expect(index.verdicts(at(3000))).toEqual([])
  expect(index.edges.edges()).toEqual([])
  expect(withoutPause(index.series(at(1))).every(({ isStale }) => isStale)).toBe(true)
})

test('the series of the last report includes reports that changed no facts', () => {
  const index = createFleetIndex()
  index.put({ ...everything(), intervals: [] })
  const lastSeen = (minute: number) =>
    withoutPause(index.series(at(minute))).find(
      ({ labels }) => labels.metricName === 'daytwo_cluster_last_seen_seconds',
    )?.value
  const before = lastSeen(9000)!
  index.markSeen('fra-1', { metricsMs: at(8990), objectsMs: at(8980) })
  index.markSeen('fra-1', { objectsMs: at(8985) })
  expect(before).toBeGreaterThan(600)
  expect(lastSeen(9000)).toBe(600)
})

test('a setting that changed while an upgrade of its cluster was in progress changed in that upgrade', () => {
  const index = createFleetIndex()
  const setting = 'parallelMigrationsPerCluster'
  const changedAt = (cluster: string, minute: number) =>
    clusterOf(cluster, {
      hcoVersion: '1.17.0',
      settings: {
        ...{ apiVersion: 'hco.kubevirt.io/v1', liveMigration: { [setting]: 77 }, featureGates: {} },
        written: { [`liveMigration.${setting}`]: { sinceMs: at(minute) } },
      },
    })
  const base = { apiVersion: 'hco.kubevirt.io/v1', liveMigration: {}, featureGates: {} }
  const put = (cluster: ClusterRecord, upgrades: readonly UpgradeRecord[]) => {
    index.put({ cluster, upgrades, modifications: [], intervals: [] })
  }
  put(clusterOf('fra-1', { hcoVersion: '1.17.0', settings: base }), [])
  for (const [name, minute] of [
    ['rom-1', 5],
    ['rom-2', 15],
  ] as const)
    // prettier-ignore
    put(changedAt(name, minute), [recordOf({ cluster: name, startMinute: 0, endMinute: 9 })])
  index.chooseBaseline({ cluster: 'fra-1', by: 'ada', chosenMs: at(0) })
  const changes = withoutPause(index.series(at(20)))
    .filter(({ labels }) => labels.metricName === 'daytwo_cluster_configuration_change_seconds')
    .map(({ labels, value }) => `${labels.get('cluster')} ${labels.get('change')} ${value}`)
  expect(changes).toEqual(['rom-1 in_upgrade 900', 'rom-2 outside_upgrade 300'])
})

test('the series are a function of the facts', () => {
  const facts = { clusters: [everything().cluster], gone: GONE, open: [], notOffered: [], patches: [] }
  expect(derivedSeries(facts, at(5))).toEqual(derivedSeries(facts, at(5)))
})
