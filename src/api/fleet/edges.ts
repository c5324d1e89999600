import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import {
  CompareQuery,
  EdgeComparisonItem,
  EdgeItems,
  EdgesQuery,
  RUNS_MAX,
  RunItems,
  RunsQuery,
  type EdgeItem,
  type EDGE_SORTS,
  type RunItem,
} from '../../contract/fleet-edges.ts'
import type { DurationRun } from '../../fleet/edges/duration-runs.ts'
import type { EdgeComparison } from '../../fleet/edges/edge-comparison.ts'
import type { EdgeName } from '../../fleet/edges/edges.ts'
import { pageOf, type SortKey } from '../../fleet/past/keyset.ts'
import { compareVersions } from '../../fleet/version-order.ts'
import { parseDuration } from '../../model/duration.ts'
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName, UpgradeOperator } from '../../model/upgrade.ts'
import { pageAnswer, readCursor } from './cursor.ts'
import { durationItem, knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import { invalidParam } from '../prometheus/params.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Upgrade paths (edges of the upgrade graph), and the comparison of two. */
export function registerFleetEdges(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/edges', {
    summary: 'Upgrade paths: attempts, outcomes and durations.',
    query: EdgesQuery,
    answer: EdgeItems,
    handler: async ({ query, request }) => {
      const { sort = 'version', order = 'desc', limit = PAGE_DEFAULT, cursor } = query
      const list = { ...query, sort, order }
      const after = cursor === undefined ? undefined : readCursor('edges', list, cursor)
      const { view, nowMs, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const sinceMs = sinceOf(query, nowMs)
      const [edges, head] = await Promise.all([
        view.edges({ ...pick(query, 'operator', 'from', 'to'), ...(sinceMs === undefined ? {} : { sinceMs }) }),
        listHead(UNAVAILABLE.edges),
      ])
      const keyOf = SORT_KEYS[sort]
      const found = pageOf(
        edges,
        { keyOf, idOf, ...(sort === 'version' ? { compareKeys: compareTargets } : {}) },
        { isDescending: order === 'desc', ...(after === undefined ? {} : { after }), limit: limit + 1 },
      )
      const placeOf = (edge: EdgeFacts) => ({ key: keyOf(edge), id: idOf(edge) })
      const { shown, nextCursor } = pageAnswer('edges', list, found, limit, placeOf)
      return { ...head, since: timeOf(sinceMs), edges: shown.map(edgeItem), nextCursor }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/edges/runs', {
    summary: 'Single upgrades with cluster size, and durations by class of size.',
    query: RunsQuery,
    answer: RunItems,
    handler: async ({ query, request }) => {
      const { phase, limit = RUNS_MAX } = query
      const { view, nowMs, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const sinceMs = sinceOf(query, nowMs)
      const [found, head] = await Promise.all([
        view.runs({
          ...pick(query, 'operator', 'from', 'to'),
          ...(sinceMs === undefined ? {} : { sinceMs }),
          // An unknown phase matches no upgrade.
          ...(phase === undefined ? {} : { phase: phase as PhaseName }),
          limit,
        }),
        listHead(UNAVAILABLE.edges),
      ])
      const classes = found.classes.map((one) => {
        return { ...knownOrNull(one, 'fromNodes', 'toNodes'), ...durationItem(one) }
      })
      return { ...head, since: timeOf(sinceMs), total: found.total, classes, runs: found.runs.map(runItem) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/edges/compare', {
    summary: 'Comparison of two upgrade paths: success rate and duration.',
    query: CompareQuery,
    answer: EdgeComparisonItem,
    handler: async ({ query, request }) => {
      const { operator = 'kubevirt-hyperconverged', first, second, at } = query
      const { view, nowMs, past } = fleetAt(ports(request).fleet, clock, at)
      const sinceMs = sinceOf(query, nowMs)
      const names = [edgeParam('first', operator, first), edgeParam('second', operator, second)] as const
      const compared = await view.compare(...names, sinceMs)
      if (compared !== undefined) {
        return { ...comparisonItem(compared, nowMs), since: timeOf(sinceMs), ...(await past([])) }
      }
      const found = await Promise.all(names.map((name) => view.edge(name, sinceMs)))
      const [missing] = names.filter((_name, i) => found[i] === undefined)
      const when = sinceMs === undefined ? '' : ` and started at ${timeOf(sinceMs)} or later`
      throw new FleetError(
        'not_found',
        `no upgrade of ${operator} went from ${missing?.from ?? '?'} to ${missing?.to ?? '?'}${when}`,
      )
    },
  })
}

const HOUR_MS = 3_600_000

/** Rounded to whole hours, so that many requests share a moment; `undefined`: all upgrades. Throws `bad_request`. */
function sinceOf({ since, window }: Pick<EdgesQuery, 'since' | 'window'>, nowMs: number): number | undefined {
  if (window === undefined) return msOf(since)
  if (since !== undefined) throw invalidParam('window', 'got both since and window, want one of them')
  const windowMs = parseDuration(window)
  if (windowMs === undefined || windowMs === 0) {
    throw invalidParam('window', `got ${JSON.stringify(window)}, want a duration such as 7d`)
  }
  return Math.floor((nowMs - windowMs) / HOUR_MS) * HOUR_MS
}

/** An unknown value sorts before all others. */
const SORT_KEYS: Readonly<Record<(typeof EDGE_SORTS)[number], (edge: EdgeFacts) => SortKey>> = {
  version: ({ to }) => to,
  attempts: ({ attempts }) => attempts,
  success: ({ success }) => success?.share ?? -1,
  success_low: ({ success }) => success?.low ?? -1,
  duration: ({ duration }) => duration.p50Seconds ?? -1,
  last: ({ lastMs }) => lastMs ?? -1,
}

function compareTargets(a: SortKey, b: SortKey): number {
  return compareVersions(String(a), String(b))
}

function idOf({ operator, from, to }: EdgeFacts): string {
  return `${operator} ${from} ${to}`
}

function edgeParam(name: string, operator: UpgradeOperator, text: string): EdgeName {
  const [from = '', to = '', ...more] = text.split('..')
  if (from === '' || to === '' || more.length > 0) {
    throw invalidParam(name, `got ${JSON.stringify(text)}, want two versions such as 1.16.0..1.17.0`)
  }
  return { operator, from, to }
}

function edgeItem(edge: EdgeFacts): EdgeItem {
  const { operator, from, to, attempts, outcomes, duration, phases, firstMs, lastMs } = edge
  return {
    ...{ operator: operator as UpgradeOperator, from, to, attempts, outcomes },
    ...knownOrNull(edge, 'success'),
    duration: durationItem(duration),
    phases: phases.map(({ phase, ...estimate }) => ({ phase, ...durationItem(estimate) })),
    firstAt: timeOf(firstMs),
    lastAt: timeOf(lastMs),
  }
}

function runItem({ id, cluster, name, nodes, startedMs, seconds, isFinished }: DurationRun): RunItem {
  const { operator, from, to } = name
  return {
    ...{ id, cluster, operator: operator as UpgradeOperator, from, to, seconds, finished: isFinished },
    nodes: nodes ?? null,
    startedAt: timeOf(startedMs),
  }
}

function comparisonItem(
  { first, second, success, duration, phases }: EdgeComparison,
  nowMs: number,
): Omit<EdgeComparisonItem, 'since'> {
  return {
    asOf: timeOf(nowMs),
    first: edgeItem(first),
    second: edgeItem(second),
    success: {
      verdict: success.verdict,
      moreNeeded: moreNeededOf(success),
      ...knownOrNull(success, 'difference'),
    },
    duration: durationVerdict(duration),
    phases: phases.map(({ phase, ...compared }) => ({ phase, ...durationVerdict(compared) })),
  }
}

function durationVerdict(compared: EdgeComparison['duration']) {
  const { verdict } = compared
  return { verdict, moreNeeded: moreNeededOf(compared), ...knownOrNull(compared, 'pValue', 'chiSquare') }
}

function moreNeededOf(compared: EdgeComparison['success'] | EdgeComparison['duration']): number {
  return compared.verdict === 'insufficient_data' ? compared.moreNeeded : 0
}
