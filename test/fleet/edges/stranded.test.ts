import fc from 'fast-check'
import { expect, test } from 'vitest'
import { edgeRunOf } from '../../../src/fleet/edges/edges.ts'
import { LEFT_LATELY_MS, strandedVersions } from '../../../src/fleet/edges/stranded.ts'
import type { UpgradeState } from '../../../src/model/upgrade.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { recordOf, T0 } from '../edge-script.ts'

const DAY_MINUTES = 24 * 60
const NOW_MS = T0 + LEFT_LATELY_MS

const on = (cluster: string, hcoVersion: string, lastSeenMs = NOW_MS) => ({
  cluster,
  record: emptyRecord(cluster, { hcoVersion, lastSeenMs }),
  lastSeen: {},
})

interface Run {
  readonly state: UpgradeState
  /** Before now. */
  readonly daysAgo: number
}

const edge = (from: string, to: string, ...runs: readonly Run[]) => ({
  name: { operator: 'kubevirt-hyperconverged', from, to },
  runs: runs.map(({ state, daysAgo }) => {
    const endMinute = (LEFT_LATELY_MS / 60_000 / DAY_MINUTES - daysAgo) * DAY_MINUTES
    return edgeRunOf(recordOf({ from, to, state, startMinute: endMinute - 30, endMinute }))
  }),
})

const FLEET = [on('a', '1.16.0'), on('b', '1.16.0'), on('c', '1.17.0')]
const reasons = (edges: Parameters<typeof strandedVersions>[1], clusters = FLEET) =>
  strandedVersions(clusters, edges, [], NOW_MS).map(({ version, reason }) => `${version} ${reason}`)

test.each<readonly [string, readonly Run[], readonly string[]]>([
  ['nobody was ever seen leaving', [], ['1.16.0 never_left']],
  ['somebody left lately', [{ state: 'succeeded', daysAgo: 3 }], []],
  ['somebody left long ago', [{ state: 'succeeded', daysAgo: 91 }], ['1.16.0 not_lately']],
  ['all fail', [{ state: 'failed', daysAgo: 3 }], ['1.16.0 failing']],
  [
    'all fail now',
    [
      { state: 'rolled_back', daysAgo: 3 },
      { state: 'succeeded', daysAgo: 91 },
    ],
    ['1.16.0 failing'],
  ],
  [
    'one fails, one succeeds',
    [
      { state: 'failed', daysAgo: 3 },
      { state: 'succeeded', daysAgo: 80 },
    ],
    [],
  ],
  ['the first is on its way', [{ state: 'in_progress', daysAgo: 0 }], []],
  ['it failed long ago', [{ state: 'failed', daysAgo: 91 }], ['1.16.0 never_left']],
  ['it was overtaken', [{ state: 'superseded', daysAgo: 3 }], ['1.16.0 never_left']],
])('%s', (_what, runs, want) => {
  expect(reasons([edge('1.16.0', '1.17.0', ...runs)])).toEqual(want)
})

test('a way back is no way out, and another operator is none of HCO', () => {
  const left = { state: 'succeeded', daysAgo: 1 } as const
  expect(reasons([edge('1.16.0', '1.15.0', left)])).toEqual(['1.16.0 never_left'])
  const { runs } = edge('1.16.0', '1.17.0', left)
  expect(reasons([{ name: { operator: 'kubevirt', from: '1.16.0', to: '1.17.0' }, runs }])).toEqual([
    '1.16.0 never_left',
  ])
})

test('the newest of each major is not stranded, nor is a version whose clusters are gone', () => {
  const clusters = [on('a', '1.17.0'), on('b', '4.20.0'), on('c', '4.19.0'), on('d', '1.9.0', T0)]
  expect(reasons([], clusters)).toEqual(['4.19.0 never_left'])
})

test('clusters that were not offered it are stranded alone where others get on', () => {
  const held = { cluster: 'b', version: '1.16.0', offered: '1.17.0', sinceMs: T0, evidence: [] }
  const ways = [edge('1.16.0', '1.17.0', { state: 'succeeded', daysAgo: 3 })]
  expect(strandedVersions(FLEET, ways, [held], NOW_MS)).toMatchObject([
    {
      ...{ version: '1.16.0', reason: 'not_offered', clusters: ['b'], population: 2, newest: '1.17.0', notOffered: 1 },
      lately: { ended: 1, succeeded: 1 },
    },
  ])
  expect(strandedVersions(FLEET, [], [held], NOW_MS)).toMatchObject([
    { reason: 'never_left', clusters: ['a', 'b'], notOffered: 1 },
  ])
})

test('one success more never strands a version', () => {
  const run = fc.record({
    state: fc.constantFrom<UpgradeState>('succeeded', 'failed', 'rolled_back', 'in_progress', 'unknown'),
    daysAgo: fc.integer({ min: 0, max: 200 }),
  })
  fc.assert(
    fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
      const succeeded = { state: 'succeeded', daysAgo: 1 } as const
      expect(reasons([edge('1.16.0', '1.17.0', ...runs, succeeded)])).toEqual([])
    }),
    { numRuns: 50 },
  )
})
