import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clusterAt } from '../../../src/fleet/clusters/cluster-at.ts'
import { pastFleet } from '../../../src/fleet/past/past-fleet.ts'
import { REFRESHED_AT_ONCE } from '../../../src/fleet/series/fact-history.ts'
import { runningVersions, skewOf } from '../../../src/fleet/series/cluster-versions.ts'
import { CLUSTER_LIVES_MS } from '../../../src/fleet/series/derived-clusters.ts'
import type { ClusterRecord, Modification, VersionInterval } from '../../../src/model/cluster-record.ts'
import type { ClusterFacts, FleetFactsReader } from '../../../src/model/fleet-facts.ts'
import type { UpgradeState } from '../../../src/model/upgrade.ts'
import type { Queryable } from '../../../src/model/queryable.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../edge-script.ts'
import { FactFleet, GONE_AFTER_MS, withoutRuns } from './fact-fleet.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const interval = (
  cluster: string,
  operator: string,
  version: string,
  from: number,
  until?: number,
): VersionInterval => ({
  ...{ cluster, operator, version, fromMs: at(from), isStartKnown: true, resolutionSeconds: 30 },
  ...(until === undefined ? {} : { untilMs: at(until) }),
})

const edit = (more: Partial<Modification> = {}): Modification => ({
  ...{ id: 'm', cluster: 'a', kind: 'out_of_band', component: 'cdi', count: 1, text: '' },
  ...{ isUpgradeMode: false, resolutionSeconds: 1, startedMs: at(10), endedMs: at(10) },
  ...more,
})

function factsOf(cluster: string, record: Partial<ClusterRecord> = {}, more: Partial<ClusterFacts> = {}): ClusterFacts {
  const known = { firstSeenMs: at(-100), lastSeenMs: at(100), ...record }
  return { cluster: emptyRecord(cluster, known), intervals: [], upgrades: [], modifications: [], ...more }
}

const upgradesOf = (...scripts: readonly RecordScript[]) => ({
  upgrades: scripts.map((script, i) => recordOf({ cluster: 'a', id: String(i), ...script })),
})

const EDGE = 'from=1.16.0,operator=kubevirt-hyperconverged,to=1.17.0'

describe('clusters', () => {
  const skewed = (hco: string, platform: string, flavour: 'openshift' | 'community' = 'openshift') =>
    new FactFleet(
      [factsOf('a', { flavour, hcoVersion: hco, platform: { kind: 'openshift', version: platform } })],
      at(5),
    ).instant('daytwo_version_skew', at(5))

  test.each([
    ['behind its platform', '4.19.7', '4.20.3', '4.19', '4.20', -1],
    ['ahead of it', '4.20.1', '4.19.3', '4.20', '4.19', 1],
    ['beside it', '4.20.1', '4.20.9', '4.20', '4.20', 0],
    ['4.23, which is 5.0', '4.23.2', '5.0.9', '4.23', '5.0', 0],
    ['5.1, which is one beyond 4.23', '5.1.0', '4.23.1', '5.1', '4.23', 1],
  ])('OpenShift Virtualization %s', async (_, hco, version, minor, platform, skew) => {
    expect(await skewed(hco, version)).toEqual([
      `version_skew{cluster=a,minor=${minor},platform_minor=${platform}} ${skew}`,
    ])
  })

  test('without skew: the community version, and versions that are no minor', async () => {
    expect(await skewed('1.16.0', '4.20.3', 'community')).toEqual([])
    expect(await skewed('latest', '4.20.3')).toEqual([])
  })

  test('unknown values are absent labels, and traits that are described later are labels of the past too', async () => {
    const fleet = new FactFleet([factsOf('a')], at(5))
    expect(await fleet.instant('daytwo_cluster_info', at(5))).toEqual(['cluster_info{cluster=a} 1'])
    fleet.index.describe(new Map([['a', { region: 'eu', environment: 'prod' }]]))
    expect(await fleet.instant('daytwo_cluster_info', at(-50))).toEqual([
      'cluster_info{cluster=a,environment=prod,region=eu} 1',
    ])
  })

  test('versions are those of the time, and channel and approval those of the present versions', async () => {
    const subscription = { package: 'p', channel: 'stable', approval: 'Manual', source: 's', state: 'AtLatestKnown' }
    const fleet = new FactFleet(
      [
        factsOf(
          'a',
          { hcoVersion: '1.17.0', subscription },
          {
            intervals: [
              interval('a', 'kubevirt-hyperconverged', '1.16.0', -90, 20),
              interval('a', 'kubevirt-hyperconverged', '1.17.0', 20),
            ],
          },
        ),
      ],
      at(50),
    )
    expect(await fleet.range('daytwo_cluster_info', at(-110), at(60), 10 * MINUTE_MS)).toEqual([
      'cluster_info{approval=Manual,channel=stable,cluster=a,hco_version=1.17.0} 1@13 1@14 1@15 1@16',
      'cluster_info{cluster=a,hco_version=1.16.0} 1@2 1@3 1@4 1@5 1@6 1@7 1@8 1@9 1@10 1@11 1@12',
      'cluster_info{cluster=a} 1@1',
    ])
  })

  test('a query brings some clusters up to date, and the next cycle the others', async () => {
    const clusters = Array.from({ length: REFRESHED_AT_ONCE + 9 }, (_, i) => `c${i}`)
    const fleet = new FactFleet(
      clusters.map((cluster) => factsOf(cluster)),
      at(5),
    )
    const counted = () => fleet.instant('count(daytwo_cluster_info{region="eu"})', at(5))
    fleet.index.describe(new Map(clusters.map((cluster) => [cluster, { region: 'eu' }])))
    expect(await counted()).toEqual([`{} ${REFRESHED_AT_ONCE}`])
    expect(await counted()).toEqual([`{} ${REFRESHED_AT_ONCE + 9}`])
    fleet.index.describe(new Map(clusters.map((cluster) => [cluster, { region: 'us' }])))
    fleet.advance(at(6))
    expect(await counted()).toEqual([])
    expect(await fleet.instant('count(daytwo_cluster_info{region="us"})', at(6))).toEqual([`{} ${clusters.length}`])
  })

  test('a version that some clusters leave when others take it has a sample at that time', async () => {
    const of = (cluster: string, from: number, until: number) =>
      factsOf(cluster, {}, { intervals: [interval(cluster, 'kubevirt-hyperconverged', '1.16.0', from, until)] })
    const fleet = new FactFleet([of('a', 0, 10.5), of('b', 10.5, 20)], at(50))
    const samples = () =>
      fleet.range('timestamp(daytwo_adoption_clusters) * 1000', at(10.5) + 7, at(10.5) + 7, MINUTE_MS)
    expect(await samples()).toEqual([`{operator=kubevirt-hyperconverged,version=1.16.0} ${at(10.5)}@0`])
    expect(await fleet.instant('daytwo_adoption_clusters', at(15))).toHaveLength(1)
    fleet.index.put(of('b', 12, 20))
    expect(await fleet.instant('daytwo_adoption_clusters', at(11))).toEqual([])
    expect(await fleet.instant('daytwo_adoption_clusters', at(12))).toHaveLength(1)
  })

  test('a cluster counts until it was not seen for a week, and its upgrades until it is gone', async () => {
    const facts = factsOf('a', { hcoVersion: '1.17.0', lastSeenMs: at(0) }, upgradesOf({ startMinute: -5 }))
    const weekMs = at(0) + CLUSTER_LIVES_MS
    const fleet = new FactFleet([facts], weekMs + GONE_AFTER_MS)
    const shown = async (timeMs: number) => [
      (await fleet.instant('daytwo_adoption_clusters', timeMs)).length,
      (await fleet.instant('daytwo_cluster_info', timeMs)).length,
      (await fleet.instant('daytwo_upgrade_in_progress', timeMs)).length,
    ]
    expect(await shown(weekMs)).toEqual([1, 1, 1])
    expect(await shown(weekMs + 1)).toEqual([0, 0, 1])
    expect(await shown(at(0) + GONE_AFTER_MS)).toEqual([0, 0, 1])
    expect(await shown(at(0) + GONE_AFTER_MS + 1)).toEqual([0, 0, 0])
    fleet.index.markSeen('a', { metricsMs: weekMs })
    expect(await shown(weekMs + 1)).toEqual([1, 1, 1])
    const later = new FactFleet([facts], weekMs)
    expect(await later.instant('daytwo_cluster_info', weekMs)).toHaveLength(1)
    later.advance(weekMs + 1)
    expect(await later.instant('daytwo_cluster_info', weekMs + 1)).toEqual([])
  })

  test('a decommissioned cluster has no series from then on, or until it returned; a withdrawn one is no gap', async () => {
    const fleet = new FactFleet([factsOf('a', { hcoVersion: '1.17.0' })], at(100))
    const declared = { id: 'd', cluster: 'a', sinceMs: at(40), by: 'ada', reason: 'moved', saidMs: at(40) }
    const shownAfter = async (end?: { kind: 'returned' | 'withdrawn'; atMs: number; by: string }) => {
      fleet.index.declare([end === undefined ? { ...declared, sinceMs: at(100) } : { ...declared, end }])
      const [points = ''] = await fleet.range('sum(daytwo_adoption_clusters)', at(20), at(100), 20 * MINUTE_MS)
      return points.replace('{} ', '')
    }
    expect(await shownAfter({ kind: 'returned', atMs: at(80), by: 'daytwo' })).toBe('1@0 1@3 1@4')
    expect(await shownAfter({ kind: 'withdrawn', atMs: at(80), by: 'ada' })).toBe('1@0 1@1 1@2 1@3 1@4')
    expect(await shownAfter()).toBe('1@0 1@1 1@2 1@3')
  })

  test('the rarest of too many versions are counted together, also over time', async () => {
    const many = Array.from({ length: 310 }, (_, i) => factsOf(`c-${i}`, { hcoVersion: `1.0.${i % 302}` }))
    const fleet = new FactFleet(many, at(5))
    const told = await fleet.instant('daytwo_adoption_clusters', at(5))
    expect(told).toHaveLength(301)
    expect(told.filter((line) => line.includes('version=other'))).toEqual([
      'adoption_clusters{operator=kubevirt-hyperconverged,version=other} 2',
    ])
    expect(await fleet.instant('sum(daytwo_adoption_clusters)', at(-50))).toEqual(['{} 310'])
  })

  test('a cluster that changes its version, or is removed, is counted again', async () => {
    const fleet = new FactFleet([factsOf('a', { hcoVersion: '1.16.0' }), factsOf('b', { hcoVersion: '1.16.0' })], at(5))
    const counted = () => fleet.instant('max by (version) (daytwo_adoption_clusters)', at(5))
    expect(await counted()).toEqual(['{version=1.16.0} 2'])
    fleet.index.put(factsOf('b', { hcoVersion: '1.17.0' }))
    expect(await counted()).toEqual(['{version=1.16.0} 1', '{version=1.17.0} 1'])
    fleet.index.remove('a')
    expect(await counted()).toEqual(['{version=1.17.0} 1'])
  })
})

describe('modifications', () => {
  const fleetOf = (...modifications: readonly Modification[]) =>
    new FactFleet([factsOf('a', {}, { modifications })], at(100))

  test('edits count from 0, without those of an upgrade; without their times evenly between the first and the last', async () => {
    const fleet = fleetOf(
      edit({ count: 3 }),
      edit({ count: 9, isUpgradeMode: true }),
      edit({ startedMs: at(20), endedMs: at(24), count: 10 }),
    )
    expect(await fleet.range('daytwo_out_of_band_modifications_total', at(8), at(26), MINUTE_MS)).toEqual([
      'out_of_band_modifications_total{cluster=a,component=cdi} ' +
        '0@1 3@2 3@3 3@4 3@5 3@6 3@7 3@8 3@9 3@10 3@11 5@12 7@13 9@14 11@15 13@16 13@17 13@18',
    ])
  })

  test('edits count at their times', async () => {
    const edits = [[at(20), 1], [at(22), 4], [at(24), 5]] as const // prettier-ignore
    const fleet = fleetOf(edit({ startedMs: at(20), endedMs: at(24), count: 5, edits }))
    expect(await fleet.range('daytwo_out_of_band_modifications_total', at(18), at(25), MINUTE_MS)).toEqual([
      'out_of_band_modifications_total{cluster=a,component=cdi} 0@1 1@2 1@3 4@4 4@5 5@6 5@7',
    ])
  })

  test('a burst of many edits in one minute counts at once', async () => {
    const fleet = fleetOf(edit({ startedMs: at(20), endedMs: at(20) + 59_999, count: 1000 }))
    expect(await fleet.instant('daytwo_out_of_band_modifications_total', at(20))).toEqual([
      'out_of_band_modifications_total{cluster=a,component=cdi} 1000',
    ])
  })

  test('a patch has a series while it is active', async () => {
    const patch = { kind: 'jsonpatch', component: 'ssp' } as const
    const fleet = fleetOf(edit({ ...patch, endedMs: at(12) }), edit({ ...patch, startedMs: at(11), endedMs: at(14) }))
    expect(await fleet.range('daytwo_unsafe_modifications', at(9), at(15), MINUTE_MS)).toEqual([
      'unsafe_modifications{cluster=a,component=ssp} 1@1 2@2 1@3 1@4',
    ])
  })
})

describe('upgrades', () => {
  test('an open one has its phases and its approval, to the moment', async () => {
    const script = { startMinute: 0, endMinute: 30, phases: [phase('offered', 0, 1), phase('approval', 1, 20), phase('olm', 20, 30)] } // prettier-ignore
    const fleet = new FactFleet([factsOf('a', {}, upgradesOf(script))], at(50))
    const of = (name: string, timeMs: number) => fleet.instant(`daytwo_${name}`, timeMs)
    const labels = `cluster=a,${EDGE.replace('operator', 'operator')}`
    expect(await of('upgrade_in_progress', at(0) - 1)).toEqual([])
    expect(await of('upgrade_in_progress', at(0))).toEqual([`upgrade_in_progress{${labels}} 1`])
    expect(await of('upgrade_in_progress', at(30) - 1)).toEqual([`upgrade_in_progress{${labels}} 1`])
    expect(await of('upgrade_in_progress', at(30))).toEqual([])
    expect(await of('upgrade_phase_seconds', at(11))).toEqual([
      `upgrade_phase_seconds{cluster=a,from=1.16.0,operator=kubevirt-hyperconverged,phase=approval,to=1.17.0} 600`,
    ])
    expect(await of('approval_waiting_seconds', at(11))).toEqual([`approval_waiting_seconds{${labels}} 600`])
    expect(await of('approval_waiting_seconds', at(20))).toEqual([])
  })

  test('one whose VMs are updated is not in progress any more, and has that phase', async () => {
    const script = { startMinute: 0, endMinute: 5, seenMinute: 90, phases: [phase('settle', 4, 7), phase('workloads', 3, 9)] } // prettier-ignore
    const fleet = new FactFleet([factsOf('a', {}, upgradesOf(script))], at(50))
    expect(await fleet.instant('daytwo_upgrade_in_progress', at(6))).toEqual([])
    expect(await fleet.range('max by (phase) (daytwo_upgrade_phase_seconds)', at(0), at(10), MINUTE_MS)).toEqual([
      '{phase=settle} 0@4 60@5 120@6',
      '{phase=workloads} 0@3 60@4 120@5 180@6 240@7 300@8',
    ])
  })

  test('an edge has all its outcomes from 0, and a histogram that adds up', async () => {
    const ends = [5, 5, 10, 400].map((endMinute): RecordScript => ({ startMinute: 0, endMinute }))
    const fleet = new FactFleet(
      [
        factsOf('a', {}, upgradesOf(...ends)),
        factsOf('b', {}, { upgrades: [recordOf({ cluster: 'b', startMinute: 0, seenMinute: 9 })] }),
      ],
      at(500),
    )
    const values = async (name: string, minute = 450) =>
      (await fleet.instant(`daytwo_${name}`, at(minute))).map((line) => line.replace(EDGE, 'edge'))
    expect(await values('edge_attempts')).toEqual(['edge_attempts{edge} 5'])
    expect(await values('edge_success_ratio')).toEqual(['edge_success_ratio{edge} 1'])
    expect(await values('edge_success_ratio', 4)).toEqual([])
    expect(await fleet.instant('sum by (outcome) (daytwo_upgrades_total)', at(450))).toEqual([
      ...['{outcome=failed} 0', '{outcome=rolled_back} 0', '{outcome=succeeded} 4', '{outcome=superseded} 0'],
    ])
    expect(await fleet.instant('sum by (outcome) (daytwo_upgrades_total)', at(0))).toContain('{outcome=succeeded} 0')
    expect(await fleet.instant('sum by (le) (daytwo_upgrade_duration_seconds_bucket)', at(450))).toEqual(
      ['120 0', '300 2', '450 2', '600 3', '900 3', '1200 3', '1800 3', '2700 3', '3600 3', '7200 3']
        .concat(['14400 3', '28800 4', '86400 4', '+Inf 4'])
        .map((line) => `{le=${line.replace(' ', '} ')}`)
        .sort(),
    )
    expect(await values('upgrade_duration_seconds_count')).toEqual(['upgrade_duration_seconds_count{edge} 4'])
    expect(await values('upgrade_duration_seconds_sum')).toEqual(['upgrade_duration_seconds_sum{edge} 25200'])
  })

  test('an upgrade of which only the end is known is an increase too', async () => {
    const fleet = new FactFleet([factsOf('a', {}, upgradesOf({ endMinute: 30, seenMinute: 30 }))], at(50))
    expect(await fleet.range('daytwo_upgrades_total{outcome="succeeded"}', at(28), at(31), MINUTE_MS)).toEqual([
      `upgrades_total{from=1.16.0,operator=kubevirt-hyperconverged,outcome=succeeded,to=1.17.0} 0@1 1@2 1@3`,
    ])
  })

  test('of too many edges those have series that were taken last', async () => {
    const scripts = Array.from({ length: 510 }, (_, i) => ({ to: `1.17.${i}`, startMinute: i, endMinute: i + 1 }))
    const fleet = new FactFleet([factsOf('a', {}, upgradesOf(...scripts))], at(600))
    const told = await fleet.instant('count by (to) (daytwo_edge_attempts)', at(600))
    expect(told).toHaveLength(500)
    expect([told.includes('{to=1.17.509} 1'), told.includes('{to=1.17.9} 1')]).toEqual([true, false])
  })

  test('no sample is later than the last evaluation cycle', async () => {
    const fleet = new FactFleet([factsOf('a', {}, upgradesOf({ startMinute: 0, seenMinute: 9 }))], at(9))
    expect(await fleet.instant('timestamp(daytwo_upgrade_in_progress) * 1000', at(13))).toEqual([
      `{cluster=a,${EDGE}} ${at(9)}`,
    ])
    expect(await fleet.instant('daytwo_upgrade_in_progress', at(14))).toEqual([])
    fleet.advance(at(14))
    expect(await fleet.instant('daytwo_upgrade_in_progress', at(14))).toHaveLength(1)
  })
})

/** Facts at random, in minutes; a cluster's history is as long as it is observed. */
const minuteArb = fc.integer({ min: -60, max: 60 })
const stateArb = fc.constantFrom<UpgradeState>(
  'in_progress',
  'succeeded',
  'failed',
  'superseded',
  'rolled_back',
  'unknown',
)
const phaseArb = fc.record({
  name: fc.constantFrom('offered', 'approval', 'olm', 'operands', 'workloads', 'settle'),
  from: fc.option(minuteArb, { nil: undefined }),
  length: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
  state: fc.constantFrom('pending', 'in_progress', 'succeeded', 'failed', 'skipped', 'unknown'),
} as const)
const upgradeArb = fc.record({
  start: fc.option(minuteArb, { nil: undefined }),
  length: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  seen: minuteArb,
  state: stateArb,
  to: fc.constantFrom('1.17.0', '1.18.0'),
  phases: fc.uniqueArray(phaseArb, { maxLength: 4, selector: ({ name }) => name }),
})
const clusterArb = fc.record({
  first: fc.integer({ min: -60, max: 0 }),
  last: fc.integer({ min: 0, max: 60 }),
  isOpenShift: fc.boolean(),
  versions: fc.array(fc.record({ from: minuteArb, version: fc.constantFrom('4.18.1', '4.19.0', '4.19.2') }), {
    maxLength: 3,
  }),
  upgrades: fc.array(upgradeArb, { maxLength: 3 }),
  goneFrom: fc.option(minuteArb, { nil: undefined }),
})
type ScriptedCluster = typeof clusterArb extends fc.Arbitrary<infer T> ? T : never

function scripted(cluster: string, script: ScriptedCluster): ClusterFacts {
  const ofOperator = (operator: string, shift: number): VersionInterval[] => {
    const starts = new Map(script.versions.map(({ from, version }) => [from + shift, version]))
    const ordered = [...starts].sort(([a], [b]) => a - b)
    return ordered.map(([from, version], i) => interval(cluster, operator, version, from, ordered[i + 1]?.[0]))
  }
  const hco = ofOperator('kubevirt-hyperconverged', 0)
  const platform = script.isOpenShift ? ofOperator('openshift', 7) : []
  const [hcoVersion, platformVersion] = [hco.at(-1)?.version, platform.at(-1)?.version]
  return {
    cluster: emptyRecord(cluster, {
      firstSeenMs: at(script.first),
      lastSeenMs: at(script.last),
      flavour: 'openshift',
      ...(hcoVersion === undefined ? {} : { hcoVersion }),
      platform: script.isOpenShift
        ? { kind: 'openshift', ...(platformVersion === undefined ? {} : { version: platformVersion }) }
        : { kind: 'kubernetes' },
    }),
    intervals: [...hco, ...platform],
    modifications: [],
    upgrades: script.upgrades.map(({ start, length, seen, state, to, phases }, i) => {
      const isEnded = state !== 'in_progress' && length !== undefined
      /** An upgrade does not end before it is approved. */
      const doneMs = isEnded ? at((start ?? seen) + length) : Infinity
      const script: RecordScript = {
        ...{ cluster, id: `${cluster}/${i}`, to, state, seenMinute: Math.max(seen, start ?? seen) },
        ...(start === undefined ? {} : { startMinute: start }),
        ...(isEnded ? { endMinute: (start ?? seen) + length } : {}),
        phases: phases.map(({ name, from, length: phaseLength, state: phaseState }) => {
          const { startedMs, endedMs, ...one } = phase(
            name,
            from ?? 0,
            phaseLength && (from ?? 0) + phaseLength,
            phaseState,
          )
          const isLate = name === 'approval' && at(from ?? 0) + (phaseLength ?? 0) * MINUTE_MS > doneMs
          const hasEnd = endedMs !== undefined && phaseState !== 'in_progress' && !isLate
          return {
            ...one,
            ...(from === undefined || startedMs === undefined ? {} : { startedMs }),
            ...(from === undefined || !hasEnd ? {} : { endedMs }),
          }
        }),
      }
      return recordOf(script)
    }),
  }
}

function readerOf(
  facts: readonly ClusterFacts[],
): Pick<FleetFactsReader, 'intervalsAt' | 'upgrades' | 'values' | 'modifications'> {
  return {
    modifications: () => Promise.resolve([]),
    values: () => Promise.resolve(new Map()),
    intervalsAt: (timeMs) =>
      Promise.resolve(
        facts.flatMap(({ intervals }) =>
          intervals.filter(({ fromMs, untilMs = Infinity }) => fromMs <= timeMs && untilMs > timeMs),
        ),
      ),
    upgrades: ({ cluster, after }) =>
      Promise.resolve(
        after === undefined ? facts.flatMap((one) => (one.cluster.cluster === cluster ? one.upgrades : [])) : [],
      ),
  }
}

/** What the pages show of a moment, as the lines of queries: from the index of that moment, record by record. */
async function pagesAt(fleet: FactFleet, facts: readonly ClusterFacts[], atMs: number): Promise<readonly string[]> {
  const past = await pastFleet(readerOf(facts), fleet.plainIndex, atMs)
  const lines: string[] = []
  for (const { record } of past.open(atMs)) {
    const { cluster, operator, from = '', to, state, phases } = record.upgrade
    const labels = `cluster=${cluster},from=${from},operator=${operator}`
    if (state === 'in_progress') lines.push(`upgrade_in_progress{${labels},to=${to}} 1`)
    for (const { name, state: phaseState, startedMs } of phases) {
      if (phaseState !== 'in_progress' || startedMs === undefined) continue
      lines.push(`phase{${labels},phase=${name},to=${to}}`)
      if (name === 'approval') lines.push(`approval{${labels},to=${to}}`)
    }
  }
  for (const { operator, from, to, attempts, outcomes, success } of past.edges.edges()) {
    const labels = `from=${from},operator=${operator}`
    lines.push(`edge_attempts{${labels},to=${to}} ${attempts}`)
    if (success !== undefined) lines.push(`edge_success_ratio_low{${labels},to=${to}} ${success.low}`)
    const { succeeded, failed, superseded, rolledBack } = outcomes
    for (const [outcome, count] of Object.entries({ succeeded, failed, superseded, rolled_back: rolledBack })) {
      if (count > 0) lines.push(`upgrades_total{${labels},outcome=${outcome},to=${to}} ${count}`)
    }
    const finished = past.edges.lengths({ operator, from, to, limit: 100 }).runs.filter(({ isFinished }) => isFinished)
    if (finished.length > 0) lines.push(`upgrade_duration_seconds_count{${labels},to=${to}} ${finished.length}`)
    const short = finished.filter(({ seconds }) => seconds <= 600)
    if (short.length > 0)
      lines.push(`upgrade_duration_seconds_bucket{from=${from},le=600,operator=${operator},to=${to}} ${short.length}`)
  }
  const adoption = new Map<string, number>()
  for (const { record } of past.active(atMs)) {
    const { cluster } = record!
    // Cut at the moment, also when the cluster was not seen since: versions of the present are in its intervals.
    const { intervals } = facts.find((one) => one.cluster.cluster === cluster)!
    const current = intervals.filter(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && untilMs > atMs)
    const whole = fleet.plainIndex.recordOf(cluster)!
    const then = clusterAt({ cluster, record: whole, lastSeen: { metricsMs: Infinity } }, current, [], atMs)!
    lines.push(`info{cluster=${cluster}${then.hcoVersion === undefined ? '' : `,hco_version=${then.hcoVersion}`}}`)
    const skew = skewOf(then)
    if (skew !== undefined) lines.push(`skew{${cluster},${skew.minor},${skew.platformMinor}} ${skew.minors}`)
    for (const [operator, version] of runningVersions(then)) {
      const key = `adoption_clusters{operator=${operator},version=${version}}`
      adoption.set(key, (adoption.get(key) ?? 0) + 1)
    }
  }
  // Upgrades with the same labels are one series.
  return [...new Set([...lines, ...Array.from(adoption, ([key, count]) => `${key} ${count}`)])].sort()
}

async function seriesAt(fleet: FactFleet, timeMs: number, queryable?: Queryable): Promise<readonly string[]> {
  const of = (expr: string) => fleet.instant(expr, timeMs, queryable)
  const renamed = async (expr: string, name: string) =>
    (await of(expr)).map((line) => line.replace(/^\w*\{/, `${name}{`).replace(/ \S+$/, ''))
  return [
    ...(await of('daytwo_upgrade_in_progress')),
    ...(await renamed('daytwo_upgrade_phase_seconds', 'phase')),
    ...(await renamed('daytwo_approval_waiting_seconds', 'approval')),
    // At 0 an edge has series for all outcomes.
    ...(await of('{__name__=~"daytwo_edge_attempts|daytwo_upgrades_total|daytwo_upgrade_duration_seconds_count"} > 0')),
    ...(await of('daytwo_upgrade_duration_seconds_bucket{le="600"} > 0')),
    ...(await of('daytwo_edge_success_ratio_low')),
    ...(await renamed('count by (cluster, hco_version) (daytwo_cluster_info)', 'info')),
    ...(await of('daytwo_version_skew')).map((line) =>
      line.replace(/^.*cluster=(.*),minor=(.*),platform_minor=(.*)\}/, 'skew{$1,$2,$3}'),
    ),
    ...(await of('daytwo_adoption_clusters')),
  ].sort()
}

const scriptsArb = fc.array(clusterArb, { minLength: 1, maxLength: 3 })
/** Milliseconds around minutes, where things change. */
const timesArb = fc.array(fc.tuple(minuteArb, fc.constantFrom(-1, 0, 1, 30_000)), { minLength: 1, maxLength: 3 })

describe('at any moment', () => {
  test('series agree with the pages, whatever came late, twice or was corrected', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptsArb, scriptsArb, timesArb, async (finally_, before, times) => {
        const nowMs = at(200)
        const facts = finally_.map((script, i) => scripted(`c${i}`, script))
        const earlier = before.map((script, i) => scripted(`c${i}`, script))
        const fleet = new FactFleet([...earlier, ...facts.toReversed(), facts[0]!], nowMs)
        for (const one of earlier.slice(facts.length)) {
          // Queried in between, so that what is cached is replaced.
          await fleet.instant('{__name__=~"daytwo_.*"}', nowMs)
          fleet.index.remove(one.cluster.cluster)
        }
        fleet.index.declare(
          finally_.flatMap(({ goneFrom, last }, i) => {
            if (goneFrom === undefined || goneFrom < last) return []
            return [{ id: `d${i}`, cluster: `c${i}`, sinceMs: at(goneFrom), by: '', reason: '', saidMs: at(goneFrom) }]
          }),
        )
        for (const [minute, extraMs] of times) {
          const timeMs = at(minute) + extraMs
          expect(await seriesAt(fleet, timeMs)).toEqual(await pagesAt(fleet, facts, timeMs))
        }
      }),
      { numRuns: 40 },
    )
  })

  test('runs, samples and newest samples are the same, and counters never fall', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptsArb, minuteArb, fc.integer({ min: 1, max: 60 }), async (scripts, from, length) => {
        const fleet = new FactFleet(
          scripts.map((script, i) => scripted(`c${i}`, script)),
          at(45),
        )
        // The same without runs: the engine expands the samples.
        const plain = withoutRuns(fleet.store)
        const [startMs, endMs] = [at(from) + 17_000, at(from + length) + 17_000]
        for (const expr of [
          '{__name__=~"daytwo_.*"}',
          'increase(daytwo_upgrades_total[10m])',
          'rate(daytwo_upgrade_duration_seconds_bucket[20m])',
          'count_over_time(daytwo_upgrade_phase_seconds[7m])',
        ]) {
          const range = (queryable: Queryable) => fleet.range(expr, startMs, endMs, 50_000, queryable)
          expect(await range(fleet.store)).toEqual(await range(plain))
        }
        expect(await fleet.instant('{__name__=~"daytwo_.*"}', endMs)).toEqual(
          await fleet.instant('{__name__=~"daytwo_.*"}', endMs, plain),
        )
        for (const name of ['upgrades_total', 'upgrade_duration_seconds_bucket', 'upgrade_duration_seconds_sum']) {
          expect(await fleet.instant(`resets(daytwo_${name}[3h]) > 0`, at(45))).toEqual([])
        }
      }),
      { numRuns: 15 },
    )
  })
})
