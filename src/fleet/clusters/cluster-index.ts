/**
 * The in-memory index of all clusters and their open upgrades: updated cluster by cluster as facts change, queried by
 * filter, order and page. About ten thousand records; nothing here reads a clock or a store.
 */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterSilence, SilenceCause } from '../../model/cluster-silence.ts'
import type { ClusterRecord, ClusterState } from '../../model/cluster-record.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { facetsOf, type ClusterFacets } from './cluster-facets.ts'
import { fitsFilter, fitsStates, shownVersion, type ClusterFilter } from './cluster-filter.ts'
import { GONE_STATES, statesOf, type OpenUpgrade } from './cluster-states.ts'
import type { ClusterTraits } from './cluster-traits.ts'
import type { ReturnedCluster } from './decommissions.ts'
import { coverageOf, later, observedCluster, type FleetCoverage, type ObservedCluster } from './fleet-coverage.ts'
import { goneAt, isReturned, type Gone } from './gone.ts'
import { pageOf, type PageQuery, type Place, type SortKey } from '../past/keyset.ts'
import { isOpen, type LastSeen } from '../stuck/stuck.ts'
import { compareVersions } from '../version-order.ts'

export const CLUSTER_SORTS = ['cluster', 'version', 'last_seen', 'outdated_workloads'] as const

export interface ClusterQuery extends PageQuery, ClusterFilter {
  readonly sort: (typeof CLUSTER_SORTS)[number]
  /** Whether to count what the list can be narrowed to. */
  readonly hasFacets?: boolean
  /** Clusters that are silent for one of these causes; absent: all. */
  readonly silence?: readonly SilenceCause[]
}

export interface ClusterView {
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
  readonly open: readonly OpenUpgrade[]
  readonly lastSeen: LastSeen
  /** Absent: the cluster is not gone. */
  readonly gone?: Gone
  /** All decommissions ever declared of it, in the order in which they were declared. */
  readonly decommissions: readonly Decommission[]
  /** Absent: all of its data sources send. */
  readonly silence?: ClusterSilence
}

/** A cluster that a filter matches. */
export interface ClusterMatch {
  readonly record: ClusterRecord
  readonly isSilent: boolean
}

export interface ClusterPage {
  readonly clusters: readonly ClusterView[]
  /** How many fit, on all pages. */
  readonly total: number
  readonly facets?: ClusterFacets
  /** The last item of the page; absent: this is the last page. */
  readonly next?: Place
}

/** A cluster by its name, and when it was last seen. */
export interface LastReport {
  readonly cluster: string
  readonly lastSeenMs?: number
}

export interface ClusterIndex {
  put(record: ClusterRecord, upgrades: readonly UpgradeRecord[]): void
  remove(cluster: string): void
  /** A cluster was seen, whether or not its facts changed. */
  markSeen(cluster: string, lastSeen: LastSeen): void
  /** Region, provider and environment of clusters, by name; the values of a record take precedence. Others keep theirs. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  /** When the cluster was last seen, by source: from its record, or since then. */
  lastSeen(cluster: string): LastSeen
  /** Replaces all declared decommissions, in the order in which they were declared. */
  declare(decommissions: readonly Decommission[]): void
  /** Clusters that were declared decommissioned and were seen again. */
  returned(): readonly ReturnedCluster[]
  /** `undefined`: the cluster is not gone, or unknown. */
  goneAt(cluster: string, atMs: number): Gone | undefined
  /** All clusters that are gone, including clusters with samples and no record. */
  gone(nowMs: number): ReadonlyMap<string, Gone>
  /** By name or alias; also of a cluster with samples and no record. */
  lastReportOf(name: string): LastReport | undefined
  /** Whether a cluster has this name itself, with or without a record. */
  has(cluster: string): boolean
  /** Of a cluster by its own name. */
  recordOf(cluster: string): ClusterRecord | undefined
  /** All records, with the time at which each cluster was last seen. */
  records(): readonly ClusterRecord[]
  /** The same, one after the other: each as it is when its turn comes. */
  eachRecord(): Iterable<ClusterRecord>
  /** All clusters, including clusters with samples and no record. */
  known(): Iterable<ObservedCluster>
  active(nowMs: number): Iterable<ObservedCluster>
  open(): readonly UpgradeRecord[]
  /** Of one cluster by its own name. */
  openOf(cluster: string): readonly UpgradeRecord[]
  /** Rises with each change: of facts, of reports, of declarations. */
  revision(): number
  /** @param silences of all clusters */
  list(query: ClusterQuery, verdictOf: VerdictOf, nowMs: number, silences: Silences): ClusterPage
  /** All clusters that a filter matches, and whether each is silent. */
  matching(filter: ClusterFilter, verdictOf: VerdictOf, nowMs: number): readonly ClusterMatch[]
  /** By name or alias. */
  find(name: string, verdictOf: VerdictOf, nowMs: number, silences: Silences): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
  /** Puts some clusters into another index: records, open upgrades, when they were seen, traits; no declarations. */
  copyTo(other: Pick<ClusterIndex, 'put' | 'markSeen' | 'describe'>, isIncluded: (cluster: string) => boolean): void
}

/** By cluster. */
export type Silences = ReadonlyMap<string, ClusterSilence>

export type VerdictOf = (record: UpgradeRecord) => StuckVerdict

/** A cluster, and what is derived from its record until it is put, seen or described again. */
interface IndexedCluster extends ObservedCluster {
  /** As derived. */
  readonly own: ClusterRecord
  /** As derived, with the described traits that the record lacks. */
  readonly record: ClusterRecord
  readonly open: readonly UpgradeRecord[]
  /** When the cluster was seen besides its record, which may know less when it is put again. */
  readonly since: LastSeen
  /** Valid while no upgrade is open and no problem is reported. */
  readonly states: { readonly reporting: readonly ClusterState[]; readonly silent: readonly ClusterState[] }
}

/** What decides whether a cluster is on a page; the rest of a view is only made for the clusters of the page. */
interface ClusterWithStates {
  readonly stored: IndexedCluster
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
  readonly gone: Gone | undefined
}

/** @param goneAfterMs a cluster that was not seen for longer is gone */
export function createClusterIndex(goneAfterMs = Infinity): ClusterIndex {
  const clusters = new Map<string, IndexedCluster>()
  /** Clusters with samples and no record. */
  const onlySeen = new Map<string, ObservedCluster>()
  const traits = new Map<string, ClusterTraits>()
  let decommissionsOf: ReadonlyMap<string, readonly Decommission[]> = new Map()
  let revision = 0

  const store = (own: ClusterRecord, open: readonly UpgradeRecord[], since: LastSeen): void => {
    revision++
    const record = { ...traits.get(own.cluster), ...own }
    const { objectsLastMs, metricsLastMs } = record.coverage
    const lastSeen = laterSeen({ objectsMs: objectsLastMs, metricsMs: metricsLastMs }, since)
    const states = { reporting: statesOf(record, [], false, 0), silent: statesOf(record, [], true, 0) }
    clusters.set(own.cluster, {
      ...observedCluster(own.cluster, record, lastSeen),
      own,
      record,
      open,
      since,
      states,
    })
  }
  const known = function* (): Iterable<ObservedCluster> {
    yield* clusters.values()
    yield* onlySeen.values()
  }
  const goneOf = ({ cluster, lastSeenMs }: ObservedCluster, atMs: number): Gone | undefined =>
    goneAt({ lastSeenMs, decommissions: decommissionsOf.get(cluster) ?? NONE_DECLARED, goneAfterMs }, atMs)
  const named = (name: string): IndexedCluster | undefined =>
    clusters.get(name) ?? [...clusters.values()].find(({ record }) => record.aliases.includes(name))
  const seenOf = (cluster: string): ObservedCluster =>
    clusters.get(cluster) ?? onlySeen.get(cluster) ?? observedCluster(cluster, undefined, {})
  const active = function* (nowMs: number): Iterable<ObservedCluster> {
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
  const eachRecord = function* (): Iterable<ClusterRecord> {
    for (const { record, lastMs = 0 } of clusters.values()) {
      yield lastMs > record.lastSeenMs ? { ...record, lastSeenMs: lastMs } : record
    }
  }
  const judged = ({ open }: IndexedCluster, verdictOf: VerdictOf): readonly OpenUpgrade[] =>
    open.map((record) => ({ record, verdict: verdictOf(record) }))
  const withStates = (stored: IndexedCluster, verdictOf: VerdictOf, nowMs: number): ClusterWithStates => {
    const { record, open, states } = stored
    const gone = goneOf(stored, nowMs)
    if (gone !== undefined) return { stored, record, states: GONE_STATES, gone }
    const silent = nowMs > stored.notSilentUntilMs
    if (open.length > 0 || record.problems !== undefined) {
      return { stored, record, states: statesOf(record, judged(stored, verdictOf), silent, nowMs), gone }
    }
    return { stored, record, states: silent ? states.silent : states.reporting, gone }
  }
  const viewOf = (
    { stored, record, states, gone: why }: ClusterWithStates,
    verdictOf: VerdictOf,
    silences: Silences,
  ): ClusterView => {
    const silence = silences.get(record.cluster)
    const { lastSeen } = stored
    const decommissions = decommissionsOf.get(record.cluster) ?? NONE_DECLARED
    return {
      record,
      open: judged(stored, verdictOf),
      lastSeen,
      states,
      ...(why === undefined ? {} : { gone: why }),
      decommissions,
      ...(silence === undefined ? {} : { silence }),
    }
  }

  return {
    put: (record, upgrades) => {
      const { cluster } = record
      store(record, upgrades.filter(isOpen), clusters.get(cluster)?.since ?? onlySeen.get(cluster)?.lastSeen ?? {})
      onlySeen.delete(cluster)
    },
    remove: (cluster) => {
      revision++
      clusters.delete(cluster)
      onlySeen.delete(cluster)
      traits.delete(cluster)
    },
    markSeen: (cluster, seen) => {
      const stored = clusters.get(cluster)
      if (stored === undefined) {
        revision++
        onlySeen.set(
          cluster,
          observedCluster(cluster, undefined, laterSeen(onlySeen.get(cluster)?.lastSeen ?? {}, seen)),
        )
        return
      }
      if (!isLater(seen, stored.since)) return
      revision++
      const lastSeen = laterSeen(stored.lastSeen, seen)
      const since = laterSeen(stored.since, seen)
      const { record } = stored
      clusters.set(cluster, { ...stored, ...observedCluster(cluster, record, lastSeen), record, since })
    },
    describe: (described) => {
      for (const [cluster, of] of described) {
        if (areSameTraits(traits.get(cluster), of)) continue
        traits.set(cluster, of)
        const stored = clusters.get(cluster)
        if (stored !== undefined) store(stored.own, stored.open, stored.since)
      }
    },
    lastSeen: (cluster) => seenOf(cluster).lastSeen,
    has: (cluster) => clusters.has(cluster) || onlySeen.has(cluster),
    recordOf: (cluster) => clusters.get(cluster)?.record,
    records: () => [...eachRecord()],
    eachRecord,
    declare: (decommissions) => {
      revision++
      decommissionsOf = groupBy(decommissions, ({ cluster }) => cluster)
    },
    returned: () =>
      [...decommissionsOf].flatMap(([cluster, decommissions]) => {
        const { lastSeenMs } = seenOf(cluster)
        return decommissions.flatMap((one) =>
          isReturned(one, lastSeenMs) ? [{ id: one.id, lastSeenMs: lastSeenMs! }] : [],
        )
      }),
    lastReportOf: (name) => {
      const stored = named(name)
      if (stored === undefined && !onlySeen.has(name)) return undefined
      const { cluster, lastSeenMs } = seenOf(stored?.cluster ?? name)
      return { cluster, ...(lastSeenMs === undefined ? {} : { lastSeenMs }) }
    },
    goneAt: (cluster, atMs) => goneOf(seenOf(cluster), atMs),
    gone,
    known,
    active,
    open: () => [...clusters.values()].flatMap(({ open }) => open),
    openOf: (cluster) => clusters.get(cluster)?.open ?? NO_UPGRADES,
    revision: () => revision,
    list: (query, verdictOf, nowMs, silences) => {
      const { hasFacets = false, silence: causes } = query
      const isOfCause = ({ cluster }: ClusterRecord): boolean =>
        causes === undefined || causes.some((cause) => silences.get(cluster)?.cause === cause)
      const seen: ClusterWithStates[] = []
      const fitting: ClusterWithStates[] = []
      for (const stored of clusters.values()) {
        if (!isOfCause(stored.record)) continue
        const isFitting = fitsFilter(stored.record, query)
        if (!hasFacets && !isFitting) continue
        const one = withStates(stored, verdictOf, nowMs)
        seen.push(one)
        // A decommissioned cluster is silent for a cause too.
        const isAnyState = causes !== undefined && query.states === undefined
        if (isFitting && (isAnyState || fitsStates(one.states, query.states))) fitting.push(one)
      }
      const keyOf = SORT_KEYS[query.sort]
      const order = {
        keyOf,
        idOf: ({ record }: ClusterWithStates) => record.cluster,
        ...(query.sort === 'version' ? { compareKeys: compareVersionKeys } : {}),
      }
      const found = pageOf(fitting, order, { ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      const last = page.at(-1)
      const hasMore = found.length > page.length && last !== undefined
      return {
        clusters: page.map((one) => viewOf(one, verdictOf, silences)),
        total: fitting.length,
        ...(hasFacets ? { facets: facetsOf(seen, query) } : {}),
        ...(hasMore ? { next: { key: keyOf(last), id: last.record.cluster } } : {}),
      }
    },
    matching: (filter, verdictOf, nowMs) => {
      const found: ClusterMatch[] = []
      for (const stored of clusters.values()) {
        const { record, notSilentUntilMs } = stored
        if (!fitsFilter(record, filter)) continue
        const isFitting =
          filter.states === undefined
            ? goneOf(stored, nowMs) === undefined
            : fitsStates(withStates(stored, verdictOf, nowMs).states, filter.states)
        if (isFitting) found.push({ record, isSilent: nowMs > notSilentUntilMs })
      }
      return found
    },
    find: (name, verdictOf, nowMs, silences) => {
      const stored = named(name)
      return stored && viewOf(withStates(stored, verdictOf, nowMs), verdictOf, silences)
    },
    coverage: (nowMs) => coverageOf(known(), (one) => goneOf(one, nowMs) !== undefined, nowMs),
    copyTo: (other, isIncluded) => {
      for (const [cluster, { own, open, since }] of clusters) {
        if (!isIncluded(cluster)) continue
        other.put(own, open)
        other.markSeen(cluster, since)
      }
      for (const [cluster, { lastSeen }] of onlySeen) if (isIncluded(cluster)) other.markSeen(cluster, lastSeen)
      other.describe(new Map([...traits].filter(([cluster]) => isIncluded(cluster))))
    },
  }
}

/** Unknown values sort first. */
const SORT_KEYS: Readonly<Record<ClusterQuery['sort'], (one: ClusterWithStates) => SortKey>> = {
  cluster: ({ record }) => record.cluster,
  version: ({ record }) => shownVersion(record) ?? '',
  last_seen: ({ stored, record }) => stored.lastMs ?? record.lastSeenMs,
  outdated_workloads: ({ record }) => record.workloads?.outdated ?? -1,
}

const NONE_DECLARED: readonly Decommission[] = []
const NO_UPGRADES: readonly UpgradeRecord[] = []

function areSameTraits(a: ClusterTraits = {}, b: ClusterTraits): boolean {
  return a.region === b.region && a.provider === b.provider && a.environment === b.environment
}

function compareVersionKeys(a: SortKey, b: SortKey): number {
  return compareVersions(String(a), String(b))
}

function laterSeen(a: SeenTimes, b: SeenTimes): LastSeen {
  const [metricsMs, objectsMs] = [later(a.metricsMs, b.metricsMs), later(a.objectsMs, b.objectsMs)]
  return { ...(metricsMs === undefined ? {} : { metricsMs }), ...(objectsMs === undefined ? {} : { objectsMs }) }
}

/** Whether one of the times is later than the other's. */
function isLater(seen: SeenTimes, than: SeenTimes): boolean {
  const { metricsMs = -Infinity, objectsMs = -Infinity } = than
  return (seen.metricsMs ?? -Infinity) > metricsMs || (seen.objectsMs ?? -Infinity) > objectsMs
}

type SeenTimes = { readonly [Source in keyof LastSeen]: LastSeen[Source] | undefined }
