/** What is asked: dashboards of hours and of weeks, and a fleet's rules. */

export interface RangeQuery {
  /** As in the figures' ids. */
  readonly id: string
  readonly name: string
  readonly expression: string
  readonly rangeMs: number
  readonly stepMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const SIX_HOUR_QUERIES: readonly RangeQuery[] = [
  {
    id: 'version-share',
    name: 'version share, 6 h @ 1 m',
    expression:
      'count by (version) (kubevirt_hco_info == 1) / ignoring (version) group_left count(kubevirt_hco_info == 1)',
    rangeMs: 6 * HOUR_MS,
    stepMs: MINUTE_MS,
  },
  {
    id: 'fleet-rate',
    name: 'sum by (region) (rate(x[5m])), 6 h @ 1 m',
    expression: 'sum by (region) (rate(rest_client_requests_total[5m]))',
    rangeMs: 6 * HOUR_MS,
    stepMs: MINUTE_MS,
  },
]

const KIND = { rangeMs: 6 * HOUR_MS, stepMs: MINUTE_MS }

/** One of each other kind that dashboards have, over the same six hours. */
export const KIND_QUERIES: readonly RangeQuery[] = [
  {
    id: 'one-series',
    name: 'rate of one series, 6 h @ 1 m',
    expression: 'rate(rest_client_requests_total{cluster="fleet-prod-00007", code="200"}[5m])',
    ...KIND,
  },
  {
    id: 'topk',
    name: 'topk(5, rate(x[5m])), 6 h @ 1 m',
    expression: 'topk(5, rate(rest_client_requests_total{code="200"}[5m]))',
    ...KIND,
  },
  {
    id: 'join',
    name: 'state by version: a join, 6 h @ 1 m',
    expression: 'sum by (version) (csv_succeeded * on (cluster) group_left (version) kubevirt_hco_info)',
    ...KIND,
  },
  {
    id: 'quantile',
    name: 'quantile by (region) (0.9, x), 6 h @ 1 m',
    expression: 'quantile by (region) (0.9, go_goroutines)',
    ...KIND,
  },
  {
    id: 'label-replace',
    name: 'count by a label that label_replace makes, 6 h @ 1 m',
    expression: 'count by (minor) (label_replace(kubevirt_hco_info, "minor", "$1", "version", "([0-9]+[.][0-9]+).*"))',
    ...KIND,
  },
  {
    id: 'subquery',
    name: 'max_over_time of a rate over a subquery, 6 h @ 1 m',
    expression: 'max_over_time(sum by (region) (rate(rest_client_requests_total{code="500"}[5m]))[30m:5m])',
    ...KIND,
  },
  {
    id: 'count-values',
    name: 'count_values, 6 h @ 1 m',
    expression: 'count_values("outdated", kubevirt_vmi_number_of_outdated)',
    ...KIND,
  },
  { id: 'absent', name: 'absent(x), 6 h @ 1 m', expression: 'absent(up{job="nothing"})', ...KIND },
]

const THIRTY_DAYS = { rangeMs: 720 * HOUR_MS, stepMs: HOUR_MS }

export const THIRTY_DAY_QUERIES: readonly RangeQuery[] = [
  {
    id: 'version-share',
    name: 'version share, 30 d @ 1 h',
    expression:
      'count by (version) (kubevirt_hco_version_state == 1) / ignoring (version) group_left count(kubevirt_hco_version_state == 1)',
    ...THIRTY_DAYS,
  },
  {
    id: 'worst-health',
    name: 'worst health by region, 30 d @ 1 h',
    expression: 'max by (region) (max_over_time(kubevirt_hco_system_health_status[1h]))',
    ...THIRTY_DAYS,
  },
  {
    id: 'fleet-counters',
    name: 'sum by (region) (increase(x_total[1h])), 30 d @ 1 h',
    expression: 'sum by (region) (increase(rest_client_requests_total[1h]))',
    ...THIRTY_DAYS,
  },
]

export const WILD_QUERIES: readonly RangeQuery[] = [
  {
    id: 'region-rate',
    name: 'sum by (region) (rate(x[5m])), 2 h @ 1 m',
    expression: 'sum by (region) (rate(rest_client_requests_total[5m]))',
    rangeMs: 2 * HOUR_MS,
    stepMs: MINUTE_MS,
  },
]

/** Fleet rules: thresholds, rates, joins, absences and changes, as the shipped alerts are written. */
export const FLEET_RULES: readonly string[] = [
  'kubevirt_hco_system_health_status > 1',
  'kubevirt_hco_system_health_status == 1',
  'csv_succeeded == 0',
  'up == 0',
  'kubevirt_vmi_number_of_outdated > 45',
  'sum by (cluster) (kubevirt_vmi_number_of_outdated) > 45',
  'sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[10m])) > 0',
  'sum by (cluster) (rate(rest_client_requests_total{code=~"5.."}[5m])) / sum by (cluster) (rate(rest_client_requests_total[5m])) > 0.05',
  'sum by (cluster) (rate(rest_client_requests_total{code="409"}[5m])) > 10',
  'avg_over_time(process_resident_memory_bytes[10m]) > 2e9',
  'max_over_time(go_goroutines[10m]) > 5000',
  'count by (version) (kubevirt_hco_info) / scalar(count(kubevirt_hco_info)) < 0.01',
  'csv_succeeded * on (cluster) group_left (version) kubevirt_hco_info == 0',
  'changes(kubevirt_hco_system_health_status[30m]) > 4',
  'changes(csv_succeeded[30m]) > 2',
  'kubevirt_hco_system_health_status > 0 unless on (cluster) csv_succeeded == 1',
  'up == 1 unless on (cluster) kubevirt_hco_info',
  'min by (cluster) (kubevirt_component_1_ready) == 0',
  'min by (cluster) (kubevirt_component_2_ready) == 0',
  'min by (cluster) (min_over_time(kubevirt_component_3_ready[5m])) == 0',
  'count by (region) (up == 0) > 5',
  'absent(kubevirt_hco_info)',
]
