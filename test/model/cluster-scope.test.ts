import { describe, expect, test } from 'vitest'
import { formatSelectors, parseSelectors, pinnedClusters, selects } from '../../src/model/cluster-scope.ts'
import type { MatchOp } from '../../src/model/matcher.ts'

describe('selectors', () => {
  test.each([
    ['region=eu', [[{ key: 'region', pattern: 'eu' }]]],
    [
      ' region = eu & environment=prod-* , cluster=lab=1',
      [
        [
          { key: 'region', pattern: 'eu' },
          { key: 'environment', pattern: 'prod-*' },
        ],
        [{ key: 'cluster', pattern: 'lab=1' }],
      ],
    ],
  ])('%j', (text, selectors) => {
    expect(parseSelectors(text)).toEqual(selectors)
    expect(parseSelectors(formatSelectors(selectors as never))).toEqual(selectors)
  })

  test.each([
    '',
    'eu',
    'region',
    'region=',
    '=eu',
    'region=eu&',
    'region=eu,',
    'zone=eu',
    'region=eu&zone=1',
    'Region=eu',
  ])('%j is no selector', (text) => {
    expect(parseSelectors(text)).toBeUndefined()
  })

  test('a scope has at most 1000 conditions', () => {
    const selectors = (count: number): string => Array.from({ length: count }, (_, i) => `cluster=c${i}`).join(',')
    expect(parseSelectors(selectors(1000))).toHaveLength(1000)
    expect(parseSelectors(selectors(1001))).toBeUndefined()
  })

  const CLUSTER = { cluster: 'prod-eu-1', region: 'eu', platform: { kind: 'openshift' } } as const
  test.each([
    ['cluster=prod-eu-1', true],
    ['cluster=prod-eu', false],
    ['cluster=rod-eu-1', false],
    ['cluster=prod-*', true],
    ['cluster=*-1', true],
    ['cluster=*eu*', true],
    ['cluster=p*eu*1', true],
    ['cluster=prod*u-1*1', false],
    ['cluster=prod-eu-1*1', false],
    ['cluster=*1*eu*', false],
    ['cluster=*', true],
    ['cluster=**', true],
    ['region=eu', true],
    ['region=us', false],
    ['region=eu&cluster=lab-*', false],
    ['region=us,cluster=prod-*', true],
    ['platform=openshift', true],
    ['platform=kubernetes', false],
    // Nothing matches what is not known.
    ['environment=*', false],
  ])('%s selects: %s', (text, is) => {
    expect(selects(parseSelectors(text)!, CLUSTER)).toBe(is)
  })

  test('a long name against many stars takes no time', () => {
    expect(selects([[{ key: 'cluster', pattern: `${'*a'.repeat(500)}b` }]], { cluster: 'a'.repeat(50_000) })).toBe(
      false,
    )
  })
})

test.each<[string, MatchOp, string, readonly string[] | undefined]>([
  ['cluster', '=', 'a-1', ['a-1']],
  ['cluster', '=~', 'a-1', ['a-1']],
  ['cluster', '=~', 'a-1|a\\.2', ['a-1', 'a.2']],
  ['cluster', '=~', 'a\\-1|b', ['a-1', 'b']],
  ['cluster', '=', '', undefined],
  ['cluster', '=~', '', undefined],
  ['cluster', '=~', 'a|', undefined],
  ['cluster', '=~', 'a.*', undefined],
  ['cluster', '=~', 'a.1', undefined],
  ['cluster', '=~', '(a|b)', undefined],
  ['cluster', '=~', 'a\\d', undefined],
  ['cluster', '!=', 'a', undefined],
  ['cluster', '!~', 'a', undefined],
  ['instance', '=', 'a-1', undefined],
])('a matcher %s%s%j limits to %j', (name, op, value, clusters) => {
  expect(
    pinnedClusters([
      { name: 'alertname', op: '=', value: 'X' },
      { name, op, value },
    ]),
  ).toEqual(clusters)
})
