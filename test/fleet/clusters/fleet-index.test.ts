import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClusterQuery } from '../../../src/fleet/clusters/cluster-index.ts'
import { createFleetIndex, type FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { fleetNow } from '../../../src/fleet/now/now.ts'
import { createStuckJudge, type LastSeen } from '../../../src/fleet/stuck/stuck.ts'
import { learnBaselines } from '../learn-baselines.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const cluster = fc.constantFrom('a', 'b', 'c', 'd')
const minute = fc.nat(120)
const perhaps = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined })

const put = fc.record({
  does: fc.constant('put' as const),
  cluster,
  version: perhaps(fc.constantFrom('1.16.0', '1.17.0', '1.17.2')),
  platform: perhaps(fc.constantFrom('4.20.1', '4.20.9', '4.21.0')),
  channel: perhaps(fc.constantFrom('stable', 'candidate')),
  outdated: fc.nat(1),
  metricsMinute: perhaps(minute),
  objectsMinute: perhaps(minute),
  /** Runs from which the others are judged, in minutes. */
  runs: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 10 }),
  openMinute: perhaps(minute),
})
const hear = fc.record({
  does: fc.constant('hear' as const),
  cluster: fc.constantFrom('a', 'b', 'c', 'd', 'only-heard'),
  metricsMinute: perhaps(minute),
  objectsMinute: perhaps(minute),
})
const remove = fc.record({ does: fc.constant('remove' as const), cluster })
const ask = fc.record({ does: fc.constant('ask' as const), minute })
const script = fc.array(
  fc.oneof({ weight: 4, arbitrary: put }, { weight: 3, arbitrary: hear }, remove, { weight: 2, arbitrary: ask }),
  { maxLength: 25 },
)
type Put = Omit<typeof put extends fc.Arbitrary<infer One> ? One : never, 'does' | 'cluster'> & {
  readonly cluster: string
}
type Told = Pick<Put, 'metricsMinute' | 'objectsMinute'>

const PAGE: ClusterQuery = { sort: 'cluster', isDescending: false, limit: 3 }
const query: fc.Arbitrary<ClusterQuery> = fc
  .record({
    sort: fc.constantFrom('cluster', 'version', 'last_seen', 'outdated_workloads'),
    isDescending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 5 }),
    versions: perhaps(fc.constantFrom(['1.17'], ['1.16.0', '1.17.2'])),
    channel: perhaps(fc.constantFrom('stable', 'candidate')),
    platform: perhaps(fc.constantFrom('openshift', 'openshift 4.20')),
    states: perhaps(fc.constantFrom(['stuck'] as const, ['silent', 'upgrading'] as const)),
    text: perhaps(fc.constantFrom('A', 'b')),
  })
  .map((asked) => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as never)

function lastReportOf({ metricsMinute, objectsMinute }: Told): LastSeen {
  return {
    ...(metricsMinute === undefined ? {} : { metricsMs: at(metricsMinute) }),
    ...(objectsMinute === undefined ? {} : { objectsMs: at(objectsMinute) }),
  }
}

function factsOf({ cluster, version, platform, channel, outdated, runs, openMinute, ...told }: Put): ClusterFacts {
  const { metricsMs, objectsMs } = lastReportOf(told)
  const finished = runs.map((takes, i) =>
    recordOf({
      cluster,
      id: `${cluster}/${i}`,
      startMinute: -1000 + i,
      endMinute: -900,
      phases: [phase('olm', -1000, -1000 + takes)],
    }),
  )
  const open =
    openMinute === undefined
      ? []
      : [recordOf({ cluster, id: `${cluster}/open`, startMinute: openMinute, phases: [phase('olm', openMinute)] })]
  const subscription = { package: 'hco', approval: 'Automatic', source: 'community', state: 'AtLatestKnown' }
  const record = emptyRecord(cluster, {
    aliases: [`alias-${cluster}`],
    ...(version === undefined ? {} : { hcoVersion: version }),
    ...(platform === undefined ? {} : { platform: { kind: 'openshift', version: platform } }),
    ...(channel === undefined ? {} : { subscription: { ...subscription, channel } }),
    workloads: { outdated, atMs: T0 },
    lastSeenMs: Math.max(0, metricsMs ?? 0, objectsMs ?? 0),
    coverage: {
      objects: objectsMs !== undefined,
      metrics: metricsMs !== undefined,
      spans: false,
      ...(objectsMs === undefined ? {} : { objectsLastMs: objectsMs }),
      ...(metricsMs === undefined ? {} : { metricsLastMs: metricsMs }),
      kinds: [],
    },
  })
  return { cluster: record, upgrades: [...finished, ...open], intervals: [], modifications: [] }
}

function allAnswers(index: FleetIndex, asked: ClusterQuery, nowMs: number): unknown {
  return {
    now: fleetNow(index, nowMs, 3),
    page: index.clusters(asked, nowMs),
    counted: index.clusters({ ...asked, hasFacets: true }, nowMs),
    one: index.cluster('alias-b', nowMs),
    coverage: index.coverage(nowMs),
    records: index.records(),
    open: index.open(nowMs),
    verdicts: index.verdicts(nowMs),
    judged: ['a/open', 'a/0'].map((id) => index.judge(id, nowMs)),
  }
}

test('whatever was put, seen, removed and asked before, the answers are those of an index that was never asked', () => {
  fc.assert(
    fc.property(script, query, minute, (steps, asked, lastMinute) => {
      const index = createFleetIndex()
      const puts = new Map<string, ClusterFacts>()
      const lastSeen = new Map<string, LastSeen[]>()
      for (const step of steps) {
        if (step.does === 'put') {
          const facts = factsOf(step)
          index.put(facts)
          puts.set(step.cluster, facts)
        } else if (step.does === 'hear') {
          index.markSeen(step.cluster, lastReportOf(step))
          lastSeen.set(step.cluster, [...(lastSeen.get(step.cluster) ?? []), lastReportOf(step)])
        } else if (step.does === 'remove') {
          index.remove(step.cluster)
          puts.delete(step.cluster)
          lastSeen.delete(step.cluster)
        } else {
          allAnswers(index, asked, at(step.minute))
        }
      }
      const fresh = createFleetIndex()
      for (const facts of puts.values()) fresh.put(facts)
      for (const [name, all] of lastSeen) for (const one of all) fresh.markSeen(name, one)
      const nowMs = at(lastMinute)
      expect(JSON.stringify(allAnswers(index, asked, nowMs))).toBe(JSON.stringify(allAnswers(fresh, asked, nowMs)))

      // And what is to be thought of an upgrade is what the rule says of it alone.
      const judge = createStuckJudge(learnBaselines([...puts.values()].flatMap(({ upgrades }) => upgrades)))
      for (const { record, verdict } of index.open(nowMs)) {
        const view = index.cluster(record.upgrade.cluster, nowMs)!
        expect(verdict).toEqual(judge(record, nowMs, view.lastSeen))
      }
    }),
  )
})

test('as many are counted of a choice as the list has when it is narrowed to it', () => {
  fc.assert(
    fc.property(fc.array(put, { maxLength: 12 }), query, minute, (puts, asked, lastMinute) => {
      const index = createFleetIndex()
      puts.forEach((one, i) => {
        index.put(factsOf({ ...one, cluster: `${one.cluster}-${i}` }))
      })
      const total = (narrowed: Partial<ClusterQuery>): number =>
        index.clusters({ ...asked, ...narrowed }, at(lastMinute)).total
      const { states, versions, channels, platforms } = index.clusters(
        { ...asked, hasFacets: true },
        at(lastMinute),
      ).facets!
      for (const { value, count } of states) expect(count).toBe(total({ states: [value as 'stuck'] }))
      for (const { value, count } of versions) if (value !== undefined) expect(count).toBe(total({ versions: [value] }))
      for (const { value, count } of channels) if (value !== undefined) expect(count).toBe(total({ channel: value }))
      for (const { value, count } of platforms) if (value !== undefined) expect(count).toBe(total({ platform: value }))
    }),
  )
})

test('a cluster that falls silent or comes back is counted anew, though nothing was derived', () => {
  const index = createFleetIndex()
  const told = {
    cluster: 'a',
    version: '1.17.0' as const,
    platform: undefined,
    channel: undefined,
    outdated: 0,
    runs: [],
  }
  index.put(factsOf({ ...told, metricsMinute: 0, objectsMinute: undefined, openMinute: undefined }))
  const statesAt = (minute: number) => index.clusters(PAGE, at(minute)).clusters[0]!.states
  expect([statesAt(10), statesAt(11)]).toEqual([['steady'], ['silent']])
  index.markSeen('a', { metricsMs: at(11) })
  expect([statesAt(11), statesAt(22)]).toEqual([['steady'], ['silent']])
})

test('a cluster whose data was all refused was never seen, and is not gone', () => {
  const index = createFleetIndex(30 * 24 * 60 * MINUTE_MS)
  for (const [name, lastSeenMs] of [
    ['refused', 0],
    ['old', 1],
  ] as const) {
    index.put({
      cluster: emptyRecord(name, { lastSeenMs }),
      upgrades: [],
      intervals: [],
      modifications: [],
    })
  }
  const states = (name: string) => index.cluster(name, at(0))?.states
  expect([states('refused'), states('old')]).toEqual([['silent', 'unknown'], ['gone']])
})
