import type { UpgradePhase, Upgrade, UpgradeDetail, UpgradeRecord } from '../../model/upgrade.ts'
import { blockItem, durationItem, evidenceItem, knownOrNull, stuckItem, timeOf, workloadItem } from './items.ts'
import {
  StuckItems,
  StuckQuery,
  UpgradeDetailItem,
  UpgradeItem,
  UpgradeItems,
  UpgradesQuery,
} from '../../contract/fleet-upgrades.ts'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { MomentQuery, PAGE_DEFAULT } from '../../contract/common.ts'
import type { OpenUpgrade } from '../../fleet/clusters/cluster-states.ts'
import { upgradeTraceId } from '../../fleet/trace/trace-ids.ts'
import { upgradeKeyOf } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import { pageAnswer, readCursor } from './cursor.ts'
import type { FleetView } from '../../fleet/fleet-view.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Upgrades: the list, one upgrade, its details, and the stuck upgrades. */
export function registerFleetUpgrades(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/upgrades', {
    summary: 'Upgrades with their phases and evidence.',
    query: UpgradesQuery,
    answer: UpgradeItems,
    handler: async ({ query, request }) => {
      const { sort = 'started', order = sort === 'cluster' ? 'asc' : 'desc', limit = PAGE_DEFAULT } = query
      const { cursor, state } = query
      const list = { ...query, sort, order }
      const [fromMs, toMs] = [msOf(query.startedFrom), msOf(query.startedTo)]
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [records, head, gone] = await Promise.all([
        view.upgrades({
          ...pick(query, 'cluster', 'operator', 'from', 'to'),
          ...(state === undefined ? {} : { states: state }),
          ...(fromMs === undefined ? {} : { fromMs }),
          ...(toMs === undefined ? {} : { toMs }),
          sort,
          isDescending: order === 'desc',
          ...(cursor === undefined ? {} : { after: readCursor('upgrades', list, cursor) }),
          limit: limit + 1, // one more shows whether there is a next page
        }),
        listHead(UNAVAILABLE.upgrades),
        view.gone(),
      ])
      const placeOf = ({ upgrade }: UpgradeRecord) => ({ key: upgradeKeyOf(upgrade, sort), id: upgrade.id })
      const { shown, nextCursor } = pageAnswer('upgrades', list, records, limit, placeOf)
      const clusters = new Set(shown.map(({ upgrade }) => upgrade.cluster))
      return {
        ...head,
        upgrades: shown.map(({ upgrade }) => upgradeItem(upgrade)),
        goneClusters: [...clusters].filter((cluster) => gone.has(cluster)),
        nextCursor,
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/upgrades/:id', {
    summary: 'One upgrade.',
    path: { id: 'ID of the upgrade.' },
    query: MomentQuery,
    answer: UpgradeItem,
    handler: async ({ params: { id }, query: { at }, request }) =>
      upgradeItem((await known(fleetAt(ports(request).fleet, clock, at).view, id, at)).upgrade),
  })

  ownRoute(app, 'GET /api/fleet/v1/upgrades/:id/detail', {
    summary: 'One upgrade in detail: components, CSV steps, workloads, verdict.',
    path: { id: 'ID of the upgrade.' },
    query: MomentQuery,
    answer: UpgradeDetailItem,
    handler: async ({ params, query: { at }, request }) => {
      const { view, nowMs, past } = fleetAt(ports(request).fleet, clock, at)
      const record = await known(view, params.id, at)
      const { id, operator, from, to } = record.upgrade
      const name = from === undefined ? undefined : { operator, from, to }
      const [verdict, gone, typical, median] = await Promise.all([
        view.judge(id),
        view.gone(),
        name === undefined ? undefined : view.typical(name),
        name === undefined ? undefined : view.medianRun(name, id),
      ])
      const beside = median === undefined ? undefined : await view.upgrade(median.id)
      return {
        ...detailItem(record, verdict, nowMs),
        ...(await past(UNAVAILABLE.upgrade)),
        clusterGoneSince: timeOf(gone.get(record.upgrade.cluster)?.sinceMs),
        medianRun:
          median === undefined || beside === undefined
            ? null
            : { id: median.id, cluster: median.cluster, seconds: median.seconds, traceId: upgradeTraceId(beside) },
        usual: (typical?.phases ?? []).map(({ phase, ...took }) => ({ phase, ...durationItem(took) })),
        usualFrom: typical?.learnedFrom ?? null,
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/stuck', {
    summary: 'Stuck upgrades, longest time without progress first.',
    query: StuckQuery,
    answer: StuckItems,
    handler: async ({ query: { operator, cause, at }, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, at)
      const [all, head] = await Promise.all([view.open(), listHead(UNAVAILABLE.stuck)])
      const open = all.filter(({ record }) => operator === undefined || record.upgrade.operator === operator)
      const stuck = open
        .filter(({ verdict }) => verdict.isStuck && (cause === undefined || cause.includes(causeOf(verdict))))
        .sort(longestFirst)
      return {
        ...head,
        open: open.length,
        stuckCount: open.filter(({ verdict }) => verdict.isStuck).length,
        silentCount: open.filter(({ verdict }) => verdict.silentSinceMs !== undefined).length,
        stuck: stuck.map(({ record, verdict }) => ({
          upgrade: upgradeItem(record.upgrade),
          verdict: stuckItem(verdict),
        })),
        nextCursor: null,
      }
    },
  })
}

async function known(view: FleetView, id: string, at: string | undefined): Promise<UpgradeRecord> {
  const record = await view.upgrade(id)
  const when = at === undefined ? '' : ` and had started at ${at}`
  if (record === undefined) throw new FleetError('not_found', `no upgrade has the id ${JSON.stringify(id)}${when}`)
  return record
}

function causeOf({ causes }: StuckVerdict): NonNullable<StuckVerdict['causes'][number]>['cause'] {
  return causes[0]?.cause ?? 'unknown'
}

function longestFirst(a: OpenUpgrade, b: OpenUpgrade): number {
  const order = (a.verdict.stalledSinceMs ?? Infinity) - (b.verdict.stalledSinceMs ?? Infinity)
  if (order !== 0 && !Number.isNaN(order)) return order
  return a.record.upgrade.id < b.record.upgrade.id ? -1 : 1
}

/** @param nowMs the moment of the verdict */
export function detailItem(
  { upgrade, detail }: UpgradeRecord,
  verdict: StuckVerdict | undefined,
  nowMs: number,
): Omit<UpgradeDetailItem, 'usual' | 'usualFrom' | 'medianRun' | 'clusterGoneSince'> {
  return {
    asOf: timeOf(nowMs),
    upgrade: upgradeItem(upgrade),
    csv: {
      name: detail.csvName ?? null,
      uid: detail.csvUid ?? null,
      replaces: detail.replaces ?? null,
      steps: detail.csvSteps.map(({ phase, reason, startedMs, endedMs }) => {
        return { phase, reason, startedAt: timeOf(startedMs), endedAt: timeOf(endedMs) }
      }),
    },
    ...knownOrNull(detail, 'namespace', 'subscription', 'installPlan'),
    components: detail.components.map(componentItem),
    hco:
      detail.hco === undefined
        ? null
        : { startedAt: timeOf(detail.hco.startedMs), endedAt: timeOf(detail.hco.endedMs) },
    virtHandler: detail.virtHandler === undefined ? null : virtHandlerItem(detail.virtHandler),
    workloads: detail.workloads === undefined ? null : workloadItem(detail.workloads),
    lastProgressAt: timeOf(detail.lastProgressMs),
    observedUntil: timeOf(detail.observedUntilMs),
    conditionChanges: detail.conditionChanges.map(({ atMs, component, type, status, reason }) => {
      return { at: timeOf(atMs), component, type, status, reason }
    }),
    featureGateChanges: detail.featureGateChanges.map(({ atMs, gate, isOn }) => ({ at: timeOf(atMs), gate, on: isOn })),
    verdict: verdict === undefined ? null : stuckItem(verdict),
    traceId: upgradeTraceId({ upgrade, detail }),
  }
}

function componentItem(component: UpgradeDetail['components'][number]) {
  const { name, startedMs, endedMs, state } = component
  const known = knownOrNull(component, 'from', 'to', 'message')
  return { name, ...known, startedAt: timeOf(startedMs), endedAt: timeOf(endedMs), state }
}

function virtHandlerItem({ startedMs, canaryMs, endedMs, ...rest }: NonNullable<UpgradeDetail['virtHandler']>) {
  const { desired, updated, ready, waves } = rest
  const times = { startedAt: timeOf(startedMs), canaryAt: timeOf(canaryMs), endedAt: timeOf(endedMs) }
  return { desired, updated, ready, waves, ...times }
}

export function upgradeItem(upgrade: Upgrade): UpgradeItem {
  const { id, cluster, operator, from, to, state, startedMs, endedMs } = upgrade
  return {
    ...{ id, cluster, operator, from: from ?? null, to },
    ...knownOrNull(upgrade, 'channel', 'approval'),
    state,
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
    nodes: upgrade.nodes ?? null,
    phases: upgrade.phases.map(phaseItem),
    blockedBy: upgrade.blockedBy === undefined ? null : blockItem(upgrade.blockedBy),
    evidence: upgrade.evidence.map(evidenceItem),
    resolutionSeconds: upgrade.resolutionSeconds,
  }
}

function phaseItem({ name, startedMs, endedMs, state, resolutionSeconds, isReconstructed }: UpgradePhase) {
  const times = { startedAt: timeOf(startedMs), endedAt: timeOf(endedMs) }
  return { name, ...times, state, resolutionSeconds, reconstructed: isReconstructed }
}
