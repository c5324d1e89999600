/** Clusters for tests of plans: views of the index, from the least that makes one. */
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { ClusterView } from '../../../src/fleet/clusters/cluster-index.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

export const NOW_MS = Date.UTC(2026, 8, 1, 12)

const OBJECTS = { objects: true, metrics: true, spans: false, kinds: [] }
export const PLACE = { name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv' }
const SUBSCRIPTION = {
  ...{ package: 'kubevirt-hyperconverged', channel: 'stable', approval: 'Automatic' },
  ...{ source: 'redhat-operators', state: 'AtLatestKnown' },
}

type Pools = ClusterRecord['pools']

export function pools(workers: number, more: Partial<Pools[number]> = {}): Pools {
  return [
    { name: 'master', isPaused: false, machines: 3, updated: 3, degraded: 0 },
    { name: 'worker', isPaused: false, machines: workers, updated: workers, degraded: 0, ...more },
  ]
}

/** OpenShift 4.16 with OpenShift Virtualization 4.16.0, six workers and 40 VMs, that reports everything. */
export function openshift(known: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord('prague', {
    ...{ flavour: 'openshift', hcoVersion: '4.16.0', coverage: OBJECTS, vmsAtLastUpdate: 40 },
    platform: { kind: 'openshift', version: '4.16.3' },
    subscription: SUBSCRIPTION,
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
    nodes: { count: 9, ready: 9, kubeletVersions: ['v1.29.5'] },
    pools: pools(6),
    workloads: { outdated: 0, atMs: NOW_MS },
    hyperConverged: PLACE,
    hcoSubscription: PLACE,
    ...known,
  })
}

/** HCO of the community on Kubernetes. */
export function community(hcoVersion: string, known: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord('brno', {
    ...{ flavour: 'community', hcoVersion, coverage: OBJECTS, vmsAtLastUpdate: 12 },
    platform: { kind: 'kubernetes', version: 'v1.33.1' },
    subscription: { ...SUBSCRIPTION, package: 'community-kubevirt-hyperconverged' },
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
    nodes: { count: 4, ready: 4, kubeletVersions: ['v1.33.1'] },
    workloads: { outdated: 0, atMs: NOW_MS },
    hyperConverged: { name: 'kubevirt-hyperconverged', namespace: 'kubevirt-hyperconverged' },
    hcoSubscription: { name: 'community-kubevirt-hyperconverged', namespace: 'kubevirt-hyperconverged' },
    ...known,
  })
}

export function viewOf(record: ClusterRecord, more: Partial<ClusterView> = {}): ClusterView {
  return { record, states: ['steady'], open: [], lastSeen: {}, decommissions: [], ...more }
}
