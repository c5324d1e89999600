/** The configuration that makes a cluster's Prometheus send to this server. Pure. */

export type Sender = 'openshift' | 'prometheus'
export const SENDERS: readonly { readonly value: Sender; readonly text: string }[] = [
  { value: 'openshift', text: 'OpenShift' },
  { value: 'prometheus', text: 'Prometheus' },
]

/** What the pages and the rules read; a cluster's Prometheus has a thousand times more. Fully anchored by Prometheus. */
export const METRICS =
  '(cluster:)?kubevirt_(hco|hyperconverged)_.*|kubevirt_info|kubevirt_vm_info|kubevirt_node_deprecated_machine_types|kubevirt_vmi_(number_of_outdated|migrations_in_.*_phase)|csv_(succeeded|abnormal)|subscription_sync_total|cluster_version|up'

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
            - sourceLabels: [__name__]
              regex: '${METRICS}'
              action: keep
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
      - source_labels: [__name__]
        regex: '${METRICS}'
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
