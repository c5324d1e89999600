import { mkdtempSync, rmSync } from 'node:fs'
import { withoutPause } from '../../src/base/thread-slices.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFleetIndex, type FleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import { fleetNow, type FleetNow } from '../../src/fleet/now/now.ts'
import { pastFleet, type PastFleet } from '../../src/fleet/past/past-fleet.ts'
import type { ClusterRecord } from '../../src/model/cluster-record.ts'
import type { Decommission } from '../../src/model/decommission.ts'
import type { ClusterFacts } from '../../src/model/fleet-facts.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from './edge-script.ts'
import { putFacts } from '../support/put-facts.ts'

// What a cluster that was switched off for good is in, and what it is not: in everything that is told of the fleet.

const HOUR = 60
const at = (minute: number): number => T0 + minute * MINUTE_MS
const GONE_AFTER_MS = 10 * HOUR * MINUTE_MS

const heardUntil = (minute: number, known: Partial<ClusterRecord> = {}): Partial<ClusterRecord> => ({
  firstSeenMs: at(-6000),
  lastSeenMs: at(minute),
  coverage: { objects: false, metrics: true, spans: false, metricsLastMs: at(minute), kinds: [] },
  ...known,
})

const facts = (cluster: string, known: Partial<ClusterRecord>, ...upgrades: readonly RecordScript[]): ClusterFacts => ({
  cluster: emptyRecord(cluster, known),
  intervals: [],
  upgrades: upgrades.map((script) => recordOf({ cluster, id: `${cluster}-u`, ...script })),
  modifications: [],
})

const STUCK = {
  startMinute: -300,
  seenMinute: 0,
  progressMinute: -290,
  phases: [phase('olm', -300), phase('olm.installing', -290)],
}
const NOW = 8 * HOUR

/** At `NOW`: `here` reports, `mute` is silent, `off` fell silent in an upgrade that was stuck, `old` is silent for long. */
const FLEET = [
  facts('here', heardUntil(NOW, { hcoVersion: '1.17.0', region: 'eu' })),
  facts('mute', heardUntil(NOW - 60, { hcoVersion: '1.17.0', region: 'eu' })),
  facts('off', heardUntil(0, { hcoVersion: '1.16.0', region: 'us', aliases: ['off-id'] }), STUCK),
  facts('old', heardUntil(NOW - 10 * HOUR - 1, { hcoVersion: '1.15.0', region: 'us' })),
]

const said = (sinceMinute: number, end?: Decommission['end'], cluster = 'off'): Decommission => ({
  ...{ id: `${cluster} ${sinceMinute}`, cluster, sinceMs: at(sinceMinute), by: 'ada', reason: 'sold', saidMs: at(NOW) },
  ...(end === undefined ? {} : { end }),
})

let index: FleetIndex
beforeEach(() => {
  index = createFleetIndex(GONE_AFTER_MS)
  for (const one of FLEET) index.put(one)
})

const numbers = ({ clusters, stuck, silent, versions }: FleetNow) => ({
  ...{
    total: clusters.clusters,
    reporting: clusters.reporting,
    gone: clusters.gone,
    withMetrics: clusters.withMetrics,
  },
  silent: silent.items.map(({ cluster }) => cluster),
  stuck: stuck.items.map(({ cluster }) => cluster),
  versions: versions.items.map(({ version, clusters: of }) => `${version} ${of}`),
})
const QUERY = { sort: 'cluster', isDescending: false, limit: 100, hasFacets: true } as const

describe('how the fleet stands', () => {
  test('a cluster that was not seen for long is gone by itself, and counts as such alone', () => {
    expect(numbers(fleetNow(index, at(NOW), 100))).toEqual({
      ...{ total: 3, reporting: 1, gone: 1, withMetrics: 3, silent: ['off', 'mute'], stuck: ['off'] },
      versions: ['1.17.0 1'],
    })
  })

  test('so does one of which somebody said so, and its upgrade is stuck no more', () => {
    index.declare([said(30)])
    expect(numbers(fleetNow(index, at(NOW), 100))).toEqual({
      ...{ total: 2, reporting: 1, gone: 2, withMetrics: 2, silent: ['mute'], stuck: [], versions: ['1.17.0 1'] },
    })
    expect([index.open(at(NOW)), index.verdicts(at(NOW))]).toEqual([[], []])
    expect(index.judge('off-u', at(NOW))).toMatchObject({ isStuck: false, causes: [], phase: 'olm.installing' })
    expect(index.judge('off-u', at(20))).toMatchObject({ isStuck: true })
  })

  test('taken back, all is as before', () => {
    const before = fleetNow(index, at(NOW), 100)
    index.declare([said(30, { kind: 'withdrawn', atMs: at(40), by: 'eve' })])
    expect(fleetNow(index, at(NOW), 100)).toEqual(before)
  })

  test('heard again, the cluster is back at once, and whoever keeps the word is told to end it', () => {
    index.declare([said(30), said(30, undefined, 'mute')])
    index.markSeen('off', { metricsMs: at(30) })
    expect(index.returned()).toEqual([{ id: 'mute 30', lastSeenMs: at(NOW - 60) }])
    index.markSeen('off', { metricsMs: at(NOW - 1) })
    expect(index.returned().map(({ id }) => id)).toEqual(['off 30', 'mute 30'])
    expect(numbers(fleetNow(index, at(NOW), 100))).toMatchObject({ total: 3, reporting: 2, gone: 1, silent: ['mute'] })
  })

  test('one that is only seen can be gone as well', () => {
    index.markSeen('stranger', { metricsMs: at(0) })
    expect(fleetNow(index, at(NOW), 100).clusters).toMatchObject({ clusters: 4, gone: 1 })
    index.declare([said(1, undefined, 'stranger')])
    expect(fleetNow(index, at(NOW), 100).clusters).toMatchObject({ clusters: 3, gone: 2 })
    expect([index.lastReportOf('stranger'), index.lastReportOf('off-id'), index.lastReportOf('nobody')]).toEqual([
      { cluster: 'stranger', lastSeenMs: at(0) },
      { cluster: 'off', lastSeenMs: at(0) },
      undefined,
    ])
  })
})

describe('the list of clusters', () => {
  const names = (states?: readonly ('gone' | 'silent')[], region?: string) => {
    const page = index.clusters(
      { ...QUERY, ...(states === undefined ? {} : { states }), ...(region === undefined ? {} : { region }) },
      at(NOW),
    )
    expect(page.total).toBe(page.clusters.length)
    return page.clusters.map(({ record, states: held }) => `${record.cluster} ${held.join()}`)
  }

  test('has those that are gone only where they are asked for, and says nothing else of them', () => {
    index.declare([said(30)])
    expect(names()).toEqual(['here steady', 'mute silent'])
    expect(names(['gone'])).toEqual(['off gone', 'old gone'])
    expect(names(['gone', 'silent'])).toEqual(['mute silent', 'off gone', 'old gone'])
    expect(names(undefined, 'us')).toEqual([])
  })

  test('counts how many are gone beside the other states, and none of them elsewhere', () => {
    index.declare([said(30)])
    const { facets } = index.clusters(QUERY, at(NOW))
    const count = (name: 'states' | 'regions' | 'versions') =>
      facets![name].flatMap(({ value, count: of }) => (of === 0 ? [] : [`${value ?? ''} ${of}`]))
    expect([count('states'), count('regions'), count('versions')]).toEqual([
      ['silent 1', 'steady 1', 'gone 2'],
      ['eu 2'],
      ['1.17.0 2'],
    ])
    const narrowed = index.clusters({ ...QUERY, states: ['gone'] }, at(NOW)).facets!
    expect(narrowed.regions).toEqual([{ value: 'us', count: 2 }])
  })

  test('one cluster says since when and why', () => {
    index.declare([said(30)])
    expect(index.cluster('off-id', at(NOW))).toMatchObject({
      gone: { sinceMs: at(30), why: { kind: 'declared', decommission: { by: 'ada', reason: 'sold' } } },
      decommissions: [{ id: 'off 30' }],
    })
    expect(index.cluster('old', at(NOW))?.gone).toEqual({
      ...{ sinceMs: at(NOW - 1), why: { kind: 'unheard', afterMs: GONE_AFTER_MS } },
    })
    expect(index.cluster('mute', at(NOW))).not.toHaveProperty('gone')
  })
})

describe('the series', () => {
  const told = (minute: number): readonly string[] =>
    withoutPause(index.series(at(minute)))
      .filter(({ isStale }) => !isStale)
      .map(({ labels }) =>
        `${labels.metricName.replace('daytwo_', '')} ${labels.get('cluster')} ${labels.get('why')}`.trim(),
      )
      .filter((line) => line.includes('off') || line.includes('old'))

  test('of a cluster that is gone tell that alone', () => {
    expect(told(NOW).filter((line) => line.includes('upgrade_stuck off'))).toHaveLength(1)
    expect(told(NOW).filter((line) => line.includes('old'))).toEqual(['cluster_gone old unheard'])
    index.declare([said(30)])
    expect(told(NOW + 1)).toEqual(['cluster_gone off declared', 'cluster_gone old unheard'])
  })
})

describe('the past', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-gone-'))
  const database = openDatabase(dir)
  const kept = createFacts(database, new ConnectionLock()).fleet
  beforeAll(() => putFacts(kept, FLEET))
  afterAll(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  const then = (minute: number): Promise<PastFleet> => pastFleet(kept, index, at(minute))
  const nowThen = async (minute: number) => numbers(fleetNow(await then(minute), at(minute), 100))

  test('counts a cluster until the moment it is gone, and not after', async () => {
    index.declare([said(300)])
    expect(await nowThen(299)).toMatchObject({ total: 4, gone: 0, silent: ['off', 'old'], stuck: ['off'] })
    expect(await nowThen(300)).toMatchObject({ total: 3, gone: 1, silent: ['old'], stuck: [] })
    expect(await nowThen(NOW)).toEqual(numbers(fleetNow(index, at(NOW), 100)))
  })

  test('of one that came back since knows that it was gone until then', async () => {
    index.markSeen('off', { metricsMs: at(NOW) })
    index.declare([said(300, { kind: 'returned', atMs: at(400), by: 'daytwo' })])
    expect([
      (await then(350)).cluster('off', at(350))?.states,
      (await then(410)).cluster('off', at(410))?.states,
    ]).toEqual([['gone'], ['upgrading', 'stuck', 'unknown']])
    const gone = await then(350)
    expect([gone.open(0), gone.openRecords().length, gone.judge('off-u', at(350))?.isStuck]).toEqual([[], 1, false])
  })

  test('knows nothing of what was taken back', async () => {
    const before = await nowThen(350)
    index.declare([said(300, { kind: 'withdrawn', atMs: at(NOW), by: 'ada' })])
    expect(await nowThen(350)).toEqual(before)
  })
})
