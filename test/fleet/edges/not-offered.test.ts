import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  LONG_AGO_MS,
  notOffered,
  PEERS_MIN,
  takenSteps,
  type ChannelMember,
} from '../../../src/fleet/edges/not-offered.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { recordOf, T0 } from '../edge-script.ts'

const DAY_MS = 24 * 3600_000
const NOW_MS = T0 + 100 * DAY_MS

function clusterOf(name: string, more: Partial<ClusterRecord> = {}, state = 'AtLatestKnown'): ClusterRecord {
  return {
    ...{ cluster: name, aliases: [], versions: {}, conditions: [], pools: [], instanceTypes: {}, preferences: {} },
    ...{ deprecatedApis: {}, settings: { liveMigration: {}, featureGates: {} }, firstSeenMs: T0, lastSeenMs: NOW_MS },
    coverage: { objects: true, metrics: false, spans: false, kinds: [] },
    ...{ flavour: 'openshift', hcoVersion: '4.20.1', platform: { kind: 'openshift', version: '4.21.3' } },
    subscription: { package: 'p', channel: 'stable', approval: 'Automatic', source: 'mirror', state },
    ...more,
  }
}

const step = (day: number, to = '4.21.0', from = '4.20.1') => ({ from, to, startedMs: T0 + day * DAY_MS })
/** Went on, by the day on which each did. */
function peers(days: readonly number[], more: Partial<ClusterRecord> = {}): ChannelMember[] {
  return days.map((day, i) => ({
    cluster: clusterOf(`peer-${i}`, { hcoVersion: '4.21.0', ...more }),
    steps: [step(day)],
  }))
}
const stays = (more: Partial<ClusterRecord> = {}, state?: string): ChannelMember => ({
  cluster: clusterOf('late', more, state),
  steps: [],
})
const named = (members: readonly ChannelMember[], nowMs = NOW_MS) =>
  notOffered(members, nowMs).map(({ cluster, offered, sinceMs }) => `${cluster} ${offered} ${(sinceMs - T0) / DAY_MS}`)

test('a cluster at its latest, whose peers went on long ago, with them as evidence', () => {
  const members = [stays(), ...peers([30, 10, 20, 90])]
  expect(named(members)).toEqual(['late 4.21.0 30'])
  const [found] = notOffered(members, NOW_MS)
  expect(found?.evidence.map(({ text }) => text)[0]).toBe('peer-1 went from 4.20.1 to 4.21.0 in channel stable')
  expect(found?.evidence).toHaveLength(4)
})

test.each<readonly [string, readonly ChannelMember[]]>([
  ['too few went on', [stays(), ...peers([10, 20])]],
  ['they went on lately', [stays(), ...peers([10, 20, 99])]],
  ['it was offered something', [stays({}, 'UpgradePending'), ...peers([10, 20, 30])]],
  ['nobody tells what it was offered', [stays({}, ''), ...peers([10, 20, 30])]],
  [
    'they are on a newer platform',
    [stays({ platform: { kind: 'openshift', version: '4.20.9' } }), ...peers([10, 20, 30])],
  ],
  ['its platform is not told', [stays({ platform: { kind: 'openshift' } }), ...peers([10, 20, 30])]],
  [
    'it follows another channel',
    [
      {
        ...stays(),
        cluster: { ...stays().cluster, subscription: { ...stays().cluster.subscription!, channel: 'candidate' } },
      },
      ...peers([10, 20, 30]),
    ],
  ],
  ['it runs another version', [stays({ hcoVersion: '4.20.4' }), ...peers([10, 20, 30])]],
  ['it was not seen for long', [stays({ lastSeenMs: T0 }), ...peers([10, 20, 30])]],
  [
    'they went back',
    [stays(), ...peers([10, 20, 30]).map(({ cluster }, i) => ({ cluster, steps: [step(i, '4.19.9')] }))],
  ],
  [
    'it is one cluster that tried again and again',
    [stays(), { ...peers([10])[0]!, steps: [step(10), step(11), step(12)] }],
  ],
])('it is not said when %s', (_, members) => {
  expect(named(members)).toEqual([])
})

test('of several versions the newest that enough have', () => {
  const newer = [40, 41].map((day, i) => ({
    cluster: clusterOf(`new-${i}`, { hcoVersion: '4.22.0' }),
    steps: [step(day, '4.22.0')],
  }))
  expect(named([stays(), ...peers([10, 20, 30]), ...newer])).toEqual(['late 4.21.0 30'])
  const third = { cluster: clusterOf('new-2', { hcoVersion: '4.22.0' }), steps: [step(42, '4.22.0')] }
  expect(named([stays(), ...peers([10, 20, 30]), ...newer, third])).toEqual(['late 4.22.0 42'])
})

test('with time alone it is never taken back, and never said before enough had it for long', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(90), { maxLength: 6 }), fc.nat(90), fc.nat(6), (days, day, more) => {
      const members = [stays({ lastSeenMs: T0 + 300 * DAY_MS }), ...peers(days, { lastSeenMs: T0 + 300 * DAY_MS })]
      const at = (d: number) => named(members, T0 + d * DAY_MS)
      if (at(day).length > 0) expect(at(day + more)).toEqual(at(day))
      const nth = days.toSorted((a, b) => a - b)[PEERS_MIN - 1]
      expect(at(day).length > 0).toBe(nth !== undefined && (day - nth) * DAY_MS >= LONG_AGO_MS)
    }),
  )
})

test('what is said of a cluster among many on many platforms is what is said of it alone among its peers', () => {
  const platform = fc.constantFrom('4.19.1', '4.20.1', '4.20.9', '4.21.3', undefined)
  const member = fc.record({ platform, day: fc.nat(90), to: fc.constantFrom('4.21.0', '4.22.0'), goesOn: fc.boolean() })
  fc.assert(
    fc.property(fc.array(member, { minLength: 4, maxLength: 20 }), (scripts) => {
      const members = scripts.map(({ platform: version, day, to, goesOn }, i): ChannelMember => {
        const own = { platform: { kind: 'openshift', ...(version === undefined ? {} : { version }) } } as const
        // One that went on and was set back is its own peer.
        return { cluster: clusterOf(`c-${i}`, own), steps: goesOn ? [step(day, to)] : [] }
      })
      const wanted = members.flatMap((own) => {
        const minor = Number(own.cluster.platform?.version?.split('.')[1])
        const peersOf = members.filter(
          ({ cluster }) => cluster !== own.cluster && Number(cluster.platform?.version?.split('.')[1]) <= minor,
        )
        const alone = peersOf.map(({ cluster, steps }) => ({ cluster: { ...cluster, lastSeenMs: 0 }, steps }))
        return notOffered([{ ...own, steps: [] }, ...alone], NOW_MS)
      })
      expect(notOffered(members, NOW_MS)).toEqual(wanted)
    }),
  )
})

test('steps are upgrades of HCO of which is known from where and since when', () => {
  const records = [
    recordOf({ from: '4.19.5', to: '4.19.7', startMinute: 0 }),
    recordOf({ from: '4.19.5', to: '4.20.0', startMinute: 0, operator: 'openshift' }),
    recordOf({ from: '4.19.7', to: '4.20.1' }),
  ]
  expect(takenSteps(records)).toEqual([{ from: '4.19.5', to: '4.19.7', startedMs: T0 }])
})
