import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import { ModificationsQuery } from '../../contract/fleet-modifications.ts'
import type { ModificationItems } from '../../contract/fleet-modifications.ts'
import type { Place } from '../../fleet/past/keyset.ts'
import { modificationKeyOf } from '../../model/fleet-facts.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { Question } from './cursor.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, modificationItem, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { msOf, pick, readQuery } from './query.ts'

/** What was changed past the API, newest first. */
export function registerFleetModifications(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', speaks: 'own' } as const

  app.get('/api/fleet/v1/modifications', { config }, async (request): Promise<ModificationItems> => {
    const asked = readQuery(ModificationsQuery, request)
    const { limit = PAGE_DEFAULT, cursor, open } = asked
    const [fromMs, toMs] = [msOf(asked.startedFrom), msOf(asked.startedTo)]
    const { view, nowMs, note } = fleetAt(fleet, clock, asked.at)
    const [found, coverage, gone] = await Promise.all([
      view.modifications({
        ...pick(asked, 'cluster', 'kind', 'component'),
        ...(open === undefined ? {} : { isOpen: open }),
        ...(fromMs === undefined ? {} : { fromMs }),
        ...(toMs === undefined ? {} : { toMs }),
        ...(cursor === undefined ? {} : { after: placeOf(asked, cursor) }),
        // One more than asked for tells whether there is a next page.
        limit: limit + 1,
      }),
      view.coverage(),
      view.gone(),
    ])
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    const hasMore = found.length > limit && last !== undefined
    const place = last === undefined ? undefined : { key: modificationKeyOf(last), id: last.id }
    return {
      asOf: timeOf(nowMs),
      ...(await note(UNAVAILABLE.modifications)),
      coverage: coverageItem(coverage),
      modifications: shown.map(modificationItem),
      goneClusters: [...new Set(shown.map(({ cluster }) => cluster))].filter((cluster) => gone.has(cluster)),
      nextCursor: hasMore && place !== undefined ? writeCursor('modifications', asked, place) : null,
    }
  })
}

function placeOf(asked: Question, cursor: string): Place & { readonly key: number } {
  const { key, id } = readCursor('modifications', asked, cursor)
  if (typeof key !== 'number')
    throw new FleetError('bad_request', `got cursor ${JSON.stringify(cursor)}, want one of this list`)
  return { key, id }
}
