import { clusterReadiness } from './readiness-fixtures.ts'
import type { ObjectChangeItems } from '../../../src/contract/fleet-changes.ts'
import type {
  ClusterDetail,
  ClusterFacets,
  ClusterItem,
  ClusterSilenceItem,
  ClusterItems,
} from '../../../src/contract/fleet-clusters.ts'
import { CLUSTER_STATES, type ClusterState } from '../../../src/model/cluster-record.ts'
import { CLUSTER_COUNT, fleetCoverage, timeOf } from './coverage-fixtures.ts'
import { modifications } from './modification-fixtures.ts'
import { stuckUpgrade, STUCK_VERDICT } from './upgrade-fixtures.ts'

/** A made-up fleet of 1,200 clusters, typed by the contract and narrowed as the API does it. */

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

const VERSIONS = ['1.18.1', '1.18.0', '1.17.3', '1.16.0', '1.13.0', '4.20.1'] as const
const REGIONS = ['eu-west', 'us-central', 'ap-south'] as const

export function networkSilence(sinceMs: number): ClusterSilenceItem {
  return {
    sources: ['objects', 'metrics'],
    total: true,
    since: timeOf(sinceMs),
    cause: 'network',
    evidence: [
      {
        cause: 'network',
        text: '28 of 31 clusters of eu-west fell silent within 4 min; 3 of 120 elsewhere.',
        at: timeOf(sinceMs),
        share: { silent: 28, of: 31, elsewhere: { silent: 3, of: 120 } },
      },
    ],
    missing: [],
    nextStep:
      'Check the network between eu-west and Daytwo, not the single clusters: proxy, firewall, DNS, an outage of the site or provider.',
  }
}

function unknownSilence(sinceMs: number): ClusterSilenceItem {
  return {
    sources: ['metrics'],
    total: true,
    since: timeOf(sinceMs),
    cause: 'unknown',
    evidence: [],
    missing: [
      'Only metrics were ever reported: a stopped sender and an unreachable cluster look the same.',
      'No upgrade was in progress.',
    ],
    nextStep:
      'Check whether the API of the cluster answers. If it does, check the log of its Prometheus and Collector; if not, contact its owner.',
  }
}

/** `stuck-1` and two that are silent stand first by name; of the others every tenth has a paused pool. */
function cluster(index: number, nowMs: number): ClusterItem {
  const name =
    index === 0 ? 'ams-stuck-1' : index < 3 ? `ams-silent-${index}` : `prod-${String(index).padStart(4, '0')}`
  const states: ClusterState[] =
    index === 0 ? ['upgrading', 'stuck'] : index < 3 ? ['silent'] : index % 10 === 0 ? ['paused_pool'] : ['steady']
  const version = index === 5 ? null : VERSIONS[index % VERSIONS.length]!
  const heardMs = nowMs - (index === 1 || index === 2 ? 3 * HOUR_MS : 12 * SECOND_MS)
  return {
    cluster: name,
    aliases: [`id-${index}`],
    states,
    gone: null,
    silence: index === 1 ? networkSilence(heardMs) : index === 2 ? unknownSilence(heardMs) : null,
    flavour: version?.startsWith('4.') === true ? 'openshift' : 'community',
    platform: index === 6 ? null : { kind: 'openshift', version: '4.20.8', target: null },
    version,
    versions: version === null ? {} : { kubevirt: 'v1.8.4', cdi: 'v1.65.0' },
    channel: 'stable',
    approval: 'Automatic',
    systemHealth: 'healthy',
    tainted: false,
    outdatedWorkloads: index % 7 === 0 ? index : 0,
    openUpgrades:
      index === 0
        ? [
            {
              id: 'u-stuck',
              operator: 'kubevirt-hyperconverged',
              from: '1.17.3',
              to: '1.18.1',
              phase: 'virt_handler.waves',
              startedAt: timeOf(nowMs - HOUR_MS),
              stuck: true,
            },
          ]
        : [],
    region: REGIONS[index % REGIONS.length]!,
    provider: 'aws',
    environment: 'prod',
    firstSeenAt: timeOf(nowMs - 900 * HOUR_MS),
    lastSeenAt: timeOf(heardMs),
    coverage: {
      objects: index % 4 !== 3,
      metrics: true,
      spans: false,
      objectsLastAt: index % 4 === 3 ? null : timeOf(heardMs),
      metricsLastAt: timeOf(heardMs),
      kinds: index % 4 === 3 ? [] : ['hyperconvergeds', 'kubevirts', 'nodes'],
    },
  }
}

/** `GET /api/fleet/v1/clusters`. */
export function clusterItems(search: URLSearchParams, nowMs: number): ClusterItems {
  const all = Array.from({ length: CLUSTER_COUNT }, (_, index) => cluster(index, nowMs))
  const [states, versions] = [search.getAll('state'), search.getAll('version')]
  const text = search.get('text') ?? ''
  const fitting = all.filter(
    (one) =>
      (states.length === 0 || one.states.some((state) => states.includes(state))) &&
      (versions.length === 0 || versions.some((asked) => one.version?.startsWith(asked) === true)) &&
      (search.get('region') ?? one.region) === one.region &&
      one.cluster.includes(text),
  )
  if (search.get('order') === 'desc') fitting.reverse()
  const from = Number(search.get('cursor') ?? '0')
  const limit = Number(search.get('limit') ?? '100')
  return {
    asOf: timeOf(nowMs),
    coverage: fleetCoverage(nowMs),
    total: fitting.length,
    clusters: fitting.slice(from, from + limit),
    facets: search.get('facets') === 'true' ? facets(all) : null,
    nextCursor: from + limit < fitting.length ? String(from + limit) : null,
  }
}

function facets(all: readonly ClusterItem[]): ClusterFacets {
  const counted = (valueOf: (one: ClusterItem) => string | null): ClusterFacets['versions'] => {
    const counts = new Map<string | null, number>()
    for (const one of all) counts.set(valueOf(one), (counts.get(valueOf(one)) ?? 0) + 1)
    return Array.from(counts, ([value, count]) => ({ value, count }))
  }
  return {
    states: CLUSTER_STATES.map((value) => ({
      value,
      count: all.filter(({ states }) => states.includes(value)).length,
    })),
    versions: counted(({ version }) => version),
    channels: counted(({ channel }) => channel),
    platforms: counted(({ platform }) => (platform === null ? null : 'openshift 4.20')),
    flavours: counted(({ flavour }) => flavour),
    regions: counted(({ region }) => region),
  }
}

/** `GET /api/fleet/v1/clusters/{cluster}`; the first is stuck and has a hazard of each kind. */
export function clusterDetail(name: string, nowMs: number): ClusterDetail | undefined {
  const index = Array.from({ length: 4 }, (_, i) => cluster(i, nowMs).cluster).indexOf(name)
  if (index < 0) return undefined
  const isStuck = index === 0
  return {
    asOf: timeOf(nowMs),
    ...cluster(index, nowMs),
    readiness: isStuck
      ? clusterReadiness(nowMs)
      : { ...clusterReadiness(nowMs), verdict: 'ready', hazards: [], unknown: [] },
    decommissions: [],
    problems: [],
    subscription: {
      package: 'community-kubevirt-hyperconverged',
      channel: 'stable',
      approval: 'Automatic',
      source: 'operatorhub',
      state: 'UpgradePending',
      installedCsv: 'kubevirt-hyperconverged-operator.v1.17.3',
      currentCsv: 'kubevirt-hyperconverged-operator.v1.18.1',
    },
    conditions: [
      {
        type: 'Degraded',
        status: isStuck ? 'True' : 'False',
        reason: 'KubeVirtDegraded',
        message: 'virt-handler does not roll out',
        lastTransitionAt: timeOf(nowMs - HOUR_MS),
      },
    ],
    upgradeable: null,
    hyperConvergedApi: 'hco.kubevirt.io/v1beta1',
    settings: [
      { name: 'evictionStrategy', set: 'None', default: null },
      { name: 'liveMigration.parallelMigrationsPerCluster', set: 5, default: 5 },
      { name: 'workloadUpdateMethods', set: isStuck ? [] : ['LiveMigrate'], default: ['LiveMigrate'] },
    ],
    featureGates: { downwardMetrics: true },
    nodes: { count: 12, ready: 11, kubeletVersions: ['v1.33.4', 'v1.33.5'] },
    pools: [{ name: 'worker', paused: true, machines: 12, updated: 4, degraded: 0 }],
    goldenImages: { crons: 3, outdated: 1 },
    descheduler: { profiles: ['LifecycleAndUtilization'], misconfigured: true },
    instanceTypes: { 'u1.medium': 14 },
    preferences: {},
    deprecatedApis: { 'kubevirt.io/v1alpha3': 3 },
    intervals: [
      interval('kubevirt-hyperconverged', '1.16.0', nowMs - 90 * HOUR_MS, nowMs - 40 * HOUR_MS),
      interval('kubevirt-hyperconverged', '1.17.3', nowMs - 40 * HOUR_MS, undefined),
      interval('openshift', '4.20.8', nowMs - 700 * HOUR_MS, undefined),
    ],
    open: isStuck ? [{ upgrade: stuckUpgrade(nowMs), verdict: STUCK_VERDICT(nowMs) }] : [],
    upgradeCount: 2,
    modifications: modifications(nowMs).filter((one) => one.cluster === name),
  }
}

function interval(
  operator: string,
  version: string,
  fromMs: number,
  untilMs: number | undefined,
): ClusterDetail['intervals'][number] {
  return {
    operator,
    version,
    from: timeOf(fromMs),
    startKnown: true,
    until: untilMs === undefined ? null : timeOf(untilMs),
    resolutionSeconds: 1,
  }
}

/** `GET /api/fleet/v1/clusters/{cluster}/changes`. */
export function objectChanges(name: string, nowMs: number): ObjectChangeItems {
  return {
    asOf: timeOf(nowMs),
    cluster: name,
    changes: [
      {
        at: timeOf(nowMs - 10 * 60_000),
        kind: 'hyperconvergeds',
        namespace: 'kubevirt-hyperconverged',
        name: 'kubevirt-hyperconverged',
        uid: 'uid-1',
        resourceVersion: '12',
        change: 'modified',
        manager: { name: 'kubectl-edit', operation: 'Update', subresource: '' },
        isFirst: false,
        fields: [
          { field: 'conditions[Degraded].lastTransition', before: null, after: '2026-11-22T02:00:00Z' },
          { field: 'conditions[Degraded].status', before: 'False', after: 'True' },
        ],
        state: { kind: 'hyperconvergeds', apiVersion: 'hco.kubevirt.io/v1beta1', jsonPatches: {} },
      },
      {
        at: timeOf(nowMs - 20 * 60_000),
        kind: 'nodes',
        namespace: '',
        name: 'worker-1',
        uid: 'uid-2',
        resourceVersion: '11',
        change: 'listed',
        manager: null,
        isFirst: true,
        fields: [],
      },
    ],
    hasMore: false,
  }
}
