/**
 * All clusters of the fleet with what is open on them, kept while the server runs: fed cluster by cluster as facts change,
 * asked by filter, order and page. Some ten thousand records; nothing here reads a clock or a store.
 */
import type { ClusterRecord, ClusterState } from '../model/cluster-record.ts'
import type { StuckVerdict } from '../model/stuck.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'
import { facetsOf } from './cluster-facets.ts'
import type { ClusterFacets } from './cluster-facets.ts'
import { fitsFilter, fitsStates } from './cluster-filter.ts'
import type { ClusterFilter } from './cluster-filter.ts'
import { statesOf } from './cluster-states.ts'
import type { ClusterTraits } from './cluster-traits.ts'
import type { OpenUpgrade } from './cluster-states.ts'
import { coverageOf, lastMsOf, later } from './fleet-coverage.ts'
import type { FleetCoverage, HeardCluster } from './fleet-coverage.ts'
import { pageOf } from './keyset.ts'
import type { PageAsked, Place, SortKey } from './keyset.ts'
import { shownVersion } from './shown-version.ts'
import { isOpen } from './stuck.ts'
import type { Heard } from './stuck.ts'
import { compareVersions } from './version-order.ts'

export const CLUSTER_SORTS = ['cluster', 'version', 'last_seen', 'outdated_workloads'] as const

export interface ClusterQuery extends PageAsked, ClusterFilter {
  readonly sort: (typeof CLUSTER_SORTS)[number]
  /** Whether to count what the list can be narrowed to. */
  readonly hasFacets?: boolean
}

/** A cluster as it stands at a time. */
export interface ClusterView {
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
  readonly open: readonly OpenUpgrade[]
  readonly heard: Heard
}

export interface ClusterPage {
  readonly clusters: readonly ClusterView[]
  /** How many fit, on all pages. */
  readonly total: number
  /** When they were asked for. */
  readonly facets?: ClusterFacets
  /** Where the page ends; absent: nothing comes after it. */
  readonly next?: Place
}

export interface ClusterBook {
  put(record: ClusterRecord, upgrades: readonly UpgradeRecord[]): void
  /** The cluster is no more. */
  remove(cluster: string): void
  /** Something was heard of a cluster, whether or not it changed what is known of it. */
  hear(cluster: string, heard: Heard): void
  /** Where clusters stand, by name; what a record says itself stands. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  /** When it was last heard, by way: of the record, or since. */
  heard(cluster: string): Heard
  /** All of them, last seen when anything was last heard of the cluster. */
  records(): readonly ClusterRecord[]
  /** All of them, and those that are only heard of. */
  standing(): Iterable<HeardCluster>
  open(): readonly UpgradeRecord[]
  list(query: ClusterQuery, verdictOf: VerdictOf, nowMs: number): ClusterPage
  /** By name, or else by another name it goes by. */
  find(name: string, verdictOf: VerdictOf, nowMs: number): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
}

export type VerdictOf = (record: UpgradeRecord) => StuckVerdict

interface Kept {
  /** As derived. */
  readonly own: ClusterRecord
  /** And described: where it stands, where the record does not say. */
  readonly record: ClusterRecord
  readonly open: readonly UpgradeRecord[]
}

export function createClusterBook(): ClusterBook {
  const clusters = new Map<string, Kept>()
  const heardSince = new Map<string, Heard>()
  let traits: ReadonlyMap<string, ClusterTraits> = new Map()

  const heard = (cluster: string): Heard => {
    const { objectsLastMs, metricsLastMs } = clusters.get(cluster)?.record.coverage ?? {}
    const since = heardSince.get(cluster)
    const objectsMs = later(objectsLastMs, since?.objectsMs)
    const metricsMs = later(metricsLastMs, since?.metricsMs)
    return { ...(metricsMs === undefined ? {} : { metricsMs }), ...(objectsMs === undefined ? {} : { objectsMs }) }
  }
  const standing = function* (): Iterable<HeardCluster> {
    for (const { record } of clusters.values()) yield { cluster: record.cluster, record, heard: heard(record.cluster) }
    for (const [cluster, only] of heardSince) {
      if (!clusters.has(cluster)) yield { cluster, record: undefined, heard: only }
    }
  }
  const viewOf = ({ record, open }: Kept, verdictOf: VerdictOf, nowMs: number): ClusterView => {
    const judged = open.map((upgrade) => ({ record: upgrade, verdict: verdictOf(upgrade) }))
    const lately = heard(record.cluster)
    return { record, open: judged, heard: lately, states: statesOf(record, judged, lately, nowMs) }
  }

  return {
    put: (record, upgrades) => {
      const described = { ...traits.get(record.cluster), ...record }
      clusters.set(record.cluster, { own: record, record: described, open: upgrades.filter(isOpen) })
    },
    remove: (cluster) => {
      clusters.delete(cluster)
      heardSince.delete(cluster)
    },
    hear: (cluster, { objectsMs, metricsMs }) => {
      const before = heardSince.get(cluster)
      const [objects, metrics] = [later(before?.objectsMs, objectsMs), later(before?.metricsMs, metricsMs)]
      heardSince.set(cluster, {
        ...(metrics === undefined ? {} : { metricsMs: metrics }),
        ...(objects === undefined ? {} : { objectsMs: objects }),
      })
    },
    describe: (told) => {
      traits = told
      for (const [cluster, { own, open }] of clusters) {
        clusters.set(cluster, { own, record: { ...told.get(cluster), ...own }, open })
      }
    },
    heard,
    records: () =>
      Array.from(clusters.values(), ({ record }) => {
        const lastMs = lastMsOf(heard(record.cluster)) ?? 0
        return lastMs > record.lastSeenMs ? { ...record, lastSeenMs: lastMs } : record
      }),
    standing,
    open: () => [...clusters.values()].flatMap(({ open }) => open),
    list: (query, verdictOf, nowMs) => {
      const { hasFacets = false } = query
      const seen = [...clusters.values()]
        .filter(({ record }) => hasFacets || fitsFilter(record, query))
        .map((kept) => viewOf(kept, verdictOf, nowMs))
      const fitting = seen.filter(({ record, states }) => fitsFilter(record, query) && fitsStates(states, query.states))
      const keyOf = SORT_KEYS[query.sort]
      const order = {
        keyOf,
        idOf: ({ record }: ClusterView) => record.cluster,
        ...(query.sort === 'version' ? { compareKeys: compareVersionKeys } : {}),
      }
      const found = pageOf(fitting, order, { ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      const last = page.at(-1)
      const hasMore = found.length > page.length && last !== undefined
      return {
        clusters: page,
        total: fitting.length,
        ...(hasFacets ? { facets: facetsOf(seen, query) } : {}),
        ...(hasMore ? { next: { key: keyOf(last), id: last.record.cluster } } : {}),
      }
    },
    find: (name, verdictOf, nowMs) => {
      const kept = clusters.get(name) ?? [...clusters.values()].find(({ record }) => record.aliases.includes(name))
      return kept && viewOf(kept, verdictOf, nowMs)
    },
    coverage: (nowMs) => coverageOf(standing(), nowMs),
  }
}

/** Before every other: not known. */
const SORT_KEYS: Readonly<Record<ClusterQuery['sort'], (view: ClusterView) => SortKey>> = {
  cluster: ({ record }) => record.cluster,
  version: ({ record }) => shownVersion(record) ?? '',
  last_seen: ({ record, heard }) => lastMsOf(heard) ?? record.lastSeenMs,
  outdated_workloads: ({ record }) => record.workloads?.outdated ?? -1,
}

function compareVersionKeys(a: SortKey, b: SortKey): number {
  return compareVersions(String(a), String(b))
}
