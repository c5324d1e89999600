import { describe, expect, test } from 'vitest'
import { STABLE_LANGUAGE } from '../../src/promql/parse-options.ts'
import { planReplay, readEditedRule, type ReplayInput } from '../../src/rules/replay-request.ts'
import { T0, groupsOf } from './harness.ts'

const DAY_MS = 86_400_000

const GROUPS = groupsOf(`groups:
- name: g
  interval: 30s
  limit: 7
  query_offset: 10s
  labels: {team: virt, severity: info}
  rules:
  - {alert: A, expr: a > 1, labels: {severity: critical}}
  - {alert: A, expr: a > 0, labels: {severity: warning}}
  - {record: 'a:b:c', expr: a}
- name: h
  rules:
  - {alert: A, expr: other}
`)

const plan = (asked: Partial<ReplayInput>): ReturnType<typeof planReplay> =>
  planReplay({ fromMs: T0 - DAY_MS, toMs: T0, ...asked }, GROUPS, STABLE_LANGUAGE)

describe('which rules', () => {
  test.each([
    [{ alertname: 'A' }, 'a > 1'],
    [{ alertname: 'A', severity: 'warning' }, 'a > 0'],
    [{ alertname: 'A', group: 'h' }, 'other'],
    [{ alertname: 'A', rule: 'alert: A\nexpr: b\nlabels: {severity: warning}' }, 'a > 0'],
    [{ alertname: 'A', rule: 'alert: A\nexpr: b\nlabels: {severity: page}' }, 'a > 1'],
    [{ alertname: 'B', rule: 'alert: B\nexpr: b' }, undefined],
    [{ rule: 'alert: A\nexpr: b' }, undefined],
  ])('%j', (asked, present) => {
    expect(plan(asked).present?.rule.expr).toBe(present)
  })

  test('the edited one is of the group of the present one', () => {
    const { edited, window } = plan({ alertname: 'A', rule: 'alert: A\nexpr: b\nlabels: {severity: page}' })
    expect(edited).toMatchObject({ limit: 7, queryOffsetMs: 10_000 })
    expect(edited?.rule.labels).toEqual({ team: 'virt', severity: 'page' })
    expect(window.stepMs).toBe(30_000)
  })

  test.each([
    [{}, 'bad_request', 'want alertname, rule or both'],
    [{ alertname: 'B' }, 'not_found', 'no loaded alerting rule is called "B"'],
    [{ alertname: 'a:b:c' }, 'not_found', 'no loaded alerting rule'],
    [{ alertname: 'A', severity: 'page' }, 'not_found', 'no loaded alerting rule'],
    [{ alertname: 'A', fromMs: T0 + 1 }, 'bad_request', 'toMs is before fromMs, by 1ms'],
    [{ alertname: 'A', fromMs: 0.5 }, 'bad_request', 'want whole milliseconds'],
    [{ alertname: 'A', stepMs: 10 }, 'bad_request', 'stepMs: got 10'],
    [{ alertname: 'A', fromMs: T0 - 365 * DAY_MS, stepMs: 60_000 }, 'bad_request', 'steps: want at most 100000'],
    [{ rule: 'x'.repeat(100_001) }, 'bad_request', 'got 100001 characters, want at most 100000'],
  ])('%# is refused', (asked, code, message) => {
    expect(() => plan(asked)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    )
  })
})

describe('how far apart', () => {
  test.each([
    ['a day', DAY_MS, undefined, 30_000],
    ['3 days', 3 * DAY_MS, undefined, 30_000],
    ['30 days: whole intervals', 30 * DAY_MS, undefined, 240_000],
    ['what was asked', 30 * DAY_MS, 60_000, 60_000],
  ])('%s', (_, lengthMs, stepMs, want) => {
    const { window } = plan({ alertname: 'A', fromMs: T0 - lengthMs, stepMs })
    expect(window.stepMs).toBe(want)
    expect(window.blockMs % want).toBe(0)
    expect(lengthMs / window.blockMs).toBeLessThan(200)
  })
})

describe('an edited rule', () => {
  test.each([
    ['a mapping', 'alert: A\nexpr: |\n  up\n\n  == 0\nfor: 5m\n'],
    ['with its dash', '- alert: A\n  expr: |\n    up\n\n    == 0\n  for: 5m'],
    ['after a comment', '# why\nalert: A\nexpr: |\n  up\n\n  == 0\nfor: 5m'],
  ])('%s', (_, text) => {
    expect(readEditedRule(text, STABLE_LANGUAGE)).toMatchObject({ name: 'A', expr: 'up\n\n== 0\n', forMs: 300_000 })
  })

  test.each([
    ['alert: A\nexpr: sum(up', 'rule:2:13: error: alert A: ', '   2 | expr: sum(up\n     |             ^'],
    ['- alert: A\n  expr: sum(up', 'rule:2:15: error: alert A: ', '   2 |   expr: sum(up\n     |               ^'],
    ['alert: A\nexpr: up\nfour: 5m', 'rule:3:1: error: unknown key "four"', '   3 | four: 5m\n     | ^^^^'],
    ['alert: A\nexpr: up\nlabels: {a: "{{ nope }}"}', 'rule:3:17: error: ', 'nope'],
  ])('%# is shown where it is wrong', (text, message, drawn) => {
    expect(() => readEditedRule(text, STABLE_LANGUAGE)).toThrow(message)
    expect(() => readEditedRule(text, STABLE_LANGUAGE)).toThrow(drawn)
  })

  test.each([
    ['record: a\nexpr: up', 'want one alerting rule'],
    ['- alert: A\n  expr: up\n- alert: B\n  expr: up', 'want one alerting rule'],
    ['', 'cannot be used'],
    ['just words', 'cannot be used'],
    ['alert: A\nexpr: up\n---\nalert: B', 'cannot be used'],
    ['alert: A\nexpr: up\n  - x: [', 'cannot be used'],
  ])('%j is refused', (text, message) => {
    expect(() => readEditedRule(text, STABLE_LANGUAGE)).toThrow(message)
  })
})
