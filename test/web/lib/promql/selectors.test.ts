import fc from 'fast-check'
import { expect, test } from 'vitest'
import { metricsIn, selectorsIn, syntaxFaultOf } from '../../../../src/web/lib/promql/selectors.ts'

test('selectors stand with their metric, matchers and place', () => {
  const expr = 'sum(rate(a_total{x="1", y!~"p|q"}[5m] offset 1h)) / on () {"b.c", z=\'q\\\'r\'}'
  expect(selectorsIn(expr)).toEqual([
    {
      metric: 'a_total',
      matchers: [
        { name: 'x', operator: '=', value: '1' },
        { name: 'y', operator: '!~', value: 'p|q' },
      ],
      text: 'a_total{x="1", y!~"p|q"}',
      from: 9,
      to: 33,
    },
    {
      metric: 'b.c',
      matchers: [{ name: 'z', operator: '=', value: "q'r" }],
      text: "{\"b.c\", z='q\\'r'}",
      from: 58,
      to: 75,
    },
  ])
})

test.each([
  ['up', ['up']],
  ['up + up + down', ['up', 'down']],
  ['{__name__="up"}', ['up']],
  ['{__name__=~"u.*"}', []],
  ['`up`', []],
  ['{"dotted.name"}', ['dotted.name']],
  ['sum(up', ['up']],
  ['1 + 2', []],
  ['', []],
])('%s reads %j', (expr, metrics) => {
  expect(metricsIn(expr)).toEqual(metrics)
})

test.each([
  ['up', undefined],
  ['sum(up', { from: 6, to: 6 }],
  ['up =', { from: 3, to: 4 }],
  ['', { from: 0, to: 0 }],
])('the fault of %s is at %j', (expr, fault) => {
  expect(syntaxFaultOf(expr)).toEqual(fault)
})

test('any text is read without a failure, and places lie inside of it', () => {
  fc.assert(
    fc.property(fc.string(), (expr) => {
      for (const { from, to, text } of selectorsIn(expr)) expect(expr.slice(from, to)).toBe(text)
    }),
  )
})
