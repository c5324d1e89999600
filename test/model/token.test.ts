import { expect, test } from 'vitest'
import { clustersOf, rolesOfGroups, type Access, type GroupRole } from '../../src/model/token.ts'

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
  expect(rolesOfGroups(groups, MAPPING)).toEqual(role === undefined ? undefined : { role })
})

test('everybody who signs in has the role of *, and others by their groups', () => {
  const mapping: readonly GroupRole[] = [...MAPPING, { group: '*', role: 'viewer' }]
  expect([rolesOfGroups([], mapping)?.role, rolesOfGroups(['sre'], mapping)?.role]).toEqual(['viewer', 'responder'])
})

const EU = [{ key: 'region', pattern: 'eu' }] as const
const LAB = [{ key: 'cluster', pattern: 'lab-*' }] as const
const SCOPED: readonly GroupRole[] = [
  { group: 'eu', role: 'responder', clusters: EU },
  { group: 'lab', role: 'responder', clusters: LAB },
  { group: 'readers', role: 'viewer' },
  { group: 'admins', role: 'admin', clusters: LAB },
]

test.each<[readonly string[], Access, unknown]>([
  [['eu'], 'viewer', [EU]],
  [['eu'], 'responder', [EU]],
  [['eu', 'lab'], 'responder', [EU, LAB]],
  // All of the fleet is seen, and acted on in a part.
  [['eu', 'readers'], 'viewer', undefined],
  [['eu', 'readers'], 'responder', [EU]],
  [['eu', 'admins'], 'responder', [EU, LAB]],
  [['eu', 'admins'], 'admin', [LAB]],
  [['eu', 'admins'], 'ingest', [LAB]],
  [['eu', 'admins'], 'reporter', [EU, LAB]],
  // A role that allows nothing here gives no cluster.
  [['eu'], 'admin', []],
])('groups %j have the access %s over the union of their clusters', (groups, access, clusters) => {
  expect(clustersOf(rolesOfGroups(groups, SCOPED)!, access)).toEqual(clusters)
})
