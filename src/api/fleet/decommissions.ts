import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  DecommissionItem,
  DecommissionItems,
  DecommissionRequest,
  type GoneItem,
} from '../../contract/decommissions.ts'
import type { DecommissionWish } from '../../fleet/clusters/decommissions.ts'
import { decommissionsAt, type Gone } from '../../fleet/clusters/gone.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { timeOf } from './items.ts'
import { msOf } from './query.ts'
import { actorOf } from './people.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { ownRoute } from '../server/own-route.ts'

/** `/api/fleet/v1/decommissions`: declares clusters as decommissioned, and reverts declarations. */
export function registerDecommissions(
  app: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople; readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/decommissions', {
    summary: 'Decommissioning declarations, newest first, including those that have ended.',
    answer: DecommissionItems,
    handler: ({ request }) => ({
      asOf: timeOf(clock.nowMs()),
      decommissions: ports(request).people.decommissions.all().toReversed().map(decommissionItem),
    }),
  })

  ownRoute(app, 'POST /api/fleet/v1/decommissions', {
    access: 'responder',
    summary: 'Declares clusters decommissioned. The declaration ends when the cluster reports again.',
    body: DecommissionRequest,
    answer: DecommissionItems,
    status: 201,
    handler: async ({ body, request }) => {
      const nowMs = clock.nowMs()
      const reason = body.reason.trim()
      if (reason === '') {
        throw new FleetError(
          'bad_request',
          `reason: got ${JSON.stringify(body.reason)}, want the reason for the decommissioning`,
        )
      }
      const { people, fleet } = ports(request)
      const wishes = await wishesOf(body, fleet, nowMs)
      const made = await people.decommissions.declare(wishes, reason, actorOf(request, body.by), nowMs)
      return { asOf: timeOf(nowMs), decommissions: made.map(decommissionItem) }
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/decommissions/:id', {
    access: 'responder',
    summary: 'Reverts a decommissioning.',
    path: { id: 'ID of the declaration.' },
    answer: DecommissionItem,
    handler: async ({ params: { id }, request }) => {
      const ended = await ports(request).people.decommissions.withdraw(id, actorOf(request), clock.nowMs())
      if (ended !== undefined) return decommissionItem(ended)
      throw new FleetError('not_found', `no decommissioned cluster has the id ${JSON.stringify(id)}`)
    },
  })
}

/** Each cluster once, by its own name. Throws `not_found` for an unknown cluster, `bad_request` for one that reported since. */
async function wishesOf(
  { clusters, since, kind }: DecommissionRequest,
  fleet: FleetViews,
  nowMs: number,
): Promise<readonly DecommissionWish[]> {
  const declaredMs = msOf(since)
  if (declaredMs !== undefined && declaredMs > nowMs) {
    throw new FleetError(
      'bad_request',
      `since: got ${JSON.stringify(since)}, want a time in the past: the server time is ${timeOf(nowMs)}`,
    )
  }
  const found = await fleet({ nowMs }).lastReports(clusters)
  const wishes = new Map<string, DecommissionWish>()
  for (const [i, name] of clusters.entries()) {
    const known = found[i]
    if (known === undefined) throw new FleetError('not_found', `no cluster is called ${JSON.stringify(name)}`)
    const { cluster, lastSeenMs = -Infinity } = known
    if (declaredMs !== undefined && lastSeenMs > declaredMs) {
      throw new FleetError(
        'bad_request',
        `since: got ${JSON.stringify(since)}, want ${timeOf(lastSeenMs)} or later: ${JSON.stringify(cluster)} was seen then`,
      )
    }
    // A sender's clock may be ahead of ours.
    wishes.set(cluster, {
      cluster,
      ...(kind === 'opted_out' ? { kind } : {}),
      sinceMs: declaredMs ?? Math.max(nowMs, lastSeenMs),
    })
  }
  return [...wishes.values()]
}

export function decommissionItem(one: Decommission): DecommissionItem {
  const { id, cluster, kind = 'decommissioned', sinceMs, by, reason, saidMs, end } = one
  return {
    id,
    cluster,
    kind,
    since: timeOf(sinceMs),
    by,
    reason,
    saidAt: timeOf(saidMs),
    state: end?.kind ?? 'standing',
    endedAt: timeOf(end?.atMs),
    endedBy: end?.by ?? null,
  }
}

/** @param atMs the declaration is shown as of then */
export function goneItem({ sinceMs, why }: Gone, atMs: number): GoneItem {
  const since = timeOf(sinceMs)
  switch (why.kind) {
    case 'declared': {
      const [shown] = decommissionsAt([why.decommission], atMs)
      const decommission = shown === undefined ? null : decommissionItem(shown)
      return { since, why: 'declared', afterSeconds: null, decommission }
    }
    case 'unheard':
      return { since, why: 'unheard', afterSeconds: why.afterMs / 1000, decommission: null }
  }
}
