import { describe, expect, test } from 'vitest'
import { renderDiagnostic } from '../../src/model/diagnostic.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { requirePeer } from '../support/peers.ts'
import { runPromtool } from './promtool.ts'

/** One file with one group `g`; `rules` are indented by four. */
const group = (rules: string, head = ''): string => `groups:\n- name: g\n${head}  rules:\n${rules}`
const alert = (lines: string): string => group(`  - alert: A\n    expr: up == 0\n${lines}`)

const GOOD: readonly [string, string][] = [
  ['an empty file', ''],
  ['only a comment', '# nothing yet\n'],
  ['no groups', 'groups: []\n'],
  ['groups without a value', 'groups:\n'],
  ['a group without rules', 'groups:\n- name: g\n'],
  ['a recording rule', group('  - record: job:up:sum\n    expr: sum by (job) (up)\n    labels: {a: b}\n')],
  [
    'an alert with everything',
    alert(
      '    for: 1h30m\n    keep_firing_for: 5m\n    labels: {severity: x}\n    annotations: {summary: "{{ $value }}"}\n',
    ),
  ],
  ['durations without a unit when zero', alert('    for: 0\n')],
  ['numbers and booleans as label values', alert('    labels: {a: 1, b: true, c: 1.50, d: null}\n')],
  ['an expression that is a number', group('  - record: one\n    expr: 1\n')],
  ['interval and limit', group('  - record: one\n    expr: 1\n', '  interval: 30s\n  limit: 10\n')],
  [
    'anchors and merges',
    'groups:\n- name: g\n  rules:\n  - alert: A\n    expr: &e up\n    labels: &l {severity: a}\n  - alert: B\n    expr: *e\n    labels:\n      <<: *l\n      team: x\n',
  ],
  ['comments in PromQL', group('  - record: one\n    expr: |\n      # why\n      1 # this\n')],
  [
    'names twice with other severities',
    group('  - {alert: A, expr: up, labels: {severity: a}}\n  - {alert: A, expr: up, labels: {severity: b}}\n'),
  ],
  ['the same group name in another case', 'groups:\n- name: g\n- name: G\n'],
  ['an empty label value', alert('    labels: {a: ""}\n')],
]

/** Name, file, and the findings: the text under the carets and what is said about it. */
const BAD: readonly [string, string, readonly (readonly [string, string])[]][] = [
  ['an unknown key at the top', 'group:\n- name: g\n', [['group', 'unknown key "group" in the rule file']]],
  [
    'an unknown key in a group',
    group('', '  intervall: 1m\n'),
    [['intervall', 'unknown key "intervall" in a rule group']],
  ],
  ['an unknown key in a rule', alert('    fro: 5m\n'), [['fro', 'unknown key "fro" in a rule']]],
  ['a group without a name', 'groups:\n- rules: []\n', [['r', 'a group needs a name']]],
  ['a repeated group name', 'groups:\n- name: g\n- name: g\n', [['g', 'group name "g" is repeated in this file']]],
  [
    'record and alert in one rule',
    group('  - {record: a, alert: b, expr: up}\n'),
    [['alert', 'a rule has either record or alert, not both']],
  ],
  ['neither record nor alert', group('  - expr: up\n'), [['e', 'a rule needs record or alert']]],
  ['no expression', group('  - alert: A\n'), [['A', 'alert A has no expr']]],
  ['an empty expression', group('  - alert: A\n    expr: ""\n'), [['expr', 'alert A has no expr']]],
  ['broken PromQL', group('  - alert: A\n    expr: sum(up\n'), [['\n', 'alert A: unclosed left parenthesis']]],
  [
    'a function that does not exist',
    group('  - alert: A\n    expr: |\n      up\n        and foo(up) > 1\n'),
    [['foo', 'alert A: unknown function with name "foo"']],
  ],
  ['a bad `for`', alert('    for: 5minutes\n'), [['5minutes', 'for "5minutes" is not a duration']]],
  [
    'a bad keep_firing_for',
    alert('    keep_firing_for: 1m1h\n'),
    [['1m1h', 'keep_firing_for "1m1h" is not a duration']],
  ],
  ['a bad interval', group('', '  interval: 5\n'), [['5', 'interval "5" is not a duration']]],
  ['a bad limit', group('', '  limit: many\n'), [['many', 'limit "many" is not a whole number']]],
  [
    'a recording rule with for',
    group('  - {record: a, expr: up, for: 1m}\n'),
    [['for', 'a recording rule has no for']],
  ],
  [
    'a recording rule with keep_firing_for',
    group('  - {record: a, expr: up, keep_firing_for: 1m}\n'),
    [['keep_firing_for', 'a recording rule has no keep_firing_for']],
  ],
  [
    'a recording rule with annotations',
    group('  - {record: a, expr: up, annotations: {a: b}}\n'),
    [['annotations', 'a recording rule has no annotations']],
  ],
  ['a record name that is no metric', group('  - {record: a-b, expr: up}\n'), [['a-b', '"a-b" is not a metric name']]],
  ['a bad label name', alert('    labels: {a-b: x}\n'), [['a-b', 'invalid label name "a-b"']]],
  ['a label __name__', alert('    labels: {__name__: x}\n'), [['__name__', 'invalid label name "__name__"']]],
  ['a bad annotation name', alert('    annotations: {1a: x}\n'), [['1a', 'invalid annotation name "1a"']]],
  [
    'a broken template',
    alert('    annotations: {a: "x {{ $value"}\n'),
    [['{{ $value', 'annotation a of alert A: unclosed action']],
  ],
  [
    'a broken template in a label',
    alert('    labels: {a: "{{ nope }}"}\n'),
    [['nope', 'label a of alert A: function "nope" not defined']],
  ],
  ['labels that are a list', alert('    labels: [a]\n'), [['[a]', 'labels of alert A is a list; want a mapping']]],
  ['a label that is a mapping', alert('    labels: {a: {b: c}}\n'), [['{b: c}', 'label a is a mapping; want a text']]],
  ['groups that are a text', 'groups: many\n', [['many', 'groups is the value "many"; want a list']]],
  ['a rule that is a text', group('  - up == 0\n'), [['up == 0', 'a rule is the value "up == 0"; want a mapping']]],
  ['a file that is a list', '- a\n', [['- a\n', 'the rule file is a list; want a mapping']]],
  [
    'broken YAML',
    'groups: [\n',
    [['', 'Flow sequence in block collection must be sufficiently indented and end with a ]']],
  ],
  ['a repeated key', 'groups: []\ngroups: []\n', [['g', 'Map keys must be unique']]],
]

const errorsOf = (text: string) => {
  const { groups, diagnostics } = loadRuleFiles([{ path: 'r.yaml', text }])
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return { groups, errors }
}

describe('loadRuleFiles', () => {
  test.each(GOOD)('takes %s', (_, text) => {
    expect(errorsOf(text).errors).toEqual([])
  })

  test.each(BAD)('refuses %s, at its place', (_, text, want) => {
    const { groups, errors } = errorsOf(text)
    expect(errors.map(({ from, to, message }) => [text.slice(from, to), message])).toEqual(want)
    expect(groups).toEqual([])
  })

  test('promtool takes and refuses the same files', (context) => {
    const promtool = requirePeer('promtool', context)
    const texts = [...GOOD, ...BAD].map(([, text]) => text)
    const files = Object.fromEntries(texts.map((text, i) => [`r${i}.yaml`, text]))
    const { output } = runPromtool(promtool, files, ['check', 'rules', ...Object.keys(files)])
    // It names each file it checks, and says afterwards whether it likes it.
    const answers = output.split(/^Checking /m).slice(1)
    const taken = answers.map((answer) => answer.includes('SUCCESS') && !answer.includes('FAILED'))
    expect(answers.length, output).toBe(texts.length)
    expect(GOOD.filter((_, i) => !taken[i]!).map(([name]) => name)).toEqual([])
    expect(BAD.filter((_, i) => taken[GOOD.length + i]!).map(([name]) => name)).toEqual([])
  })

  test('a bad file is refused whole, a good one beside it is loaded', () => {
    const good = 'groups:\n- name: one\n  rules:\n  - {record: a, expr: 1}\n'
    const half =
      'groups:\n- name: two\n  rules:\n  - {record: b, expr: 1}\n- name: three\n  rules:\n  - {record: c, expr: (}\n'
    const { groups, diagnostics } = loadRuleFiles([
      { path: 'half.yaml', text: half },
      { path: 'good.yaml', text: good },
    ])
    expect(groups.map(({ file, name }) => [file, name])).toEqual([['good.yaml', 'one']])
    expect(diagnostics.map(({ file }) => file)).toEqual(['half.yaml'])
  })

  test('what a file says arrives', () => {
    const text = `
groups:
- name: g
  interval: 30s
  query_offset: 1m
  limit: 5
  labels: {team: hco, severity: info}
  rules:
  - alert: A
    expr: up == 0
    for: 5m
    keep_firing_for: 1h
    labels: {severity: critical, kubernetes_operator_component: x}
    annotations: {summary: 'it is {{ $value }}'}
  - record: a:b
    expr: sum(up)
  - {alert: A, expr: up == 1, labels: {severity: critical, kubernetes_operator_component: x}}
`
    const { groups } = loadRuleFiles([{ path: 'dir/r.yaml', text }])
    const labels = { team: 'hco', severity: 'critical', kubernetes_operator_component: 'x' }
    expect(groups).toEqual([
      {
        file: 'dir/r.yaml',
        name: 'g',
        intervalMs: 30_000,
        queryOffsetMs: 60_000,
        limit: 5,
        labels: { team: 'hco', severity: 'info' },
        rules: [
          {
            kind: 'alerting',
            name: 'A',
            ruleKey: 'A/critical/x/0',
            expr: 'up == 0',
            forMs: 300_000,
            keepFiringForMs: 3_600_000,
            labels,
            annotations: { summary: 'it is {{ $value }}' },
          },
          {
            kind: 'recording',
            name: 'a:b',
            ruleKey: 'a:b/info//0',
            expr: 'sum(up)',
            labels: { team: 'hco', severity: 'info' },
          },
          {
            kind: 'alerting',
            name: 'A',
            ruleKey: 'A/critical/x/1',
            expr: 'up == 1',
            forMs: 0,
            keepFiringForMs: 0,
            labels,
            annotations: {},
          },
        ],
      },
    ])
  })

  test.each([
    [undefined, 60_000],
    [{ intervalMs: 15_000 }, 15_000],
  ])('a group without an interval has the default (%j)', (options, want) => {
    const { groups } = loadRuleFiles([{ path: 'r', text: 'groups:\n- name: g\n- {name: h, interval: 0s}\n' }], options)
    expect(groups.map(({ intervalMs }) => intervalMs)).toEqual([want, want])
  })

  test('a rule repeated with the same labels is a warning', () => {
    const text = group('  - {alert: A, expr: up, labels: {x: y}}\n  - {alert: A, expr: down, labels: {x: y}}\n')
    const { groups, diagnostics } = loadRuleFiles([{ path: 'r', text }])
    expect(groups).toHaveLength(1)
    expect(diagnostics).toMatchObject([{ severity: 'warning', message: 'A is repeated with the same labels' }])
  })

  test('a second document is refused: Prometheus would not read it', () => {
    expect(errorsOf('groups: []\n---\ngroups: []\n').errors).toMatchObject([
      { message: 'more than one YAML document in the file' },
    ])
  })

  test('a small file with endless aliases is stopped', () => {
    const rules = `[${Array.from({ length: 20 }, () => '*r').join(',')}]`
    const text = `x: &r {record: a, expr: 1}\ngroups:\n- {name: g, rules: ${rules}}\n`
    expect(errorsOf(text).errors[0]!.message).toBe('unknown key "x" in the rule file')
    const long = `groups:\n- name: g\n  rules: [${'1,'.repeat(10_001)}]\n`
    expect(errorsOf(long).errors.map(({ message }) => message)).toEqual([
      'rules of group g has 10001 items; at most 10000 are taken',
    ])
  })
})

describe('carets point into YAML', () => {
  test.each([
    ['plain', '  - alert: A\n    expr: sum(up) + nope(up)\n', 'nope'],
    ['plain over lines', '  - alert: A\n    expr: sum(up)\n      + nope(up)\n', 'nope'],
    ['literal block', '  - alert: A\n    expr: |\n      sum(up)\n        # note\n        + nope(up)\n', 'nope'],
    [
      'literal block with a header comment',
      '  - alert: A\n    expr: |- # why\n      sum(up)\n\n      + nope(up)\n',
      'nope',
    ],
    ['folded block', '  - alert: A\n    expr: >-\n      sum(up)\n      +\n      nope(up)\n', 'nope'],
    ['double quotes with escapes', '  - alert: A\n    expr: "up{a=\\"\\u00e9\\\\\\\\\\"} +\\n nope(up)"\n', 'nope'],
    ['double quotes over lines', '  - alert: A\n    expr: "sum(up)\n      + \\\n      nope(up)"\n', 'nope'],
    ['single quotes', "  - alert: A\n    expr: 'up{a=''b''} + nope(up)'\n", 'nope'],
    ['an alias', '  - alert: B\n    expr: &e nope(up)\n  - alert: A\n    expr: *e\n', 'nope'],
  ])('%s', (_, rules, wanted) => {
    const text = group(rules)
    const { errors } = errorsOf(text)
    expect(errors.length).toBeGreaterThan(0)
    for (const { from, to } of errors) expect(text.slice(from, to)).toBe(wanted)
  })

  test('as a person sees it', () => {
    const text = alert(
      '    annotations:\n      summary: >-\n        Cluster {{ $labels.cluster }}\n        has {{ $vlaue }} of them\n',
    )
    const { errors } = errorsOf(text)
    expect(renderDiagnostic(text, errors[0]!)).toBe(
      [
        'r.yaml:9:16: error: annotation summary of alert A: undefined variable "$vlaue"',
        '   9 |         has {{ $vlaue }} of them',
        '     |                ^^^^^^',
        '     = help: did you mean $value?',
      ].join('\n'),
    )
  })
})
