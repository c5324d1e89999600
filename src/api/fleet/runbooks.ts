import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { bindRunbook } from '../../catalog/bind-runbook.ts'
import { linksOf, type DashboardLinks, type LinkedCatalog } from '../../catalog/metric-uses.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { distinguishingLabels, rankInstances } from '../../catalog/rank-instances.ts'
import { nameInLink, resolveRunbook } from '../../catalog/resolve-runbook.ts'
import { runbookTemplate } from '../../catalog/runbook-template.ts'
import type { RunbookPage } from '../../catalog/runbook-page.ts'
import type { PanelLink } from '../../contract/dashboards.ts'
import {
  BoundRunbook,
  RunbookList,
  RunbookSource,
  type RunbookInstance,
  type RunbookUnknown,
} from '../../contract/runbooks.ts'
import type { ClusterInventory } from '../../fleet/clusters/inventory.ts'
import { healthImpactOf, severityOf, type Alert } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { paramsOf } from '../prometheus/params.ts'
import { sampleValue } from '../prometheus/format-value.ts'
import { ownRoute } from '../server/own-route.ts'
import type { ApiPeople } from './people.ts'
import type { RuleReader } from '../prometheus/rules.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/runbooks/v1`: the pages, and a page with its placeholders bound to an alert. */
interface RunbookDeps {
  readonly catalog: RunbookCatalog & LinkedCatalog
  readonly ports: PortsOf<{ readonly rules: RuleReader; readonly people: ApiPeople; readonly inventory: ReadInventory }>
  readonly language: ParseOptions
  readonly clock: Clock
  readonly log: Log
}

/** The values for the placeholders of runbooks. */
export type ReadInventory = (cluster: string, nowMs: number) => Promise<ClusterInventory | undefined>

/** The part of the catalog that pages are served from. */
export type RunbookCatalog = Pick<Catalog, 'pages' | 'aliases' | 'alertNames'>

export function registerRunbooks(app: FastifyInstance, deps: RunbookDeps): void {
  const { catalog, ports } = deps

  ownRoute(app, 'GET /api/runbooks/v1/pages', {
    summary: 'All runbooks.',
    answer: RunbookList,
    handler: async ({ request }) => {
      const { rules, people } = ports(request)
      const [groups, alerts] = [await rules.groups(), people.alerts()]
      const ruleNames = new Set(groups.flatMap((group) => group.rules.map(({ name }) => name)))
      const pages = [...catalog.pages.values()].map((page) => ({
        name: page.name,
        summary: page.summary,
        hasRule: ruleNames.has(page.name),
        firing: instancesOf(page, alerts).filter(({ state }) => state === 'firing').length,
      }))
      return { pages: pages.sort((a, b) => (a.name < b.name ? -1 : 1)) }
    },
  })

  ownRoute(app, 'GET /api/runbooks/v1/pages/:name/source', {
    scope: 'none',
    summary: 'The source file of a runbook.',
    path: ALERT_NAME,
    answer: RunbookSource,
    handler: ({ params: { name }, reply }) => {
      const found = resolveRunbook(catalog, name)
      return 'page' in found ? sourceOf(found.page) : sendUnknown(reply, name, found.nearest)
    },
  })

  ownRoute(app, 'GET /api/runbooks/v1/pages/:name', {
    summary:
      'One runbook, bound to an alert when one is named; of an alert without a runbook, its alerts and a template.',
    path: ALERT_NAME,
    documentedQuery: Type.Object({
      instance: Type.Optional(Type.String({ description: 'Fingerprint of the alert to fill in.' })),
    }),
    answer: BoundRunbook,
    handler: async ({ params: { name }, request, reply }) => {
      const found = resolveRunbook(catalog, name)
      const instance = paramsOf(request).get('instance')
      if ('page' in found) return boundPage(deps, ports(request), found, name, instance)
      const missing = await missingPage(deps, ports(request), nameInLink(name), instance)
      return missing ?? sendUnknown(reply, name, found.nearest)
    },
  })
}

const ALERT_NAME = { name: 'Fingerprint of the alert.' } as const

function sendUnknown(reply: FastifyReply, name: string, nearest: readonly string[]): FastifyReply {
  const error = `no runbook is called ${JSON.stringify(name)}`
  return reply.code(404).send({ error, nearest } satisfies RunbookUnknown)
}

/** Without the location of the folder. */
function sourceOf({ name, path, text }: RunbookPage): RunbookSource {
  return { name, path: path.split('/').slice(-2).join('/'), text }
}

async function boundPage(
  { catalog, language, clock, log }: RunbookDeps,
  { people, inventory }: ReturnType<RunbookDeps['ports']>,
  { page, isRenamed }: { readonly page: RunbookPage; readonly isRenamed: boolean },
  askedName: string,
  fingerprint: string,
): Promise<BoundRunbook> {
  const ranked = rankInstances(instancesOf(page, people.alerts()))
  const instances = instanceViews(ranked)
  const chosen = chosenIndex(instances, fingerprint)
  const alert = chosen === undefined ? undefined : ranked[chosen]
  let known: ClusterInventory | undefined
  if (alert !== undefined) {
    try {
      known = await inventory(clusterOf(alert.labels), clock.nowMs())
    } catch (thrown) {
      // A page with open placeholders is more useful than an error.
      log.warn({ runbook: page.name, err: thrown }, 'inventory not available; placeholders are filled without it')
    }
  }
  const bound = bindRunbook(page, alert === undefined ? { isPlain: true } : { alert, inventory: known })
  const instance = chosen === undefined ? undefined : instances[chosen]
  return {
    name: page.name,
    askedName,
    isRenamed,
    markdown: bound.markdown,
    cells: bound.cells,
    bindings: bound.bindings,
    unbound: bound.unbound,
    ...(instance === undefined ? {} : { instance }),
    instances,
    panels: panelsOf(page, linksOf(catalog, language)),
  }
}

/** Whether a rule, or an alert of the last minutes, has this name. */
export function isKnownAlert({ alertNames }: RunbookCatalog, alerts: readonly Alert[], name: string): boolean {
  return alertNames.includes(name) || alerts.some(({ labels }) => labels.get('alertname') === name)
}

/** The page of an alert without a runbook; `undefined`: no rule and no alert has this name. */
async function missingPage(
  { catalog }: RunbookDeps,
  { people, rules }: ReturnType<RunbookDeps['ports']>,
  name: string,
  fingerprint: string,
): Promise<BoundRunbook | undefined> {
  const alerts = people.alerts()
  if (!isKnownAlert(catalog, alerts, name)) return undefined
  const ranked = rankInstances(alerts.filter(({ labels }) => labels.get('alertname') === name))
  const instances = instanceViews(ranked)
  const chosen = chosenIndex(instances, fingerprint)
  const groups = catalog.alertNames.includes(name) ? await rules.groups() : []
  const rule = groups.flatMap((group) => group.rules).find((one) => one.kind === 'alerting' && one.name === name)
  const sketch =
    rule?.kind === 'alerting'
      ? { expr: rule.query, annotations: rule.annotations }
      : { annotations: ranked[0]?.annotations ?? {} }
  return {
    name,
    askedName: name,
    isRenamed: false,
    markdown: '',
    cells: [],
    bindings: [],
    unbound: [],
    ...(chosen === undefined ? {} : { instance: instances[chosen]! }),
    instances,
    panels: [],
    template: runbookTemplate({ name, ...sketch }),
  }
}

/** The panels of the page's name and former names, without duplicates. */
function panelsOf(page: RunbookPage, { panelsByAlert }: DashboardLinks): PanelLink[] {
  const places = [page.name, ...page.aliases].flatMap((name) => panelsByAlert.get(name) ?? [])
  return [...new Map(places.map((place) => [place.panel, place])).values()].map(({ dashboard, panel }) => ({
    dashboard: dashboard.name,
    dashboardTitle: dashboard.title,
    panel: panel.id,
    panelTitle: panel.title || panel.id,
  }))
}

/** The requested instance; without a request, the firing one if there is exactly one. */
function chosenIndex(instances: readonly RunbookInstance[], fingerprint: string): number | undefined {
  const isChosen = (instance: RunbookInstance): boolean =>
    fingerprint === '' ? instance.state === 'firing' : instance.fingerprint === fingerprint
  const chosen = instances.flatMap((instance, i) => (isChosen(instance) ? [i] : []))
  return chosen.length === 1 ? chosen[0] : undefined
}

/** Alerts of the page's name or one of its former names. */
function instancesOf(page: RunbookPage, alerts: readonly Alert[]): readonly Alert[] {
  const names = new Set([page.name, ...page.aliases])
  return alerts.filter(({ labels }) => names.has(labels.get('alertname')))
}

/** In the given order. */
function instanceViews(alerts: readonly Alert[]): RunbookInstance[] {
  const differing = distinguishingLabels(alerts.map(({ labels }) => labels))
  return alerts.map((alert, i) => instanceView(alert, differing[i] ?? {}))
}

function instanceView(alert: Alert, labels: Record<string, string>): RunbookInstance {
  return {
    fingerprint: alert.fingerprint,
    cluster: clusterOf(alert.labels),
    severity: severityOf(alert.labels),
    healthImpact: healthImpactOf(alert.labels),
    state: alert.state,
    activeAtMs: alert.activeAtMs,
    value: sampleValue(alert.value),
    labels,
  }
}
