import { expect, test } from 'vitest'
import {
  adviceFor,
  isForTables,
  lineAt,
  remarkOfAnnotation,
  remarkOfError,
} from '../../../../src/web/lib/promql/remarks.ts'

test.each([
  ['invalid parameter "query": 1:4: parse error: unexpected end of input', 'sum(', 'unexpected end of input', 3],
  ['2:3: parse error: unknown function with name "rat"', 'a +\n  rat(b)', 'unknown function with name "rat"', 6],
  ['9:1: parse error: of another text', 'up', 'of another text', undefined],
  ['1:99: parse error: beyond the end', 'up', 'beyond the end', 2],
  ['query timed out', 'up', 'query timed out', undefined],
])('%s', (message, expr, text, offset) => {
  expect(remarkOfError(message, expr)).toEqual({ text, offset })
})

test.each([
  [
    'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "up" (1:6)',
    'rate(up[5m])',
    'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "up"',
    5,
  ],
  ['PromQL warning: mixed (with brackets) (2:1)', 'a\nb', 'mixed (with brackets)', 2],
  ['some storage did not answer', 'up', 'some storage did not answer', undefined],
])('%s', (message, expr, text, offset) => {
  expect(remarkOfAnnotation(message, expr)).toEqual({ text, offset })
})

test.each([
  ['sum(', 3, 'sum(', 3],
  ['a +\n  rat(b)\n+ c', 6, '  rat(b)', 2],
  ['a\nb', 2, 'b', 0],
  ['a\n', 2, '', 0],
  ['', 0, '', 0],
])('%j at %d', (expr, offset, line, column) => {
  expect(lineAt(expr, offset)).toEqual({ line, column })
})

test('that there are more series is told with what to do', () => {
  const { text, offset } = remarkOfAnnotation('results truncated due to limit', 'up')
  expect([text.includes('truncated to the first series'), text.includes('topk'), offset]).toEqual([
    true,
    true,
    undefined,
  ])
})

test('what no graph can show leads to the table', () => {
  const message =
    'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector'
  expect(isForTables(message)).toBe(true)
  expect(adviceFor(message)).toMatch(/the table shows/)
  expect(isForTables('1:4: parse error: unexpected end of input')).toBe(false)
})

test('what asks too much is told what to do, what is wrong is not', () => {
  const limit = 'query processing would load too many samples into memory in query execution: limit is 50000000'
  expect(adviceFor(limit)).toMatch(/^Narrow the selectors/)
  expect(adviceFor('1:4: parse error: unexpected end of input')).toBe('')
})
