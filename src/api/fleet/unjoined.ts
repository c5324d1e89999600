import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { UNJOINED_MAX, UnjoinedItems, UnjoinedQuery } from '../../contract/fleet-unjoined.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Clusters that are probably one, each pair with the action to take. */
export function registerFleetUnjoined(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/unjoined', {
    summary: 'Pairs of clusters that are probably one, each with the action to take.',
    query: UnjoinedQuery,
    answer: UnjoinedItems,
    handler: async ({ query, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [pairs, head] = await Promise.all([view.unjoined(), listHead(UNAVAILABLE.clusters)])
      const unjoined = pairs.slice(0, UNJOINED_MAX).map(({ clusters, by, action }) => {
        return { clusters: [...clusters], by, action }
      })
      return { ...head, total: pairs.length, unjoined }
    },
  })
}
