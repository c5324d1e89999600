import { afterEach, describe, expect, test } from 'vitest'
import { scopedQueryable } from '../../../src/fleet/scope/scoped-queryable.ts'
import { DERIVED_METRICS, FACT_SERIES } from '../../../src/fleet/series/derived-metrics.ts'
import { withFacts } from '../../../src/fleet/series/with-facts.ts'
import { listOf } from '../../../src/model/label-rows.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { FleetError } from '../../../src/base/errors.ts'
import type { Queryable } from '../../../src/model/queryable.ts'
import { phase, recordOf } from '../edge-script.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../../store/temp-store.ts'
import { EMPTY_STORE, FactFleet, withoutRuns } from './fact-fleet.ts'

const stores: TempStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

const factsOf = (cluster: string): ClusterFacts => ({
  cluster: emptyRecord(cluster, { firstSeenMs: NOW_MS - 48 * HOUR_MS, lastSeenMs: NOW_MS, hcoVersion: '1.17.0' }),
  ...{ intervals: [], upgrades: [], modifications: [] },
})

/** Two clusters with facts, of which `a` sent a metric, and a series that an earlier version wrote. */
async function joined() {
  const store = new TempStore()
  stores.push(store)
  for (const [name, cluster, value] of [
    ['csv_succeeded', 'a', 1],
    ['daytwo_cluster_info', 'old', 1],
    ['daytwo_cluster_last_seen_seconds', 'a', 7],
  ] as const) {
    const ref = store.resolve({ __name__: name, cluster })
    for (let i = 4; i >= 0; i--) store.writer.appender.append(ref, NOW_MS - i * MINUTE_MS, value)
  }
  await store.writer.appender.commit()
  return new FactFleet([factsOf('a'), factsOf('b')], NOW_MS, store.reader)
}

const RANGE = { fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS }
const INFO = ['cluster_info{cluster=a,hco_version=1.17.0} 1', 'cluster_info{cluster=b,hco_version=1.17.0} 1']
const ADOPTED = 'adoption_clusters{operator=kubevirt-hyperconverged,version=1.17.0} 2'
const STORED = ['cluster_last_seen_seconds{cluster=a} 7', 'csv_succeeded{cluster=a} 1']

describe('a store with facts', () => {
  test.each([
    ['one metric of facts', '{__name__="daytwo_cluster_info"}', INFO],
    ['one that is stored', 'csv_succeeded', ['csv_succeeded{cluster=a} 1']],
    ['names of both', '{__name__=~"daytwo_cluster.*|csv_.*"}', [...INFO, ...STORED]],
    ['all names, of a cluster', '{cluster=~"a|old"}', [INFO[0]!, ...STORED]],
    ['all but one name', '{__name__!="daytwo_cluster_info",__name__=~".+",cluster!="a"}', [ADOPTED]],
    ['no cluster', '{__name__=~"daytwo.*",cluster=""}', [ADOPTED]],
    ['two conditions on one label', 'daytwo_cluster_info{cluster=~"a|b",cluster!="a"}', [INFO[1]!]],
  ])('answers %s', async (_, expr, want) => {
    const fleet = await joined()
    const plain = withoutRuns(fleet.store)
    expect(await fleet.instant(expr, NOW_MS)).toEqual(want)
    expect(await fleet.instant(expr, NOW_MS, plain)).toEqual(want)
    const ranged = await fleet.range(expr, NOW_MS - 2 * MINUTE_MS, NOW_MS, MINUTE_MS)
    expect(ranged).toEqual(want.map((line) => line.replace(/ (\S+)$/, ' $1@0 $1@1 $1@2')))
    expect(await fleet.range(expr, NOW_MS - 2 * MINUTE_MS, NOW_MS, MINUTE_MS, plain)).toEqual(ranged)
  })

  test('has no rollups where series of facts match', async () => {
    const { store } = await joined()
    const rollups = (name: string) =>
      store.selectRollup({
        ...{ ...RANGE, alignMs: HOUR_MS, bucketsMax: 1000, parts: { extremes: false, sums: false } },
        matchers: [{ name: '__name__', op: '=~', value: name }],
      })
    expect(rollups('daytwo_cluster_info|csv_succeeded')).toBeUndefined()
  })

  test('lists series, names and values once', async () => {
    const fleet = await joined()
    const engine = fleet.engine()
    const ofA = [[{ name: 'cluster', op: '=', value: 'a' } as const]]
    const series = await engine.series(ofA, RANGE)
    expect(series.map((labels) => labels.metricName)).toEqual(
      [...['csv_succeeded', 'daytwo_cluster_info', 'daytwo_cluster_last_seen_seconds']].sort((a, b) =>
        a < b ? -1 : 1,
      ),
    )
    expect(await engine.labelNames(ofA, RANGE)).toEqual(['__name__', 'cluster', 'hco_version'])
    expect(await engine.labelValues('__name__', [], RANGE)).toEqual([
      ...['csv_succeeded', 'daytwo_adoption_clusters', 'daytwo_cluster_info', 'daytwo_cluster_last_seen_seconds'],
    ])
    expect(await engine.labelValues('cluster', [], RANGE)).toEqual(['a', 'b'])
    const before = { fromMs: NOW_MS - 99 * HOUR_MS, toMs: NOW_MS - 49 * HOUR_MS }
    expect(await engine.labelValues('cluster', [], before)).toEqual([])
  })

  test('gives the newest samples of both, as federation reads them', async () => {
    const fleet = await joined()
    const newest = await fleet.engine().newest([[{ name: '__name__', op: '=~', value: 'daytwo.*' }]], RANGE)
    expect(newest.map(({ labels, value, timeMs }) => [labels.metricName, value, NOW_MS - timeMs])).toEqual([
      ['daytwo_adoption_clusters', 2, NOW_MS % MINUTE_MS],
      ['daytwo_cluster_info', 1, NOW_MS % MINUTE_MS],
      ['daytwo_cluster_info', 1, NOW_MS % MINUTE_MS],
      ['daytwo_cluster_last_seen_seconds', 7, 0],
    ])
  })

  test('has the metadata of all derived metrics, and of a written one what is derived', async () => {
    const { store } = await joined()
    expect(store.metadata('daytwo_upgrade_duration_seconds')).toMatchObject([
      { metadata: [{ type: 'histogram', unit: 'seconds' }] },
    ])
    const names = store.metadata().map(({ name }) => name)
    expect(names).toEqual(DERIVED_METRICS.map(({ name }) => name).sort())
  })

  test('shows a scope its clusters alone', async () => {
    const fleet = await joined()
    const scoped = scopedQueryable(fleet.store, () => ({ name: 'cluster', op: '=~', value: 'b' }))
    expect(await fleet.instant('{__name__=~"daytwo.*"}', NOW_MS, scoped)).toEqual([INFO[1]])
    expect(await fleet.instant('daytwo_cluster_info', NOW_MS, scoped)).toEqual([INFO[1]])
  })

  test('limits samples and series as for stored ones', async () => {
    const fleet = await joined()
    const waiting = { ...phase('approval', 0), startedMs: NOW_MS - 40 * HOUR_MS }
    fleet.index.put({ ...factsOf('a'), upgrades: [recordOf({ cluster: 'a', phases: [waiting] })] })
    const plain = withoutRuns(fleet.store)
    const read = (expr: string, store: Queryable) =>
      fleet
        .engine(store, { samplesMax: 2000 })
        .range({ expr, startMs: NOW_MS - 40 * HOUR_MS, endMs: NOW_MS, stepMs: HOUR_MS })
        .then(
          ({ stats }) => stats.samplesRead,
          (thrown: unknown) => (thrown as FleetError).code,
        )
    expect(await read('daytwo_approval_waiting_seconds', fleet.store)).toBe('query_limit')
    expect(await read('daytwo_approval_waiting_seconds', plain)).toBe('query_limit')
    // One value is one run for any time.
    expect(await read('daytwo_cluster_info', fleet.store)).toBe(2)
    expect(await read('daytwo_cluster_info', plain)).toBe('query_limit')
  })

  test('repeats its rows and their label sets, and puts new ones at the end, so that what was computed is used again', async () => {
    const fleet = await joined()
    const matchers = [{ name: '__name__', op: '=', value: 'daytwo_cluster_info' } as const]
    const rows = () => fleet.store.selectRuns({ matchers, ...RANGE, maxSamples: 100 }).rows
    const first = rows()
    fleet.index.put(factsOf('a'))
    expect(rows().lineage).toBe(first.lineage)
    expect(rows().at(1)).toBe(first.at(1))
    fleet.index.put(factsOf('c'))
    expect([rows().lineage, rows().length]).toEqual([first.lineage, 3])
    expect([rows().at(0), rows().at(2).get('cluster')]).toEqual([first.at(0), 'c'])
    expect(first).toHaveLength(2)
    // Too many of its rows have no samples now.
    fleet.index.remove('a')
    expect(rows().lineage).not.toBe(first.lineage)
    expect(listOf(rows()).map((labels) => labels.get('cluster'))).toEqual(['b', 'c'])
  })

  test('refuses metrics of facts while the facts are read, and answers what is stored', async () => {
    const fleet = new FactFleet([], NOW_MS)
    const reading = withFacts(EMPTY_STORE, () => undefined)
    const refused = { code: 'not_ready', message: expect.stringContaining(FACT_SERIES[0]!) as string }
    await expect(fleet.instant(FACT_SERIES[0]!, NOW_MS, reading)).rejects.toMatchObject(refused)
    expect(await fleet.instant('{__name__=~"daytwo.*"}', NOW_MS, reading)).toEqual([])
    expect(await fleet.instant('csv_succeeded', NOW_MS, reading)).toEqual([])
  })
})
