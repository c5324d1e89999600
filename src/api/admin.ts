import type { FastifyInstance } from 'fastify'
import { FleetError } from '../base/errors.ts'

/**
 * What would change the store or the process from outside. It answers as a Prometheus without `--web.enable-admin-api`
 * and `--web.enable-lifecycle`: series end with the retention, options are read at the start.
 */
export function registerAdmin(app: FastifyInstance): void {
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
  for (const action of ['reload', 'quit']) {
    app.route({
      method: ['POST', 'PUT'],
      url: `/-/${action}`,
      config: { access: 'admin', speaks: 'text' },
      handler: (_request, reply) =>
        reply.code(403).type('text/plain; charset=utf-8').send('Lifecycle API is not enabled.'),
    })
  }
}
