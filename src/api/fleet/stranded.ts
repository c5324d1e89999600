import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { STRANDED_NAMED_MAX, StrandedItems, StrandedQuery, type StrandedItem } from '../../contract/fleet-stranded.ts'
import type { StrandedVersion } from '../../model/stranded.ts'
import { timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Versions without a known working upgrade path; `StrandedVersion` defines when. */
export function registerFleetStranded(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/stranded', {
    summary: 'Versions without a working upgrade path, largest number of clusters first.',
    query: StrandedQuery,
    answer: StrandedItems,
    handler: async ({ query, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [stranded, head] = await Promise.all([view.stranded(), listHead(UNAVAILABLE.stranded)])
      const total = stranded.reduce((sum, { clusters }) => sum + clusters.length, 0)
      return { ...head, total, stranded: stranded.map(strandedItem) }
    },
  })
}

function strandedItem({ clusters, lately, lastLeftMs, ...rest }: StrandedVersion): StrandedItem {
  const { version, reason, population, newest, notOffered } = rest
  return {
    version,
    reason,
    clusters: clusters.length,
    population,
    names: clusters.slice(0, STRANDED_NAMED_MAX),
    newest,
    endedLately: lately.ended,
    succeededLately: lately.succeeded,
    lastLeftAt: timeOf(lastLeftMs),
    notOffered,
  }
}
