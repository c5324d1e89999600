import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import { ModificationItems, ModificationsQuery } from '../../contract/fleet-modifications.ts'
import type { Place } from '../../fleet/past/keyset.ts'
import type { Modification } from '../../model/cluster-record.ts'
import { modificationKeyOf } from '../../model/fleet-facts.ts'
import { pageAnswer, readCursor, type ListParams } from './cursor.ts'
import { modificationItem } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Out-of-band modifications, newest first. */
export function registerFleetModifications(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/modifications', {
    summary: 'Out-of-band modifications and JSON patches, newest first.',
    query: ModificationsQuery,
    answer: ModificationItems,
    handler: async ({ query, request }) => {
      const { limit = PAGE_DEFAULT, cursor, open } = query
      const [fromMs, toMs] = [msOf(query.startedFrom), msOf(query.startedTo)]
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [found, head, gone] = await Promise.all([
        view.modifications({
          ...pick(query, 'cluster', 'kind', 'component'),
          ...(open === undefined ? {} : { isOpen: open }),
          ...(fromMs === undefined ? {} : { fromMs }),
          ...(toMs === undefined ? {} : { toMs }),
          ...(cursor === undefined ? {} : { after: placeOf(query, cursor) }),
          limit: limit + 1, // one more shows whether there is a next page
        }),
        listHead(UNAVAILABLE.modifications),
        view.gone(),
      ])
      const keyOf = (one: Modification): Place => ({ key: modificationKeyOf(one), id: one.id })
      const { shown, nextCursor } = pageAnswer('modifications', query, found, limit, keyOf)
      const goneClusters = [...new Set(shown.map(({ cluster }) => cluster))].filter((cluster) => gone.has(cluster))
      return { ...head, modifications: shown.map(modificationItem), goneClusters, nextCursor }
    },
  })
}

function placeOf(list: ListParams, cursor: string): Place & { readonly key: number } {
  const { key, id } = readCursor('modifications', list, cursor)
  if (typeof key !== 'number')
    throw new FleetError('bad_request', `got cursor ${JSON.stringify(cursor)}, want one of this list`)
  return { key, id }
}
