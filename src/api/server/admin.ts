import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { actorOf, type ApiPeople } from '../fleet/people.ts'

/**
 * Administration. `/-/reload` reloads rules, runbooks, dashboards and routing; the other routes answer as a Prometheus
 * without `--web.enable-admin-api`: series end with the retention, options are read at the start.
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
      config: { access: 'admin', dialect: 'prometheus', scope: 'fleet' },
      handler: () => {
        throw new FleetError('feature_off', 'admin APIs disabled')
      },
    })
  }
  app.route({
    method: ['POST', 'PUT'],
    url: '/-/reload',
    config: { access: 'admin', dialect: 'text', scope: 'fleet' },
    handler: async (request, reply) => {
      await reload()
      const [atMs, by] = [clock.nowMs(), actorOf(request)]
      await people.record({ atMs, by, action: 'rules.reload', subject: 'content', detail: '{}' })
      return reply.type('text/plain; charset=utf-8').send('')
    },
  })
  app.route({
    method: ['POST', 'PUT'],
    url: '/-/quit',
    config: { access: 'admin', dialect: 'text', scope: 'fleet' },
    handler: (_request, reply) =>
      reply.code(403).type('text/plain; charset=utf-8').send('Lifecycle API is not enabled.'),
  })
}
