import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { ObjectChangeItems, ObjectChangesQuery, type ObjectChangeItem } from '../../contract/fleet-changes.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import { fieldChanges } from '../../fleet/clusters/field-changes.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { ObjectTransition } from '../../model/observation.ts'
import { timeOf } from './items.ts'
import { msOf } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** The changes of a cluster's objects: the differences between consecutive states. */
export type ReadObjectChanges = ObservationReader['changes']

export function registerFleetChanges(
  app: FastifyInstance,
  ports: PortsOf<{ readonly objectChanges: ReadObjectChanges }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/clusters/:cluster/changes', {
    summary: 'Object changes of a cluster by field, newest first.',
    path: { cluster: 'Its name.' },
    query: ObjectChangesQuery,
    answer: ObjectChangeItems,
    handler: async ({ params: { cluster }, query, request }) => {
      const { limit = PAGE_DEFAULT, uid, states } = query
      const nowMs = clock.nowMs()
      // A Collector's clock may be ahead.
      const range = { fromMs: msOf(query.from) ?? 0, toMs: msOf(query.to) ?? Number.MAX_SAFE_INTEGER }
      const found = await ports(request).objectChanges(cluster, {
        ...range,
        limit: limit + 1,
        ...(uid === undefined ? {} : { uid }),
      })
      const changes = found
        .slice(0, limit)
        .map((one) => ({ ...changeItem(one), ...(states === 'true' ? { state: { ...one.after.facts } } : {}) }))
      return { asOf: timeOf(nowMs), cluster, changes, hasMore: found.length > limit }
    },
  })
}

function changeItem({ after, before, manager }: ObjectTransition): ObjectChangeItem {
  const { observedMs, facts, namespace, name, uid, resourceVersion, change } = after
  const fields = before === undefined ? [] : fieldChanges(before, facts)
  return {
    at: timeOf(observedMs),
    ...{ kind: facts.kind, namespace, name, uid, resourceVersion, change },
    manager: manager ?? null,
    isFirst: before === undefined,
    fields: fields.map((one) => ({ field: one.field, before: one.before ?? null, after: one.after ?? null })),
  }
}
