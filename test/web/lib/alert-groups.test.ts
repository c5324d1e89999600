import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertItem } from '../../../src/contract/alerts.ts'
import { explainingLabel, groupableLabels, groupAlerts } from '../../../src/web/lib/alert-groups.ts'
import type { GroupBy } from '../../../src/web/lib/alert-view.ts'
import { alertItem } from './alert-item.ts'

/** `count` alerts; the functions say of each what its name, its cluster and its labels are. */
const many = (
  count: number,
  name: (i: number) => string,
  cluster: (i: number) => string,
  labels: (i: number) => Record<string, string> = () => ({}),
): AlertItem[] =>
  Array.from({ length: count }, (_, i) =>
    alertItem(String(i), { alertname: name(i), cluster: cluster(i), labels: labels(i) }),
  )

const shape = (alerts: readonly AlertItem[], by: GroupBy): unknown =>
  groupAlerts(alerts, by).map((group) => `${group.by}=${group.value}: ${group.alerts.length}`)

describe('by what they share', () => {
  test('a few alerts are not grouped at all', () => {
    const alerts = many(
      8,
      (i) => `A${i % 2}`,
      () => 'c',
    )
    expect(groupAlerts(alerts, 'auto').map(({ by, alerts: own }) => [by, own.length])).toEqual(Array(8).fill(['', 1]))
  })
  test('one alert on many clusters is one group', () => {
    const alerts = many(
      12,
      (i) => `A${i % 2}`,
      (i) => `c${i}`,
    )
    expect(shape(alerts, 'auto')).toEqual(['alertname=A0: 6', 'alertname=A1: 6'])
  })
  test('many alerts of one sick cluster are one group', () => {
    const alerts = many(
      12,
      (i) => `A${i}`,
      (i) => (i === 11 ? 'well' : 'sick'),
    )
    expect(shape(alerts, 'auto')).toEqual(['cluster=sick: 11', 'cluster=well: 1'])
  })
  test('a large group is cut by the label that has the fewest values', () => {
    const alerts = many(
      12,
      () => 'A',
      (i) => `c${i % 6}`,
      (i) => ({ node: `n${i}`, component: i < 8 ? 'virt-handler' : 'virt-api', part_of: 'kubevirt' }),
    )
    const [group] = groupAlerts(alerts, 'alert')
    expect([group?.partsBy, group?.parts.map(({ value, alerts: own }) => [value, own.length])]).toEqual([
      'component',
      [
        ['virt-handler', 8],
        ['virt-api', 4],
      ],
    ])
  })
  test.each([
    [
      'too few alerts',
      many(
        3,
        () => 'A',
        () => 'c',
        (i) => ({ node: `n${i % 2}` }),
      ),
      undefined,
    ],
    [
      'every value but once',
      many(
        6,
        () => 'A',
        () => 'c',
        (i) => ({ vm: `v${i}` }),
      ),
      undefined,
    ],
    [
      'the same everywhere',
      many(
        6,
        () => 'A',
        () => 'c',
        () => ({ node: 'n' }),
      ),
      undefined,
    ],
    [
      'severity is not what they are about',
      many(
        6,
        () => 'A',
        () => 'c',
        (i) => ({ severity: `s${i % 2}` }),
      ),
      undefined,
    ],
    [
      'absent counts as a value',
      many(
        6,
        () => 'A',
        () => 'c',
        (i): Record<string, string> => (i < 3 ? { node: 'n' } : {}),
      ),
      'node',
    ],
    [
      'the cluster goes before a label that says no more',
      many(
        6,
        () => 'A',
        (i) => `c${i % 2}`,
        (i) => ({ zone: `z${i % 2}` }),
      ),
      'cluster',
    ],
  ])('no cut, or the right one: %s', (_what, alerts, want) => {
    expect(explainingLabel(alerts, 'alertname')).toBe(want)
  })
})

test('groups stand in the order of their first alert, and a label that is absent is a group', () => {
  const alerts = [
    alertItem('1', { labels: { node: 'b' } }),
    alertItem('2', { labels: { node: 'a' } }),
    alertItem('3'),
    alertItem('4', { labels: { node: 'b' } }),
  ]
  expect(shape(alerts, 'label:node')).toEqual(['node=b: 2', 'node=a: 1', 'node=: 1'])
})

test('labels to group by are those in which the alerts differ', () => {
  const alerts = [
    alertItem('1', { labels: { node: 'b', severity: 'x', zone: 'z' } }),
    alertItem('2', { labels: { node: 'a', severity: 'y', zone: 'z', vm: 'v' } }),
  ]
  expect(groupableLabels(alerts)).toEqual(['node', 'vm'])
})

test('no alert is lost or shown twice, however they are grouped', () => {
  const alerts = fc
    .array(fc.record({ name: fc.nat(4), cluster: fc.nat(6), node: fc.option(fc.nat(3)) }), { maxLength: 60 })
    .map((rows) =>
      rows.map(({ name, cluster, node }, i) =>
        alertItem(String(i), {
          alertname: `A${name}`,
          cluster: `c${cluster}`,
          labels: node === null ? {} : { node: `n${node}` },
        }),
      ),
    )
  const groupBy = fc.constantFrom<GroupBy>('auto', 'none', 'alert', 'cluster', 'label:node', 'label:nobody')
  fc.assert(
    fc.property(alerts, groupBy, (list, by) => {
      const groups = groupAlerts(list, by)
      const drawn = groups.flatMap((group) => group.parts.flatMap((part) => part.alerts.map((one) => one.fingerprint)))
      expect(drawn.toSorted()).toEqual(list.map((one) => one.fingerprint).toSorted())
      expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length)
    }),
  )
})
