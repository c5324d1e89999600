import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MatcherItem } from '../../../src/contract/silences.ts'
import {
  escapeRegex,
  formatMatchers,
  matchersFault,
  matchersFor,
  parseLabels,
} from '../../../src/web/lib/silence-matchers.ts'
import { alertItem } from './alert-item.ts'

const equal = (name: string, value: string): MatcherItem => ({ name, op: '=', value })

describe('prefilled matchers', () => {
  test('of one alert name what it is about, not how bad it is', () => {
    const alert = alertItem('A', {
      labels: { severity: 'critical', operator_health_impact: 'none', cluster_id: 'c1', node: 'n1', component: 'x' },
    })
    expect(formatMatchers(matchersFor([alert]))).toBe('alertname="A", cluster="c1", component="x", node="n1"')
  })
  test('of several list names and clusters, and keep what all share', () => {
    const alerts = [
      alertItem('A', { cluster: 'c.1', labels: { node: 'n1', zone: 'z' } }),
      alertItem('B', { cluster: 'c2', labels: { node: 'n2', zone: 'z', only: 'B' } }),
    ]
    expect(formatMatchers(matchersFor(alerts))).toBe(String.raw`alertname=~"A|B", cluster=~"c\\.1|c2", zone="z"`)
  })
  test('of too many clusters leave the cluster out', () => {
    const alerts = Array.from({ length: 60 }, (_, i) => alertItem('A', { cluster: `c${i}` }))
    expect(formatMatchers(matchersFor(alerts))).toBe('alertname="A"')
  })
  test('of none are none', () => {
    expect(matchersFor([])).toEqual([])
  })
  test('a value that is taken literally matches itself and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, other) => {
        const pattern = new RegExp(`^(?:${escapeRegex(value)})$`, 'u')
        expect(pattern.test(value)).toBe(true)
        expect(pattern.test(other)).toBe(other === value)
      }),
    )
  })
})

describe('faults', () => {
  test.each<[string, MatcherItem[], RegExp | undefined]>([
    ['none', [], /would match all alerts/],
    ['no name', [equal('', 'x')], /needs a label name/],
    ['a wrong name', [equal('a-b', 'x')], /“a-b” is not a label name/],
    ['only absent labels', [equal('a', ''), { name: 'b', op: '!=', value: 'x' }], /must not match an empty label/],
    [
      'an expression that matches nothing at all',
      [{ name: 'a', op: '=~', value: '.*' }],
      /must not match an empty label/,
    ],
    ['one that needs its label', [equal('a', ''), equal('b', 'x')], undefined],
    ['RE2 that this machine cannot read', [{ name: 'a', op: '=~', value: '(?i)x' }], undefined],
  ])('%s', (_what, matchers, want) => {
    if (want === undefined) expect(matchersFault(matchers)).toBeUndefined()
    else expect(matchersFault(matchers)).toMatch(want)
  })
})

describe('labels as text', () => {
  test.each<[string, Record<string, string> | undefined]>([
    ['', {}],
    ['severity="critical", cluster=prod-1', { severity: 'critical', cluster: 'prod-1' }],
    [String.raw`{a="b\"c\n"}`, { a: 'b"c\n' }],
    ['a=1\nb=2', { a: '1', b: '2' }],
    ['a', undefined],
    ['a=~"b"', undefined],
    ['a="b', undefined],
    ['1a=b', undefined],
  ])('%j', (text, want) => {
    expect(parseLabels(text)).toEqual(want)
  })
  test('labels written as matchers are read back', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/)
    const value = fc.stringMatching(/^[ -~]*$/)
    fc.assert(
      fc.property(fc.dictionary(name, value), (labels) => {
        const text = formatMatchers(Object.entries(labels).map(([key, one]) => equal(key, one)))
        expect(parseLabels(text)).toEqual({ ...labels })
      }),
    )
  })
})
