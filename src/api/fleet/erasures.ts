import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { ErasureItem, ErasureItems, ErasureRequest } from '../../contract/erasures.ts'
import type { Erasure } from '../../model/erasure.ts'
import { ownRoute } from '../server/own-route.ts'
import { timeOf } from './items.ts'
import { actorOf } from './people.ts'
import type { Erasures } from '../../fleet/clusters/erasures.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/fleet/v1/erasures`: removes everything that is stored about a cluster. */
export function registerErasures(
  app: FastifyInstance,
  ports: PortsOf<{ readonly erasures: Erasures }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/erasures', {
    access: 'admin',
    summary: 'Erasures of clusters, active and ended, newest first.',
    answer: ErasureItems,
    handler: async ({ request }) => {
      const all = await ports(request).erasures.list()
      return { asOf: timeOf(clock.nowMs()), erasures: all.toReversed().map(erasureItem) }
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/erasures', {
    access: 'admin',
    summary: 'Removes everything that is stored about a cluster, and refuses its data from now on.',
    body: ErasureRequest,
    answer: ErasureItem,
    status: 201,
    handler: async ({ body: { cluster, confirm, by }, request }) => {
      if (confirm !== cluster) {
        const [got, want] = [confirm, cluster].map((name) => JSON.stringify(name))
        throw new FleetError('bad_request', `confirm: got ${got}, want the name of the cluster again, ${want}`)
      }
      const begun = await ports(request).erasures.begin(cluster, actorOf(request, by), clock.nowMs())
      if (begun !== undefined) return erasureItem(begun)
      throw new FleetError('not_found', `no cluster is called ${JSON.stringify(cluster)}`)
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/erasures/:id/allow', {
    access: 'admin',
    summary: 'Accepts data of an erased cluster again.',
    path: { id: 'ID of the erasure.' },
    answer: ErasureItem,
    handler: async ({ params: { id }, request }) => {
      const allowed = await ports(request).erasures.allow(id, actorOf(request), clock.nowMs())
      if (allowed !== undefined) return erasureItem(allowed)
      throw new FleetError('not_found', `no erasure that has ended has the id ${JSON.stringify(id)}`)
    },
  })
}

function erasureItem(erasure: Erasure): ErasureItem {
  const { id, names, by, startedMs, removed, doneMs, allowed, processes = [], metricsStore } = erasure
  return {
    id,
    names: names === undefined ? null : [...names],
    state: allowed !== undefined ? 'allowed' : doneMs === undefined ? 'erasing' : 'erased',
    by,
    startedAt: timeOf(startedMs),
    removed,
    doneAt: timeOf(doneMs),
    allowedAt: timeOf(allowed?.atMs),
    allowedBy: allowed?.by ?? null,
    processes: processes.map((one) => {
      return { process: one.process, removed: one.removed, doneAt: timeOf(one.doneMs) }
    }),
    metricsStore: metricsStore
      ? { state: metricsStore.state, text: metricsStore.text, at: timeOf(metricsStore.atMs) }
      : null,
  }
}
