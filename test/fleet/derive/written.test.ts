import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveRecord } from '../../../src/fleet/derive/cluster.ts'
import { deriveModifications } from '../../../src/fleet/derive/modifications.ts'
import { writeOf } from '../../../src/fleet/derive/written.ts'
import type { HyperConvergedFacts } from '../../../src/model/object-facts.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { at, hyperConverged, look, observed, T0 } from './observed.ts'

type Gates = Readonly<Record<string, boolean>>

/** HyperConverged with these gates, as a manager wrote it. */
function wrote(seconds: number, featureGates: Gates, manager = '', createdSeconds?: number): ObjectObservation {
  const facts = hyperConverged({
    featureGates,
    ...(createdSeconds === undefined ? {} : { createdMs: at(createdSeconds) }),
  })
  const [name = '', subresource = ''] = manager.split('/')
  return { ...look(seconds, facts), ...(name === '' ? {} : { manager: { name, operation: 'Update', subresource } }) }
}

/** `a kubectl-edit 60`, times in seconds. */
function shown(observations: readonly ObjectObservation[]): readonly string[] {
  const { settings } = deriveRecord(clusterHistory(observed(observations)), [])
  return Object.entries(settings.featureGatesWritten ?? {}).map(
    ([gate, { sinceMs = 0, by = '?' }]) => `${gate} ${by} ${(sinceMs - T0) / 1000}`,
  )
}

test.each<readonly [string, readonly ObjectObservation[], readonly string[]]>([
  ['no object', [], []],
  ['a gate before the history began', [wrote(600, { a: true }, 'kubectl-edit', 0)], []],
  ['one set when the object was created', [wrote(30, { a: true }, 'argocd', 0)], ['a argocd 30']],
  ['the write that set it', [wrote(30, {}), wrote(60, { a: true }, 'kubectl-edit')], ['a kubectl-edit 60']],
  [
    'later writes of other parts do not count',
    [wrote(30, {}), wrote(60, { a: true }, 'kubectl-edit'), wrote(90, { a: true, b: false }, 'argocd')],
    ['a kubectl-edit 60', 'b argocd 90'],
  ],
  [
    'the last change of its value counts',
    [wrote(30, {}), wrote(60, { a: true }, 'kubectl-edit'), wrote(90, { a: false }, 'argocd')],
    ['a argocd 90'],
  ],
  [
    'one that was removed and set again',
    [wrote(30, { a: true }), wrote(60, {}, 'argocd'), wrote(90, { a: true }, 'helm')],
    ['a helm 90'],
  ],
  ['a manager that is not reported', [wrote(30, {}), wrote(60, { a: true })], ['a ? 60']],
  ['a write of the status has other authors', [wrote(30, {}), wrote(60, { a: true }, 'hco/status')], ['a ? 60']],
  ['names of objects in JavaScript', [wrote(30, {}), wrote(60, { constructor: true }, 'x')], ['constructor x 60']],
])('%s', (_what, observations, want) => {
  expect(shown(observations)).toEqual(want)
})

test('nobody wrote the state that etcd was restored to', () => {
  const state = { facts: hyperConverged(), seenMs: at(1), atMs: at(1), isWatched: false, manager: 'kubectl-edit' }
  expect(writeOf(state)).toEqual({ sinceMs: at(1), by: 'kubectl-edit' })
  expect(writeOf({ ...state, isRestored: true })).toEqual({ sinceMs: at(1) })
})

test('who wrote a JSON patch is known when its write was seen', () => {
  const patch = JSON.stringify([{ op: 'add', path: '/spec/x', value: 1 }])
  const jsonPatches = { 'kubevirt.kubevirt.io/jsonpatch': patch }
  const manager = { name: 'kubectl-annotate', operation: 'Update', subresource: '' }
  const written = { ...look(60, hyperConverged({ jsonPatches })), manager }
  const by = (objects: readonly ObjectObservation[]) =>
    deriveModifications(clusterHistory(observed(objects)), []).map((modification) => modification.by)
  expect(by([look(30, hyperConverged()), written])).toEqual(['kubectl-annotate'])
  expect(by([written])).toEqual([undefined])
})

/** HyperConverged with these settings, as a manager wrote it. */
function set(seconds: number, facts: Partial<HyperConvergedFacts>, name: string): ObjectObservation {
  return { ...look(seconds, hyperConverged(facts)), manager: { name, operation: 'Update', subresource: '' } }
}

test('who wrote each other setting, and who removed one', () => {
  const { settings } = deriveRecord(
    clusterHistory(
      observed([
        set(30, { evictionStrategy: 'LiveMigrate', liveMigration: { progressTimeout: 150 } }, 'installer'),
        set(60, { liveMigration: { progressTimeout: 300 }, workloadUpdateMethods: [] }, 'kubectl-edit'),
        set(
          90,
          { ...{ liveMigration: { progressTimeout: 300 }, workloadUpdateMethods: [] }, batchEvictionSize: 5 },
          'x',
        ),
        set(
          99,
          {
            ...{ liveMigration: { progressTimeout: 300 }, workloadUpdateMethods: [], batchEvictionSize: 5 },
            others: { defaultCPUModel: 'Haswell' },
          },
          'y',
        ),
      ]),
    ),
    [],
  )
  const written = Object.entries(settings.written ?? {}).map(([name, { sinceMs = 0, by }]) => [
    name,
    by,
    (sinceMs - T0) / 1000,
  ])
  expect(written).toEqual([
    ['batchEvictionSize', 'x', 90],
    ['defaultCPUModel', 'y', 99],
    ['evictionStrategy', 'kubectl-edit', 60],
    ['liveMigration.progressTimeout', 'kubectl-edit', 60],
    ['workloadUpdateMethods', 'kubectl-edit', 60],
  ])
  expect(settings.others).toEqual({ batchEvictionSize: 5, defaultCPUModel: 'Haswell' })
})

/** A storage class as a manager wrote it. */
function storageClass(seconds: number, name: string, isDefault: boolean, isVirtDefault: boolean): ObjectObservation {
  const facts = { kind: 'storageclasses', provisioner: 'p', isDefault, isVirtDefault } as const
  return {
    ...look(seconds, facts, { name, uid: name }),
    manager: { name: 'kubectl-patch', operation: 'Update', subresource: '' },
  }
}

test('the default storage classes, and who made them the defaults; without any class they are unknown', () => {
  const of = (...objects: readonly ObjectObservation[]) => deriveRecord(clusterHistory(observed(objects)), []).settings
  expect(of().storage).toBeUndefined()
  const settings = of(
    storageClass(30, 'slow', false, false),
    storageClass(31, 'fast', false, false),
    storageClass(60, 'slow', true, false),
  )
  expect(settings.storage).toEqual({ default: 'slow', virtDefault: '' })
  expect(settings.written).toEqual({ defaultStorageClass: { sinceMs: at(60), by: 'kubectl-patch' } })
})

test('clients of an API, and VMs by machine type', () => {
  const vmi = (uid: string, machineType?: string) =>
    look(
      30,
      {
        ...({ kind: 'virtualmachineinstances', phase: 'Running', isOutdated: false } as const),
        ...(machineType === undefined ? {} : { machineType }),
      },
      { name: uid, uid },
    )
  const count = (name: string, clients: readonly string[]) =>
    look(30, { kind: 'apirequestcounts', clients, removedIn: '1.36' }, { name, uid: name })
  const { machineTypes, apiClients } = deriveRecord(
    clusterHistory(
      observed([vmi('a', 'q35'), vmi('b', 'q35'), vmi('c'), count('x.v1.y', ['z']), count('idle.v1.y', [])]),
    ),
    [],
  )
  expect(machineTypes).toEqual({ q35: 2 })
  expect(apiClients).toEqual([{ api: 'x.v1.y', removedIn: '1.36', clients: ['z'] }])
})
