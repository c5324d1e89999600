/** A cluster that reports every signal and has no hazard, on OpenShift; tests change one part of it. */
import type { ClusterRecord, Modification } from '../../../src/model/cluster-record.ts'
import type { HazardFacts, Observed } from '../../../src/model/hazard-facts.ts'
import type { RiskAlert } from '../../../src/model/readiness.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import type { FindingsInput } from '../../../src/fleet/readiness/findings.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

export const NOW = Date.UTC(2026, 10, 28, 12)
export const HOUR = 3_600_000
const SINCE = NOW - 30 * HOUR

export function seen<T>(value: T, source: Observed<T>['source'] = 'objects'): Observed<T> {
  return { value, sinceMs: SINCE, source, ref: 'ref' }
}

export const KINDS = [
  ...['clusterserviceversions', 'subscriptions', 'operatorgroups', 'operatorconditions', 'hyperconvergeds', 'events'],
  ...['networkaddonsconfigs', 'kubedeschedulers', 'virtualmachineinstancemigrations', 'virtualmachineinstances'],
  ...['dataimportcrons', 'machineconfigpools', 'clusterversions', 'nodes'],
]

export const FACTS: HazardFacts = {
  kubernetesVersion: seen('1.33.4'),
  operatorGroupStrategy: { ...seen('Default'), ref: 'operatorgroups/openshift-cnv/group' },
  isHighlyAvailable: seen(true),
  kvmNodes: seen(6),
  platformUpgradeable: seen({ status: 'True', reason: '', message: '' }),
  maxOpenShiftVersion: seen(''),
  nodeMaintenances: seen(0),
  nmstateCondition: seen(''),
  nonEvictable: seen(0),
  notMigratable: seen({}),
  rwoClasses: seen([]),
  deprecatedMachineTypes: seen({}),
  deprecatedApis: seen([]),
  isDeschedulerMisconfigured: seen(false),
  retriedMigrations: seen({ vms: 0, tries: 0, reason: '' }),
  hyperConvergedWriter: seen({ manager: '', apiVersion: 'hco.kubevirt.io/v1' }),
  workloadUpdateMethods: seen(['LiveMigrate']),
  pausedPools: seen([]),
}

export const HEALTHY: ClusterRecord = emptyRecord('prague', {
  flavour: 'openshift',
  hcoVersion: '4.20.1',
  versions: { kubevirt: 'v1.6.2' },
  platform: { kind: 'openshift', version: '4.21.3' },
  subscription: {
    package: 'kubevirt-hyperconverged',
    channel: 'stable',
    approval: 'Automatic',
    source: 'redhat-operators',
    state: 'AtLatestKnown',
  },
  conditions: [
    { type: 'Available', status: 'True', reason: 'ReconcileCompleted', message: '' },
    { type: 'Degraded', status: 'False', reason: 'ReconcileCompleted', message: '' },
  ],
  systemHealth: 'healthy',
  isTainted: false,
  upgradeable: { status: 'True', reason: 'Upgradeable', message: '' },
  settings: {
    apiVersion: 'hco.kubevirt.io/v1',
    workloadUpdateMethods: ['LiveMigrate'],
    liveMigration: {},
    featureGates: {},
  },
  nodes: { count: 9, ready: 9, kubeletVersions: ['v1.33.4'] },
  pools: [{ name: 'worker', isPaused: false, machines: 6, updated: 6, degraded: 0 }],
  workloads: { running: 40, outdated: 0, atMs: NOW },
  goldenImages: { crons: 8, outdated: 0 },
  descheduler: { profiles: ['KubeVirtRelieveAndMigrate'], isMisconfigured: false },
  firstSeenMs: NOW - 1000 * HOUR,
  lastSeenMs: NOW,
  coverage: {
    objects: true,
    metrics: true,
    spans: false,
    objectsLastMs: NOW,
    metricsLastMs: NOW,
    kinds: [...KINDS].sort(),
  },
  hazards: FACTS,
})

export interface Changed {
  readonly record?: Partial<ClusterRecord>
  readonly facts?: { readonly [Name in keyof HazardFacts]?: HazardFacts[Name] | undefined }
  /** Fields of the record that are not reported. */
  readonly without?: readonly (keyof ClusterRecord)[]
  readonly kindsWithout?: readonly string[]
  readonly metrics?: false
  readonly modifications?: readonly Modification[]
  readonly alerts?: readonly string[]
  readonly upgrades?: readonly UpgradeRecord[]
  readonly patchFindings?: FindingsInput['patchFindings']
}

export function changedRecord({
  record = {},
  facts = {},
  without = [],
  kindsWithout = [],
  metrics,
}: Changed): ClusterRecord {
  const changed = Object.entries({ ...HEALTHY, ...record }).filter(
    ([name]) => !without.includes(name as keyof ClusterRecord),
  )
  const known = Object.entries({ ...FACTS, ...facts }).filter(([, value]) => value !== undefined)
  const { coverage } = HEALTHY
  return {
    ...(Object.fromEntries(changed) as unknown as ClusterRecord),
    hazards: Object.fromEntries(known),
    coverage: {
      ...coverage,
      metrics: metrics ?? coverage.metrics,
      kinds: coverage.kinds.filter((kind) => !kindsWithout.includes(kind)),
    },
  }
}

export function inputOf(changed: Changed = {}): FindingsInput {
  const { modifications = [], alerts = [], upgrades = [], patchFindings } = changed
  return {
    record: changedRecord(changed),
    modifications,
    upgrades,
    alerts: alerts.map((alertname) => alertOf(alertname)),
    patchFindings,
    nowMs: NOW,
  }
}

export function alertOf(alertname: string, cluster = 'prague', severity = 'warning'): RiskAlert {
  return { cluster, alertname, severity, firedAtMs: NOW - HOUR }
}

export function modification(more: Partial<Modification>): Modification {
  return {
    id: 'm',
    cluster: 'prague',
    kind: 'jsonpatch',
    component: 'kubevirt',
    startedMs: SINCE,
    count: 1,
    text: 'patch',
    isUpgradeMode: false,
    resolutionSeconds: 1,
    ...more,
  }
}
