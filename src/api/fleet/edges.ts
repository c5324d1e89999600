import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import {
  CompareQuery,
  EdgesQuery,
  RUNS_MAX,
  RunsQuery,
  type EdgeComparisonItem,
  type EdgeItem,
  type EdgeItems,
  type EDGE_SORTS,
  type RunItem,
  type RunItems,
} from '../../contract/fleet-edges.ts'
import type { DurationRun } from '../../fleet/edges/duration-runs.ts'
import type { EdgeComparison } from '../../fleet/edges/edge-comparison.ts'
import type { EdgeName } from '../../fleet/edges/edges.ts'
import { pageOf, type SortKey } from '../../fleet/past/keyset.ts'
import { compareVersions } from '../../fleet/version-order.ts'
import { parseDuration } from '../../model/duration.ts'
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName, UpgradeOperator } from '../../model/upgrade.ts'
import { cutPage, readCursor, writeCursor } from './cursor.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, durationItem, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick, readQuery } from './query.ts'
import { invalidParam } from '../prometheus/params.ts'

/** Upgrade paths (edges of the upgrade graph), and the comparison of two. */
export function registerFleetEdges(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/edges', { config }, async (request): Promise<EdgeItems> => {
    const params = readQuery(EdgesQuery, request)
    const { sort = 'version', order = 'desc', limit = PAGE_DEFAULT, cursor } = params
    const list = { ...params, sort, order }
    const after = cursor === undefined ? undefined : readCursor('edges', list, cursor)
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const sinceMs = sinceOf(params, nowMs)
    const [edges, coverage] = await Promise.all([
      view.edges({ ...pick(params, 'operator', 'from', 'to'), ...(sinceMs === undefined ? {} : { sinceMs }) }),
      view.coverage(),
    ])
    const keyOf = SORT_KEYS[sort]
    const found = pageOf(
      edges,
      { keyOf, idOf, ...(sort === 'version' ? { compareKeys: compareTargets } : {}) },
      { isDescending: order === 'desc', ...(after === undefined ? {} : { after }), limit: limit + 1 },
    )
    const { shown, last } = cutPage(found, limit)
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.edges)),
      coverage: coverageItem(coverage),
      since: timeOf(sinceMs),
      edges: shown.map(edgeItem),
      nextCursor: last === undefined ? null : writeCursor('edges', list, { key: keyOf(last), id: idOf(last) }),
    }
  })

  app.get('/api/fleet/v1/edges/runs', { config }, async (request): Promise<RunItems> => {
    const params = readQuery(RunsQuery, request)
    const { phase, limit = RUNS_MAX } = params
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const sinceMs = sinceOf(params, nowMs)
    const [found, coverage] = await Promise.all([
      view.runs({
        ...pick(params, 'operator', 'from', 'to'),
        ...(sinceMs === undefined ? {} : { sinceMs }),
        // An unknown phase matches no upgrade.
        ...(phase === undefined ? {} : { phase: phase as PhaseName }),
        limit,
      }),
      view.coverage(),
    ])
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.edges)),
      coverage: coverageItem(coverage),
      since: timeOf(sinceMs),
      total: found.total,
      classes: found.classes.map(({ fromNodes, toNodes, ...took }) => {
        return { fromNodes: fromNodes ?? null, toNodes: toNodes ?? null, ...durationItem(took) }
      }),
      runs: found.runs.map(runItem),
    }
  })

  app.get('/api/fleet/v1/edges/compare', { config }, async (request): Promise<EdgeComparisonItem> => {
    const params = readQuery(CompareQuery, request)
    const { operator = 'kubevirt-hyperconverged', first, second, at } = params
    const { view, nowMs, past } = fleetAt(fleet, clock, at)
    const sinceMs = sinceOf(params, nowMs)
    const names = [edgeParam('first', operator, first), edgeParam('second', operator, second)] as const
    const compared = await view.compare(...names, sinceMs)
    if (compared !== undefined) {
      return { ...comparisonItem(compared, nowMs), since: timeOf(sinceMs), ...(await past([])) }
    }
    const found = await Promise.all(names.map((name) => view.edge(name, sinceMs)))
    const [missing] = names.filter((_name, i) => found[i] === undefined)
    const when = sinceMs === undefined ? '' : ` and began at ${timeOf(sinceMs)} or later`
    throw new FleetError(
      'not_found',
      `no upgrade of ${operator} went from ${missing?.from ?? '?'} to ${missing?.to ?? '?'}${when}`,
    )
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
  const { operator, from, to, attempts, outcomes, success, duration, phases, firstMs, lastMs } = edge
  return {
    operator: operator as UpgradeOperator,
    from,
    to,
    attempts,
    outcomes: { ...outcomes },
    success: success === undefined ? null : { ...success },
    duration: durationItem(duration),
    phases: phases.map(({ phase, ...estimate }) => ({ phase, ...durationItem(estimate) })),
    firstAt: timeOf(firstMs),
    lastAt: timeOf(lastMs),
  }
}

function runItem({ id, cluster, name, nodes, startedMs, seconds, isFinished }: DurationRun): RunItem {
  return {
    ...{ id, cluster, operator: name.operator as UpgradeOperator, from: name.from, to: name.to },
    nodes: nodes ?? null,
    startedAt: timeOf(startedMs),
    seconds,
    finished: isFinished,
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
      difference: success.difference === undefined ? null : { ...success.difference },
    },
    duration: durationVerdict(duration),
    phases: phases.map(({ phase, ...compared }) => ({ phase, ...durationVerdict(compared) })),
  }
}

function durationVerdict(compared: EdgeComparison['duration']) {
  const { verdict, pValue, chiSquare } = compared
  return {
    verdict,
    moreNeeded: moreNeededOf(compared),
    pValue: pValue ?? null,
    chiSquare: chiSquare ?? null,
  }
}

function moreNeededOf(compared: EdgeComparison['success'] | EdgeComparison['duration']): number {
  return compared.verdict === 'insufficient_data' ? compared.moreNeeded : 0
}
