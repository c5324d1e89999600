import { describe, expect, test } from 'vitest'
import type { PrometheusRuleGroup } from '../../../src/contract/prometheus.ts'
import {
  evaluatedAtMs,
  formatSeconds,
  listRules,
  rulesOf,
  shortFile,
  type RuleListState,
} from '../../../src/web/lib/rule-list.ts'

type Rule = PrometheusRuleGroup['rules'][number]
type Alerting = Extract<Rule, { type: 'alerting' }>

const alerting = (name: string, part: Partial<Alerting> = {}): Rule => ({
  type: 'alerting',
  name,
  query: 'up == 0',
  labels: {},
  health: 'ok',
  evaluationTime: 0,
  lastEvaluation: '2026-11-04T00:00:00Z',
  state: 'inactive',
  duration: 0,
  keepFiringFor: 0,
  annotations: {},
  alerts: [],
  ...part,
})
const alert = (state: 'pending' | 'firing'): Alerting['alerts'][number] => ({
  labels: {},
  annotations: {},
  state,
  activeAt: '',
  value: '1',
})
const group = (name: string, rules: Rule[]): PrometheusRuleGroup => ({
  name,
  file: `${name}.yaml`,
  interval: 30,
  limit: 0,
  evaluationTime: 0,
  lastEvaluation: '',
  rules,
})

const GROUPS = [
  group('one', [
    alerting('Quiet'),
    alerting('Broken', { health: 'err', query: 'a / b' }),
    alerting('Waits', { state: 'pending', alerts: [alert('pending')] }),
  ]),
  group('two', [
    alerting('Fires', { state: 'firing', alerts: [alert('firing'), alert('pending')] }),
    alerting('Quiet'),
    { type: 'recording', name: 'r:x', query: 'x', labels: {}, health: 'ok', evaluationTime: 0, lastEvaluation: '' },
  ]),
]

describe('the list', () => {
  test.each<[string, string, RuleListState, string[]]>([
    [
      'broken first, then what fires, waits, is quiet, records',
      '',
      'all',
      ['Broken', 'Fires', 'Waits', 'Quiet', 'Quiet', 'r:x'],
    ],
    ['by a part of an expression', 'A / B', 'all', ['Broken']],
    ['by file', 'TWO.yaml', 'all', ['Fires', 'Quiet', 'r:x']],
    ['broken', '', 'err', ['Broken']],
    ['with alerts that wait', '', 'pending', ['Fires', 'Waits']],
    ['recording', '', 'recording', ['r:x']],
  ])('%s', (_what, text, state, want) => {
    expect(listRules(GROUPS, { text, state }).map(({ name }) => name)).toEqual(want)
  })
})

test('rules of one name, of all groups or of one', () => {
  expect(rulesOf(GROUPS, 'Quiet', '').map((rule) => rule.group.name)).toEqual(['one', 'two'])
  expect(rulesOf(GROUPS, 'Quiet', 'two').map((rule) => rule.group.name)).toEqual(['two'])
  expect(rulesOf(GROUPS, 'Nobody', '')).toEqual([])
})

test.each([
  ['2026-11-04T00:00:00Z', Date.UTC(2026, 10, 4)],
  ['0001-01-01T00:00:00Z', undefined],
  ['', undefined],
])('evaluated at %s', (text, want) => {
  expect(evaluatedAtMs(text)).toBe(want)
})

test.each([
  [0, '0 ms'],
  [0.00123, '1.2 ms'],
  [2.345, '2.3 s'],
])('%d s takes %s', (seconds, want) => {
  expect(formatSeconds(seconds)).toBe(want)
})

test.each([
  [
    ['/etc/rules/cdi.yaml', '/etc/rules/hco.yaml'],
    ['cdi.yaml', 'hco.yaml'],
  ],
  [
    ['/etc/rules/cdi.yaml', '/etc/own/cdi.yaml'],
    ['rules/cdi.yaml', 'own/cdi.yaml'],
  ],
  [
    ['/etc/rules/cdi.yaml', '/etc/rules/own/cdi.yaml'],
    ['cdi.yaml', 'own/cdi.yaml'],
  ],
  [
    ['/etc/rules/cdi.yaml', '/etc/rules/cdi.yaml'],
    ['cdi.yaml', 'cdi.yaml'],
  ],
  [['cdi.yaml'], ['cdi.yaml']],
])('files %j are told apart as %j', (files, short) => {
  const groups = files.map((file, i): PrometheusRuleGroup => ({ ...GROUPS[0]!, name: `group-${i}`, file }))
  expect(files.map((file) => shortFile(file, groups))).toEqual(short)
})
