import { describe, expect, test } from 'vitest'
import { renderDiagnostic } from '../../../src/model/diagnostic.ts'
import { mentionsAlert, readUnitTests } from '../../../src/rules/unit-test/unit-test-file.ts'

describe('what is wrong is shown at its place', () => {
  test.each([
    ['tests:\n  - input_series:\n      - series: up{a="b"\n        values: 1', '3:25'],
    ['tests:\n  - input_series:\n      - series: up\n        values: >-\n          1 2\n          3 gone', '6:13'],
    ['tests:\n  - alert_rule_test:\n      - eval_time: 5', '3:20'],
    ['tests:\n  - alert_rule_test:\n      - eval_time: 5m', '3:9'],
    ['tests:\n  - promql_expr_test:\n      - { expr: up, exp_samples: [{ labels: x, value: one }] }', '3:55'],
    ['tests:\n  - promql_expr_test:\n      - eval_time: 1m', '3:9'],
    ['tests:\n  - start_timestamp: yesterday', '2:22'],
    ['evaluation_intervall: 1m', '1:1'],
    ['group_eval_order: [a, b, a]', '1:26'],
    ['fuzzy_compare: 1', '1:16'],
    ['tests: 1', '1:8'],
  ])('%j at %s', (text, place) => {
    const { file, diagnostics } = readUnitTests('t.yaml', text)
    expect(file).toBeUndefined()
    expect(diagnostics.map((one) => renderDiagnostic(text, one).split(' ')[0])).toContain(`t.yaml:${place}:`)
  })
})

test('unknown keys are passed over when that is asked for', () => {
  const text = 'owner: me\ntests: [{ team: virt, alert_rule_test: [{ alertname: A, ticket: 1 }] }]'
  expect(readUnitTests('t.yaml', text).diagnostics).toHaveLength(3)
  expect(readUnitTests('t.yaml', text, true)).toMatchObject({
    diagnostics: [],
    file: { tests: [{ alertCases: [{ alertname: 'A' }] }] },
  })
})

test('defaults, and times in both ways', () => {
  const { file } = readUnitTests(
    't.yaml',
    'evaluation_interval: 30s\ntests: [{start_timestamp: 2026-08-20T12:00:00+02:00}, {start_timestamp: 1.5, interval: 5m}]',
  )
  expect(file?.tests.map(({ intervalMs, startMs }) => [intervalMs, startMs])).toEqual([
    [30_000, 1_787_220_000_000],
    [300_000, 1500],
  ])
})

test('a test mentions the alerts it expects, in cases and in samples', () => {
  const text = `
tests:
  - alert_rule_test: [{ alertname: A }]
  - promql_expr_test: [{ expr: ALERTS, exp_samples: [{ labels: 'ALERTS{alertname="A"}', value: 1 }] }]
  - promql_expr_test: [{ expr: 'count(ALERTS{alertname="A"})' }]
  - alert_rule_test: [{ alertname: B }]
`
  const tests = readUnitTests('t.yaml', text).file?.tests ?? []
  expect(tests.map((one) => mentionsAlert(one, 'A'))).toEqual([true, true, true, false])
})
