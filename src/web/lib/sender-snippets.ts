/** Configuration for clusters that send to this server. Pure. */

export type Sender = 'openshift' | 'prometheus'
export const SENDERS: readonly { readonly value: Sender; readonly text: string }[] = [
  { value: 'openshift', text: 'OpenShift' },
  { value: 'prometheus', text: 'Prometheus' },
]

/**
 * Names that the pages and the rules read; a cluster's Prometheus has a thousand times more. Fully anchored by Prometheus.
 * Left out is what a cluster records in a shorter form itself, and the clock of each processor (node_cpu_frequency_*),
 * which would be more series than all others together.
 */
export const METRICS = [
  '(cluster:)?kubevirt_(hco|hyperconverged|cdi|ssp|cnao|hpp|kmp|virt)_.*',
  '(cluster:kubevirt|vmi:kubevirt|cnv|cnao)_.*',
  'hyperconverged_cluster_operator_out_of_band_modifications|cluster:vmi_request_cpu_cores:sum',
  '(container:)?kubevirt_memory_delta_from_requested_bytes(:max)?|kubevirt_vmi_phase_count|node:kubevirt_vmi_phase:sum',
  'kubevirt_(info|vm_info|allocatable_nodes|nodes_with_kvm|node_deprecated_machine_types|configuration_emulation_enabled)',
  'kubevirt_(rest_client_requests|api_request_deprecated)_total',
  'kubevirt_vmi_(info|non_evictable|number_of_outdated|outdated_count|migrations_in_.*_phase|migration_succeeded)',
  'kubevirt_vmi_(guest_.*|filesystem_.*_bytes|memory_(available_bytes|usable_bytes|pgmajfault_total|swap_.*))',
  'kubevirt_vmi_(cpu_usage_seconds_total|vcpu_seconds_total|vcpu_delay_seconds_total)',
  'kmp_mac_collisions|csv_(succeeded|abnormal)|subscription_sync_total|installplan_warnings_total|up',
  'cluster_version(_.*)?|cluster_operator_(up|conditions|condition_transitions)',
  'kube_(daemonset_(metadata_generation|status_(number_ready|desired_number_scheduled))|deployment_spec_replicas)',
  'kube_node_(labels|role|spec_unschedulable|status_(allocatable|condition))|kube_persistentvolumeclaim_access_mode',
  'instance:node_cpu_utilisation:rate1m|node_network_(flags|up|carrier)|kubelet_volume_stats_.*_bytes',
].join('|')

/** Only of KubeVirt's own pods: every pod of a cluster has these series. */
const POD_METRICS = 'kube_pod_(info|status_phase|status_ready);virt-(api|controller|handler|operator|launcher)-.*'

/** Matches `__name__;pod`. */
const KEPT = `(${METRICS});.*|${POD_METRICS}`

/** @param baseUrl the server's address without a slash at the end */
export function remoteWriteSnippet(sender: Sender, baseUrl: string): string {
  const url = JSON.stringify(`${baseUrl}/api/v1/write`)
  return sender === 'openshift' ? openshift(url) : prometheus(url)
}

function openshift(url: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: cluster-monitoring-config
  namespace: openshift-monitoring
data:
  config.yaml: |
    prometheusK8s:
      remoteWrite:
        - url: ${url}
          authorization:
            type: Bearer
            credentials:
              name: daytwo-token
              key: token
          writeRelabelConfigs:
            - sourceLabels: [__name__, pod]
              regex: '${KEPT}'
              action: keep
            - targetLabel: cluster
              replacement: my-cluster
            - sourceLabels: [__tmp_openshift_cluster_id__]
              targetLabel: cluster_id
              action: replace
`
}

function prometheus(url: string): string {
  return `global:
  external_labels:
    cluster: my-cluster
remote_write:
  - url: ${url}
    authorization:
      credentials_file: /etc/prometheus/daytwo-token
    write_relabel_configs:
      - source_labels: [__name__, pod]
        regex: '${KEPT}'
        action: keep
`
}

export function isLoopback(url: string): boolean {
  try {
    const { hostname } = new URL(url)
    return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
  } catch {
    return false
  }
}

/** The commands that install the edge kit (deploy/edge-kit.yaml) in a cluster. */

/** Values of the file's placeholders: shell variables, and the address of this server. */
const REPLACED = {
  REPLACE_WITH_TOKEN: '$TOKEN',
  REPLACE_WITH_CLUSTER_NAME: '$CLUSTER',
  REPLACE_WITH_CLUSTER_UID: '$CLUSTER_UID',
} as const

/** @param baseUrl the server's address without a slash at the end */
export function edgeKitSnippet(baseUrl: string): string {
  const replaced = Object.entries({ REPLACE_WITH_ENDPOINT: baseUrl, ...REPLACED })
  const edits = replaced.map(([placeholder, value]) => `  -e "s|${placeholder}|${value}|"`).join(' \\\n')
  return `export CLUSTER=my-cluster TOKEN=the-token-of-the-cluster
export CLUSTER_UID=$(kubectl get namespace kube-system -o jsonpath='{.metadata.uid}')
sed \\
${edits} \\
  deploy/edge-kit.yaml | kubectl apply -f -
`
}
