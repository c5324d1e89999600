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
import type { FleetCoverage, SeenCluster } from './fleet-coverage.ts'
import { goneAt, isOverheard } from './gone.ts'
import type { Gone } from './gone.ts'
import { pageOf } from '../past/keyset.ts'
import type { PageAsked, Place, SortKey } from '../past/keyset.ts'
import { shownVersion } from './shown-version.ts'
import { isOpen } from '../stuck/stuck.ts'
import type { LastSeen } from '../stuck/stuck.ts'
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
  readonly lastSeen: LastSeen
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

export interface ClusterIndex {
  put(record: ClusterRecord, upgrades: readonly UpgradeRecord[]): void
  /** The cluster is no more. */
  remove(cluster: string): void
  /** A cluster was seen, whether or not its facts changed. */
  markSeen(cluster: string, lastSeen: LastSeen): void
  /** Where clusters stand, by name; what a record says itself stands. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  /** When it was last seen, by source: of the record, or since. */
  lastSeen(cluster: string): LastSeen
  /** Replaces all that was said of clusters that were switched off for good, in the order in which it was said. */
  declare(told: readonly Decommission[]): void
  /** Those of which it was said that they are gone and that were seen again. */
  returned(): readonly ReturnedCluster[]
  /** `undefined`: it is not, or not known. */
  goneAt(cluster: string, atMs: number): Gone | undefined
  /** All that are gone, and those of which only samples are known. */
  gone(nowMs: number): ReadonlyMap<string, Gone>
  /** By name, also one of which only samples are known; or by another name it goes by. */
  lastReportOf(name: string): { readonly cluster: string; readonly lastSeenMs?: number } | undefined
  /** All of them, last seen when the cluster was last seen. */
  records(): readonly ClusterRecord[]
  /** All of them, and those of which only samples are known. */
  known(): Iterable<SeenCluster>
  /** Of these, all that are not gone. */
  standing(nowMs: number): Iterable<SeenCluster>
  open(): readonly UpgradeRecord[]
  list(query: ClusterQuery, verdictOf: VerdictOf, nowMs: number): ClusterPage
  /** By name, or else by another name it goes by. */
  find(name: string, verdictOf: VerdictOf, nowMs: number): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
}

export type VerdictOf = (record: UpgradeRecord) => StuckVerdict

/** What is known of a cluster, and what follows from it until it is put, seen or described again. */
interface Kept {
  /** As derived. */
  readonly own: ClusterRecord
  /** And described: where it stands, where the record does not say. */
  readonly record: ClusterRecord
  readonly open: readonly UpgradeRecord[]
  /** What was told besides the record, which may know less when it is put again. */
  readonly since: LastSeen
  /** Of the record, or since. */
  readonly lastSeen: LastSeen
  readonly notSilentUntilMs: number
  /** As long as nothing is open. */
  readonly states: { readonly reporting: readonly ClusterState[]; readonly silent: readonly ClusterState[] }
}

/** What decides whether a cluster is on a page: the rest of a view is only made of those that are. */
interface Standing {
  readonly kept: Kept
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
  readonly gone: Gone | undefined
}

/** @param goneAfterMs without a word for longer a cluster is gone */
export function createClusterIndex(goneAfterMs = Infinity): ClusterIndex {
  const clusters = new Map<string, Kept>()
  /** Of those nothing else is known of. */
  const onlySeen = new Map<string, LastSeen>()
  let traits: ReadonlyMap<string, ClusterTraits> = new Map()
  let toldOf: ReadonlyMap<string, readonly Decommission[]> = new Map()

  const keep = (own: ClusterRecord, open: readonly UpgradeRecord[], since: LastSeen): void => {
    const record = { ...traits.get(own.cluster), ...own }
    const { objectsLastMs, metricsLastMs } = record.coverage
    const lastSeen = laterSeen({ objectsMs: objectsLastMs, metricsMs: metricsLastMs }, since)
    const states = { reporting: statesOf(record, [], false), silent: statesOf(record, [], true) }
    clusters.set(own.cluster, {
      own,
      record,
      open,
      since,
      lastSeen,
      notSilentUntilMs: notSilentUntilMs(lastSeen),
      states,
    })
  }
  const known = function* (): Iterable<SeenCluster> {
    for (const { record, lastSeen } of clusters.values()) yield { cluster: record.cluster, record, lastSeen }
    for (const [cluster, lastSeen] of onlySeen) yield { cluster, record: undefined, lastSeen }
  }
  const goneOf = ({ cluster, record, lastSeen }: SeenCluster, atMs: number): Gone | undefined =>
    goneAt({ lastSeenMs: lastSeenMsOf(record, lastSeen), told: toldOf.get(cluster) ?? NOTHING_TOLD, goneAfterMs }, atMs)
  const named = (name: string): Kept | undefined =>
    clusters.get(name) ?? [...clusters.values()].find(({ record }) => record.aliases.includes(name))
  const seenOf = (cluster: string): SeenCluster => {
    const kept = clusters.get(cluster)
    return { cluster, record: kept?.record, lastSeen: kept?.lastSeen ?? onlySeen.get(cluster) ?? {} }
  }
  const standing = function* (nowMs: number): Iterable<SeenCluster> {
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
    const gone = goneOf({ cluster: record.cluster, record, lastSeen: kept.lastSeen }, nowMs)
    if (gone !== undefined) return { kept, record, states: GONE_STATES, gone }
    const silent = nowMs > kept.notSilentUntilMs
    if (open.length > 0) return { kept, record, states: statesOf(record, judged(kept, verdictOf), silent), gone }
    return { kept, record, states: silent ? states.silent : states.reporting, gone }
  }
  const viewOf = ({ kept, record, states, gone: why }: Standing, verdictOf: VerdictOf): ClusterView => {
    const { lastSeen } = kept
    const told = toldOf.get(record.cluster) ?? NOTHING_TOLD
    return {
      record,
      open: judged(kept, verdictOf),
      lastSeen,
      states,
      ...(why === undefined ? {} : { gone: why }),
      told,
    }
  }

  return {
    put: (record, upgrades) => {
      const { cluster } = record
      keep(record, upgrades.filter(isOpen), clusters.get(cluster)?.since ?? onlySeen.get(cluster) ?? {})
      onlySeen.delete(cluster)
    },
    remove: (cluster) => {
      clusters.delete(cluster)
      onlySeen.delete(cluster)
    },
    markSeen: (cluster, told) => {
      const kept = clusters.get(cluster)
      if (kept === undefined) {
        onlySeen.set(cluster, laterSeen(onlySeen.get(cluster) ?? {}, told))
        return
      }
      const lastSeen = laterSeen(kept.lastSeen, told)
      const since = laterSeen(kept.since, told)
      clusters.set(cluster, { ...kept, since, lastSeen, notSilentUntilMs: notSilentUntilMs(lastSeen) })
    },
    describe: (told) => {
      traits = told
      for (const { own, open, since } of [...clusters.values()]) keep(own, open, since)
    },
    lastSeen: (cluster) => clusters.get(cluster)?.lastSeen ?? onlySeen.get(cluster) ?? {},
    records: () =>
      Array.from(clusters.values(), ({ record, lastSeen }) => {
        const lastMs = lastMsOf(lastSeen) ?? 0
        return lastMs > record.lastSeenMs ? { ...record, lastSeenMs: lastMs } : record
      }),
    declare: (told) => {
      toldOf = groupBy(told, ({ cluster }) => cluster)
    },
    returned: () =>
      [...toldOf].flatMap(([cluster, told]) => {
        const { record, lastSeen } = seenOf(cluster)
        const heardMs = lastSeenMsOf(record, lastSeen)
        return told.flatMap((one) => (isOverheard(one, heardMs) ? [{ id: one.id, heardMs: heardMs! }] : []))
      }),
    lastReportOf: (name) => {
      const kept = named(name)
      if (kept === undefined && !onlySeen.has(name)) return undefined
      const { cluster, record, lastSeen } = seenOf(kept?.record.cluster ?? name)
      const lastMs = lastSeenMsOf(record, lastSeen)
      return { cluster, ...(lastMs === undefined ? {} : { lastSeenMs: lastMs }) }
    },
    goneAt: (cluster, atMs) => goneOf(seenOf(cluster), atMs),
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
  last_seen: ({ kept, record }) => lastMsOf(kept.lastSeen) ?? record.lastSeenMs,
  outdated_workloads: ({ record }) => record.workloads?.outdated ?? -1,
}

const NOTHING_TOLD: readonly Decommission[] = []

/** By any way. */
function lastSeenMsOf(record: ClusterRecord | undefined, lastSeen: LastSeen): number | undefined {
  return later(lastMsOf(lastSeen), record?.lastSeenMs)
}

function compareVersionKeys(a: SortKey, b: SortKey): number {
  return compareVersions(String(a), String(b))
}

function laterSeen(a: SeenTimes, b: SeenTimes): LastSeen {
  const [metricsMs, objectsMs] = [later(a.metricsMs, b.metricsMs), later(a.objectsMs, b.objectsMs)]
  return { ...(metricsMs === undefined ? {} : { metricsMs }), ...(objectsMs === undefined ? {} : { objectsMs }) }
}

type SeenTimes = { readonly [Way in keyof LastSeen]: LastSeen[Way] | undefined }
