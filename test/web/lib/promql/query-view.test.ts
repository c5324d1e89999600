import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchOf } from '../../../../src/web/lib/address.ts'
import { EXPLORE_QUERIES_MAX } from '../../../../src/model/explore.ts'
import {
  newQuery,
  EXPLORE_VIEW,
  QUERY_TABS,
  stepChoices,
  type ExploreView,
} from '../../../../src/web/lib/promql/query-view.ts'

const USUAL: ExploreView = {
  queries: [],
  range: { kind: 'last', seconds: 3600 },
  stepSeconds: 0,
  refreshSeconds: 0,
  areUpgradesShown: true,
}

test.each<[string, ExploreView]>([
  ['', USUAL],
  // Links from before there were several queries.
  ['expr=up+%3D%3D+0', { ...USUAL, queries: [newQuery('up == 0')] }],
  ['expr=up&range=6h', { ...USUAL, queries: [newQuery('up')], range: { kind: 'last', seconds: 21_600 } }],
  [
    'expr=a&expr=b&tab=table&tab2=explain&unit2=bytes&hide=1&from=1000&to=61000&step=5s&refresh=10s&upgrades=off',
    {
      queries: [
        { expr: 'a', tab: 'table', unit: '', isHidden: true },
        { expr: 'b', tab: 'explain', unit: 'bytes', isHidden: false },
      ],
      range: { kind: 'between', fromMs: 1000, toMs: 61_000 },
      stepSeconds: 5,
      refreshSeconds: 10,
      areUpgradesShown: false,
    },
  ],
  // What cannot be read is as usual.
  ['expr=+&tab=pie&step=soon&range=long&refresh=off', USUAL],
])('%s', (search, view) => {
  expect(EXPLORE_VIEW.parse(search)).toEqual(view)
})

test('a page has a limit of queries', () => {
  const search = Array.from({ length: 20 }, (_, i) => `expr=m${i}`).join('&')
  expect(EXPLORE_VIEW.parse(search).queries.map(({ expr }) => expr)).toEqual(
    Array.from({ length: EXPLORE_QUERIES_MAX }, (_, i) => `m${i}`),
  )
})

test('what is as usual leaves no trace in the address', () => {
  expect(searchOf(EXPLORE_VIEW.searchOf({ ...USUAL, queries: [newQuery('up')] }))).toBe('expr=up')
})

test('an address and what it shows are the same', () => {
  const query = fc.record({
    expr: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
    tab: fc.constantFrom(...QUERY_TABS.map(({ value }) => value)),
    unit: fc.constantFrom('', 'bytes', 'percent-decimal'),
    isHidden: fc.boolean(),
  })
  const view = fc.record({
    queries: fc.array(query, { maxLength: EXPLORE_QUERIES_MAX }),
    range: fc.oneof(
      fc.record({ kind: fc.constant('last' as const), seconds: fc.integer({ min: 10, max: 1e6 }) }),
      fc.constant({ kind: 'between' as const, fromMs: 5000, toMs: 65_000 }),
    ),
    stepSeconds: fc.constantFrom(0, 15, 3600),
    refreshSeconds: fc.constantFrom(0, 10, 30, 900),
    areUpgradesShown: fc.boolean(),
  })
  fc.assert(
    fc.property(view, (shown) => {
      expect(EXPLORE_VIEW.parse(searchOf(EXPLORE_VIEW.searchOf(shown)))).toEqual(shown)
    }),
  )
})

test.each([
  [900, [1, 5, 15, 30, 60, 300, 900]],
  [86_400, [15, 30, 60, 300, 900, 3600, 21_600, 86_400]],
  [7_776_000, [900, 3600, 21_600, 86_400]],
])('steps of %d seconds', (rangeSeconds, steps) => {
  expect(stepChoices(rangeSeconds)).toEqual(steps)
})
