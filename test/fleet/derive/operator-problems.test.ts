import { describe, expect, test } from 'vitest'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ClusterState } from '../../../src/model/cluster-record.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { DaemonSetFacts } from '../../../src/model/object-facts.ts'
import type { MetricRun, ObjectObservation } from '../../../src/model/observation.ts'
import {
  at,
  CLUSTER,
  condition,
  csvFacts,
  csvName,
  CSV_UID,
  goldenUpgrade,
  hcoFacts,
  observations,
  run,
  settled,
  sight,
  type Step,
} from './stories.ts'

const DAY = 86_400

function derived(objects: readonly ObjectObservation[], metrics: readonly MetricRun[] = []): ClusterFacts {
  const facts = deriveCluster(observations({ objects, metrics }))
  const again = observations({ objects: [...objects, ...objects].toReversed(), metrics: metrics.toReversed() })
  expect(deriveCluster(again)).toEqual(facts)
  return facts
}

function statesAt(facts: ClusterFacts, second: number): readonly ClusterState[] {
  const index = createFleetIndex()
  index.put(facts)
  index.markSeen(CLUSTER, { objectsMs: at(second), metricsMs: at(second) })
  return index.cluster(CLUSTER, at(second))!.states
}

/** The installed CSV, on its way from an upgrade that ended days ago. */
function installed(rv: number, second: number, later: readonly Step[]): ObjectObservation {
  return sight({ uid: CSV_UID, name: csvName('1.17.0'), rv, seconds: second }, csvFacts('1.17.0', later))
}

const LOOP: readonly Step[] = [
  ['Failed', 'ComponentUnhealthy', 4 * DAY],
  ['Pending', 'NeedsReinstall', 4 * DAY + 2],
  ['Installing', 'InstallWaiting', 4 * DAY + 20],
  ['Failed', 'InstallCheckFailed', 4 * DAY + 320],
  ['Pending', 'NeedsReinstall', 4 * DAY + 322],
]

describe('the installed CSV', () => {
  const loop = [...goldenUpgrade(), installed(3000, 4 * DAY + 322, LOOP)]

  test('that loops days after its upgrade makes the cluster unhealthy, and no upgrade', () => {
    const facts = derived(loop)
    expect(facts.upgrades.map(({ upgrade }) => [upgrade.to, upgrade.state])).toEqual([['1.17.0', 'succeeded']])
    expect(facts.cluster.problems).toMatchObject([{ cause: 'csv_unhealthy', sinceMs: at(4 * DAY) }])
    expect(facts.cluster.problems![0]!.text).toMatch(/1\.17\.0 was installed and is now Pending .*2 failures/)
    expect(facts.cluster.problems![0]!.evidence.map(({ text }) => text)).toEqual([
      'CSV is Failed (ComponentUnhealthy)',
      'CSV is Failed (InstallCheckFailed)',
    ])
    expect(statesAt(facts, 4 * DAY + 60)).toEqual(['steady'])
    expect(statesAt(facts, 4 * DAY + 400)).toEqual(['unhealthy'])
  })

  test('that is Succeeded again is steady', () => {
    const steps: readonly Step[] = [...LOOP, ['Succeeded', 'InstallSucceeded', 4 * DAY + 400]]
    const facts = derived([...loop, installed(3001, 4 * DAY + 400, steps)])
    expect(facts.cluster.problems).toBeUndefined()
    expect(statesAt(facts, 5 * DAY)).toEqual(['steady'])
  })

  test('of which only metrics report', () => {
    const metrics = [
      run('csv_succeeded', { version: '1.17.0' }, 1, { first: 0, last: 4 * DAY, after: 4 * DAY + 30 }),
      run('csv_succeeded', { version: '1.17.0' }, 0, { before: 4 * DAY, first: 4 * DAY + 30, last: 4 * DAY + 900 }),
      run('csv_abnormal', { version: '1.17.0', phase: 'Installing', reason: 'InstallWaiting' }, 1, {
        before: 4 * DAY,
        first: 4 * DAY + 30,
        last: 4 * DAY + 900,
      }),
    ]
    const facts = derived([], metrics)
    expect(facts.cluster.problems).toMatchObject([{ cause: 'csv_unhealthy', sinceMs: at(4 * DAY + 30) }])
    expect(statesAt(facts, 4 * DAY + 900)).toEqual(['unhealthy'])
  })

  test('that another one replaces is not unhealthy', () => {
    const metrics = [
      run('csv_succeeded', { version: '1.17.0' }, 1, { first: 0, last: DAY, after: DAY + 30 }),
      run('csv_succeeded', { version: '1.17.0' }, 0, { before: DAY, first: DAY + 30, last: DAY + 900 }),
      run('csv_succeeded', { version: '1.18.0' }, 0, { before: DAY, first: DAY + 30, last: DAY + 900 }),
      run('csv_abnormal', { version: '1.17.0', phase: 'Replacing', reason: 'BeingReplaced' }, 1, {
        before: DAY,
        first: DAY + 30,
        last: DAY + 900,
      }),
    ]
    expect(derived([], metrics).cluster.problems).toBeUndefined()
    const replaced = installed(3000, DAY, [['Replacing', 'BeingReplaced', DAY]])
    expect(derived([...goldenUpgrade(), replaced]).cluster.problems).toBeUndefined()
  })
})

test.each([
  ['Degraded', 'True', 'CDIDegraded', 'the importer cannot be deployed'],
  ['Available', 'False', 'SSPNotAvailable', 'template validator has no ready pod'],
])('HyperConverged with %s=%s is not steady after minutes', (type, status, reason, message) => {
  const bad = condition(type, status, reason, message, DAY)
  const facts = derived([
    ...goldenUpgrade(),
    sight(
      { uid: '22222222-2222-4333-8444-555555555555', name: 'kubevirt-hyperconverged', rv: 2003, seconds: DAY },
      hcoFacts('1.17.0', settled(840), { conditions: [settled(840), bad] }),
    ),
  ])
  expect(facts.cluster.problems).toMatchObject([{ cause: 'hyperconverged_unhealthy', sinceMs: at(DAY) }])
  expect(facts.cluster.problems![0]!.evidence[0]!.text).toContain(message)
  expect([statesAt(facts, DAY + 100), statesAt(facts, DAY + 400)]).toEqual([['steady'], ['unhealthy']])
})

describe('virt-handler', () => {
  const daemonSet = (rv: number, seconds: number, more: Partial<DaemonSetFacts>): ObjectObservation =>
    sight(
      { uid: 'ds', name: 'virt-handler', rv, seconds },
      { kind: 'daemonsets', desired: 6, current: 6, updated: 6, ready: 6, available: 6, generation: 4, ...more },
    )
  const before = [...goldenUpgrade(), daemonSet(4000, 0, {})]

  test('of a redeployment of the same version that hangs on the canary', () => {
    const facts = derived([...before, daemonSet(4001, DAY, { updated: 1, ready: 5, generation: 5 })])
    expect(facts.upgrades).toHaveLength(1)
    expect(facts.cluster.problems).toMatchObject([{ cause: 'virt_handler_outdated', sinceMs: at(DAY) }])
    expect(statesAt(facts, DAY + 600)).toEqual(['steady'])
    expect(statesAt(facts, DAY + 1200)).toEqual(['unhealthy'])
  })

  test('that stays old on one node, although HyperConverged reports the end', () => {
    const facts = derived([
      ...before,
      daemonSet(4001, 100, { updated: 1, ready: 5, generation: 5 }),
      daemonSet(4002, 400, { updated: 5, ready: 5, generation: 5 }),
    ])
    expect(facts.upgrades[0]!.upgrade.state).toBe('succeeded')
    expect(facts.cluster.problems).toMatchObject([{ cause: 'virt_handler_outdated', sinceMs: at(400) }])
    expect(facts.cluster.problems![0]!.text).toContain('5 of 6 nodes')
    expect(statesAt(facts, 400 + 1200)).toEqual(['unhealthy'])
  })

  test('that is rolled out, and a node that is new since', () => {
    const facts = derived([
      ...before,
      daemonSet(4001, 100, { updated: 1, ready: 5, generation: 5 }),
      daemonSet(4002, 400, { generation: 5 }),
      daemonSet(4003, DAY, { desired: 7, ready: 6, generation: 5 }),
    ])
    expect(facts.cluster.problems).toBeUndefined()
  })
})
