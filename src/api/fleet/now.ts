import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { inSlices, ownTurn } from '../../base/thread-slices.ts'
import { MomentQuery } from '../../contract/common.ts'
import {
  NOW_LIST_MAX,
  Now,
  type FallingEdgeItem,
  type OpenUpgradeItem,
  type SilentClusterItem,
  type WaitingUpgradeItem,
} from '../../contract/now.ts'
import { SILENT_AFTER } from '../../fleet/clusters/cluster-states.ts'
import type { FallingEdge } from '../../fleet/edges/falling-edges.ts'
import { firingNow, type FiringNow } from '../../fleet/alerts/firing.ts'
import type { NowUpgrade, SilentCluster, WaitingUpgrade } from '../../fleet/now/now-rows.ts'
import type { ClusterScope } from '../../model/cluster-scope.ts'
import type { ServerFaults } from '../../model/server-fault.ts'
import type { UpgradeOperator } from '../../model/upgrade.ts'
import { firingAt } from './alerts-at.ts'
import type { FleetSummary } from '../../fleet/fleet-view.ts'
import { baselineItem, knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

interface NowDeps {
  readonly ports: PortsOf<{ readonly fleet: FleetViews; readonly people: ApiPeople }>
  readonly faults: () => ServerFaults
  readonly clock: Clock
}

/** `GET /api/fleet/v1/now`: the landing page in one answer. Counts are exact, lists are cut at `NOW_LIST_MAX`. */
export function registerNow(app: FastifyInstance, { ports, faults, clock }: NowDeps): void {
  const answer = async (at: string | undefined, request: FastifyRequest): Promise<Now> => {
    const { fleet, people } = ports(request)
    const { view, nowMs, past } = fleetAt(fleet, clock, at)
    const alertsThen = async () =>
      at === undefined ? await people.withoutDuplicates(people.alerts()) : firingAt(people.runs, nowMs)
    const [summary, alerts] = await Promise.all([view.now(NOW_LIST_MAX), alertsThen()])
    const firing = await inSlices(firingNow(alerts), ownTurn)
    return {
      ...nowItem(summary, firing, at === undefined ? faults() : undefined),
      ...(await past(UNAVAILABLE.now)),
    }
  }
  // Many users open this page: concurrent requests of one scope share one computation.
  const underWay = new Map<ClusterScope, Promise<Now>>()
  ownRoute(app, 'GET /api/fleet/v1/now', {
    summary: 'State of the fleet: the data of the landing page in one response.',
    query: MomentQuery,
    answer: Now,
    handler: ({ query: { at }, request }) => {
      if (at !== undefined) return answer(at, request)
      const { scope } = request
      let shared = underWay.get(scope)
      if (shared === undefined) {
        shared = answer(undefined, request).finally(() => underWay.delete(scope))
        underWay.set(scope, shared)
      }
      return shared
    },
  })
}

/** @param faults of the server, which are reported for the present only */
function nowItem(now: FleetSummary, firing: FiringNow, faults?: ServerFaults): Now {
  const { clusters, stuck, upgrading, following, waiting, silent, versions, derivation, fallingEdges } = now
  const { newestMs, oldestMs, clusters: total, ...counts } = clusters
  return {
    asOf: timeOf(now.asOfMs),
    derivation: {
      caughtUpAt: timeOf(derivation.caughtUpMs),
      waiting: derivation.waiting,
      daysToCount: derivation.daysLeft,
    },
    clusters: {
      total,
      ...counts,
      silentAfterSeconds: { metrics: SILENT_AFTER.metricsMs / 1000, objects: SILENT_AFTER.objectsMs / 1000 },
      newestAt: timeOf(newestMs),
      oldestAt: timeOf(oldestMs),
    },
    stuck: { count: stuck.count, items: stuck.items.map(openItem) },
    upgrading: {
      count: upgrading.count,
      items: upgrading.items.map(openItem),
      byPhase: upgrading.byPhase.map(({ phase, ...of }) => ({ phase: phase ?? null, ...of })),
    },
    following: { count: following.count, items: following.items.map(openItem), machines: following.machines },
    waiting: { count: waiting.count, items: waiting.items.map(waitingItem) },
    silent: {
      count: silent.count,
      items: silent.items.map(silentItem),
      byCause: [...silent.byCause],
      oneSource: [...silent.oneSource],
    },
    firing: firingItem(firing),
    versions: { of: versions.of, untold: versions.unreported, items: [...versions.items] },
    fallingEdges: { count: fallingEdges.count, items: fallingEdges.items.map(fallingItem) },
    faults: faults === undefined ? null : faultsItem(faults, now.asOfMs),
  }
}

function openItem(upgrade: NowUpgrade): OpenUpgradeItem {
  const { id, cluster, operator, to, phaseSinceMs, phaseEndsMs, startedMs, isStuck } = upgrade
  const { stalledSinceMs, silentSinceMs, baseline, machines } = upgrade
  return {
    ...{ id, cluster, operator, to, stuck: isStuck },
    ...knownOrNull(upgrade, 'from', 'phase', 'beyondSeconds', 'cause', 'nodes'),
    phaseSince: timeOf(phaseSinceMs),
    phaseEndsAt: timeOf(phaseEndsMs),
    startedAt: timeOf(startedMs),
    stalledSince: timeOf(stalledSinceMs),
    silentSince: timeOf(silentSinceMs),
    baseline: baseline === undefined ? null : baselineItem(baseline),
    machines: machines === undefined ? null : machinesItem(machines),
    resolutionSeconds: upgrade.resolutionSeconds,
  }
}

function machinesItem({ outdated, atStart, etaMs }: NonNullable<NowUpgrade['machines']>) {
  return { outdated, outdatedAtStart: atStart ?? null, etaAt: timeOf(etaMs) }
}

function waitingItem(upgrade: WaitingUpgrade): WaitingUpgradeItem {
  const { id, cluster, operator, to, sinceMs, isStuck } = upgrade
  return {
    ...{ id, cluster, operator, to, stuck: isStuck },
    ...knownOrNull(upgrade, 'from', 'channel', 'namespace', 'installPlan'),
    since: timeOf(sinceMs),
  }
}

function silentItem({ cluster, lastSeenMs, cause, version, upgrade }: SilentCluster): SilentClusterItem {
  const open =
    upgrade === undefined
      ? null
      : { id: upgrade.id, to: upgrade.to, stuck: upgrade.isStuck, ...knownOrNull(upgrade, 'from', 'phase') }
  return { cluster, lastSeenAt: timeOf(lastSeenMs), cause: cause ?? null, version: version ?? null, upgrade: open }
}

function faultsItem(faults: ServerFaults, nowMs: number): Now['faults'] {
  const { storage, damage, failingRules, metricsStore, postgres, silentProcesses = [], apart = [] } = faults
  const threads = faults.threads.map(({ thread, state, isServing, sinceMs, failures, cause, nextStartMs }) => {
    const [since, nextStart] = [timeOf(sinceMs), timeOf(nextStartMs)]
    return { thread, state, serving: isServing, since, failures, cause, nextStart }
  })
  return {
    ...{ storage: storageItem(storage), damage: damageItem(damage), failingRules, threads },
    metricsStore: metricsStore ?? null,
    postgres: postgres ? { since: timeOf(nowMs - postgres.unheardMs), message: postgres.message } : null,
    silentProcesses: silentProcesses.map(({ name, silentMs, lagSamples }) => {
      return { name, since: timeOf(nowMs - silentMs), lagSamples: lagSamples ?? null }
    }),
    apart: [...apart],
  }
}

function storageItem(storage: ServerFaults['storage']): NonNullable<Now['faults']>['storage'] {
  if (storage === undefined) return null
  const { sinceMs, code, message, freeBytes, sizeBytes } = storage
  return { since: timeOf(sinceMs), code, message, freeBytes, sizeBytes }
}

function damageItem(damage: ServerFaults['damage']): NonNullable<Now['faults']>['damage'] {
  if (damage === undefined) return null
  const { count, fromMs, toMs, kind, message } = damage
  return { count, from: timeOf(fromMs), to: timeOf(toMs), kind, message }
}

function firingItem({ counts, pending, groups }: FiringNow): Now['firing'] {
  return {
    ...counts,
    pending,
    groups: groups
      .slice(0, NOW_LIST_MAX)
      .map(({ newestAtMs, ...group }) => ({ ...group, newestAt: timeOf(newestAtMs) })),
  }
}

function fallingItem({ operator, from, to, lately, against, other, difference }: FallingEdge): FallingEdgeItem {
  return { operator: operator as UpgradeOperator, from, to, lately, against, other, difference }
}
