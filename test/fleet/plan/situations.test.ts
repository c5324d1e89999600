import { describe, expect, test } from 'vitest'
import type { EdgeRun } from '../../../src/fleet/edges/edges.ts'
import { planFleet } from '../../../src/fleet/plan/fleet-plan.ts'
import { withImported } from '../../../src/fleet/plan/imported-graph.ts'
import { weeklyWindowOf, windowSpans } from '../../../src/fleet/plan/maintenance-windows.ts'
import { HORIZON_MS } from '../../../src/fleet/plan/schedule.ts'
import { timeZoneOf } from '../../../src/fleet/plan/time-zone.ts'
import type { UpdateGraph } from '../../../src/model/update-graph.ts'
import type { ClusterPlan, FleetPlan } from '../../../src/model/plan.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { presentBlockers } from '../../../src/fleet/plan/blockers.ts'
import { planCluster } from '../../../src/fleet/plan/cluster-plan.ts'
import { planClusterOf } from '../../../src/fleet/plan/plan-cluster.ts'
import { graphOfReleases } from '../../../src/fleet/plan/plan-graph.ts'
import { createStepDurations } from '../../../src/fleet/plan/step-durations.ts'
import { targetOf } from '../../../src/fleet/plan/target.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { community, NOW_MS, openshift, pools, viewOf } from './clusters.ts'

/** What the fleet of these tests runs besides the cluster of a plan. */
const SEEN = {
  hco: ['4.16.0', '4.16.4', '4.17.0', '4.17.5', '4.18.0', '4.18.2'],
  openshift: ['4.16.3', '4.17.9', '4.18.6', '4.18.2'],
}

const GRAPH = graphOfReleases(RELEASES, SEEN)

function planOf(record: ClusterRecord, target: string, graph = GRAPH): ClusterPlan {
  const context = {
    ...{ target: targetOf(target)!, graph, durations: createStepDurations([]), blockers: presentBlockers },
  }
  return planCluster(planClusterOf(viewOf(record), NOW_MS), context).toPlan()
}

const stepsOf = ({ steps }: ClusterPlan): string[] =>
  steps.map(({ title, state }) => (state === 'todo' ? title : `[${state}] ${title}`))
const blockersOf = ({ blockers }: ClusterPlan): string[] => blockers.map(({ name, severity }) => `${severity} ${name}`)

const EUS_STEPS = [
  'Pause the worker pools worker',
  'Save the workload update methods and set them to []',
  'Upgrade OpenShift Virtualization 4.16.0 to 4.16.4',
  'Upgrade OpenShift 4.16.3 to 4.17.9',
  'Upgrade OpenShift Virtualization 4.16.4 to 4.17.5',
  'Upgrade OpenShift 4.17.9 to 4.18.6',
  'Upgrade OpenShift Virtualization 4.17.5 to 4.18.2',
  'Restore the workload update methods: ["LiveMigrate"]',
  'Unpause the worker pools worker',
  'Wait until 40 VMs run the new virt-launcher',
]

describe('situations of one cluster, by the steps of the EUS procedure', () => {
  test('1: EUS to EUS from the even minor', () => {
    const plan = planOf(openshift(), '4.18')
    expect(plan.outcome).toBe('path')
    expect(stepsOf(plan)).toEqual(EUS_STEPS)
    expect(plan.blockers).toEqual([])
    expect(plan.summary).toBe('OpenShift 4.16.3 → 4.17.9 → 4.18.6; HCO 4.16.0 → 4.16.4 → 4.17.5 → 4.18.2.')
  })

  test('2: a start in the middle: OpenShift has the odd minor, pools are paused, methods are empty', () => {
    const record = openshift({
      ...{ hcoVersion: '4.16.4', platform: { kind: 'openshift', version: '4.17.9' } },
      pools: pools(6, { isPaused: true, updated: 0 }),
      settings: {
        ...{ apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
        workloadUpdateMethods: [],
      },
    })
    const plan = planOf(record, '4.18')
    expect(stepsOf(plan)).toEqual([
      '[done] Pause the worker pools worker',
      '[done] Save the workload update methods and set them to []',
      '[done] Upgrade OpenShift to 4.17.9',
      ...EUS_STEPS.slice(4),
    ])
    expect(blockersOf(plan)).toEqual(['warning paused_pool', 'warning no_update_methods'])
  })

  test('3: a single node: nothing is paused, VMs are stopped in each minor', () => {
    const record = openshift({
      nodes: { count: 1, ready: 1, kubeletVersions: ['v1.29.5'] },
      pools: [
        { name: 'master', isPaused: false, machines: 1, updated: 1, degraded: 0 },
        { name: 'worker', isPaused: false, machines: 0, updated: 0, degraded: 0 },
      ],
    })
    const plan = planOf(record, '4.18')
    expect(stepsOf(plan)).toEqual([
      'Stop the VMs: the node restarts, and no other node can take them',
      'Upgrade OpenShift Virtualization 4.16.0 to 4.16.4',
      'Upgrade OpenShift 4.16.3 to 4.17.9',
      'Upgrade OpenShift Virtualization 4.16.4 to 4.17.5',
      'Start the VMs',
      'Stop the VMs: the node restarts, and no other node can take them',
      'Upgrade OpenShift 4.17.9 to 4.18.6',
      'Upgrade OpenShift Virtualization 4.17.5 to 4.18.2',
      'Start the VMs',
    ])
    expect(blockersOf(plan)).toEqual(['warning single_node'])
  })

  test('4: manual approval: each version of HCO has an approval before it', () => {
    const { subscription } = openshift()
    const plan = planOf(openshift({ subscription: { ...subscription!, approval: 'Manual' } }), '4.18')
    const approval = (version: string): string => `Approve the InstallPlan for OpenShift Virtualization ${version}`
    expect(stepsOf(plan)).toEqual([
      ...EUS_STEPS.slice(0, 2),
      approval('4.16.4'),
      ...EUS_STEPS.slice(2, 4),
      approval('4.17.5'),
      ...EUS_STEPS.slice(4, 6),
      approval('4.18.2'),
      ...EUS_STEPS.slice(6),
    ])
    expect(blockersOf(plan)).toEqual(['warning manual_approval'])
  })

  test('5: a pool that was left paused at the target: the plan finishes what is left', () => {
    const record = openshift({
      ...{ hcoVersion: '4.18.2', platform: { kind: 'openshift', version: '4.18.6' } },
      pools: pools(6, { isPaused: true, updated: 0 }),
      workloads: { outdated: 33, atMs: NOW_MS },
      settings: {
        ...{ apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
        workloadUpdateMethods: [],
      },
    })
    const plan = planOf(record, '4.18')
    expect(plan.outcome).toBe('finish')
    expect(stepsOf(plan)).toEqual([
      '[done] Upgrade OpenShift to 4.17.z',
      '[done] Upgrade OpenShift to 4.18.6',
      'Restore the workload update methods: ["LiveMigrate"]',
      'Unpause the worker pools worker',
      'Wait until 40 VMs run the new virt-launcher',
    ])
    expect(blockersOf(plan)).toEqual(['warning old_kubelets', 'warning paused_pool', 'warning no_update_methods'])
  })

  test('pools that were paused before a plan, with nodes as new as OpenShift: nothing is to be finished', () => {
    const plan = planOf(openshift({ pools: pools(6, { isPaused: true }) }), '4.18')
    expect(stepsOf(plan)).toEqual(['[done] Pause the worker pools worker', ...EUS_STEPS.slice(1)])
    expect(plan.blockers).toMatchObject([
      { name: 'paused_pool', severity: 'warning', text: 'Worker pools worker are already paused.' },
    ])
  })

  test('6: VMs that cannot be evicted: they are made evictable before anything is paused', () => {
    const plan = planOf(openshift({ workloads: { outdated: 0, nonMigratable: 3, atMs: NOW_MS } }), '4.18')
    expect(stepsOf(plan)).toEqual(['Make 3 VMs evictable', ...EUS_STEPS])
    expect(blockersOf(plan)).toEqual(['blocking non_evictable_vms'])
    expect(plan.steps.at(-1)!.precondition).toContain('3 VMs cannot be migrated: restart each of them, or add Evict.')
  })

  test('7: a z-stream only: neither pools nor methods are touched, and VMs follow only a new KubeVirt', () => {
    expect(stepsOf(planOf(community('1.17.0'), '1.17'))).toEqual([
      'Upgrade HCO 1.17.0 to 1.17.3',
      'Wait until 12 VMs run the new virt-launcher',
    ])
    // 1.17.2 and 1.17.3 have the same KubeVirt.
    expect(stepsOf(planOf(community('1.17.2'), '1.17.3'))).toEqual(['Upgrade HCO 1.17.2 to 1.17.3'])
  })

  test('VMs that cannot be migrated are of no concern where no node is drained', () => {
    const workloads = { outdated: 0, nonMigratable: 3, atMs: NOW_MS }
    expect(stepsOf(planOf(community('1.17.2', { workloads }), '1.17.3'))).toEqual(['Upgrade HCO 1.17.2 to 1.17.3'])
  })

  test('8: a target older than what is installed has no plan', () => {
    const plan = planOf(openshift({ hcoVersion: '4.17.5' }), '4.16')
    expect(plan).toMatchObject({
      ...{ outcome: 'target_older', steps: [] },
      summary: 'HCO 4.17.5 is installed, newer than 4.16. Neither OpenShift nor HCO supports a downgrade.',
    })
  })

  test('9: an unsupported jump: a minor that the graph lacks is not skipped', () => {
    const graph = graphOfReleases(
      RELEASES.filter(({ version }) => !version.startsWith('1.16.')),
      { hco: [], openshift: [] },
    )
    expect(planOf(community('1.15.2'), '1.17', graph)).toMatchObject({
      ...{ outcome: 'no_path', steps: [] },
      summary:
        'The update graph has no version of HCO 1.16, and KubeVirt supports updates from one minor to the next only.',
    })
    expect(stepsOf(planOf(community('1.15.0'), '1.17'))).toEqual([
      'Upgrade HCO 1.15.0 to 1.15.2',
      'Upgrade HCO 1.15.2 to 1.16.0',
      'Wait until 12 VMs run the new virt-launcher',
      'Upgrade HCO 1.16.0 to 1.17.3',
      'Wait until 12 VMs run the new virt-launcher',
    ])
  })

  test('10: a cluster that sends metrics only: what is not reported is unknown, and checked first', () => {
    const { hyperConverged, hcoSubscription, nodes, ...known } = openshift({
      pools: [],
      settings: { liveMigration: {}, featureGates: {} },
      coverage: { objects: false, metrics: true, spans: false, kinds: [] },
    })
    const plan = planOf(known, '4.18')
    expect([hyperConverged, hcoSubscription, nodes]).not.toContain(undefined)
    expect(stepsOf(plan)).toEqual([
      '[unknown] Pause the worker pools',
      '[unknown] Save the workload update methods and set them to []',
      ...EUS_STEPS.slice(2, 8),
      'Unpause the worker pools',
      EUS_STEPS[9],
    ])
    expect(blockersOf(plan)).toEqual(['unknown pools_unknown', 'unknown settings_unknown'])
  })

  test('11: a cluster at the target has nothing to do', () => {
    const record = openshift({ hcoVersion: '4.18.2', platform: { kind: 'openshift', version: '4.18.6' } })
    expect(planOf(record, '4.18')).toMatchObject({ outcome: 'at_target', steps: [] })
  })

  test('12: maxOpenShiftVersion is in the way: HCO goes to the even minor before OpenShift does', () => {
    const capped = (...maxima: readonly (readonly [string, string])[]) =>
      planOf(openshift(), '4.18', graphOfReleases(RELEASES, SEEN, new Map(maxima)))
    expect(stepsOf(capped(['4.17.5', '4.17']))).toEqual([
      'Pause the worker pools worker',
      'Save the workload update methods and set them to []',
      'Upgrade OpenShift Virtualization 4.16.0 to 4.16.4',
      'Upgrade OpenShift 4.16.3 to 4.17.9',
      'Upgrade OpenShift Virtualization 4.16.4 to 4.17.5',
      'Upgrade OpenShift Virtualization 4.17.5 to 4.18.2',
      'Upgrade OpenShift 4.17.9 to 4.18.6',
      'Restore the workload update methods: ["LiveMigrate"]',
      'Unpause the worker pools worker',
      'Wait until 40 VMs run the new virt-launcher',
    ])
    expect(capped(['4.17.5', '4.17'], ['4.18.2', '4.17'])).toMatchObject({
      ...{ outcome: 'no_path', steps: [] },
      summary: 'HCO 4.18.2 declares olm.maxOpenShiftVersion 4.17, so OpenShift cannot go to 4.18.',
    })
  })

  test('13: dead ends of an imported catalog, the newest of their minors, are not upgraded to', () => {
    const node = (version: string) => ({ version, channels: ['stable'] })
    const edge = (from: string, to: string) => ({ from, to, via: 'replaces' as const })
    const imported: UpdateGraph = {
      nodes: ['4.16.0', '4.16.4', '4.16.9', '4.17.5', '4.17.7', '4.18.2'].map(node),
      edges: [
        ...[edge('4.16.0', '4.16.4'), edge('4.16.4', '4.16.9'), edge('4.16.4', '4.17.5')],
        ...[edge('4.17.5', '4.17.7'), edge('4.17.5', '4.18.2')],
      ],
      ...{ conditionalEdges: [], channels: [{ name: 'stable' }] },
    }
    const graph = withImported(imported, GRAPH)
    expect(stepsOf(planOf(openshift(), '4.18', graph))).toEqual(EUS_STEPS)
    // Where the target is the dead end itself, or its minor, nothing has to lead on.
    expect(planOf(openshift(), '4.17', graph).summary).toBe(
      'OpenShift 4.16.3 → 4.17.9; HCO 4.16.0 → 4.16.4 → 4.17.5 → 4.17.7.',
    )
    expect(planOf(openshift(), '4.16', graph).summary).toBe('HCO 4.16.0 → 4.16.4 → 4.16.9.')
    // A version from which the next minor is reached stays, rather than to go to the dead end.
    expect(planOf(openshift({ hcoVersion: '4.16.4' }), '4.18', graph).summary).toBe(
      'OpenShift 4.16.3 → 4.17.9 → 4.18.6; HCO 4.16.4 → 4.17.5 → 4.18.2.',
    )
    expect(planOf(openshift({ hcoVersion: '4.16.9' }), '4.18', graph)).toMatchObject({
      ...{ outcome: 'no_path', steps: [] },
      summary: 'The update graph has no supported path from HCO 4.16.9 to 4.17.7.',
    })
  })
})

describe('selections of clusters', () => {
  const HOUR_MS = 3600_000
  /** Each upgrade of HCO takes an hour. */
  const run = (i: number): EdgeRun => ({
    ...{ id: String(i), state: 'succeeded', begunMs: 0, lastMs: 0, whole: { seconds: 3600, isFinished: true } },
    ...{ phases: { names: [], areFinished: [] }, phaseSeconds: [] },
  })
  const name = { operator: 'kubevirt-hyperconverged', from: '1.15.0', to: '1.16.0' }
  const durations = createStepDurations([{ name, runs: Array.from({ length: 8 }, (_, i) => run(i)) }])

  function fleetPlan(
    records: readonly ClusterRecord[],
    target: string,
    { clustersAtOnce = 1, windows = [] as string[], timeZone = 'UTC' } = {},
  ): Promise<FleetPlan> {
    const context = { target: targetOf(target)!, graph: GRAPH, durations, blockers: presentBlockers }
    const request = { startMs: NOW_MS, clustersAtOnce, windows, timeZone, limit: 100 }
    const weekly = windows.map((text) => weeklyWindowOf(text)!)
    const spans =
      windows.length === 0 ? {} : { spans: windowSpans(weekly, timeZoneOf(timeZone)!, NOW_MS, NOW_MS + HORIZON_MS) }
    return planFleet(
      records.map((record) => viewOf(record)),
      context,
      { ...request, ...spans },
      NOW_MS,
    )
  }
  /** Without VMs, so that nothing but HCO takes time. */
  const small = (cluster: string, hcoVersion: string, nodes = 4): ClusterRecord => ({
    ...community(hcoVersion, {
      nodes: { count: nodes, ready: nodes, kubeletVersions: [] },
      workloads: { outdated: 0, running: 0, atMs: NOW_MS },
    }),
    cluster,
  })
  const at = (ms: number | undefined): string => (ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16))

  test('14: different paths in one selection: each cluster has its own, small clusters first', async () => {
    const plan = await fleetPlan(
      [
        openshift(),
        small('brno', '1.13.0'),
        {
          ...openshift({ hcoVersion: '4.18.2', platform: { kind: 'openshift', version: '4.18.6' } }),
          cluster: 'ostrava',
        },
        small('zlin', '1.17.0'),
        { ...openshift({ platform: { kind: 'openshift' } }), cluster: 'opava' },
      ],
      '4.18',
    )
    expect(plan.clusters.map(({ cluster, outcome, summary }) => `${cluster}: ${outcome}: ${summary}`)).toEqual([
      'brno: path: HCO 1.13.0 → 1.14.0.',
      'prague: path: OpenShift 4.16.3 → 4.17.9 → 4.18.6; HCO 4.16.0 → 4.16.4 → 4.17.5 → 4.18.2.',
      'ostrava: at_target: The target is installed, and nothing is left to do.',
      'zlin: target_older: HCO 1.17.0 is installed, newer than 1.14. Neither OpenShift nor HCO supports a downgrade.',
      'opava: unknown: No data source reports the installed version of OpenShift.',
    ])
    expect(plan.clusters.map((one) => stepsOf(one))).toEqual([['Upgrade HCO 1.13.0 to 1.14.0'], EUS_STEPS, [], [], []])
    expect(plan.outcomes).toEqual({ path: 2, finish: 0, at_target: 1, target_older: 1, no_path: 0, unknown: 1 })
    // Only clusters with steps are in a wave.
    expect(plan.schedule.waves.map(({ clusters }) => clusters)).toEqual([['brno'], ['prague']])
  })

  test('15: maintenance windows: two steps fit into the first Saturday, the third one waits for the next', async () => {
    const plan = await fleetPlan([small('brno', '1.15.0')], '1.17', { windows: ['Sat 22:00-00:30'] })
    expect(plan.clusters.map((one) => stepsOf(one))).toEqual([
      ['Upgrade HCO 1.15.0 to 1.15.2', 'Upgrade HCO 1.15.2 to 1.16.0', 'Upgrade HCO 1.16.0 to 1.17.3'],
    ])
    // The plan is of Tuesday, the 1st.
    const { waves, overlongSteps } = plan.schedule
    expect(waves.map(({ startP50Ms, endP50Ms }) => `${at(startP50Ms)} ${at(endP50Ms)}`)).toEqual([
      '2026-09-05T22:00 2026-09-12T23:00',
    ])
    expect(overlongSteps).toBe(0)
    const inPrague = { windows: ['Sat 22:00-01:30'], timeZone: 'Europe/Prague' }
    expect(at((await fleetPlan([small('brno', '1.15.0')], '1.17', inPrague)).schedule.endP50Ms)).toBe(
      '2026-09-05T23:00',
    )
    const short = await fleetPlan([small('brno', '1.15.0')], '1.17', { windows: ['daily 01:00-01:30'] })
    expect([at(short.schedule.endP50Ms), short.schedule.overlongSteps]).toEqual(['2026-09-04T02:00', 3])
  })

  test('16: clusters at a time: a wave starts when the wave before is done', async () => {
    const records = [small('a', '1.16.0', 9), small('b', '1.15.2', 3), small('c', '1.16.0', 3)]
    const wavesFor = async (clustersAtOnce: number) =>
      (await fleetPlan(records, '1.17', { clustersAtOnce })).schedule.waves.map(
        ({ clusters, endP50Ms = NaN }) => `${clusters.join(' ')}: ${(endP50Ms - NOW_MS) / HOUR_MS} h`,
      )
    // b has two steps, the others one.
    expect(await wavesFor(1)).toEqual(['b: 2 h', 'c: 3 h', 'a: 4 h'])
    expect(await wavesFor(2)).toEqual(['b c: 2 h', 'a: 3 h'])
    expect(await wavesFor(3)).toEqual(['b c a: 2 h'])
  })
})
