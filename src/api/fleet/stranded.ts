import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  STRANDED_NAMED_MAX,
  StrandedQuery,
  type StrandedItem,
  type StrandedItems,
} from '../../contract/fleet-stranded.ts'
import type { StrandedVersion } from '../../model/stranded.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { readQuery } from './query.ts'

/** Versions without a known working upgrade path; `StrandedVersion` defines when. */
export function registerFleetStranded(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/stranded', { config }, async (request): Promise<StrandedItems> => {
    const { at } = readQuery(StrandedQuery, request)
    const { view, nowMs, past } = fleetAt(fleet, clock, at)
    const [stranded, coverage] = await Promise.all([view.stranded(), view.coverage()])
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.stranded)),
      coverage: coverageItem(coverage),
      total: stranded.reduce((sum, { clusters }) => sum + clusters.length, 0),
      stranded: stranded.map(strandedItem),
    }
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
