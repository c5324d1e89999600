import { describe, expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { causesOf } from '../../../src/fleet/stuck/stuck-causes.ts'
import type {
  Condition,
  EventFacts,
  MachineConfigPoolFacts,
  MigrationFacts,
  OperandFacts,
} from '../../../src/model/object-facts.ts'
import type { MetricRun, ObjectObservation } from '../../../src/model/observation.ts'
import type { UpgradeBlock, UpgradeRecord } from '../../../src/model/upgrade.ts'
import {
  T0,
  at,
  condition,
  csvFacts,
  csvName,
  hcoFacts,
  NAMESPACE,
  observations,
  operandFacts,
  run,
  settled,
  sight,
  type Step,
} from './stories.ts'

/** Causes by mechanism, each with two texts: what an operator writes differs from release to release. */

const old = sight(
  { uid: 'a', name: csvName('1.16.0'), rv: 1, seconds: -1000 },
  csvFacts('1.16.0', [['Succeeded', 'InstallSucceeded', -9000]], { createdMs: at(-9100) }),
)
const hco = sight(
  { uid: 'h', name: 'kubevirt-hyperconverged', rv: 2, seconds: -1000 },
  hcoFacts('1.16.0', settled(-8000)),
)

function recordOf(objects: readonly ObjectObservation[], metrics: readonly MetricRun[] = []): UpgradeRecord {
  return deriveUpgrades(observations({ objects: [old, hco, ...objects], metrics })).at(-1)!
}

function blockOf(...objects: readonly ObjectObservation[]): UpgradeBlock | undefined {
  return recordOf(objects).upgrade.blockedBy
}

const csv = (...steps: readonly Step[]): ObjectObservation =>
  sight(
    { uid: 'b', name: csvName('1.17.0'), rv: 3, seconds: 60 },
    csvFacts('1.17.0', steps, { replaces: csvName('1.16.0') }),
  )
const INSTALLED = csv(
  ['Pending', 'RequirementsNotMet', 0],
  ['Installing', 'InstallSucceeded', 10],
  ['Succeeded', 'InstallSucceeded', 50],
)

describe('HCO stops at an operand that it cannot write: there is no HCOUpgrading and no event', () => {
  const failed = (message: string): ObjectObservation => {
    const conditions = [
      condition('ReconcileComplete', 'False', 'ReconcileFailed', `Error while reconciling: ${message}`, 70),
      condition('Progressing', 'Unknown', 'StatusUnknown', 'Unknown Status', 70),
    ]
    const facts = hcoFacts('1.16.0', settled(-8000), { conditions })
    return sight({ uid: 'h', name: 'kubevirt-hyperconverged', rv: 9, seconds: 71 }, facts)
  }
  test.each([
    ['failed calling webhook "validation.ssp.kubevirt.io": no endpoints available', 'Check that the webhook'],
    ['failed calling webhook "kubevirt-validator": x509: certificate signed by unknown authority', 'Renew'],
    ['cdis.cdi.kubevirt.io is forbidden: User cannot patch', 'Correct what the API server refuses'],
  ])('%s', (message, action) => {
    const block = blockOf(INSTALLED, failed(message))
    expect(block).toMatchObject({ cause: 'reconcile_error', sinceMs: at(70) })
    expect(block!.text).toContain(`${message}. ${action}`)
  })
})

describe('KubeVirt reports its own DeploymentFailed', () => {
  const kubevirt = (conditions: readonly Condition[], rv = 10): ObjectObservation => {
    const facts: Partial<OperandFacts> = { targetVersion: 'v1.8.0', observedVersion: 'v1.7.1', conditions }
    return sight({ uid: 'kv', name: 'kubevirt', rv, seconds: 80 }, operandFacts('kubevirts', facts))
  }
  test.each(['unable to create virt-controller: exceeded quota: compute', 'unable to patch virt-api: conflict'])(
    '%s',
    (message) => {
      const block = blockOf(
        INSTALLED,
        kubevirt([condition('Available', 'False', 'DeploymentFailed', `An error occurred: ${message}`, 75)]),
      )
      expect(block).toMatchObject({ cause: 'operand_failing', sinceMs: at(75) })
      expect(block!.text).toContain(message)
    },
  )
  test('UpdateInProgress is normal', () => {
    const degraded = condition('Degraded', 'True', 'UpdateInProgress', 'Transitioning from previous version', 75)
    expect(blockOf(INSTALLED, kubevirt([degraded]))).toBeUndefined()
  })
})

describe('the CSV that is replaced has failed', () => {
  const failedOld = (reason: string): ObjectObservation =>
    sight(
      { uid: 'a', name: csvName('1.16.0'), rv: 8, seconds: 70 },
      csvFacts(
        '1.16.0',
        [
          ['Succeeded', 'InstallSucceeded', -9000],
          ['Failed', reason, -10],
          ['Pending', reason, 20],
          ['Failed', reason, 30],
        ],
        { createdMs: at(-9100) },
      ),
    )
  const waiting = csv(['Pending', 'RequirementsUnknown', 1])
  test.each(['RequirementsNotMet', 'ComponentUnhealthy'])('%s', (reason) => {
    const block = blockOf(failedOld(reason), waiting)
    expect(block).toMatchObject({ cause: 'install_failing', sinceMs: at(1) })
    expect(block!.text).toContain(`The installed CSV ${csvName('1.16.0')} is Failed (${reason})`)
  })
  test('a requirement that the new CSV lacks comes first, and a group that fails forward waits for nothing', () => {
    expect(blockOf(failedOld('ComponentUnhealthy'), csv(['Pending', 'RequirementsNotMet', 1]))?.cause).toBe(
      'requirements_not_met',
    )
    const group = sight(
      { uid: 'og', name: 'group', rv: 7, seconds: 1 },
      { kind: 'operatorgroups', upgradeStrategy: 'TechPreviewUnsafeFailForward' },
    )
    expect(blockOf(failedOld('ComponentUnhealthy'), waiting, group)).toBeUndefined()
    expect(blockOf(waiting)).toBeUndefined()
  })
})

function podEvent(pod: string, reason: string, message: string, second: number, namespace = NAMESPACE) {
  const facts: EventFacts = {
    kind: 'events',
    ...{ type: 'Warning', reason, message, count: 9, firstMs: at(second), lastMs: at(second + 200) },
    ...{ objectKind: 'Pod', objectName: pod, objectNamespace: namespace },
  }
  return sight({ uid: `${pod} ${message}`, name: `${pod}.${second}`, rv: 2000 + second, seconds: second + 200 }, facts)
}

describe('pods of the new CSV do not start, as their events report it', () => {
  const waits = (deployment: string): ObjectObservation => {
    const facts = csvFacts('1.17.0', [
      ['Pending', 'RequirementsNotMet', 0],
      ['Installing', 'InstallWaiting', 10],
      ['Failed', 'InstallCheckFailed', 310],
      ['Installing', 'InstallWaiting', 320],
    ])
    const message = `installing: waiting for deployment ${deployment} to become ready`
    const history = facts.history.map((one) => ({ ...one, message }))
    return sight({ uid: 'b', name: csvName('1.17.0'), rv: 3, seconds: 330 }, { ...facts, history, message })
  }
  test.each([
    ['Failed to pull image "quay.io/m/cdi@sha256:cf7": unauthorized', 'cannot pull image quay.io/m/cdi@sha256:cf7.'],
    ['Back-off pulling image "mirror.local/cdi:v1"', 'cannot pull image mirror.local/cdi:v1.'],
    ['Error: ImagePullBackOff', 'cannot pull its image.'],
    ['Back-off restarting failed container cdi in pod cdi-operator-1', 'crashes.'],
  ])('%s', (message, text) => {
    const reason = message.startsWith('Back-off') ? 'BackOff' : 'Failed'
    const block = blockOf(waits('cdi-operator'), podEvent('cdi-operator-1', reason, message, 20))
    expect(block?.cause).toBe('install_failing')
    expect(block!.text).toContain(`last: InstallCheckFailed. Pod cdi-operator-1 ${text}`)
    expect(block!.evidence[0]).toMatchObject({ text: `pod cdi-operator-1: ${message}` })
  })
  test('pods of other deployments, of other namespaces and from before say nothing', () => {
    const message = 'Back-off pulling image "mirror.local/cdi:v1"'
    const text = blockOf(
      waits('cdi-operator'),
      podEvent('virt-operator-1', 'BackOff', message, 20),
      podEvent('cdi-operator-2', 'BackOff', message, 20, 'other'),
      podEvent('cdi-operator-3', 'BackOff', message, -900),
    )!.text
    expect(text).toBe('CSV 1.17.0 failed once, last: InstallCheckFailed.')
  })
})

describe('a degraded machine config pool', () => {
  const version = sight(
    { uid: 'cv', name: 'version', rv: 5, seconds: 1, namespace: '' },
    {
      ...{ kind: 'clusterversions', clusterId: 'c', channel: 'stable-4.20', desiredVersion: '4.20.1' },
      ...{ conditions: [], availableUpdates: [] },
      history: [
        { state: 'Partial', version: '4.20.1', startedMs: T0 },
        { state: 'Completed', version: '4.19.9', startedMs: at(-90_000), completedMs: at(-80_000) },
      ],
    },
  )
  const pool = (...conditions: readonly Condition[]): ObjectObservation => {
    const facts: MachineConfigPoolFacts = {
      ...{ kind: 'machineconfigpools', isPaused: false, machines: 3, updated: 0, ready: 1, degraded: 2, conditions },
    }
    return sight({ uid: 'mcp', name: 'master', rv: 6, seconds: 4001, namespace: '' }, facts)
  }
  const platform = (...objects: readonly ObjectObservation[]) =>
    deriveUpgrades(observations({ objects: [version, ...objects] }))[0]!.upgrade.blockedBy

  test.each([
    ['NodeDegraded', '2 nodes are reporting degraded status on sync', 'rendered-master-8bd6 not found'],
    ['RenderDegraded', '', 'could not generate rendered MachineConfig'],
  ])('%s', (type, reason, message) => {
    const block = platform(
      pool(condition('Degraded', 'True', '', '', 4000), condition(type, 'True', reason, message, 4000)),
    )
    expect(block).toMatchObject({ cause: 'pool_degraded', sinceMs: at(4000) })
    expect(block!.text).toContain(`Machine config pool master is degraded: ${message}.`)
  })
  test('a failed drain has a cause of its own, and a pool that is not degraded has none', () => {
    const drain = condition('NodeDegraded', 'True', '1 nodes', 'failed to drain node: n1 after 1 hour', 4000)
    expect(platform(pool(drain))?.cause).toBe('node_drain_blocked')
    expect(platform(pool(condition('NodeDegraded', 'False', '', '', 4000)))).toBeUndefined()
  })
})

describe('migrations of the workload update', () => {
  const kubevirt = (seconds: number, more: Partial<OperandFacts>): ObjectObservation =>
    sight({ uid: 'kv', name: 'kubevirt', rv: 10_000 + seconds, seconds }, operandFacts('kubevirts', more))
  const upgraded: readonly ObjectObservation[] = [
    INSTALLED,
    kubevirt(-500, { targetVersion: 'v1.7.1', observedVersion: 'v1.7.1', outdatedWorkloads: 0 }),
    kubevirt(60, { targetVersion: 'v1.8.0', observedVersion: 'v1.7.1', outdatedWorkloads: 0 }),
    kubevirt(300, { targetVersion: 'v1.8.0', observedVersion: 'v1.8.0', outdatedWorkloads: 2 }),
    sight(
      { uid: 'h', name: 'kubevirt-hyperconverged', rv: 20_000, seconds: 310 },
      hcoFacts('1.17.0', settled(309), { workloadUpdateMethods: ['LiveMigrate'] }),
    ),
  ]
  const migration = (i: number, phase: string, second: number, failureReason?: string): ObjectObservation => {
    const facts: MigrationFacts = {
      ...{ kind: 'virtualmachineinstancemigrations', vmi: `vm-${i % 2}`, phase, cause: 'workload_update' },
      phaseTimesMs: { Scheduling: at(second), Running: at(second + 20), [phase]: at(second + 26) },
      ...{ createdMs: at(second), conditions: [], ...(failureReason !== undefined && { failureReason }) },
    }
    return sight({ uid: `m-${i}`, name: `m-${i}`, rv: 30_000 + second, seconds: second + 26, namespace: 'vms' }, facts)
  }
  const causes = (record: UpgradeRecord) => causesOf(record, 'workloads', T0).map(({ cause }) => cause)

  test.each([
    [
      "guest CPU doesn't match specification: extra features: ht",
      "guest CPU doesn't match specification: extra features: ht",
    ],
    ['target pod virt-launcher-a-1x: timed out', 'target pod virt-launcher-b-2y: timed out'],
  ])('fail again and again: %s', (first, second) => {
    const record = recordOf([...upgraded, migration(1, 'Failed', 400, first), migration(2, 'Failed', 900, second)])
    expect(record.upgrade.blockedBy).toMatchObject({ cause: 'migrations_failing', sinceMs: at(426) })
    expect(record.upgrade.blockedBy!.text).toContain(
      `2 migrations of 2 VMs started and failed with the same reason. The reason is: ${second}.`,
    )
    expect(causes(record)).toEqual(['migrations_failing'])
  })
  test('one failure, two different ones and failures before a success are not the cause', () => {
    const [one, two] = [migration(1, 'Failed', 400, 'lost connection'), migration(2, 'Failed', 900, 'aborted by user')]
    expect(recordOf([...upgraded, one]).upgrade.blockedBy).toBeUndefined()
    expect(recordOf([...upgraded, one, two]).upgrade.blockedBy).toBeUndefined()
    const same = migration(3, 'Failed', 500, 'lost connection')
    const block = recordOf([...upgraded, one, same, migration(4, 'Succeeded', 900)]).upgrade.blockedBy
    expect(block?.cause).not.toBe('migrations_failing')
  })
  test('that are in scheduling wait for a node', () => {
    const scheduling = { ...migration(1, 'Scheduling', 400) }
    expect(causes(recordOf([...upgraded, scheduling]))).toEqual(['migrations_pending'])
  })

  const gauge = (signal: MetricRun['signal'], value: number): MetricRun =>
    run(signal, {}, value, { first: -900, last: 4000, before: -930 })
  test('that no gauge counts are no proof of a missing method when HyperConverged has one', () => {
    const gauges = [gauge('migrations_pending', 0), gauge('migrations_running', 0)]
    expect(causes(recordOf(upgraded, gauges))).toEqual(['unknown'])
  })
  test('that the scheduling gauge counts are waiting', () => {
    const gauges = [gauge('migrations_pending', 0), gauge('migrations_running', 0), gauge('migrations_scheduling', 2)]
    const record = recordOf(upgraded, gauges)
    expect(record.detail.workloads?.migrations).toMatchObject({ pending: 2, running: 0 })
    expect(causes(record)).toEqual(['migrations_pending'])
  })
})
