import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promqlTokens } from '../../../src/web/lib/promql-tokens.ts'

const kinds = (expr: string): string =>
  promqlTokens(expr)
    .filter(({ kind, text }) => kind !== 'plain' && text.trim() !== '')
    .map(({ kind, text }) => `${kind}:${text}`)
    .join(' ')

test.each([
  ['up == 0', 'metric:up number:0'],
  [
    'sum by (cluster, job) (rate(x_total{a="b"}[5m])) > 1e3',
    'function:sum keyword:by label:cluster label:job function:rate metric:x_total label:a string:"b" number:5m number:1e3',
  ],
  [
    'a:b:c and on(x) group_left(y) d offset 1h30m',
    'metric:a:b:c keyword:and keyword:on label:x keyword:group_left label:y metric:d keyword:offset number:1h30m',
  ],
  ['vector(+Inf) # why', 'function:vector number:Inf comment:# why'],
  [String.raw`{__name__=~'a\'b'}`, String.raw`label:__name__ string:'a\'b'`],
])('%s', (expr, want) => {
  expect(kinds(expr)).toBe(want)
})

test('any text comes out whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (expr) => {
      expect(
        promqlTokens(expr)
          .map(({ text }) => text)
          .join(''),
      ).toBe(expr)
    }),
  )
})
