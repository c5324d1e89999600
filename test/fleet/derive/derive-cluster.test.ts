import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { ObjectFacts } from '../../../src/model/object-facts.ts'
import type { ClusterObservations, MetricRun, ObjectObservation } from '../../../src/model/observation.ts'
import { at, csv, hyperConverged, look, observed, operand, overwritten, run } from './observed.ts'

const record = (observations: ClusterObservations): ClusterRecord => deriveCluster(observations).cluster

const SUBSCRIPTION: ObjectFacts = {
  kind: 'subscriptions',
  package: 'community-kubevirt-hyperconverged',
  channel: 'stable',
  source: 'operatorhub',
  approval: 'Manual',
  state: 'AtLatestKnown',
  installedCsv: 'kubevirt-hyperconverged-operator.v1.16.0',
  conditions: [],
}
const CLUSTER_VERSION: ObjectFacts = {
  kind: 'clusterversions',
  clusterId: '2c0d4e9a',
  channel: 'stable-4.20',
  desiredVersion: '4.20.3',
  history: [{ state: 'Completed', version: '4.19.9', completedMs: at(-1000) }],
  conditions: [],
  availableUpdates: [],
}
const condition = (type: string, status: string, reason = '', lastTransitionMs?: number) => ({
  type,
  status,
  reason,
  message: '',
  ...(lastTransitionMs === undefined ? {} : { lastTransitionMs }),
})
const node = (name: string, kubeletVersion: string, isReady = true): ObjectObservation =>
  look(
    1,
    { kind: 'nodes', isReady, isSchedulable: true, roles: ['worker'], kubeletVersion },
    { name, namespace: '', change: 'added' },
  )

/** One fact, told by objects and by metrics; what each way alone, both and neither make of it. */
interface FactCase {
  readonly fact: string
  readonly of: (record: ClusterRecord) => unknown
  readonly objects: readonly ObjectObservation[]
  readonly metrics: readonly MetricRun[]
  /** By way; `undefined` is unknown. */
  readonly want: { readonly objects: unknown; readonly metrics: unknown; readonly both: unknown }
}

const FACTS: readonly FactCase[] = [
  {
    fact: 'the HCO version',
    of: ({ hcoVersion }) => hcoVersion,
    objects: [look(5, hyperConverged({ operatorVersion: '1.16.0' }))],
    metrics: [run('csv_succeeded', { version: '1.16.0' }, 1, [0, 60])],
    want: { objects: '1.16.0', metrics: '1.16.0', both: '1.16.0' },
  },
  {
    fact: 'operands',
    of: ({ versions }) => (Object.keys(versions).length === 0 ? undefined : versions),
    objects: [
      look(5, operand('kubevirts', { observedVersion: 'v1.7.0' })),
      look(5, operand('cdis', { observedVersion: 'v1.63.0' })),
    ],
    metrics: [run('kubevirt_nodes', { kubeversion: 'v1.7.0' }, 3, [0, 60])],
    want: {
      objects: { cdi: 'v1.63.0', kubevirt: 'v1.7.0' },
      metrics: { kubevirt: 'v1.7.0' },
      both: { cdi: 'v1.63.0', kubevirt: 'v1.7.0' },
    },
  },
  {
    fact: 'channel, approval and package',
    of: ({ subscription }) => subscription,
    objects: [look(5, SUBSCRIPTION)],
    metrics: [
      run(
        'subscription',
        { channel: 'stable', approval: 'Manual', installed: 'kubevirt-hyperconverged-operator.v1.16.0' },
        1,
        [0, 60],
      ),
    ],
    want: {
      objects: {
        package: 'community-kubevirt-hyperconverged',
        channel: 'stable',
        approval: 'Manual',
        source: 'operatorhub',
        state: 'AtLatestKnown',
        installedCsv: 'kubevirt-hyperconverged-operator.v1.16.0',
      },
      metrics: {
        package: '',
        channel: 'stable',
        approval: 'Manual',
        source: '',
        state: '',
        installedCsv: 'kubevirt-hyperconverged-operator.v1.16.0',
      },
      both: expect.objectContaining({ source: 'operatorhub' }),
    },
  },
  {
    fact: 'flavour',
    of: ({ flavour }) => flavour,
    objects: [look(5, SUBSCRIPTION)],
    metrics: [run('csv_succeeded', { version: '4.20.1' }, 1, [0, 60])],
    want: { objects: 'community', metrics: 'openshift', both: 'community' },
  },
  {
    fact: 'the platform',
    of: ({ platform }) => platform,
    objects: [look(5, CLUSTER_VERSION)],
    metrics: [
      run('platform', { type: 'completed', version: '4.19.9' }, at(-1000) / 1000, [0, 60]),
      run('platform', { type: 'desired', version: '4.20.3' }, 1, [0, 60]),
    ],
    want: {
      objects: { kind: 'openshift', version: '4.19.9', target: '4.20.3' },
      metrics: { kind: 'openshift', version: '4.19.9', target: '4.20.3' },
      both: { kind: 'openshift', version: '4.19.9', target: '4.20.3' },
    },
  },
  {
    fact: 'health',
    of: ({ systemHealth }) => systemHealth,
    objects: [look(5, hyperConverged({ systemHealth: 'warning' }))],
    metrics: [run('hco_health', {}, 2, [0, 60])],
    want: { objects: 'warning', metrics: 'error', both: 'warning' },
  },
  {
    fact: 'taint',
    of: ({ isTainted }) => isTainted,
    objects: [look(5, hyperConverged({ conditions: [condition('Available', 'True')] }))],
    metrics: [run('unsafe_modifications', { annotation_name: 'kubevirt.kubevirt.io/jsonpatch' }, 1, [0, 60])],
    want: { objects: false, metrics: true, both: false },
  },
  {
    fact: 'outdated machines',
    of: ({ workloads }) => workloads,
    objects: [look(5, operand('kubevirts', { outdatedWorkloads: 7 }))],
    metrics: [run('outdated_vmis', {}, 6, [0, 60])],
    want: {
      objects: { outdated: 7, atMs: at(5) },
      metrics: { outdated: 6, atMs: at(60) },
      both: { outdated: 7, atMs: at(5) },
    },
  },
]

describe.each(FACTS)('$fact', ({ of, objects, metrics, want }) => {
  test('from objects', () => {
    expect(of(record(observed(objects)))).toEqual(want.objects)
  })
  test('from metrics', () => {
    expect(of(record(observed([], metrics)))).toEqual(want.metrics)
  })
  test('from both: objects say more', () => {
    expect(of(record(observed(objects, metrics)))).toEqual(want.both)
  })
  test('unknown is absent', () => {
    expect(of(record(observed()))).toBeUndefined()
  })
})

describe('what only objects tell', () => {
  test('plain Kubernetes is known by its nodes, and has a version when they agree', () => {
    expect(record(observed([node('a', 'v1.34.1'), node('b', 'v1.34.1', false)])).platform).toEqual({
      kind: 'kubernetes',
      version: 'v1.34.1',
    })
    const mixed = record(observed([node('a', 'v1.34.1'), node('b', 'v1.35.0', false)]))
    expect(mixed.platform).toEqual({ kind: 'kubernetes' })
    expect(mixed.nodes).toEqual({ count: 2, ready: 1, kubeletVersions: ['v1.34.1', 'v1.35.0'] })
  })

  test('a paused pool is told', () => {
    const pool: ObjectFacts = {
      kind: 'machineconfigpools',
      isPaused: true,
      machines: 3,
      updated: 1,
      ready: 3,
      degraded: 0,
      conditions: [],
    }
    expect(record(observed([look(1, pool, { name: 'worker' })])).pools).toEqual([
      { name: 'worker', isPaused: true, machines: 3, updated: 1, degraded: 0 },
    ])
  })

  test('an override of a person stands over what the operator says of being upgradeable', () => {
    const condition_: ObjectFacts = {
      kind: 'operatorconditions',
      conditions: [condition('Upgradeable', 'False', 'KubeVirtProgressing')],
      overrides: [condition('Upgradeable', 'True', 'admin')],
    }
    const { upgradeable } = record(
      observed([
        look(1, SUBSCRIPTION),
        look(1, condition_, { name: 'kubevirt-hyperconverged-operator.v1.16.0' }),
        look(1, hyperConverged({ conditions: [condition('Upgradeable', 'False', 'Hco')] })),
      ]),
    )
    expect(upgradeable).toMatchObject({ status: 'True', reason: 'admin' })
  })

  test('golden images that CDI calls out of date', () => {
    const cron = (name: string, isUpToDate: string) =>
      look(
        1,
        {
          kind: 'dataimportcrons',
          managedDataSource: name,
          conditions: [condition('UpToDate', isUpToDate)],
        },
        { name },
      )
    const { goldenImages } = record(observed([cron('fedora', 'True'), cron('centos', 'False'), cron('rhel', 'True')]))
    expect(goldenImages).toEqual({ crons: 3, outdated: 1 })
  })

  test('that HyperConverged was deleted, or allows no metrics, with the write that set it', () => {
    const recordOf = (...objects: Parameters<typeof observed>[0] & object) => deriveCluster(observed(objects)).cluster
    const off = recordOf(
      look(1, hyperConverged()),
      look(5, hyperConverged({ allowedMetrics: ['none'] })),
      look(9, hyperConverged({ allowedMetrics: ['none'], systemHealth: 'healthy' })),
    )
    expect(off.telemetryOff).toEqual({ sinceMs: at(5) })
    expect(off.hyperConvergedRemovedMs).toBeUndefined()
    for (const allowedMetrics of [undefined, [], ['kubevirt_info'], ['none', 'kubevirt_info']]) {
      const facts = allowedMetrics === undefined ? {} : { allowedMetrics }
      expect(recordOf(look(1, hyperConverged(facts))).telemetryOff).toBeUndefined()
    }
    const removed = recordOf(look(1, hyperConverged()), look(7, hyperConverged(), { change: 'deleted' }))
    expect(removed.hyperConvergedRemovedMs).toBe(at(7))
    expect(removed.telemetryOff).toBeUndefined()
    expect(recordOf(look(1, csv('1.17.0'))).hyperConvergedRemovedMs).toBeUndefined()
  })

  test('what was deleted is not there any more', () => {
    const objects = [
      look(5, hyperConverged({ operatorVersion: '1.16.0', systemHealth: 'healthy' })),
      look(9, hyperConverged({ operatorVersion: '1.16.0', systemHealth: 'healthy' }), { change: 'deleted' }),
    ]
    const { hcoVersion, systemHealth, settings } = record(observed(objects))
    expect([hcoVersion, systemHealth, settings]).toEqual([
      undefined,
      undefined,
      { liveMigration: {}, featureGates: {} },
    ])
  })

  test.each([
    ['1.12.0', ['LongLifecycle'], false, undefined],
    ['1.14.1', ['LongLifecycle'], true, false],
    ['1.14.1', ['KubeVirtRelieveAndMigrate'], false, true],
    ['1.15.0', ['LongLifecycle'], true, true],
    ['1.16.0', ['LongLifecycle'], false, true],
    ['1.16.1', ['LongLifecycle'], false, false],
    ['1.17.0', ['DevKubeVirtRelieveAndMigrate'], false, false],
    ['1.17.0', ['AffinityAndTaints'], false, true],
    ['4.19.0', ['LongLifecycle'], false, true],
    ['4.21.2', ['LongLifecycle'], false, false],
  ])(
    'HCO %s with profiles %j (background eviction %s): misconfigured is %s',
    (version, profiles, inBackground, want) => {
      const { descheduler } = record(
        observed([
          look(1, hyperConverged({ operatorVersion: version })),
          look(1, { kind: 'kubedeschedulers', profiles, evictsInBackground: inBackground }, { name: 'cluster' }),
        ]),
      )
      expect(descheduler).toEqual({ profiles, ...(want === undefined ? {} : { isMisconfigured: want }) })
    },
  )

  test('without the HCO version there is no verdict on the descheduler', () => {
    const { descheduler } = record(
      observed([look(1, { kind: 'kubedeschedulers', profiles: ['x'] }, { name: 'cluster' })]),
    )
    expect(descheduler).toEqual({ profiles: ['x'] })
  })
})

test('coverage says which ways, kinds and times', () => {
  const observations = observed(
    [look(5, hyperConverged()), look(9, csv('1.16.0'))],
    [run('hco_health', {}, 0, [30, 600])],
  )
  expect(record(observations)).toMatchObject({
    firstSeenMs: at(5),
    lastSeenMs: at(600),
    coverage: {
      objects: true,
      metrics: true,
      spans: false,
      objectsLastMs: at(9),
      metricsLastMs: at(600),
      kinds: ['clusterserviceversions', 'hyperconvergeds'],
    },
  })
})

// A cluster's life in which everything that is derived here changes at least once.
const LIFE: ClusterObservations = {
  ...observed(
    [
      look(0, SUBSCRIPTION, { change: 'added' }),
      look(700, { ...SUBSCRIPTION, state: 'UpgradePending', currentCsv: 'kubevirt-hyperconverged-operator.v1.17.0' }),
      look(0, hyperConverged({ operatorVersion: '1.16.0', liveMigration: { b: 1, a: 2 } }), { change: 'added' }),
      look(
        400,
        hyperConverged({
          operatorVersion: '1.16.0',
          jsonPatches: { 'kubevirt.kubevirt.io/jsonpatch': '[{"op":"remove","path":"/spec/x"}]' },
          conditions: [condition('TaintedConfiguration', 'True', 'UnsupportedFeatureAnnotation', at(400))],
        }),
      ),
      look(840, hyperConverged({ operatorVersion: '1.17.0', conditions: [condition('Available', 'True')] })),
      look(10, operand('kubevirts', { observedVersion: 'v1.6.0', outdatedWorkloads: 0 })),
      look(600, operand('kubevirts', { observedVersion: 'v1.7.0', outdatedWorkloads: 9 })),
      look(610, CLUSTER_VERSION),
      look(
        20,
        overwritten('Overwritten KubeVirt kubevirt-kubevirt-hyperconverged', { firstMs: at(19), lastMs: at(19) }),
      ),
      look(
        900,
        overwritten('Overwritten KubeVirt kubevirt-kubevirt-hyperconverged', {
          firstMs: at(19),
          lastMs: at(899),
          count: 3,
        }),
      ),
      node('a', 'v1.34.1'),
      node('b', 'v1.34.1'),
    ],
    [
      run('csv_succeeded', { version: '1.16.0' }, 1, [0, 60], { after: 90 }),
      run('csv_succeeded', { version: '1.17.0' }, 1, [90, 900], { before: 60 }),
      run('hco_health', {}, 0, [0, 400], { after: 430 }),
      run('hco_health', {}, 1, [430, 900], { before: 400 }),
      run('out_of_band', { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }, 1, [30, 890], {
        before: 0,
        after: 900,
      }),
      run('out_of_band', { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }, 3, [900, 990], {
        before: 890,
      }),
      run('platform', { type: 'completed', version: '4.18.1' }, at(-9000) / 1000, [0, 990]),
    ],
    [{ cluster: 'c-1', kind: 'nodes', uid: 'uid-nodes-b', lastSeenMs: at(1), absentMs: at(3700) }],
  ),
}

test('the facts do not depend on the order of arrival, nor on repeats', () => {
  const want = JSON.stringify(deriveCluster(LIFE))
  fc.assert(
    fc.property(
      shuffledWithRepeats(LIFE.objects),
      shuffledWithRepeats(LIFE.metrics),
      shuffledWithRepeats(LIFE.absences),
      (objects, metrics, absences) => {
        expect(JSON.stringify(deriveCluster({ ...LIFE, objects, metrics, absences }))).toBe(want)
      },
    ),
    { numRuns: 200 },
  )
})

test('a repeat that was seen later changes nothing, one that was seen earlier is the better look', () => {
  const [first, ...others] = [look(100, hyperConverged({ operatorVersion: '1.16.0' }))]
  const later = { ...first, observedMs: at(900) }
  const want = JSON.stringify(deriveCluster(observed([first, ...others])).intervals)
  expect(JSON.stringify(deriveCluster(observed([later, first])).intervals)).toBe(want)
  expect(deriveCluster(observed([later])).intervals[0]!.fromMs).toBe(at(900))
})

/** All of them in any order, some of them twice. */
function shuffledWithRepeats<T>(items: readonly T[]): fc.Arbitrary<readonly T[]> {
  return fc
    .subarray([...items])
    .chain((twice) => fc.shuffledSubarray([...items, ...twice], { minLength: items.length + twice.length }))
}
