import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadRuleTests, ruleTestPaths, runRuleTests } from '../../src/catalog/rule-tests.ts'
import { RULE_TESTS_DIR, ROOT } from '../content/content.ts'
import { requirePeer } from '../support/peers.ts'
import { tempDir } from '../support/temp-dir.ts'

const folder = tempDir('rule-tests')
afterAll(() => {
  folder.remove()
})

const RULES = `
groups:
  - name: g
    rules:
      - record: job:up:sum
        expr: sum by (job) (up)
      - alert: Down
        expr: up == 0
        for: 2m
        keep_firing_for: 1m
        labels: { severity: warning, of: '{{ $labels.job }}', where: '{{ $externalLabels.cluster }}' }
        annotations:
          summary: '{{ $labels.instance }} is down ({{ $value }}), see {{ $externalURL }}/alerts'
  - name: h
    rules:
      - alert: Down
        expr: job:up:sum == 0
        labels: { severity: critical }
      - alert: ManyDown
        expr: count(ALERTS{alertname="Down", alertstate="firing"}) >= 2
`

const TEST = `
rule_files: [rules.yaml]
evaluation_interval: 1m
group_eval_order: [g, h]
tests:
  - name: a target that goes away and comes back
    interval: 1m
    external_labels: { cluster: fra-1 }
    external_url: https://daytwo.example
    input_series:
      - series: up{job="a", instance="a1"}
        values: 1 1 0x4 _ stale 1x5
      - series: up{job="a", instance="a2"}
        values: 1x12
    alert_rule_test:
      - eval_time: 3m
        alertname: Down
        exp_alerts: []
      - eval_time: 4m30s
        alertname: Down
        exp_alerts:
          - exp_labels: { severity: warning, job: a, instance: a1, of: a, where: fra-1 }
            exp_annotations:
              summary: a1 is down (0), see https://daytwo.example/alerts
      - eval_time: 10m
        alertname: Down
        exp_alerts: []
      - eval_time: 5m
        alertname: ManyDown
        exp_alerts: []
    promql_expr_test:
      - expr: job:up:sum
        eval_time: 3m
        exp_samples:
          - labels: job:up:sum{job="a"}
            value: 1
      - expr: ALERTS{alertstate="pending"}
        eval_time: 3m
        exp_samples:
          - labels: ALERTS{alertname="Down", alertstate="pending", instance="a1", job="a", of="a", severity="warning", where="fra-1"}
            value: 1
      - expr: 1 / 3
        eval_time: 0m
        exp_samples:
          - labels: '{}'
            value: 0.3333333333333333
`

/** The test file with something else in one place, or with other rules. */
interface Variant {
  readonly name: string
  readonly test?: string
  readonly rules?: string
  /** When promtool 2.42 decides otherwise: why we do not. */
  readonly differs?: string
}

const swap = (from: string, to: string): string => {
  if (!TEST.includes(from)) throw new Error(`the test file has no ${from}`)
  return TEST.replace(from, to)
}
const swapRule = (from: string, to: string): string => {
  if (!RULES.includes(from)) throw new Error(`the rule file has no ${from}`)
  return RULES.replace(from, to)
}

const GOOD: readonly Variant[] = [
  { name: 'as it is' },
  { name: 'the interval by its default', test: swap('evaluation_interval: 1m\n', '') },
  { name: 'a rule file named twice', test: swap('[rules.yaml]', '[rules.yaml, "./rules.yaml"]') },
  { name: 'a pattern', test: swap('[rules.yaml]', '["r*[l-s].yam?"]') },
  { name: 'no tests at all', test: 'rule_files: [rules.yaml]\n' },
  { name: 'an empty file', test: '' },
  { name: 'a case of an alert that no rule has', test: swap('alertname: ManyDown', 'alertname: Nobody') },
  { name: 'numbers where texts stand', test: swap('name: a target that goes away and comes back', 'name: 7') },
  {
    name: 'a series that stands twice',
    test: swap(
      '      - series: up{job="a", instance="a1"}',
      '      - { series: "up{job=\\"a\\", instance=\\"a1\\"}", values: 1x9 }\n      - series: up{job="a", instance="a1"}',
    ),
  },
  {
    name: 'a merged mapping',
    test: swap('exp_labels: { severity: warning, job: a', 'exp_labels: { <<: { job: a }, severity: warning'),
  },
  { name: 'a label without a value in a sample', test: swap('job:up:sum{job="a"}\n', 'job:up:sum{job="a", x=""}\n') },
  {
    name: 'a label without a value in a series',
    test: swap('up{job="a", instance="a2"}', 'up{job="a", instance="a2", x=""}'),
  },
]

const BROKEN: readonly Variant[] = [
  { name: 'a wrong value', test: swap('value: 1\n', 'value: 2\n') },
  { name: 'a wrong last digit', test: swap('0.3333333333333333', '0.33333333333333337') },
  { name: 'a wrong label', test: swap('severity: warning, job: a', 'severity: critical, job: a') },
  { name: 'a label that is not there', test: swap('where: fra-1 }', 'where: fra-1, x: y }') },
  { name: 'a label with an empty value', test: swap('where: fra-1 }', 'where: fra-1, x: "" }') },
  { name: 'a label too few', test: swap(', where: fra-1', '') },
  { name: 'a wrong annotation', test: swap('a1 is down (0)', 'a1 is down') },
  {
    name: 'an annotation too few',
    test: swap(
      '            exp_annotations:\n              summary: a1 is down (0), see https://daytwo.example/alerts\n',
      '',
    ),
  },
  {
    name: 'a missing alert',
    test: swap(
      '        exp_alerts: []\n      - eval_time: 4m30s',
      '        exp_alerts: [{ exp_labels: { severity: warning } }]\n      - eval_time: 4m30s',
    ),
  },
  { name: 'a surplus alert', test: swap('eval_time: 10m', 'eval_time: 4m') },
  {
    name: 'the same alert twice',
    test: swap(
      '          - exp_labels: { severity: warning, job: a, instance: a1, of: a, where: fra-1 }\n',
      '          - &one\n            exp_labels: { severity: warning, job: a, instance: a1, of: a, where: fra-1 }\n',
    ).replace('      - eval_time: 10m', '          - *one\n      - eval_time: 10m'),
  },
  { name: 'an alert one evaluation early', test: swap('eval_time: 4m30s', 'eval_time: 3m59s') },
  { name: 'a sample too few', test: swap('          - labels: job:up:sum{job="a"}\n            value: 1\n', '') },
  {
    name: 'a sample too many',
    test: swap("          - labels: '{}'\n", "          - { labels: x, value: 1 }\n          - labels: '{}'\n"),
  },
  { name: 'another metric name', test: swap('labels: job:up:sum{', 'labels: job:up{') },
  { name: 'labels of a sample that are none', test: swap("labels: '{}'", "labels: '{'") },
  { name: 'labels of a sample with a matcher', test: swap("labels: '{}'", 'labels: x{a=~"b"}') },
  { name: 'a value that is a text', test: swap('value: 1\n', 'value: "1"\n') },
  { name: 'a value that is no number', test: swap('value: 1\n', 'value: one\n') },
  {
    name: 'NaN, which is equal to nothing',
    test: swap('expr: 1 / 3', 'expr: 0 / 0').replace('0.3333333333333333', '.nan'),
  },
  { name: 'an expression that does not parse', test: swap('expr: 1 / 3', 'expr: 1 /') },
  { name: 'an expression that fails', test: swap('expr: 1 / 3', 'expr: up + on () up') },
  { name: 'an expression that is a text', test: swap('expr: 1 / 3', `expr: '"a"'`) },
  { name: 'an expression that is a range', test: swap('expr: 1 / 3', 'expr: up[5m]') },
  { name: 'YAML that ends too early', test: `${TEST}\n  - { name: [` },
  { name: 'YAML with a tab', test: swap('  - name: a target', '\t- name: a target') },
  { name: 'a key that stands twice', test: swap('    interval: 1m\n', '    interval: 1m\n    interval: 1m\n') },
  { name: 'an unknown key of the file', test: `rules: 1\n${TEST}` },
  { name: 'an unknown key of a test', test: swap('    interval: 1m\n', '    interval: 1m\n    intervall: 1m\n') },
  { name: 'an unknown key of a case', test: swap('alertname: ManyDown', 'alert: x\n        alertname: ManyDown') },
  {
    name: 'an unknown key of an alert',
    test: swap('          - exp_labels:', '          - labels: {}\n            exp_labels:'),
  },
  {
    name: 'a list where a mapping stands',
    test: swap('external_labels: { cluster: fra-1 }', 'external_labels: [cluster]'),
  },
  { name: 'a mapping where a list stands', test: swap('rule_files: [rules.yaml]', 'rule_files: { a: rules.yaml }') },
  { name: 'a text where a list stands', test: swap('rule_files: [rules.yaml]', 'rule_files: rules.yaml') },
  { name: 'a duration without a unit', test: swap('eval_time: 4m30s', 'eval_time: 270') },
  { name: 'a duration with a wrong unit', test: swap('evaluation_interval: 1m', 'evaluation_interval: 1min') },
  { name: 'a duration with a blank', test: swap('eval_time: 4m30s', 'eval_time: 4m 30s') },
  { name: 'a negative duration', test: swap('eval_time: 4m30s', 'eval_time: -1m') },
  { name: 'an empty duration', test: swap('eval_time: 4m30s', 'eval_time: ""') },
  { name: 'a value that goes on without an end', test: swap('values: 1x12', 'values: 1+1') },
  { name: 'a repetition that is no number', test: swap('values: 1x12', 'values: 1xa') },
  { name: 'a word among values', test: swap('values: 1x12', 'values: 1 gone 1') },
  { name: 'values with commas', test: swap('values: 1x12', 'values: 1, 1') },
  { name: 'a series without a closing brace', test: swap('instance="a2"}', 'instance="a2"') },
  { name: 'a series with a matcher', test: swap('instance="a2"}', 'instance=~"a2"}') },
  { name: 'a series without quotes', test: swap('instance="a2"}', 'instance=a2}') },
  { name: 'a series with a label twice', test: swap('instance="a2"}', 'instance="a2", job="b"}') },
  { name: 'a series of nothing', test: swap('up{job="a", instance="a2"}', "'{}'") },
  { name: 'a case without an alert', test: swap('        alertname: ManyDown\n', '') },
  { name: 'a group twice in the order', test: swap('[g, h]', '[g, g]') },
  { name: 'a missing rule file, where alerts are expected', test: swap('[rules.yaml]', '[none.yaml]') },
  { name: 'a pattern that is none', test: swap('[rules.yaml]', '["rules[.yaml"]') },
  { name: 'a rule file that is a folder', test: swap('[rules.yaml]', '[.]') },
  { name: 'a rule file that does not parse', rules: swapRule('sum by (job) (up)', 'sum by (job) (up') },
  { name: 'a rule with an unknown key', rules: swapRule('        for: 2m', '        fore: 2m') },
  { name: 'a template that does not parse', rules: swapRule('{{ $value }}', '{{ $value ') },
  {
    name: 'a rule that yields equal labels',
    rules: swapRule('expr: job:up:sum == 0', 'expr: up').replace('{ severity: critical }', '{ instance: "" }'),
  },
  {
    name: 'a rule above its limit',
    rules: swapRule('  - name: g\n', '  - name: g\n    limit: 1\n').replace('sum by (job) (up)', 'up'),
  },
  {
    name: 'another order of groups',
    test: swap('[g, h]', '[h, g]').replace(
      'alertname: ManyDown\n        exp_alerts: []',
      'alertname: ManyDown\n        exp_alerts: []\n      - eval_time: 0m\n        alertname: Down\n        exp_alerts: [{}]',
    ),
  },
]

/** What Prometheus 3 reads and promtool 2.42 does not, and the other way round. */
const DIFFERENT: readonly Variant[] = [
  {
    name: 'fuzzy_compare',
    test: `fuzzy_compare: true\n${swap('0.3333333333333333', '0.33333333333333337')}`,
    differs: 'since 2.54',
  },
  {
    name: 'start_timestamp',
    test: swap('    interval: 1m\n', '    interval: 1m\n    start_timestamp: 2026-08-20T10:00:00Z\n')
      .replace('expr: 1 / 3', 'expr: time() / 3')
      .replace('0.3333333333333333', '595740000'),
    differs: 'since 3',
  },
  {
    name: 'start_timestamp in seconds',
    test: swap('    interval: 1m\n', '    interval: 1m\n    start_timestamp: 1787220000\n')
      .replace('expr: 1 / 3', 'expr: time() / 3')
      .replace('0.3333333333333333', '595740000'),
    differs: 'since 3',
  },
  {
    name: 'a test without an interval',
    test: swap('    interval: 1m\n', ''),
    differs: 'since 2.55: evaluation_interval',
  },
  {
    name: 'a native histogram',
    test: swap(
      'values: 1x12',
      "values: 1x12\n      - series: h\n        values: '{{schema:0 count:3 sum:5 buckets:[1 2]}}+{{count:1 sum:2 buckets:[1]}}x4'",
    )
      .replace('expr: 1 / 3', 'expr: histogram_count(h)')
      .replace('eval_time: 0m', 'eval_time: 2m')
      .replace('0.3333333333333333', '5'),
    differs: 'since 2.46',
  },
  {
    name: 'an expected histogram',
    test: swap('values: 1x12', "values: 1x12\n      - series: h\n        values: '{{count:3 sum:5 buckets:[1 2]}}'")
      .replace('expr: 1 / 3', 'expr: h')
      .replace(
        "labels: '{}'\n            value: 0.3333333333333333",
        "labels: h\n            histogram: '{{count:3 sum:5 buckets:[1 2]}}'",
      ),
    differs: 'since 2.46',
  },
  {
    name: 'a range whose left edge is a sample',
    test: swap('expr: 1 / 3', 'expr: count_over_time(up{instance="a2"}[2m])')
      .replace('eval_time: 0m', 'eval_time: 4m')
      .replace(
        "labels: '{}'\n            value: 0.3333333333333333",
        'labels: \'{job="a", instance="a2"}\'\n            value: 2',
      ),
    differs: 'since 3',
  },
]

let count = 0
/** Our verdict, and that of promtool. */
async function verdicts(
  { test: text = TEST, rules = RULES }: Variant,
  promtool: string,
): Promise<[boolean, boolean, string]> {
  const dir = join(folder.path, String(count++))
  mkdirSync(dir)
  writeFileSync(join(dir, 'rules.yaml'), rules)
  writeFileSync(join(dir, 'test.yaml'), text)
  const loaded = loadRuleTests(join(dir, 'test.yaml'))
  const outcomes = await runRuleTests(loaded)
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const ours = loaded.file !== undefined && failures.length === 0
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', 'test.yaml'], { cwd: dir, encoding: 'utf8' })
  const said = [...loaded.diagnostics, ...failures].map(({ message }) => message).join('; ')
  return [ours, status === 0, `ours: ${said}\npromtool: ${stdout}${stderr}`]
}

describe('the same verdict as promtool', () => {
  test.for(GOOD)('good: $name', async (variant, context) => {
    const [ours, theirs, said] = await verdicts(variant, requirePeer('promtool', context))
    expect([ours, theirs], said).toEqual([true, true])
  })

  test.for(BROKEN)('broken: $name', async (variant, context) => {
    const [ours, theirs, said] = await verdicts(variant, requirePeer('promtool', context))
    expect([ours, theirs], said).toEqual([false, false])
  })

  test.for(DIFFERENT)('only Prometheus 3: $name ($differs)', async (variant, context) => {
    const [ours, theirs, said] = await verdicts(variant, requirePeer('promtool', context))
    expect([ours, theirs], said).toEqual([true, false])
  })

  // promtool's verdict on them stands in test/content/alert-rules.test.ts, and is the same.
  test.for(readdirSync(RULE_TESTS_DIR))('shipped: %s', async (name) => {
    const loaded = loadRuleTests(join(RULE_TESTS_DIR, name))
    const outcomes = await runRuleTests(loaded)
    expect([...loaded.diagnostics, ...outcomes.flatMap(({ failures }) => failures)]).toEqual([])
    expect(outcomes.length).toBeGreaterThan(0)
  })
})

test('the unit tests beside a folder of rules are found, and a folder without any has none', () => {
  expect(ruleTestPaths(join(ROOT, 'alert-rules')).map((path) => path.slice(ROOT.length + 1))).toEqual(
    readdirSync(RULE_TESTS_DIR)
      .sort()
      .map((name) => `alert-rules/tests/${name}`),
  )
  expect(ruleTestPaths(folder.path)).toEqual([])
})
