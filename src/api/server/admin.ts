import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { actorOf, type ApiPeople } from '../fleet/people.ts'

/**
 * What changes the process from outside. Rules, runbooks, dashboards and routing are read again on `/-/reload`; else it
 * answers as a Prometheus without `--web.enable-admin-api`: series end with the retention, options are read at the start.
 */
export function registerAdmin(
  app: FastifyInstance,
  reload: () => Promise<void>,
  people: ApiPeople,
  clock: Clock,
): void {
  for (const action of ['delete_series', 'clean_tombstones', 'snapshot']) {
    app.route({
      method: ['POST', 'PUT'],
      url: `/api/v1/admin/tsdb/${action}`,
      config: { access: 'admin', speaks: 'prometheus' },
      handler: () => {
        throw new FleetError('feature_off', 'admin APIs disabled')
      },
    })
  }
  app.route({
    method: ['POST', 'PUT'],
    url: '/-/reload',
    config: { access: 'admin', speaks: 'text' },
    handler: async (request, reply) => {
      await reload()
      const deed = { atMs: clock.nowMs(), by: actorOf(request), action: 'rules.reload', subject: 'content' } as const
      await people.record({ ...deed, detail: '{}' })
      return reply.type('text/plain; charset=utf-8').send('')
    },
  })
  app.route({
    method: ['POST', 'PUT'],
    url: '/-/quit',
    config: { access: 'admin', speaks: 'text' },
    handler: (_request, reply) =>
      reply.code(403).type('text/plain; charset=utf-8').send('Lifecycle API is not enabled.'),
  })
}
