import { describe, expect, test } from 'vitest'
import { resolveDurations } from '../../src/promql/durations.ts'
import { formatExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'

const EXPERIMENTAL = { experimental: true }
const WINDOW = { stepMs: 15_000, rangeMs: 3_600_000 }

function rangeOf(duration: string): number {
  const text = `a[${duration}]`
  const expr = resolveDurations(parseExpr(text, EXPERIMENTAL), text, WINDOW)
  return expr.kind === 'matrix' ? expr.rangeMs : NaN
}

test.each([
  ['5m', 300_000],
  ['--5m', 300_000],
  ['2m * 15', 1_800_000],
  ['1h / 2 + 30', 1_830_000],
  ['10 - 2 - 3', 5000],
  ['2 ^ 3 ^ 2', 512_000],
  ['-2 ^ 2 + 10', 6000],
  ['7 % 4', 3000],
  ['1.0015', 1001],
  ['step()', 15_000],
  ['STEP() * 4', 60_000],
  ['range() / 2', 1_800_000],
  ['max_of(step(), 1m)', 60_000],
  ['Min_Of(step(), (1m))', 15_000],
])('[%s] is %d ms', (duration, wanted) => {
  expect(rangeOf(duration)).toBe(wanted)
})

describe('an offset takes one duration, brackets take arithmetic', () => {
  test.each([
    ['a offset 5m * 2', 'a offset 5m * 2', 300_000],
    ['a offset (5m * 2)', 'a offset (5m * 2)', 600_000],
    ['a offset -(5m * 2)', 'a offset -(5m * 2)', -600_000],
    ['a offset - step() + 1', 'a offset -step() + 1', -15_000],
    ['a offset +min_of(step(), 1s) ^ 2', 'a offset min_of(step(), 1s) ^ 2', 1000],
  ])('%s', (text, printed, offsetMs) => {
    const expr = resolveDurations(parseExpr(text, EXPERIMENTAL), text, WINDOW)
    expect(formatExpr(expr)).toBe(printed)
    const selector = expr.kind === 'binary' ? expr.left : expr
    expect(selector.kind === 'vector' ? selector.offsetMs : NaN).toBe(offsetMs)
  })
})

test.each([
  ['a[5m - 5m]', '1:3: parse error: duration must be greater than 0'],
  ['a[1m:1m - 2m]', '1:6: parse error: duration must be greater than 0'],
  ['a[5m / 0]', '1:6: parse error: division by zero'],
  ['a[5m % 0s]', '1:6: parse error: modulo by zero'],
  ['a[5m / (1 - 1)]', '1:3: parse error: division by zero'],
  ['a[2 ^ 64]', '1:3: parse error: duration is out of range'],
  ['a[(0 - 1) ^ 0.5]', '1:3: parse error: duration is out of range'],
  ['a[1e30]', '1:3: parse error: duration out of range'],
  ['a[step() - 15]', '1:3: parse error: duration must be greater than 0'],
  [
    'a[5m +]',
    '1:7: parse error: unexpected "]" in subquery or range selector, expected number, duration, step(), or range()',
  ],
  ['a[5m 3]', '1:6: parse error: unexpected number "3" in subquery or range, expected ":" or "]"'],
  [
    'a[5m:+]',
    '1:7: parse error: unexpected "]" in subquery selector, expected number, duration, step(), range(), or "]"',
  ],
  ['a[5m:1m 3]', '1:9: parse error: unexpected number "3" in subquery selector, expected "]"'],
  ['a offset --5m', '1:11: parse error: unexpected <op:-> in offset, expected number, duration, step(), or range()'],
  [
    'a offset step',
    '1:14: parse error: unexpected end of input in offset, expected number, duration, step(), or range()',
  ],
])('%s is refused', (text, message) => {
  expect(() => resolveDurations(parseExpr(text, EXPERIMENTAL), text, WINDOW)).toThrow(message)
})

test('a tree without such durations is the same tree', () => {
  const text = 'sum(rate(a[5m] offset (1m * 2))) / b'
  const expr = parseExpr(text, EXPERIMENTAL)
  expect(resolveDurations(expr, text, WINDOW)).toBe(expr)
})

test('step() asks for the query, wherever it stands', () => {
  const text = 'sum(max_over_time((a offset step())[range():step()]) > on () b[1m] offset -step())'.replace(
    'b[1m]',
    'b',
  )
  const expr = resolveDurations(parseExpr(text, EXPERIMENTAL), text, WINDOW)
  expect(JSON.stringify(expr)).not.toContain('null')
  expect(formatExpr(expr)).toBe('sum(max_over_time((a offset step())[range():step()]) > on () b offset -step())')
})
