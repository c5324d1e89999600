import { expect, test } from 'vitest'
import { roleOfGroups, type GroupRole } from '../../src/model/token.ts'

const MAPPING: readonly GroupRole[] = [
  { group: 'fleet-admins', role: 'admin' },
  { group: 'sre', role: 'responder' },
  { group: 'sre', role: 'viewer' },
  { group: 'guests', role: 'viewer' },
]

test.each([
  [['sre'], 'responder'],
  [['guests', 'fleet-admins', 'sre'], 'admin'],
  [['guests'], 'viewer'],
  [['SRE', 'sre ', 'fleet'], undefined],
  [['*'], undefined],
  [[], undefined],
])('groups %j give the role %s', (groups, role) => {
  expect(roleOfGroups(groups, MAPPING)).toBe(role)
})

test('everybody who signs in has the role of *, and others by their groups', () => {
  const mapping: readonly GroupRole[] = [...MAPPING, { group: '*', role: 'viewer' }]
  expect([roleOfGroups([], mapping), roleOfGroups(['sre'], mapping)]).toEqual(['viewer', 'responder'])
})
