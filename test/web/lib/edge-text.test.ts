import { expect, test } from 'vitest'
import {
  durationSentence,
  phaseSentence,
  successSentence,
  successText,
  strandedCount,
  strandedSentence,
} from '../../../src/web/lib/edge-text.ts'
import { sortEdges } from '../../../src/web/lib/edge-view.ts'
import { groupEdits } from '../../../src/web/lib/out-of-band.ts'
import { edgeComparison, edgeItems } from '../browser/edge-fixtures.ts'
import { modifications } from '../browser/modification-fixtures.ts'

const NOW_MS = Date.parse('2026-11-22T03:20:00Z')
const EDGES = edgeItems(new URLSearchParams(), NOW_MS).edges
const compare = (second: string) => edgeComparison(new URLSearchParams({ first: '1.17.3..1.18.1', second }), NOW_MS)

test('a comparison is one sentence with its interval, or says how many runs are missing', () => {
  expect(successSentence(compare('1.16.0..1.17.3'))).toBe(
    'The success rate of 1.17.3 → 1.18.1 is higher than that of 1.16.0 → 1.17.3 by 13.3 points (95 % interval +6.0 to +21.0 points).',
  )
  expect(successSentence(compare('1.14.0..1.15.2'))).toBe(
    'Not enough upgrades to compare the success rates of 1.17.3 → 1.18.1 and 1.14.0 → 1.15.2: 38 more ended upgrades needed.',
  )
  const equal = compare('1.16.0..1.17.3')
  const none = {
    verdict: 'no_difference',
    moreNeeded: 0,
    difference: { difference: 0, low: -0.04, high: 0.05 },
  } as const
  expect(successSentence({ ...equal, success: none })).toBe(
    'No significant difference between the success rates of 1.17.3 → 1.18.1 and 1.16.0 → 1.17.3 (95 % interval −4.0 to +5.0 points).',
  )
})

test('durations and phases name their test', () => {
  const compared = compare('1.16.0..1.17.3')
  expect(durationSentence(compared)).toBe('No significant difference between the durations (log-rank test, p = 0.410).')
  expect(compared.phases.map(phaseSentence)).toEqual([
    'OLM: no significant difference (log-rank test, p = 0.700).',
    'Operands: slower (log-rank test, p = 0.002).',
  ])
  const few = { phase: 'olm', verdict: 'insufficient_data', moreNeeded: 1, pValue: null, chiSquare: null } as const
  expect(phaseSentence(few)).toBe('OLM: not enough upgrades, 1 more ended upgrade needed.')
  expect(phaseSentence({ ...few, verdict: 'faster', pValue: 0.0001 })).toBe('OLM: faster (log-rank test, p < 0.001).')
})

test.each([
  ['worst', ['1.16.0', '1.17.3', '1.14.0', '1.15.2', '1.13.0']],
  ['newest', ['1.17.3', '1.16.0', '1.15.2', '1.14.0', '1.13.0']],
  ['attempts', ['1.17.3', '1.16.0', '1.15.2', '1.14.0', '1.13.0']],
] as const)('edges in the order %s: %j', (order, want) => {
  expect(sortEdges(EDGES, order).map(({ from }) => from)).toEqual(want)
})

test('an edge that failed is worse than one that few took and none failed on', () => {
  const edge = (from: string, success: (typeof EDGES)[number]['success']) => ({ ...EDGES[0]!, from, success })
  const edges = [
    edge('1.1.0', { share: 1, low: 0.2, high: 1, of: 1 }),
    edge('1.2.0', null),
    edge('1.3.0', { share: 0.97, low: 0.85, high: 0.99, of: 40 }),
    edge('1.4.0', { share: 0.5, low: 0.25, high: 0.75, of: 12 }),
    edge('1.5.0', { share: 1, low: 0.72, high: 1, of: 10 }),
  ]
  expect(sortEdges(edges, 'worst').map(({ from }) => from)).toEqual(['1.4.0', '1.3.0', '1.1.0', '1.5.0', '1.2.0'])
})

test('a success says of how many, and its interval; of none that ended it says that', () => {
  expect(successText(EDGES[0]!)).toBe('93.3 % of 300 (90.0 % to 98.3 %)')
  expect(successText({ success: null })).toBe('none ended')
})

const ALL = modifications(NOW_MS)

test('a burst of edits goes on from its first to its last: an automation that fights for hours shows in each of them', () => {
  const [edit] = ALL.filter(({ kind }) => kind === 'out_of_band')
  const fought = { ...edit!, startedAt: '2026-11-22T00:10:00Z', endedAt: '2026-11-22T03:10:00Z', count: 61 }
  const [group] = groupEdits([fought], NOW_MS, (ms) => new Date(ms).getUTCHours())
  expect(group!.hours.slice(0, 5)).toEqual([17, 20, 20, 4, 0])
  expect(group).toMatchObject({ edits: 61, bursts: 1, lastMs: NOW_MS - 10 * 60_000 })
})

test('edits are counted by component and cluster, with their pace and the hours they come at', () => {
  const edits = ALL.filter(({ kind }) => kind === 'out_of_band')
  const groups = groupEdits(edits, NOW_MS, (ms) => new Date(ms).getUTCHours())
  expect(groups.map(({ component, cluster, edits: count, bursts }) => [component, cluster, count, bursts])).toEqual([
    ['kubevirt', 'ams-stuck-1', 5, 2],
    ['cdi', 'prod-0003', 2, 1],
  ])
  expect(groups[0]).toMatchObject({ perDay: 5, lastMs: NOW_MS - 11 * 60_000 })
  expect(groups[0]!.hours[3]).toBe(4)
  expect(groups[0]!.hours[17]).toBe(1)
  expect(
    groupEdits(
      edits.map((edit) => ({ ...edit, upgradeMode: true })),
      NOW_MS,
      () => 0,
    ),
  ).toEqual([])
})

const ITEM = {
  ...{ version: '1.16.0', clusters: 3, population: 12, names: [], newest: '1.18.1', endedLately: 7 },
  ...{ succeededLately: 0, lastLeftAt: null, notOffered: 0 },
} as const

test.each([
  ['failing', /^7 upgrades from 1\.16\.0/],
  ['never_left', /other clusters run 1\.18\.1/],
  ['not_lately', /last 90 days/],
  ['not_offered', /^Other clusters upgrade from 1\.16\.0/],
] as const)('%s', (reason, want) => {
  expect(strandedSentence({ ...ITEM, reason })).toMatch(want)
})

test('how many of how many', () => {
  expect(strandedCount(ITEM)).toBe('3 of 12 clusters')
  expect(strandedCount({ clusters: 1, population: 1 })).toBe('1 cluster')
  expect(strandedCount({ clusters: 5, population: 5 })).toBe('all 5 clusters')
})
