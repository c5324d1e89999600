/** What this fleet is asked first, for a page without a query. */
export const EXAMPLE_QUERIES: readonly { readonly says: string; readonly expr: string }[] = [
  {
    says: 'Upgrades that are stuck, with their phase and its cause',
    expr: 'max by (cluster, operator, from, to, phase, cause) (daytwo_upgrade_stuck)',
  },
  {
    says: 'Share of the clusters on each KubeVirt version',
    expr: `count by (kubeversion) (max by (cluster, kubeversion) (kubevirt_info))
  / on () group_left ()
count(count by (cluster) (kubevirt_info))`,
  },
  {
    says: 'Changes made by hand in the last hour, the first one of a series among them',
    expr: `sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[1h])) > 0
or
sum by (cluster, component_name) (
  kubevirt_hco_out_of_band_modifications_total
  unless kubevirt_hco_out_of_band_modifications_total offset 1h
) > 0`,
  },
  {
    says: 'Health of every HCO: 0 healthy, 1 warning, 2 error',
    expr: 'max by (cluster) (kubevirt_hco_system_health_status)',
  },
  {
    says: 'Clusters with unsafe patches',
    expr: 'max by (cluster, annotation_name) (kubevirt_hco_unsafe_modifications) > 0',
  },
  {
    says: 'How long nine of ten upgrades take, by operator',
    expr: 'histogram_quantile(0.9, sum by (operator, le) (daytwo_upgrade_duration_seconds_bucket))',
  },
]
