/**
 * The fleet whose samples the peers are sent: the same 60 series from every cluster, 12 to 20 labels each, about 500
 * bytes of labels a series, a scrape every 30 seconds. 50 of the 60 are constant, as health, versions and inventory
 * are; six are request counters, four move by themselves. Everything follows from the cluster's number and the time,
 * so each peer is sent the same bytes. It writes protobuf by hand: bodies are made far faster than any peer takes them.
 */
import { Labels } from '../../src/model/labels.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'

export const SERIES_PER_CLUSTER = 60
export const SCRAPE_MS = 30_000

const REGIONS = ['eu-central', 'eu-west', 'us-east', 'us-west', 'ap-south', 'ap-east', 'sa-east', 'af-south'] as const
const CODES = ['200', '201', '404', '409', '500', '503'] as const
const VERSIONS = ['1.13.1', '1.14.0', '1.14.2', '1.15.0'] as const

/** Where in `seriesOf` the health status and the first request counter are. */
const HEALTH_AT = 3
const COUNTER_AT = 4

/** The label fields of one series as a WriteRequest carries them, and how its value moves. */
export interface FleetSeries {
  readonly labelFields: Uint8Array
  /** How long before the end of each interval its cluster is scraped: no two clusters keep step, none is on the minute. */
  readonly offsetMs: number
  /** The value at a scrape, counted from the first. */
  readonly valueAt: (scrape: number) => number
}

/** The series of one cluster, in the order in which it sends them. */
export function seriesOf(cluster: number): FleetSeries[] {
  const common = commonLabels(cluster)
  const version = VERSIONS[(cluster * 7) % VERSIONS.length]!
  const unhealthy = cluster % 97 === 0
  const series: FleetSeries[] = []
  const offsetMs = offsetOf(cluster)
  const add = (name: string, extra: Record<string, string>, valueAt: (scrape: number) => number): void => {
    series.push({ labelFields: encodeLabels(Labels.of({ __name__: name, ...common, ...extra })), offsetMs, valueAt })
  }
  add('kubevirt_hco_info', { version }, () => 1)
  add('up', { kubernetes_namespace: 'kubevirt-hyperconverged' }, () => 1)
  add('csv_succeeded', { name: `kubevirt-hyperconverged-operator.v${version}` }, () => (cluster % 89 === 0 ? 0 : 1))
  add('kubevirt_hco_system_health_status', { reason: 'none' }, (scrape) => (unhealthy && scrape % 240 > 40 ? 2 : 0))
  for (const [at, code] of CODES.entries()) {
    const perScrape = [60, 12, 4, 2, unhealthy ? 9 : 0, unhealthy ? 5 : 0][at]!
    add('rest_client_requests_total', { code, verb: 'GET', host: '172.30.0.1:443' }, (scrape) => {
      // Uneven, but by less than one scrape's worth: a counter that falls is a restart, and rates are of something else.
      const uneven = (scrape * 2654435761 + cluster * 40503) >>> 29
      return perScrape * scrape + ((perScrape * uneven) >> 3)
    })
  }
  add('process_resident_memory_bytes', {}, (scrape) => 90_000_000 + 4096 * ((scrape * 48271 + cluster) % 5003))
  add('go_goroutines', {}, (scrape) => 300 + ((scrape * 16807 + cluster * 31) % 17))
  add('kubevirt_vmi_number_of_outdated', {}, (scrape) => Math.max(0, 40 - Math.floor(scrape / 20) + (cluster % 5)))
  const component = 'kubevirt/kubevirt-kubevirt-hyperconverged'
  add('kubevirt_hco_out_of_band_modifications_total', { component_name: component }, (scrape) =>
    cluster % 13 === 0 ? Math.floor(scrape / 90) : 3,
  )
  for (let at = series.length; at < SERIES_PER_CLUSTER; at++) {
    const extra: Record<string, string> = { component: `virt-component-${at}`, phase: 'Deployed' }
    for (let more = 0; more < at % 7; more++) extra[`condition_${more}`] = `reconcile-complete-${at}`
    add(`kubevirt_component_${at % 12}_ready`, extra, () => 1)
  }
  return series
}

/** Three of the cluster's states and one of its counters: what 30 days of history are asked about. */
export function historySeriesOf(cluster: number): FleetSeries[] {
  const all = seriesOf(cluster)
  const offsetMs = offsetOf(cluster)
  const upgradeAt = 20_000 + ((cluster * 7919) % 40_000)
  const [old, young] = ['1.14.2', '1.15.0'].map((version) =>
    encodeLabels(Labels.of({ __name__: 'kubevirt_hco_version_state', ...commonLabels(cluster), version })),
  )
  return [
    { labelFields: old!, offsetMs, valueAt: (scrape) => (scrape < upgradeAt ? 1 : 0) },
    { labelFields: young!, offsetMs, valueAt: (scrape) => (scrape < upgradeAt ? 0 : 1) },
    all[HEALTH_AT]!,
    all[COUNTER_AT]!,
  ]
}

/** Never 0: whether a sample on the edge of a window counts is another thing in Prometheus 2 and 3. */
export function offsetOf(cluster: number): number {
  return 1 + ((cluster * 7919) % (SCRAPE_MS - 1))
}

export function commonLabels(cluster: number): Record<string, string> {
  const number = String(cluster).padStart(5, '0')
  return {
    cluster: `fleet-prod-${number}`,
    cluster_id: `2c0d4e9a-5b77-4d0c-9c55-8f1e2a3${number}`,
    region: REGIONS[cluster % REGIONS.length]!,
    container: 'hyperconverged-cluster-operator',
    endpoint: 'metrics',
    instance: `10.${cluster >> 8}.${cluster & 255}.17:8443`,
    job: 'kubevirt-hyperconverged-operator-metrics',
    namespace: 'kubevirt-hyperconverged',
    pod: `hco-operator-6f7d9c5b8d-${((cluster * 2654435761 + 12345) >>> 0).toString(36).padStart(7, '0')}`,
    prometheus: 'openshift-monitoring/k8s',
    service: 'kubevirt-hyperconverged-operator-metrics',
  }
}
