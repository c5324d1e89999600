import { describe, expect, test } from 'vitest'
import { renderDiagnostic } from '../../src/model/diagnostic.ts'
import { lint } from '../../src/promql/lint.ts'
import { parseExpr } from '../../src/promql/parse.ts'

const drawn = (expr: string): string =>
  lint(parseExpr(expr))
    .map((found) => renderDiagnostic(expr, found))
    .join('\n')

describe('lint', () => {
  test.each([
    'rate(http_requests_total[5m])',
    'sum by (job) (rate(x_count[5m])) / 2',
    'deriv(temperature[5m])',
    'histogram_quantile(0.9, sum by (le, job) (rate(x_bucket[5m])))',
    'histogram_quantile(0.9, sum without (pod) (rate(x_bucket[5m])))',
    'max_over_time(sum(rate(x_total[5m]))[1h:])',
    'up{job=~"a|b", cluster=~".+", pod!~""}',
    'quantile(0.5, up)',
  ])('says nothing about %s', (expr) => {
    expect(drawn(expr)).toBe('')
  })

  test('a rate of what is no counter', () => {
    expect(drawn('sum(rate(temperature{a="b"}[5m]))')).toBe(
      `1:10: warning: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "temperature"
   1 | sum(rate(temperature{a="b"}[5m]))
     |          ^^^^^^^^^^^^^^^^^^
     = help: rate is for values that only rise; delta and deriv are for others`,
    )
  })

  test('a rate of a sum', () => {
    expect(drawn('rate(sum(x_total)[5m:1m])')).toContain('rate of sum: the sum hides counter resets of its series')
  })

  test('buckets that are lost', () => {
    expect(drawn('histogram_quantile(0.9, sum by (job) (rate(x_bucket[5m])))')).toContain(
      '= help: aggregate with by (le, job)',
    )
    expect(drawn('histogram_quantile(0.9, (sum without (le) (rate(x_bucket[5m]))))')).toContain(
      'which this aggregation drops',
    )
    // A native histogram has no label for its buckets.
    expect(drawn('histogram_quantile(0.9, sum(rate(rpc_count[5m])))')).toBe('')
  })

  test.each(['quantile(90, up)', 'histogram_quantile(-0.1, x_bucket)', 'quantile_over_time(1.5, up[5m])'])(
    '%s',
    (expr) => {
      expect(drawn(expr)).toContain('quantile value should be between 0 and 1, got ')
    },
  )

  test('a pattern that is none', () => {
    expect(
      drawn('up{job=~"kube-state", pod!~"virt"}')
        .split('\n')
        .filter((line) => line.includes('help')),
    ).toEqual(['     = help: job="kube-state" is equivalent', '     = help: pod!="virt" is equivalent'])
  })

  test('findings are in the order of the text', () => {
    const found = lint(parseExpr('quantile(2, rate(a[5m])) + rate(b[5m])'))
    expect(found.map(({ from }) => from)).toEqual([9, 17, 32])
  })
})
