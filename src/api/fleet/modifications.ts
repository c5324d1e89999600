import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import { ModificationsQuery, type ModificationItems } from '../../contract/fleet-modifications.ts'
import type { Place } from '../../fleet/past/keyset.ts'
import { modificationKeyOf } from '../../model/fleet-facts.ts'
import { cutPage, readCursor, writeCursor, type ListParams } from './cursor.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, modificationItem, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick, readQuery } from './query.ts'

/** Out-of-band modifications, newest first. */
export function registerFleetModifications(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/modifications', { config }, async (request): Promise<ModificationItems> => {
    const params = readQuery(ModificationsQuery, request)
    const { limit = PAGE_DEFAULT, cursor, open } = params
    const [fromMs, toMs] = [msOf(params.startedFrom), msOf(params.startedTo)]
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const [found, coverage, gone] = await Promise.all([
      view.modifications({
        ...pick(params, 'cluster', 'kind', 'component'),
        ...(open === undefined ? {} : { isOpen: open }),
        ...(fromMs === undefined ? {} : { fromMs }),
        ...(toMs === undefined ? {} : { toMs }),
        ...(cursor === undefined ? {} : { after: placeOf(params, cursor) }),
        limit: limit + 1, // one more shows whether there is a next page
      }),
      view.coverage(),
      view.gone(),
    ])
    const { shown, last } = cutPage(found, limit)
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.modifications)),
      coverage: coverageItem(coverage),
      modifications: shown.map(modificationItem),
      goneClusters: [...new Set(shown.map(({ cluster }) => cluster))].filter((cluster) => gone.has(cluster)),
      nextCursor:
        last === undefined ? null : writeCursor('modifications', params, { key: modificationKeyOf(last), id: last.id }),
    }
  })
}

function placeOf(list: ListParams, cursor: string): Place & { readonly key: number } {
  const { key, id } = readCursor('modifications', list, cursor)
  if (typeof key !== 'number')
    throw new FleetError('bad_request', `got cursor ${JSON.stringify(cursor)}, want one of this list`)
  return { key, id }
}
