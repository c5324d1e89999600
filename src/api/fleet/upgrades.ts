import type { UpgradePhase, Upgrade, UpgradeDetail, UpgradeRecord } from '../../model/upgrade.ts'
import { timeOf, blockItem, evidenceItem, coverageItem, durationItem, stuckItem, workloadItem } from './items.ts'
import {
  type UpgradeItem,
  StuckQuery,
  UpgradesQuery,
  type StuckItems,
  type UpgradeDetailItem,
  type UpgradeItems,
} from '../../contract/fleet-upgrades.ts'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { MomentQuery, PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import type { OpenUpgrade } from '../../fleet/clusters/cluster-states.ts'
import { upgradeTraceId } from '../../fleet/trace/trace-ids.ts'
import { upgradeKeyOf } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import { cutPage, readCursor, writeCursor } from './cursor.ts'
import type { FleetView } from '../../fleet/fleet-view.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick, readQuery } from './query.ts'

/** Upgrades: the list, one upgrade, its details, and the stuck upgrades. */
export function registerFleetUpgrades(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/upgrades', { config }, async (request): Promise<UpgradeItems> => {
    const params = readQuery(UpgradesQuery, request)
    const {
      sort = 'started',
      order = sort === 'cluster' ? 'asc' : 'desc',
      limit = PAGE_DEFAULT,
      cursor,
      state,
    } = params
    const list = { ...params, sort, order }
    const [fromMs, toMs] = [msOf(params.startedFrom), msOf(params.startedTo)]
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const [records, coverage, gone] = await Promise.all([
      view.upgrades({
        ...pick(params, 'cluster', 'operator', 'from', 'to'),
        ...(state === undefined ? {} : { states: state }),
        ...(fromMs === undefined ? {} : { fromMs }),
        ...(toMs === undefined ? {} : { toMs }),
        sort,
        isDescending: order === 'desc',
        ...(cursor === undefined ? {} : { after: readCursor('upgrades', list, cursor) }),
        limit: limit + 1, // one more shows whether there is a next page
      }),
      view.coverage(),
      view.gone(),
    ])
    const { shown, last } = cutPage(
      records.map(({ upgrade }) => upgrade),
      limit,
    )
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.upgrades)),
      coverage: coverageItem(coverage),
      upgrades: shown.map(upgradeItem),
      goneClusters: [...new Set(shown.map(({ cluster }) => cluster))].filter((cluster) => gone.has(cluster)),
      nextCursor:
        last === undefined ? null : writeCursor('upgrades', list, { key: upgradeKeyOf(last, sort), id: last.id }),
    }
  })

  app.get<{ Params: { id: string } }>(
    '/api/fleet/v1/upgrades/:id',
    { config },
    async (request): Promise<UpgradeItem> => {
      const { at } = readQuery(MomentQuery, request)
      return upgradeItem((await known(fleetAt(fleet, clock, at).view, request.params.id, at)).upgrade)
    },
  )

  app.get<{ Params: { id: string } }>(
    '/api/fleet/v1/upgrades/:id/detail',
    { config },
    async (request): Promise<UpgradeDetailItem> => {
      const { at } = readQuery(MomentQuery, request)
      const { view, nowMs, past } = fleetAt(fleet, clock, at)
      const record = await known(view, request.params.id, at)
      const { id, operator, from, to } = record.upgrade
      const name = from === undefined ? undefined : { operator, from, to }
      const [verdict, gone, usual, median] = await Promise.all([
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
        usual: (usual?.phases ?? []).map(({ phase, ...took }) => ({ phase, ...durationItem(took) })),
        usualFrom: usual?.learnedFrom ?? null,
      }
    },
  )

  app.get('/api/fleet/v1/stuck', { config }, async (request): Promise<StuckItems> => {
    const { operator, cause, at } = readQuery(StuckQuery, request)
    const { view, nowMs, past } = fleetAt(fleet, clock, at)
    const [all, coverage] = await Promise.all([view.open(), view.coverage()])
    const open = all.filter(({ record }) => operator === undefined || record.upgrade.operator === operator)
    const stuck = open
      .filter(({ verdict }) => verdict.isStuck && (cause === undefined || cause.includes(causeOf(verdict))))
      .sort(longestFirst)
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.stuck)),
      coverage: coverageItem(coverage),
      open: open.length,
      stuckCount: open.filter(({ verdict }) => verdict.isStuck).length,
      silentCount: open.filter(({ verdict }) => verdict.silentSinceMs !== undefined).length,
      stuck: stuck.map(({ record, verdict }) => ({
        upgrade: upgradeItem(record.upgrade),
        verdict: stuckItem(verdict),
      })),
      nextCursor: null,
    }
  })
}

async function known(view: FleetView, id: string, at: string | undefined): Promise<UpgradeRecord> {
  const record = await view.upgrade(id)
  const when = at === undefined ? '' : ` and had begun at ${at}`
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

function detailItem(
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
    namespace: detail.namespace ?? null,
    subscription: detail.subscription ?? null,
    installPlan: detail.installPlan ?? null,
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

function componentItem({ name, from, to, startedMs, endedMs, state, message }: UpgradeDetail['components'][number]) {
  return {
    name,
    from: from ?? null,
    to: to ?? null,
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
    state,
    message: message ?? null,
  }
}

function virtHandlerItem({ startedMs, canaryMs, endedMs, ...counts }: NonNullable<UpgradeDetail['virtHandler']>) {
  const { desired, updated, ready, waves } = counts
  return {
    desired,
    updated,
    ready,
    waves,
    startedAt: timeOf(startedMs),
    canaryAt: timeOf(canaryMs),
    endedAt: timeOf(endedMs),
  }
}

export function upgradeItem(upgrade: Upgrade): UpgradeItem {
  const { id, cluster, operator, from, to, channel, approval, state, startedMs, endedMs } = upgrade
  return {
    id,
    cluster,
    operator,
    from: from ?? null,
    to,
    channel: channel ?? null,
    approval: approval ?? null,
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
  return {
    name,
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
    state,
    resolutionSeconds,
    reconstructed: isReconstructed,
  }
}
