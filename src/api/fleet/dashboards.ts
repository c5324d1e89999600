import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { nearest } from '../../base/nearest.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Dashboard } from '../../catalog/dashboard.ts'
import { linksOf } from '../../catalog/metric-uses.ts'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import {
  DashboardAnswer,
  DashboardList,
  type DashboardFault,
  type DashboardUnknown,
  type PanelAlert,
} from '../../contract/dashboards.ts'
import type { Alert } from '../../model/alert.ts'
import { positionOf } from '../../model/diagnostic.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { ownRoute } from '../server/own-route.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/dashboards/v1`: the loaded dashboards, each as a model and as its source. */
interface DashboardDeps {
  readonly catalog: DashboardCatalog
  readonly ports: PortsOf<{ readonly people: ApiPeople }>
  readonly language: ParseOptions
}

/** The part of the catalog that the routes of dashboards use. */
export type DashboardCatalog = Pick<Catalog, 'dashboards' | 'ruleFiles' | 'pages' | 'aliases'>

const NEAREST = 3

export function registerDashboards(app: FastifyInstance, deps: DashboardDeps): void {
  const { catalog, language, ports } = deps

  ownRoute(app, 'GET /api/dashboards/v1', {
    scope: 'none',
    summary: 'All dashboards.',
    answer: DashboardList,
    handler: () => {
      const { alertsByPanel } = linksOf(catalog, language)
      const dashboards = catalog.dashboards.map(({ model, faults }) => ({
        name: model.name,
        title: model.title,
        description: model.description,
        tags: model.tags,
        panels: model.panels.length,
        faults: faults.length,
        alerts: new Set(model.panels.flatMap((panel) => alertsByPanel.get(panel) ?? [])).size,
      }))
      return { dashboards: dashboards.sort((a, b) => (a.title < b.title ? -1 : 1)) }
    },
  })

  ownRoute(app, 'GET /api/dashboards/v1/:name', {
    summary: 'One dashboard: its model, its source file and the alerts related to its panels.',
    path: { name: '`metadata.name` of the file.' },
    answer: DashboardAnswer,
    handler: ({ params: { name }, request, reply }) => {
      const dashboard = catalog.dashboards.find((one) => one.name === name)
      if (dashboard !== undefined) return answerOf(dashboard, deps, ports(request).people.alerts())
      const names = catalog.dashboards.map((one) => one.name)
      const error = `no dashboard is called ${JSON.stringify(name)}`
      return reply.code(404).send({ error, nearest: nearest(name, names, NEAREST) } satisfies DashboardUnknown)
    },
  })
}

function answerOf(
  { model, path, text, faults }: Dashboard,
  { catalog, language }: DashboardDeps,
  alerts: readonly Alert[],
): DashboardAnswer {
  const { alertsByPanel } = linksOf(catalog, language)
  const firing = new Map<string, number>()
  for (const { labels, state } of alerts) {
    const name = labels.get('alertname')
    if (state === 'firing') firing.set(name, (firing.get(name) ?? 0) + 1)
  }
  const alertOf = (name: string): PanelAlert => {
    return { name, hasRunbook: 'page' in resolveRunbook(catalog, name), firing: firing.get(name) ?? 0 }
  }
  const byPanel = model.panels.flatMap((panel) => {
    const names = alertsByPanel.get(panel)
    return names === undefined ? [] : [[panel.id, names.map(alertOf)] as const]
  })
  return {
    dashboard: model,
    file: `dashboards/${basename(path)}`,
    source: text,
    faults: faults.map((fault) => faultOf(text, fault)),
    alerts: Object.fromEntries(byPanel),
  }
}

function faultOf(text: string, { severity, message, help, from }: Dashboard['faults'][number]): DashboardFault {
  return { severity, message, ...positionOf(text, from), ...(help === undefined ? {} : { hint: help }) }
}
