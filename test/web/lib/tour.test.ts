import { describe, expect, test } from 'vitest'
import type { ModificationItem } from '../../../src/contract/fleet-modifications.ts'
import type { Now } from '../../../src/contract/now.ts'
import { readTourProgress, tourSteps, TOUR_STEPS_MAX } from '../../../src/web/lib/tour.ts'
import { now } from '../browser/now-fixtures.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
const base = now(NOW_MS)
const [first, second] = base.stuck.items as [Now['stuck']['items'][number], Now['stuck']['items'][number]]
const nothing: Now = {
  ...base,
  stuck: { count: 0, items: [] },
  following: { ...base.following, count: 0, items: [] },
  silent: { count: 0, items: [], byCause: [], oneSource: [] },
  fallingEdges: { count: 0, items: [] },
  firing: { ...base.firing, groups: [] },
}
const group = (alertname: string, clusters: number, fingerprint = ''): Now['firing']['groups'][number] => ({
  ...{ alertname, clusters, fingerprint, alerts: clusters, severity: 'warning', healthImpact: 'none' },
  newestAt: base.asOf,
})
const skew = (cluster: string) => ({ alertname: 'DaytwoVersionSkew', cluster })
const edit = (cluster: string, count: number, minutesAgo: number): ModificationItem => ({
  ...{ id: cluster, cluster, count, kind: 'out_of_band', component: 'kubevirt', operations: null, annotation: null },
  ...{ startedAt: null, endedAt: new Date(NOW_MS - minutesAgo * 60_000).toISOString() },
  ...{ text: '', upgradeMode: false, resolutionSeconds: 1 },
})
const moving = { ...first, machines: { outdated: 12, outdatedAtStart: 40, etaAt: null } }

describe('the tour', () => {
  test('has no step without a case', () => {
    expect(tourSteps(nothing, [], [])).toEqual([])
  })

  test.each<[string, Partial<Now>, string, string]>([
    ['known', { stuck: { count: 1, items: [first] } }, `/fleet/upgrades/${first.id}`, 'virt-handler pods'],
    [
      'unknown',
      { stuck: { count: 1, items: [{ ...second, cause: { cause: 'unknown', text: '' } }] } },
      `/fleet/upgrades/${second.id}`,
      second.cluster,
    ],
    [
      'workloads',
      { following: { ...nothing.following, count: 1, items: [moving] } },
      `/fleet/upgrades/${first.id}`,
      '12 VMs remaining',
    ],
    [
      'silent',
      {
        silent: {
          ...nothing.silent,
          count: 1,
          items: [{ cluster: 'a/b', lastSeenAt: base.asOf, cause: null, version: null, upgrade: null }],
        },
      },
      '/fleet/clusters/a%2Fb',
      'a/b',
    ],
    [
      'unsafe',
      { firing: { ...nothing.firing, groups: [group('UnsupportedHCOModification', 3)] } },
      '/fleet/patches',
      '3 clusters',
    ],
  ])('%s leads to the instance', (key, part, path, note) => {
    expect(tourSteps({ ...nothing, ...part }, [], [])).toEqual([
      { key, path, note: expect.stringContaining(note) as string, title: expect.any(String) as string },
    ])
  })

  test.each<[string, readonly ModificationItem[], string | undefined]>([
    ['six edits, the last within the hour', [edit('a', 6, 59)], 'a'],
    ['the most edits', [edit('a', 6, 1), edit('b', 30, 1), edit('c', 7, 1)], 'b'],
    ['an edit that goes on', [{ ...edit('a', 6, 0), endedAt: null }], 'a'],
    ['five edits', [edit('a', 5, 1)], undefined],
    ['an hour ago', [edit('a', 9, 60)], undefined],
    ['none', [], undefined],
  ])('a fight is of an automation, and goes on: %s', (_what, edits, cluster) => {
    const [step] = tourSteps(nothing, edits, [])
    expect(step?.path).toBe(cluster === undefined ? undefined : `/fleet/modifications?cluster=${cluster}`)
    expect(step?.key).toBe(cluster === undefined ? undefined : 'fight')
  })

  test('a version skew counts clusters, firing or pending', () => {
    const alerts = [skew('a'), skew('a'), skew('b'), { alertname: 'Other', cluster: 'c' }]
    expect(tourSteps(nothing, [], alerts)).toMatchObject([
      { key: 'skew', note: '2 clusters', path: '/alerts?alert=DaytwoVersionSkew' },
    ])
    expect(tourSteps(nothing, [], [{ alertname: 'Other', cluster: 'c' }])).toEqual([])
  })

  test('a regressing path leads to its page', () => {
    const [edge] = base.fallingEdges.items
    const [step] = tourSteps({ ...nothing, fallingEdges: { count: 1, items: [edge!] } }, [], [])
    expect(step!.path).toBe(`/fleet/edges/${edge!.operator}/${edge!.from}/${edge!.to}`)
    expect(step!.note).toContain(`${edge!.lately.succeeded} of ${edge!.lately.of}`)
  })

  test('an upgrade without VMs remaining is no step, nor is one without a cause', () => {
    const done = { ...moving, machines: { ...moving.machines, outdated: 0 } }
    const following = { ...nothing.following, count: 1, items: [done, { ...moving, machines: null }] }
    expect(tourSteps({ ...nothing, following }, [], [])).toEqual([])
    expect(tourSteps({ ...nothing, stuck: { count: 1, items: [{ ...first, cause: null }] } }, [], [])).toEqual([])
  })

  test('has six steps at most, each once', () => {
    const all = {
      ...base,
      stuck: { count: 3, items: [first, second, { ...second, cause: { cause: 'unknown', text: '' } as const }] },
      following: { ...base.following, count: 1, items: [moving] },
      firing: { ...base.firing, groups: [group('UnsupportedHCOModification', 1)] },
    }
    const steps = tourSteps(all, [edit('a', 6, 59)], [skew('a')])
    expect(steps.map(({ key }) => key)).toEqual(['known', 'fight', 'path', 'unsafe', 'unknown', 'skew'])
    expect(steps).toHaveLength(TOUR_STEPS_MAX)
  })
})

test.each([
  [null, { isDismissed: false, opened: [] }],
  ['x', { isDismissed: false, opened: [] }],
  [
    { isDismissed: 1, opened: 'known' },
    { isDismissed: false, opened: [] },
  ],
  [
    { isDismissed: true, opened: ['known', 7] },
    { isDismissed: true, opened: ['known'] },
  ],
])('what was stored may be anything: %j', (kept, want) => {
  expect(readTourProgress(kept)).toEqual(want)
})
