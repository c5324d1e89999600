import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { ObjectChangesQuery, type ObjectChangeItem, type ObjectChangeItems } from '../../contract/fleet-changes.ts'
import { PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import { fieldChanges } from '../../fleet/clusters/field-changes.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { ObjectTransition } from '../../model/observation.ts'
import { timeOf } from './items.ts'
import { msOf, readQuery } from './query.ts'

/** The changes of a cluster's objects: the differences between consecutive states. */
export type ReadObjectChanges = ObservationReader['changes']

export function registerFleetChanges(app: FastifyInstance, read: ReadObjectChanges, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get<{ Params: { cluster: string } }>(
    '/api/fleet/v1/clusters/:cluster/changes',
    { config },
    async (request): Promise<ObjectChangeItems> => {
      const params = readQuery(ObjectChangesQuery, request)
      const { limit = PAGE_DEFAULT, uid, states } = params
      const { cluster } = request.params
      const nowMs = clock.nowMs()
      // A Collector's clock may be ahead.
      const range = { fromMs: msOf(params.from) ?? 0, toMs: msOf(params.to) ?? Number.MAX_SAFE_INTEGER }
      const found = await read(cluster, { ...range, limit: limit + 1, ...(uid === undefined ? {} : { uid }) })
      const changes = found.slice(0, limit).map((one) => ({
        ...changeItem(one),
        ...(states === 'true' ? { state: { ...one.after.facts } } : {}),
      }))
      return { asOf: timeOf(nowMs), cluster, changes, hasMore: found.length > limit }
    },
  )
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
