import type { FastifyInstance } from 'fastify'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import type { RunbookCatalog } from './runbooks.ts'
import { sendPage } from '../server/web.ts'

/**
 * `/rb/{alert}`: the address to give to the operators as `RUNBOOK_URL_TEMPLATE` (`https://daytwo.example/rb/%s`). It
 * serves the UI, which resolves the firing instances itself because the template carries no labels. A name nobody knows
 * is 404 with the same page, so that link checkers see it and people see the nearest names.
 */
export function registerRunbookLink(app: FastifyInstance, catalog: RunbookCatalog, webRoot: string): void {
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/rb/:name',
    config: { access: 'viewer', speaks: 'text' },
    handler: (request, reply) =>
      sendPage(reply, webRoot, 'page' in resolveRunbook(catalog, request.params.name) ? 200 : 404),
  })
}
