import { describe, expect, test } from 'vitest'
import { escapedLabelName, labelNameOf, metricNameOf, type NamedMetric } from '../../../src/ingest/otlp/names.ts'
import { decimalText } from '../../../src/ingest/otlp/points.ts'

describe('metric names', () => {
  test.each<[string, string, NamedMetric['kind'], string | undefined, string | undefined]>([
    // name, unit, kind, escaped with suffixes, unescaped with suffixes
    ['a.b', '', 'other', 'a_b', 'a.b'],
    ['a__b', 's', 'other', 'a_b_seconds', 'a__b_seconds'],
    ['x', 'By/s', 'gauge', 'x_bytes_per_second', 'x_bytes_per_second'],
    ['x', '{a}/s', 'gauge', 'x_per_second', 'x_per_second'],
    ['x', 'By/{a}', 'gauge', 'x_bytes', 'x_bytes'],
    ['x', ' ms / mo ', 'gauge', 'x_milliseconds_per_month', 'x_milliseconds_per_month'],
    ['x', 'a+b', 'gauge', 'x_a_b', 'x_a+b'],
    ['x_total', 's', 'monotonic_sum', 'x_seconds_total', 'x_seconds_total'],
    ['total', '1', 'monotonic_sum', 'total', 'total_total'],
    ['x.ratio', '1', 'gauge', 'x_ratio', 'x_ratio'],
    ['x', '1', 'other', 'x', 'x'],
    ['1', '', 'other', '_1', '1'],
    ['', 's', 'gauge', undefined, undefined],
    ['___', '', 'gauge', undefined, undefined],
    ['!', 's', 'gauge', undefined, '!_seconds'],
  ])('%j in %j, %s', (name, unit, kind, escaped, unescaped) => {
    expect(metricNameOf({ name, unit, kind }, 'UnderscoreEscapingWithSuffixes')).toBe(escaped)
    expect(metricNameOf({ name, unit, kind }, 'NoUTF8EscapingWithSuffixes')).toBe(unescaped)
  })
})

test.each([
  ['a.b', 'a_b'],
  ['a..b', 'a__b'],
  ['1a', 'key_1a'],
  ['_a', 'key_a'],
  ['__a', '__a'],
  ['ž😀', '__'],
  ['😀', 'key_'],
  ['', ''],
])('the label of %j is %j', (key, label) => {
  expect(escapedLabelName(key)).toBe(label)
  expect(labelNameOf(key, 'NoTranslation')).toBe(key)
})

test.each([
  [0.1, '0.1'],
  [1, '1'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [NaN, 'NaN'],
])('%d is written %s', (value, text) => {
  expect(decimalText(value)).toBe(text)
})
