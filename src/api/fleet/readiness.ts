import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import { HazardItems, ReadinessItems, ReadinessQuery } from '../../contract/readiness.ts'
import type { ClusterFilter } from '../../fleet/clusters/cluster-filter.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { HAZARDS } from '../../fleet/readiness/hazards/hazards.ts'
import { parseTarget } from '../../fleet/readiness/target.ts'
import { RELEASES } from '../../fleet/releases.ts'
import type { Target } from '../../model/readiness.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { pick } from './query.ts'
import { calibrationItem, facetsItem, hazardItem, readyClusterItem, targetItem } from './readiness-items.ts'

/** Whether clusters can be upgraded to a version; the hazards, with what history shows about them. */
export function registerReadiness(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/readiness', {
    summary: 'Clusters by whether they can be upgraded to a version, with their hazards.',
    query: ReadinessQuery,
    answer: ReadinessItems,
    handler: async ({ query, request }) => {
      const { to, verdict, hazard, facets: hasFacets = false, limit = PAGE_DEFAULT, cursor } = query
      // Facets do not change the list.
      const list = { ...query, facets: undefined }
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [page, targets, head] = await Promise.all([
        view.readiness({
          ...filterOf(query),
          ...(to === undefined ? {} : { target: readTarget(to) }),
          ...(verdict === undefined ? {} : { verdicts: verdict }),
          ...(hazard === undefined ? {} : { hazard }),
          hasFacets,
          isDescending: false,
          ...(cursor === undefined ? {} : { after: readCursor('readiness', list, cursor) }),
          limit,
        }),
        view.targets(),
        listHead(UNAVAILABLE.readiness),
      ])
      return {
        ...head,
        target: targetItem(page.target),
        targets: targets.map(targetItem),
        total: page.total,
        reached: page.reached,
        others: page.others,
        clusters: page.clusters.map((found) => readyClusterItem(found, query.at !== undefined)),
        facets: page.facets === undefined ? null : facetsItem(page.facets),
        nextCursor: page.next === undefined ? null : writeCursor('readiness', list, page.next),
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/readiness/hazards', {
    summary: 'All hazards of upgrades, and how often upgrades failed with and without each.',
    answer: HazardItems,
    handler: async ({ request }) => {
      const nowMs = clock.nowMs()
      const calibrations = await ports(request).fleet({ nowMs }).calibration()
      return {
        asOf: timeOf(nowMs),
        hazards: HAZARDS.map((hazard, i) => ({
          ...hazardItem(hazard),
          calibration: calibrationItem(calibrations[i]!),
        })),
      }
    },
  })
}

type Selector = Pick<ReadinessQuery, 'version' | 'channel' | 'platform' | 'flavour' | 'region' | 'state' | 'text'>

export function filterOf(selector: Selector): ClusterFilter {
  const { version, state } = selector
  return {
    ...pick(selector, 'channel', 'platform', 'flavour', 'region', 'text'),
    ...(version === undefined ? {} : { versions: version }),
    ...(state === undefined ? {} : { states: state }),
  }
}

/** Throws `bad_request` for a text that is no version. */
export function readTarget(to: string): Target {
  const target = parseTarget(to, RELEASES)
  if (target !== undefined) return target
  throw new FleetError('bad_request', `to: got ${JSON.stringify(to)}, want a version`, {
    hint: 'such as 1.20.0 or 1.20 for HCO, 4.24.0 for OpenShift Virtualization, or "openshift 4.20.3"',
  })
}
