import { hashOf, noiseAt } from '../random.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import {
  FILE_SYSTEMS,
  FIXED_MACHINES,
  MOVING_MACHINE,
  QUEUEING_MACHINE,
  STUCK_ON_NODE,
  STUCK_WITHOUT_INSTANCE,
  TENANT,
  THRASHING_MACHINE,
  migrationsAt,
  migrationWindow,
  stalledCanarySinceMs,
  usedBytesAt,
} from '../scenarios/kubevirt-trouble.ts'
import { MINUTE_MS } from '../scenarios/window.ts'
import { kubevirtTarget } from './kubevirt.ts'
import {
  between,
  instanceOf,
  nodePodName,
  podName,
  ruleSeries,
  targetSeries,
  type ExternalLabels,
  type OwnLabels,
  type SeriesGroup,
  type SimSeries,
  type Target,
} from './sim-series.ts'

/**
 * What kube-state-metrics tells of virt-handler, on every cluster; and on those that play a story of trouble, the series that
 * show it. Healthy clusters send no series of single machines.
 */
export function kubevirtTroubleGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  if (!plan.isInstalled) return []
  const always = (make: SeriesGroup['make']): SeriesGroup => ({ fromMs: -Infinity, untilMs: Infinity, make })
  const groups = [always((external) => daemonSetSeries(plan, external))]
  if (plan.trouble?.kind === 'ping_pong') return [...groups, ...migrationGroups(plan)]
  return [...groups, always((external) => storySeries(plan, external))]
}

/** A canary that does not become ready is the one that is missing. */
function daemonSetSeries(plan: ClusterPlan, external: ExternalLabels): SimSeries[] {
  const { profile } = plan
  const pod = podName(profile, 'kube-state-metrics', 'platform')
  const target: Target = {
    job: 'kube-state-metrics',
    instance: instanceOf(profile, pod, 8443),
    pod,
    namespace: profile.platform === 'openshift' ? 'openshift-monitoring' : 'monitoring',
    service: 'kube-state-metrics',
    endpoint: 'https-main',
    container: 'kube-rbac-proxy-main',
  }
  const own = { namespace: profile.installNamespace, daemonset: 'virt-handler' }
  const nodes = profile.nodes.length
  return [
    targetSeries(external, target, 'kube_daemonset_status_desired_number_scheduled', own, () => nodes),
    targetSeries(
      external,
      target,
      'kube_daemonset_status_number_ready',
      own,
      (timeMs) => nodes - Number(stalledCanarySinceMs(plan, timeMs) !== undefined),
    ),
  ]
}

function storySeries(plan: ClusterPlan, external: ExternalLabels): SimSeries[] {
  const { trouble } = plan
  switch (trouble?.kind) {
    case 'rest_errors':
      return restErrorSeries(plan, external, trouble.fromMs)
    case 'not_evictable':
      return fixedMachineSeries(plan, external, trouble.fromMs)
    case 'guests':
      return guestSeries(plan, external, trouble.fromMs)
    case 'stuck_machines':
      return stuckMachineSeries(plan, external, trouble.fromMs)
    case 'ping_pong': // has groups of its own
    case 'api_down': // shows in what the cluster sends anyway
    case 'outdated':
    case undefined:
      return []
  }
}

type Add = (name: string, own: OwnLabels, valueAt: SimSeries['valueAt']) => void

/** Series of the leading virt-controller, or of the virt-handler of the first node, from a moment on. */
function adder(
  plan: ClusterPlan,
  external: ExternalLabels,
  series: SimSeries[],
  component: 'virt-controller' | 'virt-handler',
  fromMs: number,
  untilMs = Infinity,
): Add {
  const { profile } = plan
  const version = profile.firstRelease.kubevirt // these clusters do not upgrade
  const pod =
    component === 'virt-controller'
      ? podName(profile, component, version, 0)
      : nodePodName(profile, component, version, profile.nodes[0]!)
  const target = kubevirtTarget(plan, pod, component)
  return (name, own, valueAt) => {
    series.push(targetSeries(external, target, name, own, between(fromMs, untilMs, valueAt)))
  }
}

/** It asks again at once when it is refused, so the errors are many times what it does on a good day. */
function restErrorSeries(plan: ClusterPlan, external: ExternalLabels, fromMs: number): SimSeries[] {
  const series: SimSeries[] = []
  const startMs = Math.min(plan.startMs, fromMs)
  const add = adder(plan, external, series, 'virt-controller', startMs)
  const own = (code: string, method: string, resource: string, verb: string): OwnLabels => {
    return { code, method, host: '172.30.0.1:443', resource, verb }
  }
  const counting = (perSecond: number, sinceMs: number) => (timeMs: number) =>
    Math.floor((perSecond * Math.max(0, timeMs - sinceMs)) / 1000)
  add('kubevirt_rest_client_requests_total', own('200', 'GET', 'virtualmachines', 'GET'), counting(1.5, startMs))
  add('kubevirt_rest_client_requests_total', own('200', 'PUT', 'leases', 'UPDATE'), counting(0.5, startMs))
  const addError = adder(plan, external, series, 'virt-controller', fromMs)
  addError('kubevirt_rest_client_requests_total', own('403', 'POST', 'pods', 'CREATE'), counting(80, fromMs))
  addError('kubevirt_rest_client_requests_total', own('403', 'PATCH', 'nodes', 'PATCH'), counting(40, fromMs))
  return series
}

function instance(plan: ClusterPlan, name: string, phase: string, evictable: boolean): OwnLabels {
  return {
    ...{ namespace: TENANT, name, node: plan.profile.nodes[0]!, phase, os: 'linux', workload: 'server' },
    ...{ flavor: 'small', evictable: String(evictable), outdated: 'false' },
    vmi_pod: `virt-launcher-${name}-${hashOf(plan.profile.seed, name).toString(36).slice(-5)}`,
  }
}

function fixedMachineSeries(plan: ClusterPlan, external: ExternalLabels, fromMs: number): SimSeries[] {
  const series: SimSeries[] = []
  const add = adder(plan, external, series, 'virt-controller', fromMs)
  for (const name of FIXED_MACHINES) {
    const { node } = instance(plan, name, 'running', false)
    add('kubevirt_vmi_info', instance(plan, name, 'running', false), () => 1)
    add('kubevirt_vmi_non_evictable', { namespace: TENANT, name, node: node! }, () => 1)
  }
  return series
}

/** What the guests' agents and balloons tell, and what the cluster's own rules make of it. */
function guestSeries(plan: ClusterPlan, external: ExternalLabels, fromMs: number): SimSeries[] {
  const series: SimSeries[] = []
  const add = adder(plan, external, series, 'virt-handler', fromMs)
  const own = (name: string): OwnLabels => ({ namespace: TENANT, name, node: plan.profile.nodes[0]! })
  for (const fileSystem of FILE_SYSTEMS) {
    const { name, disk, mountPoint, type, capacityBytes } = fileSystem
    const where = { ...own(name), disk_name: disk, mount_point: mountPoint, file_system_type: type }
    add('kubevirt_vmi_filesystem_capacity_bytes', where, () => capacityBytes)
    add('kubevirt_vmi_filesystem_used_bytes', where, (timeMs) => usedBytesAt(fileSystem, timeMs))
  }
  const minuteNoise = (name: string, timeMs: number): number =>
    noiseAt(hashOf(plan.profile.seed, name), Math.floor(timeMs / MINUTE_MS))
  const secondsSince = (timeMs: number): number => (timeMs - fromMs) / 1000
  const memoryBytes = 8 * 2 ** 30
  add('kubevirt_vmi_memory_available_bytes', own(THRASHING_MACHINE), () => memoryBytes)
  add('kubevirt_vmi_memory_usable_bytes', own(THRASHING_MACHINE), (timeMs) =>
    Math.round(memoryBytes * (0.02 + 0.015 * minuteNoise(THRASHING_MACHINE, timeMs))),
  )
  add('kubevirt_vmi_memory_pgmajfault_total', own(THRASHING_MACHINE), (t) => Math.floor(38 * secondsSince(t)))
  add('kubevirt_vmi_memory_swap_in_traffic_bytes', own(THRASHING_MACHINE), (t) =>
    Math.floor(1_900_000 * secondsSince(t)),
  )
  add('kubevirt_vmi_memory_swap_out_traffic_bytes', own(THRASHING_MACHINE), (t) =>
    Math.floor(900_000 * secondsSince(t)),
  )
  const queueAt = (timeMs: number): number => 12 + 6 * minuteNoise(QUEUEING_MACHINE, timeMs)
  add('kubevirt_vmi_guest_load_1m', own(QUEUEING_MACHINE), (timeMs) => 2 + queueAt(timeMs))
  for (const id of ['0', '1']) {
    add('kubevirt_vmi_vcpu_seconds_total', { ...own(QUEUEING_MACHINE), id, state: 'running' }, secondsSince)
  }
  const name = 'vmi:kubevirt_vmi_guest_queue_length:sum'
  const labels = { namespace: TENANT, name: QUEUEING_MACHINE }
  return [...series, ruleSeries(external, name, labels, between(fromMs, Infinity, queueAt))]
}

function stuckMachineSeries(plan: ClusterPlan, external: ExternalLabels, fromMs: number): SimSeries[] {
  const series: SimSeries[] = []
  const add = adder(plan, external, series, 'virt-controller', fromMs)
  const machine = (name: string, status: string, status_group: string): OwnLabels => ({
    ...{ namespace: TENANT, name, os: 'linux', workload: 'server', flavor: 'small' },
    ...{ machine_type: 'pc-q35-rhel9.4.0', status, status_group },
  })
  for (const { name, status, group } of [STUCK_WITHOUT_INSTANCE, STUCK_ON_NODE]) {
    add('kubevirt_vm_info', machine(name, status, group), () => 1)
  }
  add('kubevirt_vmi_info', instance(plan, STUCK_ON_NODE.name, 'running', true), () => 1)
  add('kubevirt_vm_info', machine('web-9', 'running', 'running'), () => 1)
  add('kubevirt_vmi_info', instance(plan, 'web-9', 'running', true), () => 1)
  return series
}

/** Each finished migration is a series of its own, until it is too old to be kept; as many groups as a day and more can hold. */
function migrationGroups(plan: ClusterPlan): SeriesGroup[] {
  const first = migrationsAt(plan, plan.startMs)[0] ?? 0
  return Array.from({ length: MIGRATIONS_MAX }, (_, i): SeriesGroup => {
    const number = first + i
    const { fromMs, untilMs } = migrationWindow(plan, number)
    const vmim = `kubevirt-evacuation-${hashOf(plan.profile.seed, 'vmim', number).toString(36).slice(-5)}`
    return {
      fromMs,
      untilMs,
      make: (external) => {
        const series: SimSeries[] = []
        const add = adder(plan, external, series, 'virt-controller', fromMs, untilMs)
        add('kubevirt_vmi_migration_succeeded', { namespace: TENANT, vmi: MOVING_MACHINE, vmim }, () => 1)
        return series
      },
    }
  })
}

/** Two weeks of them; a simulation that runs longer sees the machine come to rest. */
const MIGRATIONS_MAX = 2600
