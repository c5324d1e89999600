/** The course of an upgrade from 4.18.3 to 4.18.7, as OLM, HCO and its operands write it; stories leave it where they like. */
import { cond, iso, NAMESPACE, type Condition, type RawCluster } from './raw-cluster.ts'

export const [FROM, TO] = ['4.18.3', '4.18.7']
export const csvOf = (version: string): string => `kubevirt-hyperconverged-operator.v${version}`
export const NODES = 5

const OLD = -90 * 86_400
const HCO = 'kubevirt-hyperconverged'
const DONE = ['ReconcileCompleted', 'Reconcile completed successfully'] as const
const OPERANDS = {
  cdis: ['cdi-kubevirt-hyperconverged', 'v1.61.1', 'v1.61.4'],
  ssps: ['ssp-kubevirt-hyperconverged', 'v0.22.2', 'v0.22.5'],
  networkaddonsconfigs: ['cluster', 'v0.97.0', 'v0.97.2'],
} as const
export const [KUBEVIRT_FROM, KUBEVIRT_TO] = ['v1.4.0', 'v1.4.2']

export function steady(cluster: RawCluster): void {
  csv(cluster, FROM, [['Succeeded', 'InstallSucceeded', OLD + 90]], { second: OLD })
  subscription(cluster, OLD, {
    state: 'AtLatestKnown',
    currentCSV: csvOf(FROM),
    installedCSV: csvOf(FROM),
    conditions: [],
  })
  hco(cluster, OLD, { version: FROM })
  kubevirt(cluster, OLD, { target: KUBEVIRT_FROM, observed: KUBEVIRT_FROM, outdated: 0 })
  for (const kind of Object.keys(OPERANDS) as (keyof typeof OPERANDS)[]) operand(cluster, OLD, kind, 1, 1)
  virtHandler(cluster, OLD, NODES, NODES, 7)
  for (let i = 0; i < NODES; i++) node(cluster, OLD, i, cond('Ready', 'True', OLD, 'KubeletReady'))
}

export type CsvStep = readonly [phase: string, reason: string, second: number, message?: string]

/** A CSV with its path; OLM keeps the last twenty steps. */
export function csv(
  cluster: RawCluster,
  version: string,
  steps: readonly CsvStep[],
  { second = steps.at(-1)?.[2] ?? 0, replaces }: { readonly second?: number; readonly replaces?: string } = {},
): void {
  const conditions = steps.map(([phase, reason, at, message = '']) => {
    return { phase, reason, message, lastTransitionTime: iso(at), lastUpdateTime: iso(at) }
  })
  cluster.put(second, 'clusterserviceversions', csvOf(version), {
    spec: { version, ...(replaces !== undefined && { replaces: csvOf(replaces) }) },
    status: { ...conditions.at(-1), conditions: conditions.slice(-20) },
  })
}

export function subscription(cluster: RawCluster, second: number, status: object, approval = 'Automatic'): void {
  cluster.put(second, 'subscriptions', 'kubevirt-hyperconverged-sub', {
    spec: {
      name: 'kubevirt-hyperconverged',
      channel: 'stable',
      source: 'cs-mirror-index',
      installPlanApproval: approval,
    },
    status: { lastUpdated: iso(second), ...status },
  })
}

/** A plan for the new version, and the Subscription that refers to it. */
export function planned(cluster: RawCluster, second: number, approval = 'Automatic', status: object = {}): void {
  const isManual = approval === 'Manual'
  cluster.put(second, 'installplans', 'install-zq4vd', {
    spec: { approval, approved: !isManual, clusterServiceVersionNames: [csvOf(TO)] },
    status: { phase: isManual ? 'RequiresApproval' : 'Installing', ...status },
  })
  const offer = { state: 'UpgradePending', currentCSV: csvOf(TO), installedCSV: csvOf(FROM), conditions: [] }
  subscription(cluster, second + 1, { ...offer, installPlanRef: { name: 'install-zq4vd' } }, approval)
}

/** OLM installs the new CSV; it is Succeeded after 100 s. */
export function installed(cluster: RawCluster, second: number): number {
  planned(cluster, second)
  const steps: readonly CsvStep[] = [
    ['Pending', 'RequirementsNotMet', second + 6, "one or more requirements couldn't be found"],
    ['InstallReady', 'AllRequirementsMet', second + 30],
    ['Installing', 'InstallSucceeded', second + 31],
    ['Succeeded', 'InstallSucceeded', second + 100],
  ]
  steps.forEach((_, i) => {
    csv(cluster, TO, steps.slice(0, i + 1), { replaces: FROM })
  })
  subscription(cluster, second + 8, {
    state: 'AtLatestKnown',
    currentCSV: csvOf(TO),
    installedCSV: csvOf(TO),
    conditions: [],
  })
  cluster.delete(second + 104, 'clusterserviceversions', csvOf(FROM))
  return second + 100
}

export function hco(
  cluster: RawCluster,
  second: number,
  {
    version,
    conditions,
    methods,
  }: { readonly version?: string; readonly conditions?: readonly Condition[]; readonly methods?: readonly string[] },
): void {
  cluster.put(second, 'hyperconvergeds', HCO, {
    apiVersion: 'hco.kubevirt.io/v1beta1',
    metadata: { creationTimestamp: iso(OLD) },
    ...(methods !== undefined && { spec: { workloadUpdateStrategy: { workloadUpdateMethods: methods } } }),
    status: {
      versions: [{ name: 'operator', version: version ?? FROM }],
      conditions: conditions ?? [
        cond('ReconcileComplete', 'True', second, ...DONE),
        cond('Available', 'True', second, ...DONE),
        cond('Progressing', 'False', second, ...DONE),
        cond('Degraded', 'False', second, ...DONE),
      ],
    },
  })
}

/** HCO while it upgrades; KubeVirt calls itself degraded for as long as it moves, and HCO repeats that. */
export function hcoUpgrading(cluster: RawCluster, second: number, ...more: readonly Condition[]): void {
  const own = cond('Progressing', 'True', second, 'HCOUpgrading', `HCO is now upgrading to version ${TO}`)
  hco(cluster, second, { conditions: [own, ...more] })
}

export function kubevirt(
  cluster: RawCluster,
  second: number,
  status: {
    readonly target: string
    readonly observed: string
    readonly outdated?: number
    readonly conditions?: readonly Condition[]
  },
): void {
  const { target, observed, outdated = 0, conditions } = status
  const ready = ['AllComponentsReady', 'All components are ready.'] as const
  const text = `Transitioning from previous version ${observed} to target version ${target}`
  const isMoving = target !== observed
  cluster.put(second, 'kubevirts', 'kubevirt-kubevirt-hyperconverged', {
    status: {
      phase: 'Deployed',
      operatorVersion: target,
      targetKubeVirtVersion: target,
      observedKubeVirtVersion: observed,
      outdatedVirtualMachineInstanceWorkloads: outdated,
      conditions: conditions ?? [
        isMoving
          ? cond('Available', 'True', second, 'UpdateInProgress', text)
          : cond('Available', 'True', second, ...ready),
        isMoving
          ? cond('Progressing', 'True', second, 'UpdateInProgress', text)
          : cond('Progressing', 'False', second, ...ready),
        isMoving
          ? cond('Degraded', 'True', second, 'UpdateInProgress', text)
          : cond('Degraded', 'False', second, ...ready),
      ],
    },
  })
}

/** An operand of the common SDK at the old (1) or new (2) version. */
export function operand(
  cluster: RawCluster,
  second: number,
  kind: keyof typeof OPERANDS,
  target: 1 | 2,
  observed: 1 | 2,
  more: { readonly phase?: string; readonly conditions?: readonly Condition[]; readonly observedVersion?: string } = {},
): void {
  const versions = OPERANDS[kind]
  const { conditions, ...status } = more
  cluster.put(second, kind, versions[0], {
    status: {
      phase: 'Deployed',
      operatorVersion: versions[target],
      targetVersion: versions[target],
      observedVersion: versions[observed],
      ...status,
      conditions: conditions ?? [cond('Available', 'True', second), cond('Degraded', 'False', second)],
    },
  })
}

export function virtHandler(
  cluster: RawCluster,
  second: number,
  updated: number,
  ready: number,
  generation: number,
): void {
  cluster.put(second, 'daemonsets', 'virt-handler', {
    metadata: { generation },
    spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } },
    status: {
      observedGeneration: generation,
      ...{ desiredNumberScheduled: NODES, currentNumberScheduled: NODES, numberReady: ready, numberAvailable: ready },
      // Go omits a zero.
      ...(updated > 0 && { updatedNumberScheduled: updated }),
    },
  })
}

export function node(cluster: RawCluster, second: number, i: number, ready: Condition, spec: object = {}): void {
  const nodeInfo = { kubeletVersion: 'v1.31.6' }
  cluster.put(second, 'nodes', `wk-${i}.lab`, {
    metadata: { namespace: '' },
    spec: { ...spec },
    status: { nodeInfo, conditions: [ready] },
  })
}

/** HCO and its operands begin; virt-handler has not. @param except the operand that is not updated */
export function operandsStarted(cluster: RawCluster, second: number, except?: keyof typeof OPERANDS): void {
  hcoUpgrading(cluster, second)
  kubevirt(cluster, second + 4, { target: KUBEVIRT_TO, observed: KUBEVIRT_FROM })
  const said = `KubeVirt is degraded: Transitioning from previous version ${KUBEVIRT_FROM}`
  hcoUpgrading(cluster, second + 5, cond('Degraded', 'True', second + 5, 'KubeVirtDegraded', said))
  for (const kind of Object.keys(OPERANDS) as (keyof typeof OPERANDS)[]) {
    operand(cluster, second + 6, kind, 2, 1)
    if (kind !== except) operand(cluster, second + 60, kind, 2, 2)
  }
}

/** One node alone, then one after another; each takes 30 s. */
export function rolledOut(cluster: RawCluster, second: number, nodes = NODES): number {
  for (let i = 1; i <= nodes; i++) {
    virtHandler(cluster, second + i * 30 - 28, i, NODES - 1, i === 1 ? 8 : 9)
    virtHandler(cluster, second + i * 30, i, NODES, i === 1 ? 8 : 9)
  }
  return second + nodes * 30
}

/** All operands are at the new version but one, and HCO has not ended. */
export function operandsDone(cluster: RawCluster, except?: keyof typeof OPERANDS): number {
  const start = installed(cluster, 0) + 10
  operandsStarted(cluster, start, except)
  const done = rolledOut(cluster, start + 70) + 40
  kubevirt(cluster, done, { target: KUBEVIRT_TO, observed: KUBEVIRT_TO })
  hcoUpgrading(cluster, done + 2)
  return done
}

/** The upgrade succeeded, and so many VMs are outdated. @param methods the update methods of HyperConverged */
export function upgraded(cluster: RawCluster, outdated = 0, methods: readonly string[] = ['LiveMigrate']): number {
  const done = operandsDone(cluster) + 15
  hco(cluster, done, { version: TO, methods })
  kubevirt(cluster, done + 5, { target: KUBEVIRT_TO, observed: KUBEVIRT_TO, outdated })
  return done + 5
}

export function podEvent(cluster: RawCluster, second: number, pod: string, reason: string, message: string): void {
  cluster.put(second, 'events', `${pod}.${second.toString(16)}${reason}`, {
    type: 'Warning',
    ...{ reason, note: message, eventTime: iso(second), series: { count: 7, lastObservedTime: iso(second + 240) } },
    regarding: { kind: 'Pod', name: pod, namespace: NAMESPACE },
  })
}

/** A migration of the workload update with its phases. @param status fields of the status beside them */
export function migration(
  cluster: RawCluster,
  name: string,
  vmi: string,
  steps: readonly (readonly [phase: string, second: number])[],
  status: object = {},
): void {
  steps.forEach(([phase, second], i) => {
    const isLast = i === steps.length - 1
    const times = steps.slice(0, i + 1).map(([one, at]) => ({ phase: one, phaseTransitionTimestamp: iso(at) }))
    cluster.put(second, 'virtualmachineinstancemigrations', name, {
      metadata: { namespace: 'tenant-a', generateName: 'kubevirt-workload-update-' },
      spec: { vmiName: vmi },
      status: { phase, phaseTransitionTimestamps: times, ...(isLast && status) },
    })
  })
}

/** OpenShift goes from 4.18.20 to 4.18.24; its masters are updated, and the pool of its workers follows. */
export function platformStarted(cluster: RawCluster, second: number, state: 'Partial' | 'Completed' = 'Partial'): void {
  const previous = { state: 'Completed', version: '4.18.20', startedTime: iso(OLD), completionTime: iso(OLD + 4000) }
  const completed = state === 'Completed' ? { completionTime: iso(second + 3000) } : { completionTime: null }
  const update = { state, version: '4.18.24', startedTime: iso(second), ...completed }
  clusterVersion(cluster, second, [update, previous])
  pool(cluster, second + 600, 'master', 3, 3)
}

export function clusterVersion(
  cluster: RawCluster,
  second: number,
  history: readonly object[],
  conditions: readonly Condition[] = [],
): void {
  cluster.put(second, 'clusterversions', 'version', {
    metadata: { namespace: '' },
    spec: { clusterID: 'f0e2', channel: 'stable-4.18' },
    status: { desired: { version: '4.18.24' }, history, conditions, availableUpdates: null },
  })
}

export function pool(
  cluster: RawCluster,
  second: number,
  name: string,
  machines: number,
  updated: number,
  {
    isPaused = false,
    degraded = 0,
    conditions = [],
  }: { readonly isPaused?: boolean; readonly degraded?: number; readonly conditions?: readonly Condition[] } = {},
): void {
  const isDone = machines === updated
  cluster.put(second, 'machineconfigpools', name, {
    metadata: { namespace: '' },
    spec: { paused: isPaused },
    status: {
      machineCount: machines,
      ...{ updatedMachineCount: updated, readyMachineCount: updated, degradedMachineCount: degraded },
      conditions: [cond('Updated', isDone ? 'True' : 'False', second), ...conditions],
    },
  })
}
