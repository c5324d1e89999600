import { expect, test } from 'vitest'
import { thresholdOf, thresholdTexts } from '../../src/promql/threshold.ts'

test.each([
  ['up == 0', 0, 'up', '==', 0],
  ['5 < rate(x[5m])', 6, 'rate(x[5m])', '>', 5],
  ['(sum by (cluster) (x)) > (2 * 30)', 61, '(sum by (cluster) (x))', '>', 60],
  ['x >= -1', 0, 'x', '>=', -1],
  ['x > 5 and on (cluster) y == 1', 6, 'x', '>', 5],
  ['x > 5 unless y', 6, 'x', '>', 5],
  ['x > 5 < 9', 7, 'x > 5', '<', 9],
  ['x < 5 or y > 100', 101, 'y', '>', 100],
  ['x < 5 or y > 100', 1, 'x', '<', 5],
  ['x > Inf', Infinity, 'x', '>', Infinity],
] as const)('%s with value %d compares %s %s %d', (text, value, expr, operator, threshold) => {
  expect(thresholdOf(text, value)).toEqual({ expr, operator, threshold })
})

test.each([
  ['x > y', 1],
  ['x > bool 5', 1],
  ['x', 1],
  ['(x > 5) * 2', 12],
  ['sum(x > 5)', 6],
  ['absent(x)', 1],
  ['x < 5 or y > 100', 50],
  ['x >', 1],
  ['', 1],
  ['1 > bool 0', 1],
])('%s has no threshold for %d', (text, value) => {
  expect(thresholdOf(text, value)).toBeUndefined()
})

test.each([
  ['x > 0.9', 1, '> 0.9'],
  ['x < 5 or y > 100', 101, '> 100'],
  ['x < 5 or y > 100', 1, '< 5'],
  ['x < 5 or y > 100', 50, undefined],
  ['x >', 1, undefined],
])('%s as text for %d is %s', (text, value, expected) => {
  expect(thresholdTexts(text)(value)).toBe(expected)
})
