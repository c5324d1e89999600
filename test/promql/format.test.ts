import { describe, expect, test } from 'vitest'
import { formatExpr, prettyExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'

const LONG = 'kubevirt_hyperconverged_operator_health_status{cluster="prague-prod-01",namespace="openshift-cnv"}'

/** Each as written, and as laid out; a real Prometheus answers the same texts (test/e2e). */
const LAYOUTS: readonly (readonly [name: string, expr: string, lines: readonly string[]])[] = [
  ['what fits stays on one line', 'sum  by(job)(up)', ['sum by (job) (up)']],
  ['a selector is never taken apart', `${LONG}[5m] offset 1h`, [`${LONG}[5m] offset 1h`]],
  [
    'an aggregation',
    `sum by (cluster) (rate(${LONG}[5m]))`,
    ['sum by (cluster) (', '  rate(', `    ${LONG}[5m]`, '  )', ')'],
  ],
  ['an aggregation with a parameter', `topk(3, ${LONG})`, ['topk(', '  3,', `  ${LONG}`, ')']],
  [
    'a call with several arguments',
    `label_replace(${LONG}, "a", "$1", "b", "(.*)")`,
    ['label_replace(', `  ${LONG},`, '  "a",', '  "$1",', '  "b",', '  "(.*)"', ')'],
  ],
  [
    'a binary operation with matching',
    `${LONG} > bool on (cluster) group_left (team) up{job="a"}`,
    [`  ${LONG}`, '> bool on (cluster) group_left (team)', '  up{job="a"}'],
  ],
  ['parentheses and a sign', `-(${LONG} + 1)`, ['-(', `    ${LONG}`, '  +', '    1', ')']],
  [
    'a subquery',
    `max_over_time(rate(${LONG}[5m])[1h:1m] offset 1d)`,
    ['max_over_time(', '  rate(', `    ${LONG}[5m]`, '  )[1h:1m] offset 1d', ')'],
  ],
]

describe('prettyExpr', () => {
  test.each(LAYOUTS)('%s', (_name, expr, lines) => {
    const pretty = prettyExpr(parseExpr(expr))
    expect(pretty).toBe(lines.join('\n'))
    // Another layout, the same expression.
    expect(formatExpr(parseExpr(pretty))).toBe(formatExpr(parseExpr(expr)))
  })

  test('the limit counts bytes', () => {
    const name = 'é'.repeat(45)
    expect(prettyExpr(parseExpr(`sum({a="${name}"})`))).toBe(`sum(\n  {a="${name}"}\n)`)
    expect(prettyExpr(parseExpr(`sum({a="${'e'.repeat(45)}"})`))).not.toContain('\n')
  })
})
