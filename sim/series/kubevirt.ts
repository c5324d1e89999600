import { hashOf, noiseAt } from '../random.ts'
import { kubevirtMinorOf, type Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { hasTrouble, outdatedAt } from '../scenarios/kubevirt-trouble.ts'
import { outdatedVmsAt, type UpgradePlan } from '../scenarios/upgrade.ts'
import { operatorAt } from '../truth.ts'
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
 * KubeVirt's metrics. Its pods are replaced one kind after the other, and virt-handler node by node, so during an
 * upgrade both versions are there and `count by (kubeversion) (kubevirt_info)` shows how far it is.
 */
export function kubevirtGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  const runs = kubevirtRuns(plan).map((run): SeriesGroup => ({
    // virt-operator is first to come and first to go; what belongs to a run lives between these two.
    fromMs: run.since?.operatorPodsMs ?? -Infinity,
    untilMs: run.until?.apiMs ?? Infinity,
    make: (external) => [
      ...operatorSeries(plan, run, external),
      ...(plan.isInstalled ? operandSeries(plan, run, external) : []),
    ],
  }))
  return [...runs, { fromMs: -Infinity, untilMs: Infinity, make: (external) => ruleResults(plan, external) }]
}

/** A KubeVirt version from the upgrade that brings it to the one that replaces it; releases that bundle the same one share it. */
interface KubevirtRun {
  readonly release: Release
  readonly since: UpgradePlan | undefined
  readonly until: UpgradePlan | undefined
}

function kubevirtRuns(plan: ClusterPlan): readonly KubevirtRun[] {
  const rolls = plan.upgrades.filter((upgrade) => upgrade.hasKubevirtRoll)
  const releases = [plan.profile.firstRelease, ...rolls.map((upgrade) => upgrade.to)]
  return releases.map((release, i) => ({ release, since: rolls[i - 1], until: rolls[i] }))
}

type Component = 'virt-operator' | 'virt-handler' | 'virt-controller' | 'virt-api'

type Add = (name: string, own: OwnLabels, valueAt: SimSeries['valueAt']) => void

/** What a scrape of one of KubeVirt's pods adds. */
export function kubevirtTarget(plan: ClusterPlan, pod: string, container: Component): Target {
  return {
    job: 'kubevirt-prometheus-metrics',
    instance: instanceOf(plan.profile, pod, 8443),
    pod,
    namespace: plan.profile.installNamespace,
    service: 'kubevirt-prometheus-metrics',
    endpoint: 'metrics',
    container,
  }
}

/** Adds series of one pod that lives from `fromMs` to `untilMs`. While it is down its scrape fails, and says only that. */
function podAdder(
  plan: ClusterPlan,
  external: ExternalLabels,
  series: SimSeries[],
  pod: { readonly name: string; readonly container: Component; readonly fromMs: number; readonly untilMs: number },
  isDownAt: (timeMs: number) => boolean = () => false,
): Add {
  const target = kubevirtTarget(plan, pod.name, pod.container)
  const add: Add = (name, own, valueAt) => {
    series.push(targetSeries(external, target, name, own, between(pod.fromMs, pod.untilMs, valueAt)))
  }
  add('up', {}, (timeMs) => Number(!isDownAt(timeMs)))
  return (name, own, valueAt) => {
    add(name, own, (timeMs) => (isDownAt(timeMs) ? undefined : valueAt(timeMs)))
  }
}

/** Two pods of each Deployment, or one on a single node. */
function replicasOf(plan: ClusterPlan): readonly number[] {
  return plan.profile.nodes.length > 1 ? [0, 1] : [0]
}

function operatorSeries(plan: ClusterPlan, run: KubevirtRun, external: ExternalLabels): SimSeries[] {
  const series: SimSeries[] = []
  const fromMs = run.since?.operatorPodsMs ?? -Infinity
  const untilMs = run.until?.operatorPodsMs ?? Infinity
  for (const replica of replicasOf(plan)) {
    const name = podName(plan.profile, 'virt-operator', run.release.kubevirt, replica)
    const add = podAdder(plan, external, series, { name, container: 'virt-operator', fromMs, untilMs })
    add('kubevirt_virt_operator_ready_status', {}, () => 1)
    add('kubevirt_virt_operator_leading_status', {}, () => Number(replica === 0))
  }
  return series
}

function operandSeries(plan: ClusterPlan, run: KubevirtRun, external: ExternalLabels): SimSeries[] {
  const series: SimSeries[] = []
  addHandlers(plan, run, external, series)
  addControllers(plan, run, external, series)
  addApis(plan, run, external, series)
  return series
}

/** A new virt-handler is scraped for the first time some seconds after the old one went. */
const HANDLER_START_MS = 12_000

function addHandlers(plan: ClusterPlan, run: KubevirtRun, external: ExternalLabels, series: SimSeries[]): void {
  const { release, since, until } = run
  plan.profile.nodes.forEach((node, i) => {
    const name = nodePodName(plan.profile, 'virt-handler', release.kubevirt, node)
    const startMs = since?.handlerMs[i]
    const fromMs = startMs === undefined ? -Infinity : startMs + HANDLER_START_MS
    const untilMs = until?.handlerMs[i] ?? Infinity
    const add = podAdder(plan, external, series, { name, container: 'virt-handler', fromMs, untilMs })
    add('kubevirt_info', { goversion: release.goVersion, kubeversion: release.kubevirt }, () => 1)
    if (kubevirtMinorOf(release) >= 8) {
      const isStalled = since?.stall?.kind === 'canary' && i === 0 ? since.stall : undefined
      add('kubevirt_virt_handler_ready_status', {}, (timeMs) =>
        isStalled !== undefined && timeMs < isStalled.untilMs ? 0 : 1,
      )
    }
  })
}

function addControllers(plan: ClusterPlan, run: KubevirtRun, external: ExternalLabels, series: SimSeries[]): void {
  const fromMs = run.since?.controllersMs ?? -Infinity
  const untilMs = run.until?.controllersMs ?? Infinity
  const { profile } = plan
  for (const replica of replicasOf(plan)) {
    const name = podName(profile, 'virt-controller', run.release.kubevirt, replica)
    const add = podAdder(plan, external, series, { name, container: 'virt-controller', fromMs, untilMs })
    add('kubevirt_virt_controller_ready_status', {}, () => 1)
    add('kubevirt_virt_controller_leading_status', {}, () => Number(replica === 0))
    if (replica !== 0) continue // the rest is the leader's
    add('kubevirt_vmi_number_of_outdated', {}, (timeMs) => outdatedAt(plan, timeMs))
    add('kubevirt_vmi_migrations_in_pending_phase', {}, (timeMs) => migrationsAt(plan, timeMs).pending)
    add('kubevirt_vmi_migrations_in_running_phase', {}, (timeMs) => migrationsAt(plan, timeMs).running)
  }
}

function addApis(plan: ClusterPlan, run: KubevirtRun, external: ExternalLabels, series: SimSeries[]): void {
  const fromMs = run.since?.apiMs ?? -Infinity
  const untilMs = run.until?.apiMs ?? Infinity
  for (const replica of replicasOf(plan)) {
    const name = podName(plan.profile, 'virt-api', run.release.kubevirt, replica)
    const isDownAt = (timeMs: number): boolean => hasTrouble(plan, 'api_down', timeMs)
    const add = podAdder(plan, external, series, { name, container: 'virt-api', fromMs, untilMs }, isDownAt)
    add('kubevirt_virt_api_ready_status', {}, () => 1)
    const host = '172.30.0.1:443'
    const perSecond = 0.4 + 3 * noiseAt(hashOf(plan.profile.seed, name), 0)
    add(
      'kubevirt_rest_client_requests_total',
      { code: '200', method: 'GET', host, resource: 'virtualmachines', verb: 'GET' },
      (timeMs) => Math.floor(perSecond * secondsSince(Math.max(fromMs, plan.startMs - 86_400_000), timeMs)),
    )
  }
}

function secondsSince(fromMs: number, timeMs: number): number {
  return (timeMs - fromMs) / 1000
}

/** Parallel migrations in a whole cluster, KubeVirt's default. */
const PARALLEL_MIGRATIONS = 5

/** While machines are outdated, they migrate as fast as the limit lets them; apart from that hardly anything moves. */
function migrationsAt(plan: ClusterPlan, timeMs: number): { readonly running: number; readonly pending: number } {
  const { profile } = plan
  const left = outdatedVmsAt(profile, plan.upgrades, timeMs) - profile.fixedVms
  if (left > 0) return { running: Math.min(PARALLEL_MIGRATIONS, left), pending: Math.max(0, Math.min(5, left - 5)) }
  const isUserMigration = noiseAt(hashOf(profile.seed, 'migration'), Math.floor(timeMs / 120_000)) > 0.985
  return { running: Number(isUserMigration), pending: 0 }
}

/**
 * What KubeVirt's recording rules make of it. Names with colons came with KubeVirt 1.8; the old ones are still recorded.
 * virt-operator brings the rules with the rest of KubeVirt, so without a KubeVirt object there are none.
 */
function ruleResults(plan: ClusterPlan, external: ExternalLabels): SimSeries[] {
  if (!plan.isInstalled) return []
  const { profile } = plan
  const replicas = replicasOf(plan).length
  const nodes = profile.nodes.length
  const both = (oldName: string, newName: string, own: OwnLabels, valueAt: (timeMs: number) => number): SimSeries[] => [
    ruleSeries(external, oldName, own, valueAt),
    ruleSeries(external, newName, own, (timeMs) => (hasColonNames(plan, timeMs) ? valueAt(timeMs) : undefined)),
  ]
  return [
    ...both('kubevirt_virt_api_up', 'cluster:kubevirt_virt_api_up:sum', {}, (timeMs) =>
      hasTrouble(plan, 'api_down', timeMs) ? 0 : replicas,
    ),
    ...both('kubevirt_virt_handler_up', 'cluster:kubevirt_virt_handler_up:sum', {}, () => nodes),
    ...both('kubevirt_allocatable_nodes', 'cluster:kubevirt_nodes_allocatable:count', {}, () => nodes),
    ...both('kubevirt_nodes_with_kvm', 'cluster:kubevirt_nodes_with_kvm:count', {}, () => nodes),
    ...both('kubevirt_number_of_vms', 'namespace:kubevirt_vm:sum', { namespace: 'tenants' }, () => profile.vms),
    ...machineKinds(plan).flatMap(({ count, ...own }) =>
      both('kubevirt_vmi_phase_count', 'node:kubevirt_vmi_phase:sum', { phase: 'running', ...own }, () => count),
    ),
    ...countedMachines(plan, external),
    ...(asksForOldApi(plan)
      ? both(
          'kubevirt_api_request_deprecated_total',
          'cluster:kubevirt_api_request_deprecated_total:sum',
          { group: 'kubevirt.io', version: 'v1alpha3', resource: 'virtualmachines', verb: 'LIST' },
          () => OLD_API_REQUESTS,
        )
      : []),
  ]
}

/** Counts of single VMs, whose own series are left out: as the rules of the server would record them. */
function countedMachines(plan: ClusterPlan, external: ExternalLabels): readonly SimSeries[] {
  const isReported = (timeMs: number): number | undefined =>
    kubevirtMinorOf(operatorAt(plan, timeMs)) >= 6 ? 0 : undefined
  return [
    // Of a cluster whose VMs are reported one by one the server counts itself.
    ...(plan.trouble?.kind === 'not_evictable'
      ? []
      : [ruleSeries(external, 'cluster:kubevirt_vmi_non_evictable:sum', {}, () => 0)]),
    ruleSeries(external, 'cluster:kubevirt_vm_deprecated_machine_type:count', {}, isReported),
  ]
}

const MACHINE_KINDS = [
  { instance_type: 'u1.medium', preference: 'rhel.9', os: 'linux', workload: 'server', flavor: 'medium' },
  { instance_type: 'u1.large', preference: 'windows.2k22', os: 'windows', workload: 'server', flavor: 'large' },
  { instance_type: 'cx1.xlarge', preference: 'rhel.8', os: 'linux', workload: 'highperformance', flavor: 'large' },
  { instance_type: '<none>', preference: '<none>', os: '<none>', workload: '<none>', flavor: '<none>' },
] as const

/** Its running machines, of two kinds that stand on two nodes: series by node and kind would be half of what it sends. */
function machineKinds({ profile: { name, nodes, vms } }: ClusterPlan) {
  const kind = hashOf(name) % MACHINE_KINDS.length
  const first = Math.ceil((vms * 2) / 3)
  return [
    { ...MACHINE_KINDS[kind]!, node: nodes[0]!, count: first },
    { ...MACHINE_KINDS[(kind + 1) % MACHINE_KINDS.length]!, node: nodes.at(-1)!, count: vms - first },
  ].filter(({ count }) => count > 0)
}

/** Counted once, long ago: nobody asks for it now, so no alert is due. */
const OLD_API_REQUESTS = 412

/** A tool in one cluster of eight was built against an API version that goes away. */
function asksForOldApi({ profile }: ClusterPlan): boolean {
  return hashOf(`${profile.name} old api`) % 8 === 0
}

function hasColonNames(plan: ClusterPlan, timeMs: number): boolean {
  return kubevirtMinorOf(operatorAt(plan, timeMs)) >= 8
}
