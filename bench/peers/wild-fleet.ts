/**
 * A fleet whose data is less regular than that of `fleet.ts`: of the 60 series of a cluster 36 are constant, 9 are gauges
 * that move slowly, 12 are counters with a rate of their own, and 3 belong to a classic histogram. 2 % of the clusters
 * upgrade per hour: the version and the pods change, so all series end with a stale marker and 60 new ones start.
 * One of the constant series is the count of out-of-band modifications, which advances on a few clusters, every so often.
 */
import { Labels } from '../../src/model/labels.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'
import { SCRAPE_MS, commonLabels, offsetOf, type FleetSeries } from './fleet.ts'

/** A series that exists for `[fromScrape, toScrape)`; at `toScrape` it has a stale marker. */
export interface WildSeries extends FleetSeries {
  readonly fromScrape: number
  readonly toScrape: number
}

const UPGRADES_PER_HOUR = 0.02
const SCRAPES_PER_HOUR = 3_600_000 / SCRAPE_MS
const CODES = ['200', '201', '404', '409', '500', '503'] as const
const PHASES = ['running', 'pending', 'scheduling', 'succeeded', 'failed', 'paused'] as const
const COUNTERS = [
  ...['workqueue_adds', 'workqueue_retries', 'workqueue_depth_changes'],
  ...['process_cpu_seconds', 'hco_reconciles', 'migrations'],
]
const CONSTANTS = 31
/** One cluster of so many is modified out of band, each time after so many scrapes. */
const MODIFIED_CLUSTERS = 13
const SCRAPES_PER_MODIFICATION = 90

/** The series of one cluster over all scrapes: one generation, or two when the cluster upgrades. */
export function wildSeriesOf(cluster: number, scrapes: number): readonly WildSeries[] {
  const upgradeAt = wildUpgradeAt(cluster)
  if (upgradeAt >= scrapes) return generation(cluster, 0, 0, scrapes)
  return [...generation(cluster, 0, 0, upgradeAt), ...generation(cluster, 1, upgradeAt, scrapes)]
}

/** The first scrape after its upgrade. Evenly spread over the time in which every cluster upgrades once. */
export function wildUpgradeAt(cluster: number): number {
  const period = SCRAPES_PER_HOUR / UPGRADES_PER_HOUR
  return 1 + (Math.floor(hashOf(cluster, 1) * period) % Math.ceil(period))
}

/** Its release of HCO after that many upgrades, one or none. */
export function wildVersion(cluster: number, upgrades: number): string {
  return `1.${wildMinor(cluster, upgrades)}.0`
}

function wildMinor(cluster: number, upgrades: number): number {
  return 13 + (cluster % 3) + upgrades
}

function generation(cluster: number, upgrades: number, fromScrape: number, toScrape: number): readonly WildSeries[] {
  const version = wildVersion(cluster, upgrades)
  const common = {
    ...commonLabels(cluster),
    pod: `hco-operator-${wildMinor(cluster, upgrades)}f7d9c5b8d-${cluster.toString(36).padStart(5, 'x')}`,
  }
  const offsetMs = offsetOf(cluster)
  const series: WildSeries[] = []
  const add = (name: string, extra: Readonly<Record<string, string>>, valueAt: (scrape: number) => number): void => {
    const labelFields = encodeLabels(Labels.of({ __name__: name, ...common, ...extra }))
    series.push({ labelFields, offsetMs, valueAt, fromScrape, toScrape })
  }
  /** A restart begins counters anew; each has a rate between 0.05 and 50 a scrape. */
  const counter = (name: string, extra: Readonly<Record<string, string>>): void => {
    const seed = series.length
    const rate = 0.05 * 1000 ** hashOf(cluster, seed)
    add(name, extra, (scrape) => Math.floor(rate * (scrape - fromScrape + hashOf(cluster * 31 + seed, scrape))))
  }
  /** Holds a value for 2 to 40 scrapes. */
  const gauge = (name: string, extra: Readonly<Record<string, string>>, from: number, range: number): void => {
    const seed = series.length
    const hold = 2 + Math.floor(38 * hashOf(cluster, seed))
    add(name, extra, (scrape) => from + Math.floor(range * hashOf(cluster * 31 + seed, Math.floor(scrape / hold))))
  }
  add('kubevirt_hco_info', { version }, () => 1)
  add('up', { kubernetes_namespace: 'kubevirt-hyperconverged' }, () => 1)
  add('csv_succeeded', { name: `kubevirt-hyperconverged-operator.v${version}` }, () => (cluster % 89 === 0 ? 0 : 1))
  add('kubevirt_hco_system_health_status', { reason: 'none' }, () => (cluster % 97 === 0 ? 2 : 0))
  const component = 'kubevirt/kubevirt-kubevirt-hyperconverged'
  add('kubevirt_hco_out_of_band_modifications_total', { component_name: component }, (scrape) =>
    cluster % MODIFIED_CLUSTERS === 0 ? Math.floor((scrape - fromScrape + cluster) / SCRAPES_PER_MODIFICATION) : 0,
  )
  for (let at = 0; at < CONSTANTS; at++) {
    add(`kubevirt_component_${at % 12}_ready`, { component: `virt-component-${at}`, phase: 'Deployed' }, () => 1)
  }
  gauge('process_resident_memory_bytes', {}, 90e6, 30e6)
  gauge('go_goroutines', {}, 300, 40)
  gauge('kubevirt_vmi_number_of_outdated', {}, 0, 48)
  for (const phase of PHASES) gauge('kubevirt_vmi_phase_count', { phase }, 0, 200)
  for (const code of CODES) counter('rest_client_requests_total', { code, verb: 'GET', host: '172.30.0.1:443' })
  for (const name of COUNTERS) counter(`${name}_total`, {})
  const rate = 1 + 9 * hashOf(cluster, 99)
  const count = (scrape: number): number => Math.floor(rate * (scrape - fromScrape + hashOf(cluster, scrape)))
  add('controller_runtime_reconcile_time_seconds_bucket', { le: '+Inf' }, count)
  add('controller_runtime_reconcile_time_seconds_count', {}, count)
  add('controller_runtime_reconcile_time_seconds_sum', {}, (scrape) => count(scrape) * 0.0137)
  return series
}

/** From 0 to 1, the same for the same arguments. */
function hashOf(a: number, b: number): number {
  let hash = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
