import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  ACCEPTED_CLUSTERS_MAX,
  ACCEPTED_DAYS_MAX,
  AcceptanceItems,
  AcceptanceRequest,
} from '../../contract/readiness.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { timeOf } from './items.ts'
import { actorOf, type ApiPeople } from './people.ts'
import { msOf } from './query.ts'
import { acceptanceItems } from './readiness-items.ts'
import { filterOf, readTarget } from './readiness.ts'

const DAY_MS = 24 * 3_600_000

/** `/api/fleet/v1/readiness/acceptances`: risks that users accept on clusters, until a moment. */
export function registerAcceptances(
  app: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople; readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/readiness/acceptances', {
    summary: 'Accepted risks, the newest first, including those that ended in the last 90 days.',
    answer: AcceptanceItems,
    handler: ({ request }) => {
      const nowMs = clock.nowMs()
      const { acceptances } = ports(request).people
      return { asOf: timeOf(nowMs), acceptances: [...acceptanceItems(acceptances.all(), nowMs)] }
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/readiness/acceptances', {
    access: 'responder',
    summary: 'Accepts a risk on clusters, or on the clusters of a selection that have it now.',
    body: AcceptanceRequest,
    answer: AcceptanceItems,
    status: 201,
    handler: async ({ body, request }) => {
      const nowMs = clock.nowMs()
      const reason = body.reason.trim()
      if (reason === '') {
        throw new FleetError('bad_request', `reason: got ${JSON.stringify(body.reason)}, want why the risk is accepted`)
      }
      const expiresMs = expiryOf(body.expiresAt, nowMs)
      const { people, fleet } = ports(request)
      const clusters = await clustersOf(body, fleet, nowMs)
      const wish = { hazard: body.hazard, clusters, reason, expiresMs }
      const made = await people.acceptances.accept(wish, actorOf(request, body.by), nowMs)
      return { asOf: timeOf(nowMs), acceptances: [...acceptanceItems(made, nowMs)] }
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/readiness/acceptances/:id', {
    access: 'responder',
    summary: 'Withdraws an acceptance: the risk counts again.',
    path: { id: 'ID of the acceptance.' },
    answer: AcceptanceItems,
    handler: async ({ params: { id }, request }) => {
      const nowMs = clock.nowMs()
      const ended = await ports(request).people.acceptances.withdraw(id, actorOf(request), nowMs)
      if (ended.length === 0) throw new FleetError('not_found', `no accepted risk has the id ${JSON.stringify(id)}`)
      return { asOf: timeOf(nowMs), acceptances: [...acceptanceItems(ended, nowMs)] }
    },
  })
}

/** Throws `bad_request` for a moment that is over, or too far ahead. */
function expiryOf(expiresAt: string, nowMs: number): number {
  const expiresMs = msOf(expiresAt)
  const latestMs = nowMs + ACCEPTED_DAYS_MAX * DAY_MS
  if (expiresMs > nowMs && expiresMs <= latestMs) return expiresMs
  throw new FleetError(
    'bad_request',
    `expiresAt: got ${JSON.stringify(expiresAt)}, want a time between ${timeOf(nowMs)} and ${timeOf(latestMs)}`,
  )
}

/** Each cluster once, by its own name. Throws `not_found` for an unknown cluster, `bad_request` when none is selected. */
async function clustersOf(body: AcceptanceRequest, fleet: FleetViews, nowMs: number): Promise<readonly string[]> {
  const { clusters: names, selector, to, hazard } = body
  const view = fleet({ nowMs })
  if ((names === undefined) === (selector === undefined)) {
    throw new FleetError('bad_request', 'got both or none of clusters and selector, want one of them')
  }
  if (names !== undefined) {
    const found = await view.lastReports(names)
    return [
      ...new Set(
        names.map((name, i) => {
          const known = found[i]
          if (known === undefined) throw new FleetError('not_found', `no cluster is called ${JSON.stringify(name)}`)
          return known.cluster
        }),
      ),
    ]
  }
  const { clusters, total } = await view.readiness({
    ...filterOf(selector!),
    ...(to === undefined ? {} : { target: readTarget(to) }),
    hazard,
    isDescending: false,
    limit: ACCEPTED_CLUSTERS_MAX,
  })
  if (total > ACCEPTED_CLUSTERS_MAX) {
    throw new FleetError(
      'bad_request',
      `selector: ${total} clusters have the hazard ${hazard}, want at most ${ACCEPTED_CLUSTERS_MAX}`,
    )
  }
  if (total === 0) throw new FleetError('not_found', `no selected cluster has the hazard ${hazard}`)
  return clusters.map(({ record }) => record.cluster)
}
