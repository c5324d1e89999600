import { expect, test } from 'vitest'
import { exploreSearchOf } from '../../../src/api/prometheus/graph-link.ts'
import { paramsFrom } from '../../../src/api/prometheus/params.ts'
import { EXPLORE_QUERIES_MAX } from '../../../src/model/explore.ts'
import { EXPLORE_VIEW, type ExploreView } from '../../../src/web/lib/promql/query-view.ts'

// Prometheus' links, and what our page of PromQL reads of the address they lead to.

function shown(search: string): ExploreView {
  return EXPLORE_VIEW.parse(exploreSearchOf(paramsFrom(search)))
}

const END_MS = Date.parse('2026-10-14T03:12:00Z')

test('a link of Prometheus 3 keeps its queries, their tabs, the time and the step', () => {
  const { queries, range, stepSeconds } = shown(
    'g0.expr=rate(up%5B5m%5D)&g0.show_tree=0&g0.tab=graph&g0.end_input=2026-10-14%2003%3A12%3A00' +
      '&g0.moment_input=2026-10-14%2003%3A12%3A00&g0.range_input=1h30m&g0.res_type=custom&g0.res_step=15' +
      '&g0.display_mode=lines&g0.show_exemplars=0&g1.expr=sum(up)&g1.tab=table&g2.expr=vector(1)&g2.show_tree=1',
  )
  expect(queries.map(({ expr, tab }) => [expr, tab])).toEqual([
    ['rate(up[5m])', 'graph'],
    ['sum(up)', 'table'],
    ['vector(1)', 'explain'],
  ])
  expect(range).toEqual({ kind: 'between', fromMs: END_MS - 5_400_000, toMs: END_MS })
  expect(stepSeconds).toBe(15)
})

test('a link of Prometheus 2 does too', () => {
  const { queries, range, stepSeconds } = shown(
    'g0.expr=up&g0.tab=0&g0.stacked=0&g0.range_input=2d&g0.step_input=300&g1.expr=down&g1.tab=1',
  )
  expect(queries.map(({ tab }) => tab)).toEqual(['graph', 'table'])
  expect([range, stepSeconds]).toEqual([{ kind: 'last', seconds: 172_800 }, 300])
})

test.each([
  ['g0.end_input=2026-10-14%2003%3A12', 'without seconds'],
  ['g0.end_input=2026-10-14T05:12:00%2B02:00', 'with a zone'],
  ['g0.moment_input=2026-10-14%2003%3A12%3A00', 'of a table'],
  ['g0.end_input=&g1.expr=x&g1.end_input=2026-10-14%2003%3A12%3A00', 'of the first query that has one'],
])('a time %s, %s, is read', (search) => {
  expect(shown(`g0.expr=up&${search}`).range).toMatchObject({ toMs: END_MS })
})

test.each([
  ['', 'nothing'],
  ['g0.expr=%20', 'an empty query'],
  ['g0.tab=1&expr=up', 'no query'],
])('%s asks for nothing: %s', (search) => {
  expect(exploreSearchOf(paramsFrom(search))).toBe('')
})

test.each([
  'g0.end_input=soon',
  'g0.end_input=2026-13-45%2003%3A12%3A00',
  'g0.range_input=long',
  'g0.range_input=0',
  'g0.step_input=-5',
  'g0.step_input=many',
  'g0.step_input=1e300',
  'g0.res_type=fixed&g0.res_step=',
  'g0.res_type=auto&g0.res_density=high&g0.res_step=7',
  'g0.tab=7&g0.show_tree=yes',
  'g0.tab=constructor',
])('what cannot be read, %s, leaves the rest', (search) => {
  expect(exploreSearchOf(paramsFrom(`g0.expr=up&${search}`))).toBe('expr=up')
})

test('as many queries as the page shows are taken, and a gap in their numbers is none in ours', () => {
  const many = Array.from({ length: EXPLORE_QUERIES_MAX + 4 }, (_, i) => `g${i * 2}.expr=m${i}&g${i * 2}.tab=1`)
  const { queries } = shown(many.join('&'))
  expect(queries.map(({ expr, tab }) => `${expr} ${tab}`)).toEqual(
    Array.from({ length: EXPLORE_QUERIES_MAX }, (_, i) => `m${i} table`),
  )
})
