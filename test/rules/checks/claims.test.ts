import { describe, expect, test } from 'vitest'
import { parseExpr } from '../../../src/promql/parse.ts'
import { claimsIn } from '../../../src/rules/checks/claims.ts'
import { contradictions, numbersOf } from '../../../src/rules/checks/rule-numbers.ts'
import type { PlacedRule } from '../../../src/rules/checks/rule-content.ts'

describe('claims in a text', () => {
  test.each([
    ['It has been so for 10 minutes.', ['duration 600000 for 10 minutes']],
    ['for at least an hour', ['duration 3600000 for at least an hour']],
    ['for half an hour', ['duration 1800000 for half an hour']],
    ['for more than fifteen minutes', ['duration 900000 for more than fifteen minutes']],
    ['in the last hour', ['duration 3600000 in the last hour']],
    ['over the past 24 hours', ['duration 86400000 over the past 24 hours']],
    ['takes longer than 90 seconds', ['duration 90000 longer than 90 seconds']],
    ['more than 5 minutes', ['duration 300000 more than 5 minutes']],
    ['above 80% of the limit', ['threshold 80% above 80%']],
    ['below 5 percent', ['threshold 5% below 5 percent']],
    ['more than 1 MiB per second', ['threshold 1048576 more than 1 MiB']],
    ['at least 12 migrations in the last day', ['threshold 12 at least 12', 'duration 86400000 in the last day']],
    // What says nothing exact, and what is no claim at all.
    ['for days', []],
    ['in the last minutes', []],
    ['after 10 minutes HCO 1.16 starts 3 pods', []],
    ['more than one machine', []],
    ['waits for 3 pods', []],
    ['for ten reasons', []],
  ])('%s', (text, want) => {
    const got = claimsIn(text).map(({ kind, value, isPercent, text: words, from, to }) => {
      expect(text.slice(from, to)).toBe(words)
      return `${kind} ${value}${isPercent ? '%' : ''} ${words}`
    })
    expect(got).toEqual(want)
  })
})

describe('a claim against a rule', () => {
  const rule = (expr: string, forMs: number, keepFiringForMs = 0): PlacedRule =>
    ({ query: { expr: parseExpr(expr) }, forMs, keepFiringForMs }) as unknown as PlacedRule
  test.each([
    ['for 10 minutes', rule('x > 0', 600_000), undefined],
    ['for 10 minutes', rule('x > 0', 300_000), '"for 10 minutes": the rule has 5m'],
    ['for 10 minutes', rule('x > 0', 0), '"for 10 minutes": the rule waits for nothing'],
    ['for 10 minutes', rule('x > 0', 0, 600_000), undefined],
    ['in the last hour', rule('increase(x_total[1h]) > 0', 0), undefined],
    ['in the last hour', rule('x unless x offset 1h', 0), undefined],
    ['for at least 15 minutes', rule('absent_over_time(x[10m])', 300_000), undefined],
    ['for over an hour', rule('time() - x > 3600', 0), undefined],
    ['above 80%', rule('x / y > 0.8', 0), undefined],
    ['below 20%', rule('x / y > 0.8', 0), undefined],
    ['at least 80%', rule('x > 80', 0), undefined],
    ['more than 5 pods', rule('x >= 6', 0), undefined],
    ['more than 50', rule('x > 5', 0), '"more than 50": the rule compares with 5'],
    ['more than 50', rule('x == y', 0), undefined],
  ])('%s', (text, against, want) => {
    const [claim] = claimsIn(text)
    const found = contradictions(text, claim!.kind, numbersOf([against], []))
    expect(found.map(({ message }) => message)).toEqual(want === undefined ? [] : [want])
  })
})

test('what an alert reads may be recorded, and the numbers of that rule are its own', () => {
  const placed = (kind: string, name: string, expr: string): PlacedRule =>
    ({ kind, name, query: { expr: parseExpr(expr) }, forMs: 0, keepFiringForMs: 0 }) as unknown as PlacedRule
  const alert = placed('alerting', 'A', 'b > 0')
  const all = [alert, placed('recording', 'b', 'c > 3'), placed('recording', 'c', 'increase(c[1h]) + b')]
  const numbers = numbersOf([alert], all)
  expect([...numbers.windowsMs]).toEqual([3_600_000])
  expect([...numbers.literals]).toEqual([0, 3])
})
