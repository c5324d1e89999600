/**
 * All clusters of the fleet with what is open on them, kept while the server runs: fed cluster by cluster as facts change,
 * asked by filter, order and page. Some ten thousand records; nothing here reads a clock or a store.
 */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord, ClusterState } from '../../model/cluster-record.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { facetsOf } from './cluster-facets.ts'
import type { ClusterFacets } from './cluster-facets.ts'
import { fitsFilter, fitsStates } from './cluster-filter.ts'
import type { ClusterFilter } from './cluster-filter.ts'
import { GONE_STATES, notSilentUntilMs, statesOf } from './cluster-states.ts'
import type { ClusterTraits } from './cluster-traits.ts'
import type { OpenUpgrade } from './cluster-states.ts'
import type { ReturnedCluster } from './decommissions.ts'
import { coverageOf, lastMsOf, later } from './fleet-coverage.ts'
import type { FleetCoverage, HeardCluster } from './fleet-coverage.ts'
import { goneAt, isOverheard } from './gone.ts'
import type { Gone } from './gone.ts'
import { pageOf } from '../past/keyset.ts'
import type { PageAsked, Place, SortKey } from '../past/keyset.ts'
import { shownVersion } from './shown-version.ts'
import { isOpen } from '../stuck/stuck.ts'
import type { Heard } from '../stuck/stuck.ts'
import { compareVersions } from '../version-order.ts'

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
  /** Absent: it is not. */
  readonly gone?: Gone
  /** What was ever said of it, as it was said. */
  readonly told: readonly Decommission[]
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
  /** Replaces all that was said of clusters that were switched off for good, in the order in which it was said. */
  declare(told: readonly Decommission[]): void
  /** Those of which it was said that they are gone and that were heard again. */
  returned(): readonly ReturnedCluster[]
  /** `undefined`: it is not, or not known. */
  goneAt(cluster: string, atMs: number): Gone | undefined
  /** All that are gone, and those that are only heard of. */
  gone(nowMs: number): ReadonlyMap<string, Gone>
  /** By name, also one that is only heard of; or by another name it goes by. */
  heardOf(name: string): { readonly cluster: string; readonly lastHeardMs?: number } | undefined
  /** All of them, last seen when anything was last heard of the cluster. */
  records(): readonly ClusterRecord[]
  /** All of them, and those that are only heard of. */
  known(): Iterable<HeardCluster>
  /** Of these, all that are not gone. */
  standing(nowMs: number): Iterable<HeardCluster>
  open(): readonly UpgradeRecord[]
  list(query: ClusterQuery, verdictOf: VerdictOf, nowMs: number): ClusterPage
  /** By name, or else by another name it goes by. */
  find(name: string, verdictOf: VerdictOf, nowMs: number): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
}

export type VerdictOf = (record: UpgradeRecord) => StuckVerdict

/** What is known of a cluster, and what follows from it until it is put, heard or described again. */
interface Kept {
  /** As derived. */
  readonly own: ClusterRecord
  /** And described: where it stands, where the record does not say. */
  readonly record: ClusterRecord
  readonly open: readonly UpgradeRecord[]
  /** What was told besides the record, which may know less when it is put again. */
  readonly since: Heard
  /** Of the record, or since. */
  readonly heard: Heard
  readonly notSilentUntilMs: number
  /** As long as nothing is open. */
  readonly states: { readonly heard: readonly ClusterState[]; readonly silent: readonly ClusterState[] }
}

/** What decides whether a cluster is on a page: the rest of a view is only made of those that are. */
interface Standing {
  readonly kept: Kept
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
  readonly gone: Gone | undefined
}

/** @param goneAfterMs without a word for longer a cluster is gone */
export function createClusterBook(goneAfterMs = Infinity): ClusterBook {
  const clusters = new Map<string, Kept>()
  /** Of those nothing else is known of. */
  const onlyHeard = new Map<string, Heard>()
  let traits: ReadonlyMap<string, ClusterTraits> = new Map()
  let toldOf: ReadonlyMap<string, readonly Decommission[]> = new Map()

  const keep = (own: ClusterRecord, open: readonly UpgradeRecord[], since: Heard): void => {
    const record = { ...traits.get(own.cluster), ...own }
    const { objectsLastMs, metricsLastMs } = record.coverage
    const heard = laterHeard({ objectsMs: objectsLastMs, metricsMs: metricsLastMs }, since)
    const states = { heard: statesOf(record, [], false), silent: statesOf(record, [], true) }
    clusters.set(own.cluster, { own, record, open, since, heard, notSilentUntilMs: notSilentUntilMs(heard), states })
  }
  const known = function* (): Iterable<HeardCluster> {
    for (const { record, heard } of clusters.values()) yield { cluster: record.cluster, record, heard }
    for (const [cluster, heard] of onlyHeard) yield { cluster, record: undefined, heard }
  }
  const goneOf = ({ cluster, record, heard }: HeardCluster, atMs: number): Gone | undefined =>
    goneAt({ lastHeardMs: lastHeardMs(record, heard), told: toldOf.get(cluster) ?? NOTHING_TOLD, goneAfterMs }, atMs)
  const named = (name: string): Kept | undefined =>
    clusters.get(name) ?? [...clusters.values()].find(({ record }) => record.aliases.includes(name))
  const heardOf = (cluster: string): HeardCluster => {
    const kept = clusters.get(cluster)
    return { cluster, record: kept?.record, heard: kept?.heard ?? onlyHeard.get(cluster) ?? {} }
  }
  const standing = function* (nowMs: number): Iterable<HeardCluster> {
    for (const one of known()) if (goneOf(one, nowMs) === undefined) yield one
  }
  const gone = (nowMs: number): ReadonlyMap<string, Gone> => {
    const found = new Map<string, Gone>()
    for (const one of known()) {
      const why = goneOf(one, nowMs)
      if (why !== undefined) found.set(one.cluster, why)
    }
    return found
  }
  const judged = ({ open }: Kept, verdictOf: VerdictOf): readonly OpenUpgrade[] =>
    open.map((record) => ({ record, verdict: verdictOf(record) }))
  const standingOf = (kept: Kept, verdictOf: VerdictOf, nowMs: number): Standing => {
    const { record, open, states } = kept
    const gone = goneOf({ cluster: record.cluster, record, heard: kept.heard }, nowMs)
    if (gone !== undefined) return { kept, record, states: GONE_STATES, gone }
    const silent = nowMs > kept.notSilentUntilMs
    if (open.length > 0) return { kept, record, states: statesOf(record, judged(kept, verdictOf), silent), gone }
    return { kept, record, states: silent ? states.silent : states.heard, gone }
  }
  const viewOf = ({ kept, record, states, gone: why }: Standing, verdictOf: VerdictOf): ClusterView => {
    const { heard } = kept
    const told = toldOf.get(record.cluster) ?? NOTHING_TOLD
    return { record, open: judged(kept, verdictOf), heard, states, ...(why === undefined ? {} : { gone: why }), told }
  }

  return {
    put: (record, upgrades) => {
      const { cluster } = record
      keep(record, upgrades.filter(isOpen), clusters.get(cluster)?.since ?? onlyHeard.get(cluster) ?? {})
      onlyHeard.delete(cluster)
    },
    remove: (cluster) => {
      clusters.delete(cluster)
      onlyHeard.delete(cluster)
    },
    hear: (cluster, told) => {
      const kept = clusters.get(cluster)
      if (kept === undefined) {
        onlyHeard.set(cluster, laterHeard(onlyHeard.get(cluster) ?? {}, told))
        return
      }
      const heard = laterHeard(kept.heard, told)
      const since = laterHeard(kept.since, told)
      clusters.set(cluster, { ...kept, since, heard, notSilentUntilMs: notSilentUntilMs(heard) })
    },
    describe: (told) => {
      traits = told
      for (const { own, open, since } of [...clusters.values()]) keep(own, open, since)
    },
    heard: (cluster) => clusters.get(cluster)?.heard ?? onlyHeard.get(cluster) ?? {},
    records: () =>
      Array.from(clusters.values(), ({ record, heard }) => {
        const lastMs = lastMsOf(heard) ?? 0
        return lastMs > record.lastSeenMs ? { ...record, lastSeenMs: lastMs } : record
      }),
    declare: (told) => {
      toldOf = groupBy(told, ({ cluster }) => cluster)
    },
    returned: () =>
      [...toldOf].flatMap(([cluster, told]) => {
        const { record, heard } = heardOf(cluster)
        const heardMs = lastHeardMs(record, heard)
        return told.flatMap((one) => (isOverheard(one, heardMs) ? [{ id: one.id, heardMs: heardMs! }] : []))
      }),
    heardOf: (name) => {
      const kept = named(name)
      if (kept === undefined && !onlyHeard.has(name)) return undefined
      const { cluster, record, heard } = heardOf(kept?.record.cluster ?? name)
      const lastMs = lastHeardMs(record, heard)
      return { cluster, ...(lastMs === undefined ? {} : { lastHeardMs: lastMs }) }
    },
    goneAt: (cluster, atMs) => goneOf(heardOf(cluster), atMs),
    gone,
    known,
    standing,
    open: () => [...clusters.values()].flatMap(({ open }) => open),
    list: (query, verdictOf, nowMs) => {
      const { hasFacets = false } = query
      const seen: Standing[] = []
      const fitting: Standing[] = []
      for (const kept of clusters.values()) {
        const isFitting = fitsFilter(kept.record, query)
        if (!hasFacets && !isFitting) continue
        const one = standingOf(kept, verdictOf, nowMs)
        seen.push(one)
        if (isFitting && fitsStates(one.states, query.states)) fitting.push(one)
      }
      const keyOf = SORT_KEYS[query.sort]
      const order = {
        keyOf,
        idOf: ({ record }: Standing) => record.cluster,
        ...(query.sort === 'version' ? { compareKeys: compareVersionKeys } : {}),
      }
      const found = pageOf(fitting, order, { ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      const last = page.at(-1)
      const hasMore = found.length > page.length && last !== undefined
      return {
        clusters: page.map((one) => viewOf(one, verdictOf)),
        total: fitting.length,
        ...(hasFacets ? { facets: facetsOf(seen, query) } : {}),
        ...(hasMore ? { next: { key: keyOf(last), id: last.record.cluster } } : {}),
      }
    },
    find: (name, verdictOf, nowMs) => {
      const kept = named(name)
      return kept && viewOf(standingOf(kept, verdictOf, nowMs), verdictOf)
    },
    coverage: (nowMs) => coverageOf(standing(nowMs), gone(nowMs).size, nowMs),
  }
}

/** Before every other: not known. */
const SORT_KEYS: Readonly<Record<ClusterQuery['sort'], (one: Standing) => SortKey>> = {
  cluster: ({ record }) => record.cluster,
  version: ({ record }) => shownVersion(record) ?? '',
  last_seen: ({ kept, record }) => lastMsOf(kept.heard) ?? record.lastSeenMs,
  outdated_workloads: ({ record }) => record.workloads?.outdated ?? -1,
}

const NOTHING_TOLD: readonly Decommission[] = []

/** By any way. */
function lastHeardMs(record: ClusterRecord | undefined, heard: Heard): number | undefined {
  return later(lastMsOf(heard), record?.lastSeenMs)
}

function compareVersionKeys(a: SortKey, b: SortKey): number {
  return compareVersions(String(a), String(b))
}

function laterHeard(a: HeardTold, b: HeardTold): Heard {
  const [metricsMs, objectsMs] = [later(a.metricsMs, b.metricsMs), later(a.objectsMs, b.objectsMs)]
  return { ...(metricsMs === undefined ? {} : { metricsMs }), ...(objectsMs === undefined ? {} : { objectsMs }) }
}

type HeardTold = { readonly [Way in keyof Heard]: Heard[Way] | undefined }
