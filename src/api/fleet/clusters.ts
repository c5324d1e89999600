import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  ClusterDetail,
  ClusterItems,
  ClusterQuery,
  ClustersQuery,
  type ClusterFacets,
  type ClusterItem,
  type ClusterSilenceItem,
} from '../../contract/fleet-clusters.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import { lastMsOf } from '../../fleet/clusters/fleet-coverage.ts'
import { decommissionsAt } from '../../fleet/clusters/gone.ts'
import { problemsAt } from '../../fleet/clusters/cluster-states.ts'
import type { ClusterPage, ClusterView } from '../../fleet/clusters/cluster-index.ts'
import { settingsWithDefaults } from '../../fleet/clusters/setting-defaults.ts'
import type { ClusterSilence } from '../../model/cluster-silence.ts'
import type { VersionInterval } from '../../model/cluster-record.ts'
import { decommissionItem, goneItem } from './decommissions.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { ClusterWithHistory } from '../../fleet/fleet-view.ts'
import { evidenceItem, knownOrNull, modificationItem, stuckItem, timeOf } from './items.ts'
import { readinessItem } from './readiness-items.ts'
import { readTarget } from './readiness.ts'
import { upgradeItem } from './upgrades.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Clusters: the list, and one with its settings, versions over time, open upgrades and modifications. */
export function registerFleetClusters(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/clusters', {
    summary: 'Clusters by version, channel, platform and state.',
    query: ClustersQuery,
    answer: ClusterItems,
    handler: async ({ query, request }) => {
      const { sort = 'cluster', order = sort === 'cluster' ? 'asc' : 'desc', limit = PAGE_DEFAULT, cursor } = query
      const { version, state, facets: hasFacets = false } = query
      // Facets do not change the list.
      const list = { ...query, sort, order, facets: undefined }
      const { view, nowMs, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [page, head] = await Promise.all([
        view.clusters({
          ...pick(query, 'channel', 'platform', 'flavour', 'region', 'text'),
          ...(version === undefined ? {} : { versions: version }),
          ...(state === undefined ? {} : { states: state }),
          ...pick(query, 'silence'),
          sort,
          isDescending: order === 'desc',
          hasFacets,
          ...(cursor === undefined ? {} : { after: readCursor('clusters', list, cursor) }),
          limit,
        }),
        listHead(UNAVAILABLE.clusters),
      ])
      return {
        ...head,
        total: page.total,
        clusters: page.clusters.map((found) => clusterItem(found, nowMs)),
        facets: page.facets === undefined ? null : facetsItem(page.facets),
        nextCursor: page.next === undefined ? null : writeCursor('clusters', list, page.next),
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/clusters/:cluster', {
    summary: 'One cluster with its settings, versions over time, open upgrades and modifications.',
    path: { cluster: 'Name or alias.' },
    query: ClusterQuery,
    answer: ClusterDetail,
    handler: async ({ params: { cluster }, query: { at, to }, request }) => {
      const { view, nowMs, past } = fleetAt(ports(request).fleet, clock, at)
      const found = await view.cluster(cluster, to === undefined ? undefined : readTarget(to))
      if (found === undefined) {
        const when = at === undefined ? 'is' : `was, at ${at},`
        throw new FleetError('not_found', `no cluster ${when} called ${JSON.stringify(cluster)}`)
      }
      return { ...detailItem(found, nowMs, at !== undefined), ...(await past(UNAVAILABLE.cluster)) }
    },
  })
}

function facetsItem(facets: NonNullable<ClusterPage['facets']>): ClusterFacets {
  const values = (found: (typeof facets)['states']): ClusterFacets['states'] =>
    found.map(({ value, count }) => ({ value: value ?? null, count }))
  return {
    states: values(facets.states),
    versions: values(facets.versions),
    channels: values(facets.channels),
    platforms: values(facets.platforms),
    flavours: values(facets.flavours),
    regions: values(facets.regions),
  }
}

function silenceItem({
  sources,
  isTotal,
  sinceMs,
  cause,
  evidence,
  missing,
  nextStep,
}: ClusterSilence): ClusterSilenceItem {
  return {
    ...{ sources, total: isTotal, since: timeOf(sinceMs), cause, missing, nextStep },
    evidence: evidence.map(({ atMs, share = null, ...one }) => ({ ...one, at: timeOf(atMs), share })),
  }
}

function clusterItem({ record, states, open, lastSeen, gone, silence }: ClusterView, nowMs: number): ClusterItem {
  const { cluster, aliases, platform, hcoVersion, versions, subscription, coverage } = record
  return {
    cluster,
    aliases,
    states,
    gone: gone === undefined ? null : goneItem(gone, nowMs),
    silence: silence === undefined ? null : silenceItem(silence),
    platform: platform === undefined ? null : { kind: platform.kind, ...knownOrNull(platform, 'version', 'target') },
    version: hcoVersion ?? null,
    versions,
    channel: subscription?.channel ?? null,
    approval: subscription?.approval ?? null,
    ...knownOrNull(record, 'flavour', 'systemHealth', 'region', 'provider', 'environment'),
    tainted: record.isTainted ?? null,
    outdatedWorkloads: record.workloads?.outdated ?? null,
    openUpgrades: open.map(({ record: { upgrade }, verdict }) => ({
      id: upgrade.id,
      operator: upgrade.operator,
      from: upgrade.from ?? null,
      to: upgrade.to,
      phase: verdict.phase ?? null,
      startedAt: timeOf(upgrade.startedMs),
      stuck: verdict.isStuck,
    })),
    firstSeenAt: timeOf(record.firstSeenMs),
    lastSeenAt: timeOf(Math.max(record.lastSeenMs, lastMsOf(lastSeen) ?? 0)),
    coverage: {
      objects: coverage.objects,
      metrics: coverage.metrics,
      spans: coverage.spans,
      objectsLastAt: timeOf(lastSeen.objectsMs),
      metricsLastAt: timeOf(lastSeen.metricsMs),
      kinds: coverage.kinds,
    },
  }
}

function detailItem({ view, readiness, history }: ClusterWithHistory, nowMs: number, isPast: boolean): ClusterDetail {
  const { record, open } = view
  const { subscription, descheduler, settings, instanceTypes, preferences, deprecatedApis } = record
  return {
    asOf: timeOf(nowMs),
    ...clusterItem(view, nowMs),
    subscription:
      subscription === undefined
        ? null
        : { ...subscription, ...knownOrNull(subscription, 'installedCsv', 'currentCsv') },
    conditions: record.conditions.map(({ lastTransitionMs, ...condition }) => {
      return { ...condition, lastTransitionAt: timeOf(lastTransitionMs) }
    }),
    problems: problemsAt(record, open, nowMs).map(({ cause, text, sinceMs, evidence }) => {
      return { cause, text, since: timeOf(sinceMs), evidence: evidence.map(evidenceItem) }
    }),
    ...knownOrNull(record, 'upgradeable', 'nodes', 'goldenImages'),
    hyperConvergedApi: settings.apiVersion ?? null,
    settings: settingsWithDefaults(record).map(({ name, set, default: byDefault }) => {
      return { name, set: set ?? null, default: byDefault ?? null }
    }),
    featureGates: settings.featureGates,
    pools: record.pools.map(({ name, isPaused, machines, updated, degraded }) => {
      return { name, paused: isPaused, machines, updated, degraded }
    }),
    descheduler:
      descheduler === undefined
        ? null
        : { profiles: descheduler.profiles, misconfigured: descheduler.isMisconfigured ?? null },
    ...{ instanceTypes, preferences, deprecatedApis },
    intervals: history.intervals.map(intervalItem),
    open: open.map(({ record: { upgrade }, verdict }) => {
      return { upgrade: upgradeItem(upgrade), verdict: stuckItem(verdict) }
    }),
    upgradeCount: history.upgrades.length,
    modifications: history.modifications.toReversed().map(modificationItem),
    readiness: readiness === undefined ? null : readinessItem(readiness, isPast),
    decommissions: decommissionsAt(view.decommissions, nowMs).toReversed().map(decommissionItem),
  }
}

function intervalItem({ operator, version, fromMs, isStartKnown, untilMs, resolutionSeconds }: VersionInterval) {
  return {
    operator,
    version,
    from: timeOf(fromMs),
    startKnown: isStartKnown,
    until: timeOf(untilMs),
    resolutionSeconds,
  }
}
