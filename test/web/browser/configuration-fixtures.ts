import type {
  BaselineItem,
  BaselineReplayAnswer,
  ConfigurationAnswer,
  DeprecatedApisAnswer,
  DifferencesAnswer,
  KvmStackAnswer,
  SettingDetail,
} from '../../../src/contract/fleet-configuration.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** The configuration of a made-up fleet: a setting with outliers, one without, an unknown gate, a baseline. */

const HOUR_MS = 3_600_000
const at = (nowMs: number, hoursAgo: number): string => new Date(nowMs - hoursAgo * HOUR_MS).toISOString()

export const baselineItem = (nowMs: number): BaselineItem => ({
  cluster: 'prod-0001',
  by: 'ada',
  chosenAt: at(nowMs, 48),
})

const TIMEOUT: ConfigurationAnswer['settings'][number] = {
  ...{ name: 'liveMigration.progressTimeout', reporting: 900, otherClusters: 0, outliers: 3 },
  values: [
    { value: 150, default: true, clusters: 897 },
    { value: 300, default: false, clusters: 3 },
  ],
  reference: { by: 'baseline', value: 150, default: true },
}

const SETTINGS: ConfigurationAnswer['settings'] = [
  {
    ...{ name: 'evictionStrategy', reporting: 900, otherClusters: 0, outliers: 0 },
    values: [{ value: 'LiveMigrate', default: true, clusters: 900 }],
    reference: { by: 'baseline', value: 'LiveMigrate', default: true },
  },
  {
    ...{ name: 'featureGates.downwardMetrics', reporting: 892, otherClusters: 0, outliers: 12 },
    values: [{ value: false, default: true, clusters: 880 }],
    reference: null,
  },
  TIMEOUT,
]

export function configurationAnswer(search: URLSearchParams, nowMs: number): ConfigurationAnswer {
  const settings = search.get('region') === 'none' ? [] : SETTINGS
  return {
    ...{ asOf: at(nowMs, 0), coverage: fleetCoverage(nowMs), clusters: 1200, reporting: 900, differing: 15 },
    ...{ baseline: baselineItem(nowMs), total: settings.length, settings },
  }
}

export function settingDetail(name: string, search: URLSearchParams, nowMs: number): SettingDetail {
  const outlier = {
    ...{ cluster: 'ams-stuck-1', version: '1.17.3', value: 300, default: false, outlier: true, by: 'kubectl-edit' },
    since: at(nowMs, 5),
  }
  const other = {
    cluster: 'prod-0001',
    version: '1.18.1',
    value: 150,
    default: true,
    outlier: false,
    since: null,
    by: null,
  }
  const clusters = search.get('outliers') === 'true' ? [outlier] : [outlier, other]
  return {
    ...{ asOf: at(nowMs, 0), coverage: fleetCoverage(nowMs), known: 1200, total: clusters.length, nextCursor: null },
    ...{ ...TIMEOUT, name, baseline: baselineItem(nowMs), clusters },
  }
}

export function baselineReplayAnswer(search: URLSearchParams, nowMs: number): BaselineReplayAnswer {
  const [from, to] = [search.get('from') ?? at(nowMs, 720), search.get('to') ?? at(nowMs, 0)]
  const name = 'liveMigration.progressTimeout'
  return {
    ...{ asOf: at(nowMs, 0), from, to, proposed: search.get('baseline') ?? '', present: 'prod-0001' },
    ...{ total: 1200, compared: 900 },
    onlyProposed: { clusters: 1, seconds: 3 * 3600 },
    onlyPresent: { clusters: 12, seconds: 12 * 86_400 },
    both: { clusters: 0, seconds: 0 },
    clusters: [
      {
        ...{ cluster: 'ams-stuck-1', comparedSeconds: 2_592_000 },
        times: [{ from: at(nowMs, 8), until: at(nowMs, 5), proposed: [name], present: [] }],
      },
      {
        ...{ cluster: 'prod-0004', comparedSeconds: 2_592_000 },
        times: [
          {
            ...{ from: at(nowMs, 48), until: at(nowMs, 24), proposed: [] },
            present: [name, 'evictionStrategy', 'featureGates.downwardMetrics', 'tuningPolicy'],
          },
        ],
      },
    ],
  }
}

export function differencesAnswer(cluster: string, nowMs: number): DifferencesAnswer {
  return {
    ...{ asOf: at(nowMs, 0), cluster, against: 'baseline', reference: 'prod-0001', compared: 45 },
    differences: [
      {
        ...{ name: 'liveMigration.progressTimeout', value: 300, default: false, expected: 150, expectedDefault: true },
        ...{ since: at(nowMs, 5), by: 'kubectl-edit' },
      },
    ],
  }
}

const clusters = { count: 2, names: ['ams-stuck-1', 'prod-0001'] }

export function kvmStackAnswer(search: URLSearchParams, nowMs: number): KvmStackAnswer {
  const stack = { kubevirt: '1.5', libvirt: '10.10.0', qemu: '9.1.0', base: 'el9', sources: [] }
  const old = {
    kubevirt: '1.4',
    libvirt: null,
    qemu: '9.0.0',
    base: 'el9',
    sources: ['https://github.com/kubevirt/kubevirt/pull/12452'],
  }
  const hasTarget = search.get('target') !== null
  return {
    ...{ asOf: at(nowMs, 0), coverage: fleetCoverage(nowMs), reporting: 2, target: hasTarget ? stack : null },
    stacks: [
      { ...stack, clusters },
      { ...old, clusters },
    ],
    machineTypes: [
      {
        ...{
          machineType: 'pc-q35-rhel8.6.0',
          vms: 14,
          clusters,
          deprecatedOn: 1,
          state: 'deprecated',
          removedIn: 'el10',
        },
        sources: ['https://gitlab.com/redhat/centos-stream/src/qemu-kvm/-/merge_requests/270'],
      },
    ],
    migrations: hasTarget
      ? [
          {
            from: '1.4',
            to: '1.5',
            clusters,
            qemuFrom: '9.0.0',
            qemuTo: '9.1.0',
            backward: 'hazard',
            skipsMinors: false,
            known: [],
          },
        ]
      : [],
  }
}

export function deprecatedApisAnswer(search: URLSearchParams, nowMs: number): DeprecatedApisAnswer {
  const none = { count: 0, names: [] }
  return {
    ...{ asOf: at(nowMs, 0), coverage: fleetCoverage(nowMs), withClients: 1, total: 1 },
    apis: [
      {
        ...{ group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', resource: 'flowschemas', clusters },
        removals: [{ by: 'kubernetes', release: '1.32', source: null }],
        clients: [{ client: 'argocd/v2.9', clusters: { count: 1, names: ['prod-0001'] } }],
        breaksOn: search.get('target') === null ? none : clusters,
      },
    ],
  }
}
