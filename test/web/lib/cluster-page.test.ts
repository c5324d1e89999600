import { expect, test } from 'vitest'
import type { ClusterDetail } from '../../../src/contract/fleet-clusters.ts'
import { unknownsOf } from '../../../src/web/lib/cluster-unknowns.ts'
import { timelineOf } from '../../../src/web/lib/cluster-timeline.ts'
import { formatLength, formatShortLength } from '../../../src/web/lib/format-time.ts'
import { fittingRange, versionLanes } from '../../../src/web/lib/version-lanes.ts'
import { clusterDetail, objectChanges } from '../browser/fleet-fixtures.ts'
import { allUpgrades } from '../browser/upgrade-fixtures.ts'

const NOW_MS = Date.parse('2026-11-22T03:00:00Z')
const HOUR_MS = 3_600_000
const ROUGH = clusterDetail('ams-stuck-1', NOW_MS)!

/** A cluster of which nothing is wrong, and all is told. */
const CALM: ClusterDetail = {
  ...ROUGH,
  conditions: [],
  settings: [],
  nodes: null,
  pools: [],
  goldenImages: null,
  descheduler: null,
  deprecatedApis: {},
  modifications: [],
}

test('what cannot be known is said by way', () => {
  const none = { ...ROUGH.coverage, objects: false, metrics: false, kinds: [] }
  expect(unknownsOf({ ...CALM, coverage: none, platform: null }).map((text) => text.split(':')[0])).toEqual([
    'Objects not reported',
    'Metrics not reported',
    'Platform not reported.',
  ])
  expect(unknownsOf(ROUGH)[0]).toMatch(/^Not watched: subscriptions \(channel and approval\), installplans/)
})

test('the line of time has all that tells something, newest first', () => {
  const upgrades = allUpgrades(NOW_MS).filter(({ cluster }) => cluster === 'ams-stuck-1')
  const items = timelineOf({
    firstSeenMs: NOW_MS - 900 * HOUR_MS,
    changes: objectChanges('ams-stuck-1', NOW_MS).changes,
    upgrades,
    modifications: ROUGH.modifications,
    decommissions: [],
    runs: [
      {
        fingerprint: 'f',
        alertname: 'KubeVirtCRModified',
        cluster: 'ams-stuck-1',
        severity: 'warning',
        labels: {},
        annotations: {},
        activeAtMs: NOW_MS - HOUR_MS,
        firedAtMs: NOW_MS - 50 * 60_000,
        resolvedAtMs: NOW_MS - 30 * 60_000,
      },
    ],
  })
  expect(items.map(({ title }) => title)).toEqual(
    [
      'hyperconvergeds/kubevirt-kubevirt-hyperconverged',
      'kubevirt modified out of band',
      'KubeVirtCRModified resolved',
      'KubeVirtCRModified fired',
      'HCO 1.17.3 → 1.18.1 started',
      'HCO 1.16.0 → 1.17.3 succeeded',
      'HCO 1.16.0 → 1.17.3 started',
      'JSON patch of kubevirt',
      'kubevirt modified out of band',
    ].map((title) => title.replace('kubevirt-kubevirt-', 'kubevirt-')),
  )
  expect(items[0]!.lines).toEqual(['conditions[Degraded].status: False → True'])
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
})

test('an object that appears later than the cluster is new, one of the first list is not', () => {
  const [change] = objectChanges('x', NOW_MS).changes
  const added = { ...change!, change: 'added' as const, isFirst: true, fields: [] }
  const titles = (firstSeenMs: number): readonly string[] =>
    timelineOf({ firstSeenMs, changes: [added], upgrades: [], modifications: [], runs: [], decommissions: [] }).map(
      ({ title }) => title,
    )
  expect(titles(NOW_MS - 12 * 60_000)).toEqual([])
  expect(titles(NOW_MS - HOUR_MS)).toEqual(['hyperconvergeds/kubevirt-hyperconverged added'])
})

test('versions become pieces of the range, cut where it begins', () => {
  const [hco, platform] = versionLanes(ROUGH.intervals, NOW_MS, 80 * HOUR_MS)
  expect([hco!.operator, platform!.operator]).toEqual(['kubevirt-hyperconverged', 'openshift'])
  expect(
    hco!.pieces.map(({ version, start, end, isCutBefore, isOpen }) => [version, start, end, isCutBefore, isOpen]),
  ).toEqual([
    ['1.16.0', 0, 0.5, true, false],
    ['1.17.3', 0.5, 1, false, true],
  ])
  expect(platform!.pieces.map(({ start, end }) => [start, end])).toEqual([[0, 1]])
  expect(versionLanes(ROUGH.intervals, NOW_MS, 10 * HOUR_MS)[0]!.pieces.length).toBe(1)
})

test('the range holds the last change, or the time the cluster is heard of', () => {
  expect(fittingRange(ROUGH.intervals, NOW_MS)).toBe('7d')
  const unknown = ROUGH.intervals.map((one) => ({ ...one, startKnown: false, from: '2026-11-22T01:00:00Z' }))
  expect(fittingRange(unknown, NOW_MS)).toBe('6h')
  expect(fittingRange([], NOW_MS)).toBe('6h')
})

test.each([
  [0, '0 s', '0 s'],
  [59.4, '59 s', '59 s'],
  [245, '4 min 05 s', '4 min 05 s'],
  [720, '12 min', '12 min'],
  [754, '12 min 34 s', '13 min'],
  [3900, '1 h 05 min', '1 h 05 min'],
  [7200, '2 h', '2 h'],
  [187_200, '2 d 4 h', '2 d 4 h'],
])('%d seconds are %s, and in little room %s', (seconds, long, short) => {
  expect([formatLength(seconds), formatShortLength(seconds)]).toEqual([long, short])
})
