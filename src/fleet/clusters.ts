import type { Matcher } from '../model/matcher.ts'
import { clusterMatcher, HCO_CSV } from './fleet-reader.ts'
import type { FleetReader } from './fleet-reader.ts'
import type { FleetOptions } from './options.ts'
import { newestOf } from './version-order.ts'

/** Who belongs to the fleet, who is heard of, and who has fallen silent. */
export interface ClusterPresence {
  /** Heard of within `knownForMs`. */
  readonly known: readonly string[]
  /** Heard of within `silentAfterMs`. */
  readonly reporting: ReadonlySet<string>
  /** Of those reporting, the ones that send something upgrades are read from. */
  readonly telling: ReadonlySet<string>
}

/**
 * What clusters send themselves. Daytwo's own series about a cluster (alerts, and recording rules, whose names hold a
 * colon by convention) go on when the cluster does not, so they are no sign of life.
 */
const SENT_BY_CLUSTERS: Matcher = { name: '__name__', op: '!~', value: 'ALERTS|ALERTS_FOR_STATE|daytwo_.*|.*:.*' }

const TELLS_OF_UPGRADES: Matcher = { name: '__name__', op: '=~', value: 'csv_succeeded|csv_abnormal|kubevirt_info' }

export async function readPresence(
  reader: FleetReader,
  nowMs: number,
  options: FleetOptions,
): Promise<ClusterPresence> {
  const recent = { fromMs: nowMs - options.silentAfterMs, toMs: nowMs }
  const [known, reporting, telling] = await Promise.all([
    reader.clusters([SENT_BY_CLUSTERS], { fromMs: nowMs - options.knownForMs, toMs: nowMs }),
    reader.clusters([SENT_BY_CLUSTERS], recent),
    reader.clusters([TELLS_OF_UPGRADES], recent),
  ])
  return { known: known.filter((cluster) => cluster !== ''), reporting: named(reporting), telling: named(telling) }
}

function named(clusters: readonly string[]): ReadonlySet<string> {
  return new Set(clusters.filter((cluster) => cluster !== ''))
}

export interface Silence {
  readonly cluster: string
  readonly lastSeenMs: number
  /** HCO's version when it was last heard of. */
  readonly version: string | undefined
}

/** The times are looked for step by step; steps of a minute are well below the engine's lookback of five. */
const LAST_SEEN_STEP = '1m'

/** When each silent cluster was last heard of, the longest silent first. */
export async function readSilences(
  reader: FleetReader,
  silent: readonly string[],
  nowMs: number,
  options: FleetOptions,
): Promise<readonly Silence[]> {
  if (silent.length === 0) return []
  const window = `[${options.knownForMs / 1000}s:${LAST_SEEN_STEP}]`
  const lastSeen = new Map<string, number>()
  const look = async (clusters: readonly string[], selector: string): Promise<void> => {
    if (clusters.length === 0) return
    const expr = `max by (cluster) (max_over_time(timestamp({${clusterMatcher(clusters)}, ${selector}})${window}))`
    for (const { labels, value } of await reader.instant(expr, nowMs)) {
      lastSeen.set(labels.get('cluster'), Math.round(value * 1000))
    }
  }
  // Every scraped cluster has `up`; reading one series in sixty is enough. The rest is asked for all it has.
  await look(silent, '__name__="up"')
  await look(
    silent.filter((cluster) => !lastSeen.has(cluster)),
    `${SENT_BY_CLUSTERS.name}!~${JSON.stringify(SENT_BY_CLUSTERS.value)}`,
  )
  const versions = await lastVersions(reader, silent, nowMs, options)
  return silent
    .map((cluster) => ({
      cluster,
      // Known, so it was heard of; a sample too lonely for the steps above leaves only the bound.
      lastSeenMs: lastSeen.get(cluster) ?? nowMs - options.knownForMs,
      version: versions.get(cluster),
    }))
    .sort((a, b) => a.lastSeenMs - b.lastSeenMs || (a.cluster < b.cluster ? -1 : 1))
}

async function lastVersions(
  reader: FleetReader,
  clusters: readonly string[],
  nowMs: number,
  options: FleetOptions,
): Promise<ReadonlyMap<string, string | undefined>> {
  const window = `[${options.knownForMs / 1000}s]`
  const expr = `max by (cluster, version) (last_over_time(csv_succeeded{${HCO_CSV}, ${clusterMatcher(clusters)}}${window})) == 1`
  const versions = new Map<string, string[]>()
  for (const { labels } of await reader.instant(expr, nowMs)) {
    const cluster = labels.get('cluster')
    versions.set(cluster, [...(versions.get(cluster) ?? []), labels.get('version')])
  }
  return new Map([...versions].map(([cluster, all]) => [cluster, newestOf(all)]))
}
