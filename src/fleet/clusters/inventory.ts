import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Labels } from '../../model/labels.ts'
import { clusterMatcher, HCO_CSV, REPLICA_LABELS, type FleetReader } from '../fleet-reader.ts'
import { newestOf } from '../version-order.ts'

/**
 * One cluster's values for the placeholders of runbooks. Every field may be missing.
 */
export interface ClusterInventory {
  readonly cluster: string
  /** Where HCO is installed: `openshift-cnv`, `kubevirt-hyperconverged`, or elsewhere. */
  readonly namespace?: string
  readonly hcoVersion?: string
  readonly kubevirtVersion?: string
  /** Of the OLM subscription. */
  readonly channel?: string
  /** `Automatic` or `Manual`. */
  readonly approval?: string
  readonly package?: string
}

/** Values outside of the record are read from the last day, so that the runbook of a silent cluster is filled in too. */
const WINDOW = '[1d]'

/** @param record `undefined`: the cluster is unknown */
export async function readInventory(
  reader: FleetReader,
  record: ClusterRecord | undefined,
  nowMs: number,
): Promise<ClusterInventory | undefined> {
  if (record === undefined) return undefined
  const { cluster, hcoVersion, versions, subscription } = record
  const only = clusterMatcher([cluster])
  const [csvs, operators, subscriptions] = await Promise.all([
    newestLabels(reader, `csv_succeeded{${HCO_CSV}, ${only}}`, nowMs),
    newestLabels(reader, `kubevirt_hco_hyperconverged_cr_exists{${only}}`, nowMs),
    newestLabels(reader, `subscription_sync_total{package=~"(community-)?kubevirt-hyperconverged", ${only}}`, nowMs),
  ])
  const csv = csvs.find((labels) => labels.get('version') === newestOf(csvs.map((each) => each.get('version'))))
  const inventory = {
    cluster,
    // OLM's metric carries the CSV's namespace; scraped without honorLabels it becomes exported_namespace, and
    // `namespace` is OLM's own. HCO's metrics have the place where HCO runs.
    namespace: firstOf(operators[0]?.get('namespace'), csv?.get('exported_namespace'), csv?.get('namespace')),
    hcoVersion,
    kubevirtVersion: versions['kubevirt'],
    channel: firstOf(subscription?.channel),
    approval: firstOf(subscription?.approval),
    // A record that is derived from metrics lacks the package.
    package: firstOf(subscription?.package, subscriptions[0]?.get('package')),
  }
  const known = Object.entries(inventory).filter(([, value]) => value !== undefined)
  return known.length === 1 ? undefined : (Object.fromEntries(known) as unknown as ClusterInventory)
}

/** Label sets of the series with the newest last sample: when labels change, the old series ends. */
async function newestLabels(reader: FleetReader, selector: string, nowMs: number): Promise<readonly Labels[]> {
  const expr = `max without (${REPLICA_LABELS}) (last_over_time(timestamp(${selector})${WINDOW.replace(']', ':1m]')}))`
  const samples = await reader.instant(expr, nowMs)
  const newest = samples.reduce((latest, { value }) => Math.max(latest, value), -Infinity)
  return samples.filter(({ value }) => value > newest - NEWEST_WITHIN_SECONDS).map(({ labels }) => labels)
}

/** Scrapes of one cluster are not all at one time; within this they count as equally new. */
const NEWEST_WITHIN_SECONDS = 300

function firstOf(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== '')
}
