/** Checks that each alert has tests in which it fires and in which it does not. `daytwo test rules` runs the tests. */
import type { Check } from './check.ts'
import { atRule, type PlacedRule, type RuleContent, type TestRow } from './rule-content.ts'

export const testMissing: Check<RuleContent> = {
  name: 'test-missing',
  title: 'An alert has no unit test',
  severity: 'error',
  why: 'An expression that can never be true looks like a healthy fleet.',
  fix: 'Add a row with the name of the alert to a file in `tests/` beside the rule files, in the format of `promtool test rules`.',
  example: 'tests: []',
  run: ({ rules, testRows }) =>
    rules
      .filter((rule) => rule.kind === 'alerting' && rowsOf(rule, testRows).length === 0)
      .map((rule) => atRule(rule, `${rule.name} has no unit test`)),
}

export const testNeverFires: Check<RuleContent> = {
  name: 'test-never-fires',
  title: 'No unit test expects the alert to fire',
  severity: 'error',
  why: 'A test in which no alert fires also passes for a rule that can never fire. For a name with several severities, each severity needs such a test.',
  fix: 'Add a row that expects the alert with its severity.',
  example: '- alertname: CDINotReady\n  eval_time: 1h\n  exp_alerts: []',
  run: ({ rules, testRows }) =>
    rules.flatMap((rule) => {
      const rows = rule.kind === 'alerting' ? rowsOf(rule, testRows) : []
      const severity = rule.labels.get('severity')?.text
      const isSeen = rows.some(({ severities }) => severities.some((seen) => seen === severity))
      if (rows.length === 0 || isSeen || severity?.includes('{{') === true) return []
      return [atRule(rule, `no test expects ${rule.name} with severity ${severity ?? 'none'} to fire`)]
    }),
}

export const testNeverQuiet: Check<RuleContent> = {
  name: 'test-never-quiet',
  title: 'Every unit test expects the alert to fire',
  severity: 'error',
  why: 'A rule that always fires passes these tests.',
  fix: 'Add a row with `exp_alerts: []`, or with fewer alerts than another row: just before `for` has passed, and after the cause has ended.',
  example: '- alertname: CDINotReady\n  eval_time: 1h\n  exp_alerts:\n    - exp_labels: { severity: critical }',
  run: ({ rules, testRows }) =>
    rules.flatMap((rule) => {
      const rows = rule.kind === 'alerting' ? rowsOf(rule, testRows) : []
      const severity = rule.labels.get('severity')?.text
      const counts = rows.map(({ severities }) => severities.filter((seen) => seen === severity).length)
      if (rows.length === 0 || Math.min(...counts) < Math.max(...counts) || Math.max(...counts) === 0) return []
      return [atRule(rule, `every test of ${rule.name} with severity ${severity ?? 'none'} expects it to fire`)]
    }),
}

export const testOfNothing: Check<RuleContent> = {
  name: 'test-of-nothing',
  title: 'A unit test expects an alert that no rule has',
  severity: 'error',
  why: 'A row with an unknown name that expects no alerts always passes, for example after the alert was renamed.',
  fix: 'Correct the name, or remove the row.',
  example: '- alertname: CDINotRead\n  eval_time: 1h\n  exp_alerts: []',
  run({ rules, testRows }) {
    const names = new Set(rules.filter(({ kind }) => kind === 'alerting').map(({ name }) => name))
    return testRows
      .filter(({ alertname }) => !names.has(alertname))
      .map(({ file, alertname, nameAt }) => {
        return { file, subject: alertname, message: `no rule is called ${alertname}`, ...nameAt }
      })
  },
}

function rowsOf({ name }: PlacedRule, rows: readonly TestRow[]): readonly TestRow[] {
  return rows.filter(({ alertname }) => alertname === name)
}
