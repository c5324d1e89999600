import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  ClustersQuery,
  type ClusterDetail,
  type ClusterFacets,
  type ClusterItem,
  type ClusterItems,
  type SettingItem,
} from '../../contract/fleet-clusters.ts'
import { MomentQuery, PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import { lastMsOf } from '../../fleet/clusters/fleet-coverage.ts'
import { decommissionsAt } from '../../fleet/clusters/gone.ts'
import type { ClusterPage, ClusterView } from '../../fleet/clusters/cluster-index.ts'
import { settingsWithDefaults, type SettingValue } from '../../fleet/clusters/setting-defaults.ts'
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import { decommissionItem, goneItem } from './decommissions.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { ClusterWithHistory } from '../../fleet/fleet-view.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, modificationItem, stuckItem, timeOf } from './items.ts'
import { upgradeItem } from './upgrades.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { pick, readQuery } from './query.ts'

/** Clusters: the list, and one with its settings, versions over time, open upgrades and modifications. */
export function registerFleetClusters(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/clusters', { config }, async (request): Promise<ClusterItems> => {
    const params = readQuery(ClustersQuery, request)
    const { sort = 'cluster', order = sort === 'cluster' ? 'asc' : 'desc', limit = PAGE_DEFAULT, cursor } = params
    const { version, state, facets: hasFacets = false } = params
    // Facets do not change the list.
    const list = { ...params, sort, order, facets: undefined }
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const [page, coverage] = await Promise.all([
      view.clusters({
        ...pick(params, 'channel', 'platform', 'flavour', 'region', 'text'),
        ...(version === undefined ? {} : { versions: version }),
        ...(state === undefined ? {} : { states: state }),
        sort,
        isDescending: order === 'desc',
        hasFacets,
        ...(cursor === undefined ? {} : { after: readCursor('clusters', list, cursor) }),
        limit,
      }),
      view.coverage(),
    ])
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.clusters)),
      coverage: coverageItem(coverage),
      total: page.total,
      clusters: page.clusters.map((found) => clusterItem(found, nowMs)),
      facets: page.facets === undefined ? null : facetsItem(page.facets),
      nextCursor: page.next === undefined ? null : writeCursor('clusters', list, page.next),
    }
  })

  app.get<{ Params: { cluster: string } }>(
    '/api/fleet/v1/clusters/:cluster',
    { config },
    async (request): Promise<ClusterDetail> => {
      const { at } = readQuery(MomentQuery, request)
      const { view, nowMs, past } = fleetAt(fleet, clock, at)
      const { cluster } = request.params
      const found = await view.cluster(cluster)
      if (found === undefined) {
        const when = at === undefined ? 'is' : `was, at ${at},`
        throw new FleetError('not_found', `no cluster ${when} called ${JSON.stringify(cluster)}`)
      }
      return { ...detailItem(found, nowMs), ...(await past(UNAVAILABLE.cluster)) }
    },
  )
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

function clusterItem({ record, states, open, lastSeen, gone }: ClusterView, nowMs: number): ClusterItem {
  const { cluster, aliases, flavour, platform, hcoVersion, versions, subscription, coverage } = record
  return {
    cluster,
    aliases: [...aliases],
    states: [...states],
    gone: gone === undefined ? null : goneItem(gone, nowMs),
    flavour: flavour ?? null,
    platform: platform === undefined ? null : platformItem(platform),
    version: hcoVersion ?? null,
    versions: { ...versions },
    channel: subscription?.channel ?? null,
    approval: subscription?.approval ?? null,
    systemHealth: record.systemHealth ?? null,
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
    region: record.region ?? null,
    provider: record.provider ?? null,
    environment: record.environment ?? null,
    firstSeenAt: timeOf(record.firstSeenMs),
    lastSeenAt: timeOf(Math.max(record.lastSeenMs, lastMsOf(lastSeen) ?? 0)),
    coverage: {
      objects: coverage.objects,
      metrics: coverage.metrics,
      spans: coverage.spans,
      objectsLastAt: timeOf(lastSeen.objectsMs),
      metricsLastAt: timeOf(lastSeen.metricsMs),
      kinds: [...coverage.kinds],
    },
  }
}

function platformItem({ kind, version, target }: NonNullable<ClusterRecord['platform']>) {
  return { kind, version: version ?? null, target: target ?? null }
}

function detailItem({ view, history }: ClusterWithHistory, nowMs: number): ClusterDetail {
  const { record, open } = view
  const { subscription, upgradeable, nodes, goldenImages, descheduler } = record
  return {
    asOf: timeOf(nowMs),
    ...clusterItem(view, nowMs),
    subscription:
      subscription === undefined
        ? null
        : {
            ...subscription,
            installedCsv: subscription.installedCsv ?? null,
            currentCsv: subscription.currentCsv ?? null,
          },
    conditions: record.conditions.map(({ type, status, reason, message, lastTransitionMs }) => {
      return { type, status, reason, message, lastTransitionAt: timeOf(lastTransitionMs) }
    }),
    upgradeable: upgradeable === undefined ? null : { ...upgradeable },
    hyperConvergedApi: record.settings.apiVersion ?? null,
    settings: settingsWithDefaults(record).map(({ name, set, default: holds }) => {
      return { name, set: valueOf(set), default: valueOf(holds) }
    }),
    featureGates: { ...record.settings.featureGates },
    nodes: nodes === undefined ? null : { ...nodes, kubeletVersions: [...nodes.kubeletVersions] },
    pools: record.pools.map(({ name, isPaused, machines, updated, degraded }) => {
      return { name, paused: isPaused, machines, updated, degraded }
    }),
    goldenImages: goldenImages === undefined ? null : { ...goldenImages },
    descheduler:
      descheduler === undefined
        ? null
        : { profiles: [...descheduler.profiles], misconfigured: descheduler.isMisconfigured ?? null },
    instanceTypes: { ...record.instanceTypes },
    preferences: { ...record.preferences },
    deprecatedApis: { ...record.deprecatedApis },
    intervals: history.intervals.map(intervalItem),
    open: open.map(({ record: { upgrade }, verdict }) => {
      return { upgrade: upgradeItem(upgrade), verdict: stuckItem(verdict) }
    }),
    upgradeCount: history.upgrades.length,
    modifications: history.modifications.toReversed().map(modificationItem),
    decommissions: decommissionsAt(view.decommissions, nowMs).toReversed().map(decommissionItem),
  }
}

function valueOf(value: SettingValue | undefined): SettingItem['set'] {
  return value === undefined ? null : typeof value === 'object' ? [...value] : value
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
