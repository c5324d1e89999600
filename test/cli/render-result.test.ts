import { expect, test } from 'vitest'
import { renderMetric, renderResult } from '../../src/cli/render-result.ts'

test.each([
  [{ __name__: 'up' }, 'up'],
  [{ __name__: 'up', job: 'a', instance: 'b"c' }, 'up{instance="b\\"c", job="a"}'],
  [{ job: 'a' }, '{job="a"}'],
  [{}, '{}'],
])('%j is %s', (metric, text) => {
  expect(renderMetric(metric as Record<string, string>)).toBe(text)
})

const HISTOGRAM = {
  count: '12',
  sum: '-3.5',
  buckets: [
    [1, '-2', '-1', '1'],
    [3, '-0.001', '0.001', '2'],
    [0, '0.5', '1', '1e-7'],
    [2, '1', '+Inf', '3'],
  ] as const,
}
/** As promtool of a Prometheus with native histograms prints it. */
const LINE =
  'Count: 12.000000, Sum: -3.500000, Buckets: [[-2,-1):1 [-0.001,0.001]:2 (0.5,1]:0.0000001 (1,+Inf):3] @[1.5]'

test('histograms stand beside floats', () => {
  const metric = { __name__: 'x' }
  expect(renderResult({ resultType: 'vector', result: [{ metric, histogram: [1.5, HISTOGRAM] }] })).toBe(`x => ${LINE}`)
  expect(
    renderResult({
      resultType: 'matrix',
      result: [
        { metric, values: [[1, '1e+21']], histograms: [[1.5, HISTOGRAM]] },
        { metric: {}, values: [[1, 'NaN']] },
      ],
    }),
  ).toBe(`x =>\n1000000000000000000000 @[1]\n${LINE}\n{} =>\nNaN @[1]`)
})
