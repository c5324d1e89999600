import { expect, test } from 'vitest'
import { ALL_VALUES, type Variable } from '../../../src/model/dashboard.ts'
import { selectorsIn } from '../../../src/web/lib/promql/selectors.ts'
import { bandsAt, bandsOf, bandTexts, clustersChosen, clustersNamedIn } from '../../../src/web/lib/upgrade-bands.ts'
import { upgradeItems } from '../browser/upgrade-fixtures.ts'

test.each([
  ['up', []],
  ['up{cluster="prague"}', ['prague']],
  ['a{cluster="b"} / on (cluster) c{cluster="a"}', ['a', 'b']],
  ['a{cluster=~"prague|brno-1"}', ['brno-1', 'prague']],
  ['a{cluster=~"(?:prague|brno\\\\.1)"}', ['brno.1', 'prague']],
  ['a{cluster=~"prague.*"}', []],
  ['a{cluster=~".+"}', []],
  ['a{cluster!="prague", other="b"}', []],
  ['a{cluster=""}', []],
  ['a{cluster=~"a|b|c|d|e"}', []],
])('%s names the clusters %j', (expr, want) => {
  expect(clustersNamedIn(selectorsIn(expr))).toEqual(want)
})

const CLUSTER = {
  kind: 'list',
  name: 'which',
  source: { kind: 'label-values', labelName: 'cluster', matchers: [] },
} as unknown as Variable

test.each([
  [['prague'], ['prague']],
  [
    ['b', 'a'],
    ['a', 'b'],
  ],
  [[ALL_VALUES], []],
  [[], []],
  [['a', 'b', 'c', 'd', 'e'], []],
])('a variable of %j stands for a few clusters, or for the fleet', (chosen, clusters) => {
  const ofNodes = { ...CLUSTER, name: 'node', source: { kind: 'label-values', labelName: 'node', matchers: [] } }
  const states = [
    { variable: CLUSTER, chosen },
    { variable: ofNodes as Variable, chosen: ['x'] },
  ]
  expect(clustersChosen(states).clusters).toEqual(clusters)
})

const NOW_MS = Date.parse('2026-10-14T03:12:00Z')
const span = (fromMs: number, toMs: number): Parameters<typeof bandsOf>[1] => ({
  startSeconds: fromMs / 1000,
  endSeconds: toMs / 1000,
  stepSeconds: 60,
})

test('a band is what was under way in a time: it may have begun before, and may go on', () => {
  const [first] = upgradeItems(new URLSearchParams(), NOW_MS).upgrades
  const upgrade = (id: string, from: number | null, to: number | null): NonNullable<typeof first> => ({
    ...first!,
    id,
    state: to === null ? 'in_progress' : 'succeeded',
    startedAt: from === null ? null : new Date(NOW_MS + from).toISOString(),
    endedAt: to === null ? null : new Date(NOW_MS + to).toISOString(),
  })
  const all = [
    upgrade('goes-on', 50, null),
    upgrade('within', 10, 20),
    upgrade('before', -100, -1),
    upgrade('into', -100, 0),
    upgrade('after', 101, 200),
    upgrade('unknown', null, 50),
  ]
  const bands = bandsOf(all, span(NOW_MS, NOW_MS + 100))
  expect(bands.map(({ id }) => id)).toEqual(['into', 'within', 'goes-on'])
  expect(bandsAt(bands, NOW_MS + 15)).toEqual([expect.stringMatching(/ → .*, succeeded$/)])
  expect(bandsAt(bands, NOW_MS + 90)).toEqual([expect.stringMatching(/, running$/)])
  expect(bandsAt(bands, NOW_MS + 30)).toEqual([])
})

test('the text over a band names its cluster where bands are of several', () => {
  const bandOf = (cluster: string, step: string) =>
    ({ id: `${cluster} ${step}`, cluster, step, state: 'succeeded', fromMs: 1, toMs: 2 }) as const
  const [first, second] = [bandOf('prague', 'HCO 1 → 2'), bandOf('prague', 'HCO 2 → 3')]
  expect(bandTexts(first, [first, second])).toEqual(['HCO 1 → 2'])
  expect(bandTexts(first, [first, bandOf('brno', 'HCO 1 → 2')])).toEqual(['prague: HCO 1 → 2', 'prague'])
})
