import { Labels } from '../../src/model/labels.ts'
import type { MetricSignal } from '../../src/model/observation.ts'
import { csvName, productVersion } from '../cluster-profile.ts'
import type { WriteSample } from '../../src/wire/remote-write-encode.ts'
import type { SampleRun } from '../sim-prometheus.ts'
import { isWithin } from '../scenarios/window.ts'
import { externalLabelsOf } from '../series/sim-series.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { scrapeTimes } from './scrapes.ts'
import { hcoProcesses } from './hco-processes.ts'
import { podName, signalSeries } from './signals.ts'
import type { SignalSeries } from './signal-series.ts'

/**
 * The series of a history as its Prometheus sends them: the signals under their metric names, one of `kubevirt_info` for
 * each node, and a stale marker at the scrape after the last.
 */
const NAMES: Readonly<Record<MetricSignal, string>> = {
  csv_succeeded: 'csv_succeeded',
  csv_abnormal: 'csv_abnormal',
  subscription: 'subscription_sync_total',
  kubevirt_nodes: 'kubevirt_info',
  hco_health: 'kubevirt_hco_system_health_status',
  outdated_vmis: 'kubevirt_vmi_number_of_outdated',
  platform: 'cluster_version',
  out_of_band: 'kubevirt_hco_out_of_band_modifications_total',
  unsafe_modifications: 'kubevirt_hco_unsafe_modifications',
  migrations_pending: 'kubevirt_vmi_migrations_in_pending_phase',
  migrations_scheduling: 'kubevirt_vmi_migrations_in_scheduling_phase',
  migrations_running: 'kubevirt_vmi_migrations_in_running_phase',
  virt_handler: 'kube_daemonset_status',
  operand_ready: 'kubevirt_cdi_cr_ready',
  machine_config: 'cluster_operator_conditions',
  cordoned: 'kube_node_spec_unschedulable',
  descheduler: 'kubevirt_hco_misconfigured_descheduler',
  nmo_in_use: 'kubevirt_hco_nmo_in_use',
  kvm_nodes: 'cluster:kubevirt_nodes_with_kvm:count',
  storage_profile: 'kubevirt_cdi_storageprofile_info',
  deprecated_api: 'cluster:kubevirt_api_request_deprecated_total:sum',
  non_evictable: 'cluster:kubevirt_vmi_non_evictable:sum',
  deprecated_machines: 'cluster:kubevirt_vm_deprecated_machine_type:count',
}

const DAEMONSET_NAMES: Readonly<Record<string, string>> = {
  desired: 'kube_daemonset_status_desired_number_scheduled',
  updated: 'kube_daemonset_status_updated_number_scheduled',
  ready: 'kube_daemonset_status_number_ready',
  available: 'kube_daemonset_status_number_available',
}

const OPERAND_NAMES: Readonly<Record<string, string>> = {
  cdi: 'kubevirt_cdi_cr_ready',
  'network-addons': 'kubevirt_cnao_cr_ready',
  ssp: 'kubevirt_ssp_operator_reconcile_succeeded',
}

/** One series of a history under the name and the labels that one replica gives it. */
export interface WireSeries {
  readonly labels: Labels
  readonly valueAt: SignalSeries['valueAt']
}

export function wireSeries(history: ClusterHistory, replica = 0): readonly WireSeries[] {
  const external = externalLabelsOf(history.profile, replica)
  return signalSeries(history).flatMap((series) =>
    partsOf(history, series).map(({ labels: own, valueAt }) => ({
      labels: Labels.of({ ...external, ...own }),
      valueAt,
    })),
  )
}

/** All samples of a cluster's history, series by series; each of its HA replicas sends the same. */
export function historySamples(history: ClusterHistory, replica = 0): readonly SampleRun[] {
  return samplesOfScrapes(wireSeries(history, replica), scrapeTimes(history))
}

/** @param beforeMs the scrape before these, of which nothing is sent again; absent: there was none */
export function samplesOfScrapes(
  series: readonly WireSeries[],
  scrapes: readonly number[],
  beforeMs?: number,
): readonly SampleRun[] {
  return series.flatMap(({ labels, valueAt }) => {
    const samples = samplesOf(scrapes, valueAt, beforeMs !== undefined && valueAt(beforeMs) !== undefined)
    return samples.length === 0 ? [] : [{ labels, samples }]
  })
}

interface Part {
  readonly labels: Readonly<Record<string, string>>
  readonly valueAt: SignalSeries['valueAt']
}

function partsOf(history: ClusterHistory, series: SignalSeries): readonly Part[] {
  const { profile } = history
  const { signal, labels, valueAt } = series
  const namespace = profile.installNamespace
  if (signal === 'kubevirt_nodes') {
    return profile.nodes.map((node, i) => ({
      labels: { ...labels, __name__: NAMES[signal], goversion: 'go1.24.7', namespace, pod: `virt-handler-${i}`, node },
      valueAt: (timeMs) => ((valueAt(timeMs) ?? 0) > i ? 1 : undefined),
    }))
  }
  if (signal === 'virt_handler') {
    const own = { __name__: DAEMONSET_NAMES[labels['state']!]!, daemonset: 'virt-handler', namespace }
    return [{ labels: own, valueAt }]
  }
  if (signal === 'operand_ready') {
    return [{ labels: { __name__: OPERAND_NAMES[labels['component']!]!, namespace }, valueAt }]
  }
  if (signal === 'machine_config') {
    const own = { ...labels, __name__: NAMES[signal], name: 'machine-config', namespace: 'openshift-cluster-version' }
    return [{ labels: own, valueAt }]
  }
  if (signal === 'subscription') {
    const own = { ...labels, name: profile.subscriptionName, package: profile.packageName }
    // A counter of how often OLM looked.
    const counted = (timeMs: number): number => 1 + Math.floor((timeMs - history.installedMs) / 75_000)
    return [
      {
        labels: { ...own, __name__: NAMES[signal] },
        valueAt: (timeMs) => (valueAt(timeMs) === undefined ? undefined : counted(timeMs)),
      },
    ]
  }
  if (signal === 'hco_health' || signal === 'unsafe_modifications') {
    // Another pod is another series.
    const processes = hcoProcesses(history)
    return [...new Set(processes.map(({ pod }) => pod))].map((pod) => ({
      labels: { ...labels, __name__: NAMES[signal], namespace, pod: podName(pod) },
      valueAt: (timeMs) =>
        processes.some((process) => process.pod === pod && isWithin(process, timeMs)) ? valueAt(timeMs) : undefined,
    }))
  }
  const isCsv = signal === 'csv_succeeded' || signal === 'csv_abnormal'
  const release = isCsv
    ? [history.firstCsv.release, ...history.upgrades.map(({ to }) => to)].find(
        (candidate) => productVersion(profile, candidate) === labels['version'],
      )
    : undefined
  const name = release === undefined ? {} : { name: csvName(profile, release) }
  return [{ labels: { ...labels, ...name, __name__: NAMES[signal], namespace }, valueAt }]
}

function samplesOf(
  scrapes: readonly number[],
  valueAt: SignalSeries['valueAt'],
  wasThereBefore: boolean,
): readonly WriteSample[] {
  const samples: WriteSample[] = []
  let wasThere = wasThereBefore
  for (const timeMs of scrapes) {
    const value = valueAt(timeMs)
    if (value !== undefined) samples.push({ timeMs, value })
    else if (wasThere) samples.push({ timeMs, value: 0, isStale: true })
    wasThere = value !== undefined
  }
  return samples
}
