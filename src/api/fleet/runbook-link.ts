import type { FastifyInstance } from 'fastify'
import { nameInLink, resolveRunbook } from '../../catalog/resolve-runbook.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { ApiPeople } from './people.ts'
import { isKnownAlert, type RunbookCatalog } from './runbooks.ts'
import { sendPage } from '../server/web.ts'

/**
 * `/rb/{alert}`: the address for the operators' `RUNBOOK_URL_TEMPLATE` (`https://daytwo.example/rb/%s`). It serves the
 * UI, which finds the firing instances itself because the template carries no labels. A name without a runbook, a rule and
 * an alert is 404 with the same page, so that link checkers detect it and people see the nearest names.
 */
export function registerRunbookLink(
  app: FastifyInstance,
  catalog: RunbookCatalog,
  ports: PortsOf<{ readonly people: Pick<ApiPeople, 'alerts'> }>,
  webRoot: string,
): void {
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/rb/:name',
    config: { access: 'viewer', dialect: 'text', scope: 'clusters' },
    handler: (request, reply) => {
      const { name } = request.params
      const isKnown =
        'page' in resolveRunbook(catalog, name) ||
        isKnownAlert(catalog, ports(request).people.alerts(), nameInLink(name))
      return sendPage(reply, webRoot, isKnown ? 200 : 404)
    },
  })
}
