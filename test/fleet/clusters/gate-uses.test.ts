import fc from 'fast-check'
import { expect, test } from 'vitest'
import { featureGates, gatesNamed, gatesOfPatch, activePatches } from '../../../src/fleet/clusters/gate-uses.ts'
import type { Modification } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const LIST = '/spec/configuration/developerConfiguration/featureGates'
type Operation = NonNullable<Modification['operations']>[number]

test.each<readonly [string, Operation, readonly string[]]>([
  ['one more in a list', { op: 'add', path: `${LIST}/-`, value: 'CPUManager' }, ['CPUManager on']],
  ['at a place of it', { op: 'replace', path: `${LIST}/3`, value: 'NUMA' }, ['NUMA on']],
  ['the whole list', { op: 'add', path: LIST, value: ['A', 7, 'B'] }, ['A on', 'B on']],
  [
    'of named ones',
    { op: 'add', path: LIST, value: [{ name: 'A', enabled: 'False' }, { name: 'B' }] },
    ['A off', 'B on'],
  ],
  ['what surrounds it', { op: 'add', path: '/spec/configuration', value: { x: { featureGates: ['A'] } } }, ['A on']],
  ['those that are off', { op: 'add', path: '/spec/x/disabledFeatureGates/-', value: 'A' }, ['A off']],
  [
    'a field',
    { op: 'replace', path: '/spec/featureGates/deployVmConsoleProxy', value: true },
    ['deployVmConsoleProxy on'],
  ],
  ['a field, off', { op: 'add', path: '/spec/featureGates/a~1b', value: false }, ['a/b off']],
  ['a field that goes', { op: 'remove', path: '/spec/featureGates/a' }, ['a off']],
  ['nobody knows which goes', { op: 'remove', path: `${LIST}/0` }, []],
  ['the list goes', { op: 'remove', path: LIST }, []],
  ['only looked at', { op: 'test', path: `${LIST}/-`, value: 'A' }, []],
  ['no gate', { op: 'add', path: '/spec/x', value: null }, []],
  ['no name', { op: 'add', path: `${LIST}/-`, value: { a: 1 } }, []],
])('a patch of %s', (_what, operation, want) => {
  expect(gatesOfPatch([operation]).map(({ gate, isOn }) => `${gate} ${isOn ? 'on' : 'off'}`)).toEqual(want)
})

test('whatever a patch holds is read without a fault, each gate once', () => {
  const path = fc.oneof(fc.constantFrom(LIST, `${LIST}/-`, '/spec', '', '/spec/featureGates/a/b'), fc.string())
  const operation = fc.record({ op: fc.constantFrom('add', 'replace', 'remove', 'move'), path, value: fc.jsonValue() })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
      const names = gatesOfPatch(operations).map(({ gate }) => gate)
      expect(new Set(names).size).toBe(names.length)
    }),
    { numRuns: 200 },
  )
})

const patch = (cluster: string, gate: string, id = cluster): Modification => ({
  ...{ id, cluster, kind: 'jsonpatch', component: 'kubevirt', count: 1, text: 'patched', startedMs: 1 },
  ...{ operations: [{ op: 'add', path: `${LIST}/-`, value: gate }], isUpgradeMode: false, resolutionSeconds: 1 },
})

test('by gate, in whatever case it is spelled: patches, then on, then off', () => {
  const set = (cluster: string, featureGates: Readonly<Record<string, boolean>>) =>
    emptyRecord(cluster, { hcoVersion: '1.17.0', settings: { apiVersion: 'v1', liveMigration: {}, featureGates } })
  const index = featureGates(
    [set('a', { alignCPUs: false }), set('b', { alignCPUs: true, z: true }), emptyRecord('untold')],
    [patch('untold', 'AlignCPUs')],
  )
  expect(index.telling).toBe(2)
  expect(index.gates.map(({ gate }) => gate)).toEqual(['alignCPUs', 'z'])
  expect(index.gates[0]!.uses).toEqual([
    { cluster: 'untold', gate: 'AlignCPUs', isOn: true, source: 'jsonpatch', component: 'kubevirt', sinceMs: 1 },
    { cluster: 'b', version: '1.17.0', gate: 'alignCPUs', isOn: true, source: 'hyperconverged' },
    { cluster: 'a', version: '1.17.0', gate: 'alignCPUs', isOn: false, source: 'hyperconverged' },
  ])
  expect(gatesNamed(index, 'ALIGNcpus').gates).toHaveLength(1)
  expect(gatesNamed(index, 'align').gates).toEqual([])
})

test('who set a gate, and when, where its write is known', () => {
  const featureGatesWritten = { a: { sinceMs: 5, by: 'argocd' }, other: { sinceMs: 6 } }
  const settings = { apiVersion: 'v1', liveMigration: {}, featureGates: { a: true, b: true }, featureGatesWritten }
  const { gates } = featureGates([emptyRecord('x', { settings })], [{ ...patch('y', 'b'), by: 'kubectl-edit' }])
  expect(gates.map(({ uses }) => uses.map(({ cluster, sinceMs, by }) => [cluster, sinceMs, by]))).toEqual([
    [['x', 5, 'argocd']],
    [
      ['y', 1, 'kubectl-edit'],
      ['x', undefined, undefined],
    ],
  ])
})

test('patches are read to the last portion', async () => {
  const all = Array.from({ length: 2500 }, (_, i) => patch('a', `G${i}`, String(i).padStart(4, '0')))
  const read = await activePatches(({ after, limit }) => {
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after.id) + 1
    return Promise.resolve(all.slice(from, from + limit))
  })
  expect(read.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
})
