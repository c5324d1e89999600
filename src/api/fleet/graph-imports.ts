import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { GraphImportItem, GraphImportItems, GraphImportRequest } from '../../contract/update-graph.ts'
import type { GraphImports } from '../../fleet/graph/imports.ts'
import { readImport, type ImportRequest } from '../../fleet/graph/read-import.ts'
import { importFacts } from '../../fleet/graph/update-graphs.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { ownRoute } from '../server/own-route.ts'
import { timeOf } from './items.ts'
import { actorOf } from './people.ts'
import { pick } from './query.ts'
import { importItem } from './update-graph.ts'

/** The largest graph of OpenShift has about two megabytes; catalogs are sent without what is not read. */
const BODY_BYTES_MAX = 16 * 1024 * 1024

/** Imported catalogs and graphs: listed, replaced by name, removed. */
export function registerGraphImports(
  app: FastifyInstance,
  ports: PortsOf<{ readonly graphImports: GraphImports }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/update-graph/imports', {
    scope: 'none',
    summary: 'Imported catalogs and graphs, with their irregularities.',
    answer: GraphImportItems,
    handler: async ({ request }) => {
      const all = await ports(request).graphImports.list()
      return { asOf: timeOf(clock.nowMs()), imports: all.map((one) => importItem(importFacts(one))) }
    },
  })

  ownRoute(app, 'PUT /api/fleet/v1/update-graph/imports/:name', {
    access: 'admin',
    scope: 'fleet',
    bodyBytesMax: BODY_BYTES_MAX,
    summary: 'Imports a catalog or graph, in place of the import of this name.',
    path: { name: 'Name of the import.' },
    body: GraphImportRequest,
    answer: GraphImportItem,
    handler: async ({ params: { name }, body, request }) => {
      const asked: ImportRequest = {
        ...{ name, kind: body.kind, operator: body.operator ?? 'kubevirt-hyperconverged', source: body.source },
        ...pick(body, 'arch', 'channel', 'package'),
        document: body.document,
      }
      const one = readImport(asked, actorOf(request, body.by), clock.nowMs())
      await ports(request).graphImports.put(one)
      return importItem(importFacts(one))
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/update-graph/imports/:name', {
    access: 'admin',
    scope: 'fleet',
    summary: 'Removes an import.',
    path: { name: 'Name of the import.' },
    answer: GraphImportItems,
    handler: async ({ params: { name }, request }) => {
      const { graphImports } = ports(request)
      if (!(await graphImports.remove(name, actorOf(request), clock.nowMs()))) {
        throw new FleetError('not_found', `no import is called ${JSON.stringify(name)}`)
      }
      const left = await graphImports.list()
      return { asOf: timeOf(clock.nowMs()), imports: left.map((one) => importItem(importFacts(one))) }
    },
  })
}
