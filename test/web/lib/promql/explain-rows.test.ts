import { expect, test } from 'vitest'
import type { ExplainedNode, ExplainedRead } from '../../../../src/contract/explain.ts'
import { explainRows } from '../../../../src/web/lib/promql/explain-rows.ts'

const read = (more: Partial<ExplainedRead>): ExplainedRead => ({
  source: 'samples',
  fromMs: 0,
  toMs: 1,
  kernel: 'samples',
  seriesMatched: 1200,
  seriesRead: 1000,
  samples: 5000,
  runs: 0,
  buckets: 0,
  portions: 1,
  readMs: 1,
  reasons: [],
  ...more,
})
const node = (text: string, more: Partial<ExplainedNode> = {}): ExplainedNode => ({
  kind: 'call',
  text,
  from: 0,
  to: text.length,
  totalMs: 0,
  ownMs: 0,
  isStepInvariant: false,
  repeats: 0,
  groupsKnown: 0,
  groupsMade: 0,
  reads: [],
  children: [],
  ...more,
})
const STORE = { isMatchKnown: false, headRuns: 0, packRuns: 0, packs: 0, packsKept: 0, packBytes: 0, buckets: [] }

test('the tree is walked from the whole to its parts, with shares of the time of the whole', () => {
  const rows = explainRows({
    root: node('sum(rate(a[5m]))', {
      totalMs: 10,
      ownMs: 2,
      result: { type: 'vector', series: 1, samples: 60, steps: 60 },
      children: [node('rate(a[5m])', { totalMs: 8, ownMs: 3, children: [node('a[5m]', { totalMs: 5, ownMs: 5 })] })],
    }),
  })
  expect(
    rows.map(({ key, depth, text, series, totalShare, ownShare }) => [key, depth, text, series, totalShare, ownShare]),
  ).toEqual([
    ['0', 0, 'sum(rate(a[5m]))', 1, 1, 0.2],
    ['0.0', 1, 'rate(a[5m])', undefined, 0.8, 0.3],
    ['0.0.0', 2, 'a[5m]', undefined, 0.5, 0.5],
  ])
})

test('a query that took no time has no shares', () => {
  expect(explainRows({ root: node('1') })[0]).toMatchObject({ totalShare: 0, ownShare: 0 })
})

test.each<[Partial<ExplainedRead>, string]>([
  [{}, '1\u202f000 of 1\u202f200 series: 5\u202f000 samples'],
  [
    { source: 'newest', store: { ...STORE, headRuns: 7, isMatchKnown: true } },
    '1\u202f000 of 1\u202f200 series: the newest sample of each series, from 7 runs of the head, series selection from the cache',
  ],
  [
    { source: 'rollups', buckets: 1, widthMs: 300_000, store: { ...STORE, packs: 12, packsKept: 4, packBytes: 2048 } },
    '1\u202f000 of 1\u202f200 series: 1 bucket of rollups of 5m, from 12 packs (2 KiB read, 4 in memory)',
  ],
  [
    { source: 'runs', runs: 3, store: { ...STORE, packs: 1, packsKept: 1 } },
    '1\u202f000 of 1\u202f200 series: 3 runs of equal samples, from 1 pack in memory',
  ],
  [{ store: STORE }, '1\u202f000 of 1\u202f200 series: 5\u202f000 samples, no stored data'],
])('%j reads: %s', (more, text) => {
  expect(explainRows({ root: node('a', { reads: [read(more)] }) })[0]?.reads).toEqual([text])
})

test('what else explains the time of a part', () => {
  const [row] = explainRows({
    root: node('a', {
      isStepInvariant: true,
      repeats: 2,
      groupsMade: 1,
      reads: [read({ reasons: ['x has gaps'] }), read({ reasons: ['x has gaps'] })],
    }),
  })
  expect(row?.notes).toEqual([
    'the same at every step, evaluated once',
    'same as an earlier part: reused 2 times',
    'groups computed for the first time',
    'x has gaps',
  ])
})
