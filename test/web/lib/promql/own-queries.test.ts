import { expect, test } from 'vitest'
import { parser } from '@prometheus-io/lezer-promql'
import {
  EXAMPLE_QUERIES,
  findOwnQueries,
  OWN_QUERIES_MAX,
  readOwnQueries,
  withOwnQuery,
} from '../../../../src/web/lib/promql/own-queries.ts'
import { parseExpr } from '../../../../src/promql/parse.ts'

test('the newest stands first, the same once, the oldest goes', () => {
  let queries = withOwnQuery([], 'up', 1)
  queries = withOwnQuery(queries, 'down', 2)
  queries = withOwnQuery(queries, 'up', 3)
  expect(queries).toEqual([
    { expr: 'up', atMs: 3 },
    { expr: 'down', atMs: 2 },
  ])
  for (let i = 0; i < 2 * OWN_QUERIES_MAX; i++) queries = withOwnQuery(queries, `m${i}`, i)
  expect(queries).toHaveLength(OWN_QUERIES_MAX)
  expect(withOwnQuery(queries, '', 9)).toBe(queries)
  expect(withOwnQuery(queries, 'x'.repeat(5000), 9)).toBe(queries)
})

test.each([[null], ['text'], [{}], [[null, 7, { expr: 'up' }, { expr: '', atMs: 1 }, { expr: 'up', atMs: 'x' }]]])(
  '%j was kept, and is nothing',
  (kept) => {
    expect(readOwnQueries(kept)).toEqual([])
  },
)

test('they are found by any words of them', () => {
  const queries = readOwnQueries([
    { expr: 'sum(rate(UP[5m]))', atMs: 2 },
    { expr: 'sum(down)', atMs: 1 },
  ])
  expect(findOwnQueries(queries, ' up SUM ').map(({ expr }) => expr)).toEqual(['sum(rate(UP[5m]))'])
  expect(findOwnQueries(queries, '')).toHaveLength(2)
})

test.each(EXAMPLE_QUERIES)('the example "$says" is PromQL', ({ expr }) => {
  expect(parseExpr(expr).kind).not.toBe('')
  expect(parser.parse(expr).length).toBe(expr.length)
})
