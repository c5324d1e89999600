/**
 * The metrics that upgrades are derived from, and how their series are merged: the table behind `MetricRun`, with the names
 * of all versions of the operators. HA replicas of Prometheus differ in `REPLICA_LABELS` only.
 *
 * The series of a group are scraped together: when one has a sample and another one has none, the other one was missing.
 * Nothing follows from a gap of the whole group.
 */
import type { Matcher } from '../../model/matcher.ts'
import { RECORDED_SIGNALS, type MetricSignal } from '../../model/observation.ts'
import { versionOfCsv } from '../version-order.ts'

export interface SignalGroup {
  readonly name: string
  /** Finds all series of the group, of all clusters. */
  readonly matchers: readonly Matcher[]
  readonly sources: ReadonlyMap<string, SignalSource>
  /** Recorded by this server, so no sign that the cluster reports. */
  readonly isRecorded: boolean
}

export interface SignalSource {
  readonly signal: MetricSignal
  /** How series of one meaning are merged: the largest value, or their number. */
  readonly combine: 'max' | 'count'
  /** Only the presence of the series counts, not its value. */
  readonly isPresence: boolean
  /** The labels of the signal, of a series' labels. */
  readonly labelsOf: (label: (name: string) => string) => Readonly<Record<string, string>>
}

/** Labels in which the series of two Prometheus replicas differ (facts 11.12). */
export const REPLICA_LABEL_NAMES: ReadonlySet<string> = new Set(['prometheus', 'prometheus_replica', '__replica__'])

/** Copies labels of the series, without empty ones. */
function same(...names: readonly string[]): SignalSource['labelsOf'] {
  const sorted = names.toSorted()
  return (label) => Object.fromEntries(sorted.flatMap((name) => (label(name) === '' ? [] : [[name, label(name)]])))
}

function source(
  signal: MetricSignal,
  labelsOf: SignalSource['labelsOf'],
  more: Partial<SignalSource> = {},
): SignalSource {
  return { signal, combine: 'max', isPresence: false, labelsOf, ...more }
}

function group(
  name: string,
  sources: Readonly<Record<string, SignalSource>>,
  matchers: readonly Matcher[] = [],
): SignalGroup {
  const names: Matcher = { name: '__name__', op: '=~', value: Object.keys(sources).join('|') }
  const isOfCluster: Matcher = { name: 'cluster', op: '!=', value: '' }
  const isRecorded = Object.values(sources).every(({ signal }) => RECORDED_SIGNALS.has(signal))
  return { name, matchers: [names, isOfCluster, ...matchers], sources: new Map(Object.entries(sources)), isRecorded }
}

/** Older OLMs omit the label `version`; the name contains it. */
const csvLabels =
  (...others: readonly string[]): SignalSource['labelsOf'] =>
  (label) => {
    const version = label('version') || (versionOfCsv(label('name')) ?? label('name'))
    return { ...same(...others)(label), version }
  }

/** Names the process that counts, by its pod or else its address: a new process counts from 0 (`derive/out-of-band.ts`). */
const countedByProcess: SignalSource['labelsOf'] = (label) =>
  same('component_name', label('pod') === '' ? 'instance' : 'pod')(label)

const daemonSetState = (state: string): SignalSource => source('virt_handler', () => ({ state }))

const requestedApi = source('deprecated_api', same('group', 'resource', 'version'), { isPresence: true })

const operandReady = (component: string): SignalSource => source('operand_ready', () => ({ component }))

export const SIGNAL_GROUPS: readonly SignalGroup[] = [
  group(
    'csv',
    {
      csv_succeeded: source('csv_succeeded', csvLabels()),
      csv_abnormal: source('csv_abnormal', csvLabels('phase', 'reason')),
    },
    [{ name: 'name', op: '=~', value: 'kubevirt-hyperconverged-operator[.]v.+' }],
  ),
  group(
    'subscription',
    {
      subscription_sync_total: source('subscription', same('approval', 'channel', 'installed'), { isPresence: true }),
    },
    [{ name: 'package', op: '=~', value: '(community-)?kubevirt-hyperconverged' }],
  ),
  group('nodes', {
    kubevirt_info: source('kubevirt_nodes', same('kubeversion'), { combine: 'count', isPresence: true }),
  }),
  group('hco', {
    kubevirt_hco_system_health_status: source('hco_health', same()),
    kubevirt_hco_out_of_band_modifications_total: source('out_of_band', countedByProcess),
    kubevirt_hco_out_of_band_modifications_count: source('out_of_band', countedByProcess),
    hyperconverged_cluster_operator_out_of_band_modifications: source('out_of_band', countedByProcess),
    kubevirt_hco_unsafe_modifications: source('unsafe_modifications', same('annotation_name')),
    kubevirt_hco_unsafe_modification_count: source('unsafe_modifications', same('annotation_name')),
    kubevirt_hco_misconfigured_descheduler: source('descheduler', same()),
    kubevirt_hco_nmo_in_use: source('nmo_in_use', same()),
  }),
  group('workloads', {
    kubevirt_vmi_number_of_outdated: source('outdated_vmis', same()),
    kubevirt_vmi_outdated_count: source('outdated_vmis', same()),
    kubevirt_vmi_migrations_in_pending_phase: source('migrations_pending', same()),
    kubevirt_vmi_migrations_in_scheduling_phase: source('migrations_scheduling', same()),
    kubevirt_vmi_migrations_in_running_phase: source('migrations_running', same()),
  }),
  group('platform', { cluster_version: source('platform', same('from_version', 'type', 'version')) }),
  group(
    'virt-handler',
    {
      kube_daemonset_status_desired_number_scheduled: daemonSetState('desired'),
      kube_daemonset_status_updated_number_scheduled: daemonSetState('updated'),
      kube_daemonset_status_number_ready: daemonSetState('ready'),
      kube_daemonset_status_number_available: daemonSetState('available'),
    },
    [{ name: 'daemonset', op: '=', value: 'virt-handler' }],
  ),
  // One group each: they are of different pods, and an operator that is down does not concern the others.
  group('cdi', { kubevirt_cdi_cr_ready: operandReady('cdi') }),
  group('network-addons', { kubevirt_cnao_cr_ready: operandReady('network-addons') }),
  group('ssp', { kubevirt_ssp_operator_reconcile_succeeded: operandReady('ssp') }),
  group('machine-config', { cluster_operator_conditions: source('machine_config', same('condition', 'reason')) }, [
    { name: 'name', op: '=', value: 'machine-config' },
    { name: 'condition', op: '=', value: 'Degraded' },
  ]),
  // Recorded together: of a cluster that sends the first, a missing second means that no deprecated API was requested.
  group('kvm-nodes', {
    'cluster:kubevirt_nodes_with_kvm:count': source('kvm_nodes', same()),
    kubevirt_nodes_with_kvm: source('kvm_nodes', same()),
  }),
  group('deprecated-api', {
    'cluster:kubevirt_api_request_deprecated_total:sum': requestedApi,
    kubevirt_api_request_deprecated_total: requestedApi,
  }),
  group('storage', {
    kubevirt_cdi_storageprofile_info: source('storage_profile', same('default', 'rwx', 'storageclass', 'virtdefault'), {
      isPresence: true,
    }),
  }),
  // Counted by rules of this server (alert-rules/recording.yaml): the series of single VMs are too many to watch.
  group('non-evictable', { 'cluster:kubevirt_vmi_non_evictable:sum': source('non_evictable', same()) }),
  group('deprecated-machines', {
    'cluster:kubevirt_vm_deprecated_machine_type:count': source('deprecated_machines', same('machine_type')),
  }),
  group('cordons', { kube_node_spec_unschedulable: source('cordoned', same('node')) }),
]
