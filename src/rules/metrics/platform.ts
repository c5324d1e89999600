/**
 * Metrics of the components around KubeVirt: OLM, the cluster version operator, kube-state-metrics, the kubelet,
 * node-exporter, Prometheus.
 * One line per metric; `readMetricTable` reads it.
 */
export const PLATFORM_METRICS = `
# olm
catalog_source_count gauge
catalog_source_snapshots_total counter namespace name
catalogsource_ready gauge namespace name
csv_abnormal gauge namespace name version phase reason
csv_count gauge
csv_succeeded gauge namespace name version
csv_upgrade_count counter
install_plan_count gauge
installplan_warnings_total counter
olm_resolution_duration_seconds summary outcome unit=seconds
subscription_count gauge
subscription_sync_total counter name installed channel package approval

# cluster-version-operator
cluster_installer gauge type version invoker
cluster_operator_condition_transitions gauge name condition
cluster_operator_conditions gauge name condition reason
cluster_operator_up gauge name version reason
cluster_version gauge type version image from_version unit=unix_seconds
cluster_version_available_updates gauge upstream channel
cluster_version_capability gauge name
cluster_version_conditional_update_condition_seconds gauge version condition status reason unit=unix_seconds
cluster_version_operator_update_retrieval_timestamp_seconds gauge name unit=unix_seconds
cluster_version_payload gauge version type
cluster_version_risk_conditions gauge condition risk reason

# prometheus
ALERTS gauge alertname alertstate severity operator_health_impact kubernetes_operator_part_of kubernetes_operator_component namespace
ALERTS_FOR_STATE gauge alertname severity operator_health_impact kubernetes_operator_part_of kubernetes_operator_component namespace unit=unix_seconds
up gauge job instance namespace pod container service endpoint

# kube-state-metrics
kube_daemonset_metadata_generation gauge namespace daemonset
kube_daemonset_status_desired_number_scheduled gauge namespace daemonset
kube_daemonset_status_number_ready gauge namespace daemonset
kube_deployment_spec_replicas gauge namespace deployment
kube_node_labels gauge node label_*
kube_node_role gauge node role
kube_node_spec_unschedulable gauge node
kube_node_status_allocatable gauge node resource unit
kube_node_status_condition gauge node condition status
kube_persistentvolumeclaim_access_mode gauge namespace persistentvolumeclaim access_mode
kube_persistentvolumeclaim_info gauge namespace persistentvolumeclaim storageclass volumename
kube_persistentvolumeclaim_resource_requests_storage_bytes gauge namespace persistentvolumeclaim unit=bytes
kube_pod_container_resource_requests gauge namespace pod container node resource unit
kube_pod_container_status_restarts_total counter namespace pod container
kube_pod_info gauge namespace pod uid node host_ip pod_ip created_by_kind created_by_name
kube_pod_spec_volumes_persistentvolumeclaims_info gauge namespace pod volume persistentvolumeclaim
kube_pod_status_phase gauge namespace pod uid phase
kube_pod_status_ready gauge namespace pod uid condition

# kube-apiserver
apiserver_request_total counter group version resource subresource verb scope code component
apiserver_requested_deprecated_apis gauge group version resource subresource removed_release

# kubelet
kubelet_volume_stats_available_bytes gauge namespace persistentvolumeclaim unit=bytes
kubelet_volume_stats_capacity_bytes gauge namespace persistentvolumeclaim unit=bytes
kubelet_volume_stats_used_bytes gauge namespace persistentvolumeclaim unit=bytes

# cadvisor
container_memory_rss gauge namespace pod container node unit=bytes
container_memory_working_set_bytes gauge namespace pod container node unit=bytes

# node-exporter
node_cpu_frequency_hertz gauge instance cpu unit=hertz
node_cpu_frequency_max_hertz gauge instance cpu unit=hertz
node_network_carrier gauge instance device
node_network_flags gauge instance device
node_network_up gauge instance device
instance:node_cpu_utilisation:rate1m recorded instance unit=ratio
`
