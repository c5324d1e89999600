/**
 * Stored records of a scope: readers that answer as if nothing of other clusters were stored. They run on the query worker,
 * beside the readers of the whole fleet. What has no cluster is not shown.
 */
import { ownValue } from '../../base/own-value.ts'
import { sharedTurn } from '../../base/thread-slices.ts'
import type { AlertRunPlace, AlertRunReader, FiredAlertReader, StoredAlertRun } from '../../model/alert-run.ts'
import type { AuditEntry } from '../../model/audit.ts'
import { CLUSTER_LABEL, clusterOf } from '../../model/cluster-identity.ts'
import { pinnedClusters } from '../../model/cluster-scope.ts'
import type { DeliveryReader, StoredDelivery } from '../../model/delivery.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { LogReader } from '../../model/log-record.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { RunbookWorkReader } from '../../model/runbook-work.ts'
import { escapeRegex } from '../../model/regex.ts'
import type { ScopedFleet } from './cluster-scopes.ts'

type Scope = Pick<ScopedFleet, 'clusters' | 'includes' | 'names'>

export interface AuditReader {
  /** Newest first; only entries with a smaller id than `before`. */
  list(limit: number, before?: number): Promise<readonly AuditEntry[]>
}

/** Records that one read tests; other calls run in between. */
const PORTION = 500

export function scopedFacts(facts: FleetFactsReader, scope: Scope): FleetFactsReader {
  const isIn = (cluster: string): boolean => scope.clusters.has(cluster)
  return {
    clusters: async () => (await facts.clusters()).filter(({ cluster }) => isIn(cluster)),
    cluster: async (name) => (isIn(name) ? facts.cluster(name) : undefined),
    upgrades: (query) => facts.upgrades({ ...query, clusters: [...scope.clusters] }),
    upgrade: async (id) => {
      const found = await facts.upgrade(id)
      return found !== undefined && isIn(found.upgrade.cluster) ? found : undefined
    },
    modifications: (query) => facts.modifications({ ...query, clusters: [...scope.clusters] }),
    intervalsAt: (timeMs) => facts.intervalsAt(timeMs, [...scope.clusters]),
    values: (clusters) => facts.values(clusters.filter(isIn)),
  }
}

export function scopedLogs(logs: LogReader, scope: Scope): LogReader {
  return { logs: (query) => logs.logs({ ...query, clusters: scope.names().names }) }
}

/** Matches what is of one of the clusters; nothing when there is none. */
export function scopeMatcher(scope: Pick<Scope, 'names'>): Matcher {
  const { names } = scope.names()
  return names.length === 0
    ? { name: CLUSTER_LABEL, op: '=~', value: '[^\\x00-\\x{10FFFF}]' }
    : { name: CLUSTER_LABEL, op: '=~', value: names.map(escapeRegex).join('|') }
}

export function scopedRunbookWork(work: RunbookWorkReader, scope: Scope): RunbookWorkReader {
  return {
    entries: async (runs) => (await work.entries(runs)).filter(({ cluster }) => scope.includes(cluster)),
    revisions: (runbook) => work.revisions(runbook),
  }
}

export function scopedAlertRuns(runs: AlertRunReader, scope: Scope): AlertRunReader {
  const clustersOf = async (fingerprints: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    new Map([...(await runs.clustersOf(fingerprints))].filter(([, cluster]) => scope.includes(cluster)))
  return {
    clustersOf,
    one: async (key) => {
      const found = await runs.one(key)
      return found !== undefined && scope.includes(clusterOf(found.labels)) ? found : undefined
    },
    page: ({ limit, after, ...query }) =>
      pageOf<StoredAlertRun, AlertRunPlace>(
        limit,
        after,
        (place) => runs.page({ ...query, limit: PORTION, ...(place && { after: place }) }),
        (found) => Promise.resolve(found.map(({ labels }) => scope.includes(clusterOf(labels)))),
        (last) => last,
      ),
    spans: async (fingerprints, fromMs, toMs) => runs.spans([...(await clustersOf(fingerprints)).keys()], fromMs, toMs),
    matching: (matchers, fromMs, toMs) => runs.matching([...matchers, scopeMatcher(scope)], fromMs, toMs),
  }
}

export function scopedFiredAlerts(
  alerts: Pick<FiredAlertReader, 'firedOn'>,
  scope: Scope,
): Pick<FiredAlertReader, 'firedOn'> {
  return {
    firedOn: (cluster, range, limit) =>
      scope.includes(cluster) ? alerts.firedOn(cluster, range, limit) : Promise.resolve([]),
  }
}

/**
 * A delivery is shown when all its alerts are: its message is about all of them. Its group key is left out, which has the
 * matchers of routes, and with them names of other clusters.
 */
export function scopedDeliveries(deliveries: DeliveryReader, runs: AlertRunReader, scope: Scope): DeliveryReader {
  const areShown = async (found: readonly StoredDelivery[]): Promise<readonly boolean[]> => {
    const clusters = await runs.clustersOf([...new Set(found.flatMap(({ fingerprints }) => fingerprints))])
    const isShown = (fingerprint: string): boolean => scope.includes(clusters.get(fingerprint) ?? '')
    return found.map(({ fingerprints }) => fingerprints.length > 0 && fingerprints.every(isShown))
  }
  return {
    list: ({ limit, before, ...query }) =>
      pageOf<StoredDelivery, number>(
        limit,
        before,
        (place) => deliveries.list({ ...query, limit: PORTION, ...(place !== undefined && { before: place }) }),
        areShown,
        ({ id }) => id,
      ).then((found) => found.map(withoutGroupKey)),
    get: async (id) => {
      const found = await deliveries.get(id)
      return found !== undefined && (await areShown([found]))[0] === true ? withoutGroupKey(found) : undefined
    },
  }
}

function withoutGroupKey(delivery: StoredDelivery): StoredDelivery {
  const { groupKey, payload } = delivery
  if (groupKey === '') return delivery
  const written = [groupKey, JSON.stringify(groupKey).slice(1, -1)]
  return { ...delivery, groupKey: '', payload: written.reduce((text, key) => text.replaceAll(key, ''), payload) }
}

/** Actions on silences, alerts and clusters of the scope; no others, such as tokens and sign-ins. */
export function scopedAudit(audit: AuditReader, runs: AlertRunReader, scope: Scope): AuditReader {
  const areShown = async (entries: readonly AuditEntry[]): Promise<readonly boolean[]> => {
    const alerts = entries.filter(({ action }) => ALERT_ACTIONS.has(action)).map(({ subject }) => subject)
    const clusters = await runs.clustersOf([...new Set(alerts)])
    return entries.map(({ action, subject, detail }) => {
      if (ALERT_ACTIONS.has(action)) return scope.includes(clusters.get(subject) ?? '')
      if (CLUSTER_ACTIONS.has(action)) return scope.includes(subject)
      if (!action.startsWith('silence.')) return false
      const pinned = pinnedClusters(matchersOf(detail))
      return pinned?.every((cluster) => scope.includes(cluster)) === true
    })
  }
  return {
    list: (limit, before) =>
      pageOf<AuditEntry, number>(
        limit,
        before,
        (place) => audit.list(PORTION, place),
        areShown,
        ({ id }) => id,
      ),
  }
}

const ALERT_ACTIONS: ReadonlySet<string> = new Set([
  ...['alert.acknowledge', 'alert.unacknowledge'],
  ...['runbook.step', 'runbook.note', 'runbook.outcome'],
])
const CLUSTER_ACTIONS: ReadonlySet<string> = new Set([
  'cluster.decommission',
  'cluster.decommission.withdraw',
  'cluster.return',
  'configuration.baseline.choose',
  'configuration.baseline.remove',
  'bundle.make',
])

/** Of the silence that the entry has. */
function matchersOf(detail: string): readonly Matcher[] {
  const silence = JSON.parse(detail) as Readonly<Record<string, unknown>>
  const matchers = ownValue(silence, 'matchers')
  return Array.isArray(matchers) ? (matchers as readonly Matcher[]) : []
}

/** The first items that are shown, in the order of the pages. @param read up to `PORTION` items after a place */
async function pageOf<T, P>(
  limit: number,
  after: P | undefined,
  read: (after: P | undefined) => Promise<readonly T[]>,
  areShown: (items: readonly T[]) => Promise<readonly boolean[]>,
  placeOf: (last: T) => P,
): Promise<readonly T[]> {
  const found: T[] = []
  let place = after
  for (;;) {
    const items = await read(place)
    const shown = await areShown(items)
    found.push(...items.filter((_, i) => shown[i]))
    const last = items.at(-1)
    if (found.length >= limit || last === undefined || items.length < PORTION) return found.slice(0, limit)
    place = placeOf(last)
    await sharedTurn()
  }
}
