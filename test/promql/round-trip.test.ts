import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Expr } from '../../src/promql/ast.ts'
import { formatExpr, prettyExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'

/** Printing an expression and parsing it again gives the same tree, whatever of the language it uses. */

const EXPERIMENTAL = { experimental: true }

const join = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(''))
const maybe = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.option(part, { nil: '' })
const word = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
const list = (item: fc.Arbitrary<string>, least = 0): fc.Arbitrary<string> =>
  fc.array(item, { minLength: least, maxLength: 3 }).map((items) => items.join(', '))

const number = word(
  '0',
  '1',
  '-2.5',
  '1e3',
  '0x1F',
  '0755',
  '1_000',
  'Inf',
  '-inf',
  'NaN',
  '.5',
  '5m',
  '1h30m',
  '250ms',
)
const text = word('"a"', "'it\\'s'", '`c:\\d`', '"\\u00e9\\n"', '""', '"a.b"')
const metric = word('up', 'a:b', 'sum', 'offset', 'step', 'min_of', 'fill', 'smoothed', 'start', 'by', 'by{x="y"}')
const label = word('job', 'on', 'by', 'offset', 'bool', 'fill_left', 'step', '"a.b"', '"ü"', 'atan2')

const { duration } = fc.letrec<{ duration: string; primary: string }>((tie) => ({
  primary: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word('5m', '300', '1h30m', '1.5', '90s', 'step()', 'RANGE()'),
    join(word('('), tie('duration'), word(')')),
    join(word('min_of(', 'max_of('), tie('duration'), word(', '), tie('duration'), word(')')),
  ),
  duration: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('primary'),
    join(tie('primary'), word(' + ', ' - ', ' * ', ' / ', ' % ', ' ^ '), tie('duration')),
  ),
}))
/** Positive, and never a division by zero. */
const range = fc.oneof(word('5m', '300', '90s'), join(duration, word(' + step()')))
const offset = fc.oneof(word('5m', '-5m', '+1h', '30', '- 30'), join(word('', '-', '+'), word('('), range, word(')')))

const times = join(
  maybe(word(' @ 1609746000', ' @ -1.5', ' @ start()', ' @ end()', ' @ 5m')),
  maybe(join(word(' offset '), offset)),
)
const selector = fc.oneof(
  metric,
  join(word('{'), label, word('="x"', '!="x", job=~"a|b"', '!~"x", env="y"'), word('}')),
  join(word('{"utf8.name"'), maybe(join(word(', '), label, word('="x"'))), word('}')),
)
const extension = maybe(word(' anchored', ' smoothed'))

const { vector } = fc.letrec<{ vector: string; scalar: string; binary: string }>((tie) => ({
  scalar: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    word('time()', 'pi()', 'start()', 'end()', 'range()', 'step()'),
    join(word('min_of(', 'max_of('), tie('scalar'), word(', '), tie('scalar'), word(')')),
    join(word('scalar('), tie('vector'), word(')')),
  ),
  binary: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    join(tie('vector'), word(' + ', ' ^ ', ' atan2 ', ' == bool ', ' > ', ' % '), tie('scalar')),
    join(
      tie('vector'),
      word(' + ', ' < ', ' >= bool ', ' * '),
      maybe(
        join(word('on (', 'ignoring ('), list(label), word(') '), maybe(word('group_left () ', 'group_right ("c") '))),
      ),
      maybe(word('fill (0) ', 'fill_left (-1) ', 'fill_right (5m) ', 'fill_right (2) fill_left (+1) ')),
      tie('vector'),
    ),
    join(tie('vector'), word(' and ', ' or ', ' unless on (job) '), tie('vector')),
  ),
  vector: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    join(selector, extension, times),
    join(word('rate('), selector, word('['), range, word(']'), extension, times, word(')')),
    join(
      word('sum_over_time(('),
      tie('vector'),
      word(')['),
      range,
      word(':'),
      maybe(range),
      word(']'),
      times,
      word(')'),
    ),
    join(word('abs(', '-', '(', 'sum ('), tie('vector')).map((one) => (one.startsWith('-') ? `(${one})` : `${one})`)),
    join(
      word('topk', 'limitk', 'limit_ratio', 'quantile'),
      word(' by (', ' without ('),
      list(label),
      word(') ('),
      tie('scalar'),
      word(', '),
      tie('vector'),
      word(')'),
    ),
    join(
      word('label_replace('),
      tie('vector'),
      fc.tuple(text, text, text, text).map((all) => `, ${all.join(', ')})`),
    ),
    join(word('info('), tie('vector'), word(', {', ', {job=~".*"'), word('})')),
    join(word('('), tie('binary'), word(')')),
  ),
}))

/** The tree without what may differ: places, and the order of matchers, which has no meaning. */
function shapeOf(expr: Expr): unknown {
  return JSON.parse(
    JSON.stringify(expr, (key, value: unknown) => {
      if (key === 'from' || key === 'to') return undefined
      if (key === 'matchers') return (value as unknown[]).map((one) => JSON.stringify(one)).sort()
      return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    }),
  )
}

test('an expression that is printed and parsed again is the same', () => {
  fc.assert(
    fc.property(vector, (written) => {
      // Arithmetic may come to nothing a range can be; that is not what is looked at here.
      let expr: Expr
      try {
        expr = parseExpr(written, EXPERIMENTAL)
      } catch (thrown) {
        if (/duration|division|modulo|must not occur|can only be used with/.test(String(thrown))) return
        throw new Error(written, { cause: thrown })
      }
      const printed = formatExpr(expr)
      expect(shapeOf(parseExpr(printed, EXPERIMENTAL)), written).toEqual(shapeOf(expr))
      expect(formatExpr(parseExpr(printed, EXPERIMENTAL)), written).toBe(printed)
      expect(shapeOf(parseExpr(prettyExpr(expr), EXPERIMENTAL)), written).toEqual(shapeOf(expr))
    }),
    { numRuns: 500 },
  )
})
