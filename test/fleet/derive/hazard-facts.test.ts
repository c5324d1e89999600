import { describe, expect, test } from 'vitest'
import type { ObjectFacts } from '../../../src/model/object-facts.ts'
import type { MetricRun, MetricSignal, ObjectObservation } from '../../../src/model/observation.ts'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { hazardFactsOf } from '../../../src/fleet/derive/hazard-facts.ts'
import { historyAt } from '../../../src/fleet/derive/history-at.ts'
import { at, CLUSTER, hyperConverged, look, operand } from './observed.ts'

function observations(objects: readonly ObjectObservation[], metrics: readonly MetricRun[] = []) {
  return { cluster: CLUSTER, objects, absences: [], metrics, spans: [] }
}

function factsOf(objects: readonly ObjectObservation[], metrics: readonly MetricRun[] = []) {
  return hazardFactsOf(clusterHistory(observations(objects, metrics)))
}

function run(signal: MetricSignal, value: number, labels = {}, seconds = 60): MetricRun {
  return { cluster: CLUSTER, signal, labels, value, firstMs: at(seconds), lastMs: at(seconds + 600) }
}

const node = (kubeletVersion: string, hasKvm?: boolean): ObjectFacts => {
  return {
    kind: 'nodes',
    isReady: true,
    isSchedulable: true,
    roles: [],
    kubeletVersion,
    ...(hasKvm === undefined ? {} : { hasKvm }),
  }
}
const pool = (isPaused: boolean, machines = 3): ObjectFacts => {
  return { kind: 'machineconfigpools', isPaused, machines, updated: 3, ready: 3, degraded: 0, conditions: [] }
}
const vmi = (more: object): ObjectFacts => ({
  kind: 'virtualmachineinstances',
  phase: 'Running',
  isOutdated: false,
  ...more,
})
const migration = (phase: string, reason?: string): ObjectFacts => {
  return {
    kind: 'virtualmachineinstancemigrations',
    vmi: 'db',
    phase,
    cause: 'workload_update',
    phaseTimesMs: {},
    conditions: [],
    ...(reason === undefined ? {} : { failureReason: reason }),
  }
}

describe('facts for hazards', () => {
  test('nothing reported is nothing known', () => {
    expect(factsOf([])).toBeUndefined()
  })

  test('nodes: the oldest kubelet, and how many run VMs; a count of the cluster only without them', () => {
    const nodes = [look(0, node('v1.34.1', true), { name: 'a' }), look(1, node('v1.33.9', false), { name: 'b' })]
    expect(factsOf(nodes, [run('kvm_nodes', 7)])).toMatchObject({
      kubernetesVersion: { value: '1.33.9', ref: 'nodes/kubevirt-hyperconverged/b' },
      kvmNodes: { value: 1, source: 'objects' },
    })
    expect(factsOf([look(0, node('v1.34.1'))], [run('kvm_nodes', 7)])!.kvmNodes).toMatchObject({
      value: 7,
      source: 'metrics',
    })
  })

  test('a pool is paused since it was, and one without nodes pauses nothing', () => {
    const objects = [
      look(0, pool(false), { name: 'w' }),
      look(60, pool(true), { name: 'w' }),
      look(90, pool(true), { name: 'w' }),
    ]
    expect(factsOf(objects)!.pausedPools).toMatchObject({ value: ['w'], sinceMs: at(60) })
    expect(factsOf([look(0, pool(true, 0))])!.pausedPools).toMatchObject({ value: [] })
  })

  test('VMs that cannot be evicted, and why VMs cannot be migrated; the metric only where no VM is reported', () => {
    const vms = [
      look(
        0,
        vmi({ isMigratable: false, notMigratableReason: 'DisksNotLiveMigratable', evictionStrategy: 'LiveMigrate' }),
        { name: 'a' },
      ),
      look(0, vmi({ isMigratable: false, evictionStrategy: 'None' }), { name: 'b' }),
      look(0, vmi({ isMigratable: true, evictionStrategy: 'LiveMigrate' }), { name: 'c' }),
    ]
    expect(factsOf(vms, [run('non_evictable', 9)])).toMatchObject({
      nonEvictable: { value: 1 },
      notMigratable: { value: { DisksNotLiveMigratable: 1, NotMigratable: 1 } },
    })
    expect(factsOf([], [run('non_evictable', 9)])!.nonEvictable).toMatchObject({ value: 9, source: 'metrics' })
  })

  test('the default class for VMs decides, else the default of the cluster', () => {
    const profile = (storageclass: string, more: object) => run('storage_profile', 1, { storageclass, ...more })
    const both = [
      profile('fast', { virtdefault: 'true', rwx: 'true' }),
      profile('slow', { default: 'true', rwx: 'false' }),
    ]
    expect(factsOf([], both)!.rwoClasses).toMatchObject({ value: [] })
    expect(factsOf([], [both[1]!])!.rwoClasses).toMatchObject({ value: ['slow'] })
  })

  test('deprecated machine types and APIs: none of them is known only beside what shows that all were counted', () => {
    expect(
      factsOf([], [run('deprecated_machines', 0), run('deprecated_machines', 2, { machine_type: 'pc' })]),
    ).toMatchObject({
      deprecatedMachineTypes: { value: { pc: 2 } },
    })
    expect(factsOf([], [run('deprecated_machines', 0)])!.deprecatedMachineTypes).toMatchObject({ value: {} })
    expect(factsOf([], [run('kvm_nodes', 3)])!.deprecatedApis).toMatchObject({ value: [] })
    const api = run('deprecated_api', 1, { group: 'kubevirt.io', version: 'v1alpha3', resource: 'virtualmachines' })
    expect(factsOf([], [api])!.deprecatedApis).toMatchObject({ value: ['kubevirt.io/v1alpha3 virtualmachines'] })
  })

  test('a VM whose migrations failed three times in a day, and that was not migrated since', () => {
    const failed = (minute: number) => look(minute * 60, migration('Failed', 'unschedulable'), { name: `m${minute}` })
    const three = [failed(1), failed(10), failed(20)]
    expect(factsOf(three)!.retriedMigrations).toMatchObject({ value: { vms: 1, tries: 3, reason: 'unschedulable' } })
    expect(factsOf(three.slice(1))!.retriedMigrations).toMatchObject({ value: { vms: 0 } })
    const then = look(1800, migration('Succeeded'), { name: 'last' })
    expect(factsOf([...three, then])!.retriedMigrations).toMatchObject({ value: { vms: 0 } })
    // A day later they are over.
    expect(factsOf([...three, look(30 * 3600, node('v1.34.1'))])!.retriedMigrations).toMatchObject({
      value: { vms: 0 },
    })
  })

  test('HyperConverged: who wrote it last besides operators, and settings since when', () => {
    const writes = [
      {
        ...look(0, hyperConverged({ workloadUpdateMethods: ['LiveMigrate'] })),
        manager: { name: 'argocd', operation: 'Update', subresource: '' },
      },
      {
        ...look(60, hyperConverged({ workloadUpdateMethods: [], isInfrastructureHighlyAvailable: false })),
        manager: { name: 'hyperconverged-cluster-operator', operation: 'Update', subresource: '' },
      },
    ]
    expect(factsOf(writes)).toMatchObject({
      hyperConvergedWriter: { value: { manager: 'argocd', apiVersion: 'hco.kubevirt.io/v1beta1' } },
      workloadUpdateMethods: { value: [], sinceMs: at(60) },
      isHighlyAvailable: { value: false },
    })
  })

  test('the platform, the bundle, the operator group, NMState, and what HCO itself counts', () => {
    const subscription: ObjectFacts = {
      ...{
        kind: 'subscriptions',
        package: 'kubevirt-hyperconverged',
        channel: 'stable',
        source: 's',
        approval: 'Manual',
        state: '',
      },
      conditions: [],
    }
    const csv: ObjectFacts = {
      ...{
        kind: 'clusterserviceversions',
        version: '4.20.0',
        skips: [],
        phase: 'Succeeded',
        reason: '',
        message: '',
        history: [],
      },
      maxOpenShiftVersion: '4.21',
    }
    const version: ObjectFacts = {
      ...{
        kind: 'clusterversions',
        clusterId: 'id',
        channel: 'stable',
        desiredVersion: '4.20.0',
        history: [],
        availableUpdates: [],
      },
      conditions: [{ type: 'Upgradeable', status: 'False', reason: 'AdminAckRequired', message: 'm' }],
    }
    const degraded = [{ type: 'Degraded', status: 'True', reason: 'InstallNMState', message: 'operator missing' }]
    const facts = factsOf(
      [
        look(0, subscription, { namespace: 'cnv' }),
        look(0, { kind: 'operatorgroups', upgradeStrategy: 'Default' }, { name: 'other', namespace: 'elsewhere' }),
        look(
          0,
          { kind: 'operatorgroups', upgradeStrategy: 'TechPreviewUnsafeFailForward' },
          { name: 'group', namespace: 'cnv' },
        ),
        look(0, csv, { name: 'kubevirt-hyperconverged-operator.v4.20.0' }),
        look(0, version, { name: 'version', namespace: '' }),
        look(0, operand('networkaddonsconfigs', { conditions: degraded })),
      ],
      [run('nmo_in_use', 2), run('descheduler', 1)],
    )
    expect(facts).toMatchObject({
      operatorGroupStrategy: { value: 'TechPreviewUnsafeFailForward', ref: 'operatorgroups/cnv/group' },
      maxOpenShiftVersion: { value: '4.21' },
      platformUpgradeable: { value: { status: 'False', reason: 'AdminAckRequired' }, ref: 'clusterversions/version' },
      nmstateCondition: { value: 'InstallNMState: operator missing' },
      nodeMaintenances: { value: 2 },
      isDeschedulerMisconfigured: { value: true },
    })
  })
})

describe('a past moment', () => {
  test('has the states and runs of then', () => {
    const objects = [
      look(0, pool(true), { name: 'w' }),
      look(100, pool(false), { name: 'w' }),
      look(150, pool(true), { name: 'late' }),
    ]
    const runs = [{ ...run('kvm_nodes', 1, {}, 0), lastMs: at(90), afterMs: at(120) }, run('kvm_nodes', 5, {}, 120)]
    const history = clusterHistory(observations(objects, runs))
    const then = hazardFactsOf(historyAt(history, at(99)))!
    expect(then).toMatchObject({ pausedPools: { value: ['w'] }, kvmNodes: { value: 1 } })
    expect(hazardFactsOf(historyAt(history, at(200)))).toMatchObject({
      pausedPools: { value: ['late'] },
      kvmNodes: { value: 5 },
    })
    expect(hazardFactsOf(historyAt(history, at(100)))).toMatchObject({ pausedPools: { value: [] } })
    expect(hazardFactsOf(historyAt(history, at(120)))).toMatchObject({ kvmNodes: { value: 5 } })
    expect(hazardFactsOf(historyAt(history, at(-1)))).toBeUndefined()
  })

  test('series that this server records are no sign of the cluster', () => {
    const { cluster } = deriveCluster(observations([], [run('non_evictable', 1)]))
    expect(cluster.coverage).toMatchObject({ metrics: false })
    expect(cluster.hazards!.nonEvictable).toMatchObject({ value: 1 })
  })
})
