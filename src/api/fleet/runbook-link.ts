import type { FastifyInstance } from 'fastify'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import type { RunbookCatalog } from './runbooks.ts'
import { sendPage } from '../server/web.ts'

/**
 * `/rb/{alert}`: the address for the operators' `RUNBOOK_URL_TEMPLATE` (`https://daytwo.example/rb/%s`). It serves the
 * UI, which finds the firing instances itself because the template carries no labels. An unknown name is 404 with the
 * same page, so that link checkers detect it and people see the nearest names.
 */
export function registerRunbookLink(app: FastifyInstance, catalog: RunbookCatalog, webRoot: string): void {
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/rb/:name',
    config: { access: 'viewer', dialect: 'text', scope: 'none' },
    handler: (request, reply) =>
      sendPage(reply, webRoot, 'page' in resolveRunbook(catalog, request.params.name) ? 200 : 404),
  })
}
