import { expect, test } from 'vitest'
import { OwnedLeases, type LeaseUpdate } from '../../src/deployment/owned-leases.ts'
import type { Lease } from '../../src/model/lease.ts'

const lease = (name: string, fence = 1, kind: Lease['kind'] = 'cluster'): Lease => ({ kind, name, fence })
const update = (number: number, more: Partial<LeaseUpdate> = {}): LeaseUpdate => {
  return { number, isWhole: false, gained: [], lost: [], safeUntilMs: 100, ...more }
}

function owned() {
  let nowMs = 0
  const leases = new OwnedLeases(() => nowMs)
  return {
    leases,
    at: (ms: number) => {
      nowMs = ms
    },
  }
}

test('are those of the updates, until the time at which others may take them', () => {
  const { leases, at } = owned()
  expect(leases.apply(update(5, { isWhole: true, gained: [lease('a'), lease('b')] }), ['g'])).toEqual({
    ...{ isUpToDate: true, clusters: [], groups: ['g'] },
  })
  expect(leases.lease('cluster', 'a')).toEqual(lease('a'))
  expect(leases.lease('rules', 'a')).toBeUndefined()
  at(99)
  expect(leases.lease('cluster', 'a')).toBeDefined()
  at(100)
  expect(leases.lease('cluster', 'a')).toBeUndefined()
  leases.apply(update(6, { lost: [lease('a')], gained: [lease('c')], safeUntilMs: 200 }), [])
  expect(['a', 'b', 'c'].map((name) => leases.lease('cluster', name)?.name)).toEqual([undefined, 'b', 'c'])
})

test('an update that follows none of those it has changes nothing, and asks for everything', () => {
  const { leases } = owned()
  leases.apply(update(1, { isWhole: true, gained: [lease('a')] }), [])
  expect(leases.apply(update(3, { gained: [lease('b')], safeUntilMs: 900 }), []).isUpToDate).toBe(false)
  expect(leases.lease('cluster', 'b')).toBeUndefined()
  expect(leases.apply(update(4, { isWhole: true, gained: [lease('b')] }), []).isUpToDate).toBe(true)
  expect(leases.lease('cluster', 'a')).toBeUndefined()
  expect(leases.apply(update(5), []).isUpToDate).toBe(true)
})

test('what is gained is told once, and not what was only kept or lost again', () => {
  const { leases } = owned()
  leases.apply(update(1, { isWhole: true, gained: [lease('a'), lease('b'), lease('g', 1, 'rules')] }), [])
  expect([leases.takeGained('cluster'), leases.takeGained('rules'), leases.takeGained('cluster')]).toEqual([
    ['a', 'b'],
    ['g'],
    [],
  ])
  leases.apply(update(2, { isWhole: true, gained: [lease('a'), lease('b', 2), lease('c')] }), [])
  leases.apply(update(3, { lost: [lease('c')] }), [])
  expect(leases.takeGained('cluster')).toEqual(['b'])
})

test('clusters that nobody derives are told once each, some at a time', () => {
  const { leases } = owned()
  for (let i = 0; i < 7000; i++) leases.note(`c${i}`)
  leases.note('c1')
  const first = leases.apply(update(1), []).clusters
  const second = leases.apply(update(2), []).clusters
  expect([first.length, second.length, leases.apply(update(3), []).clusters]).toEqual([5000, 2000, []])
  expect(new Set([...first, ...second]).size).toBe(7000)
})
