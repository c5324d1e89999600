import type { FastifyInstance } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { rankInstances } from '../catalog/rank-instances.ts'
import { resolveRunbook } from '../catalog/resolve-runbook.ts'
import type { AlertItem, AlertItems } from '../contract/alerts.ts'
import { healthImpactOf, severityOf } from '../model/alert.ts'
import { clusterOf } from '../model/cluster-identity.ts'
import type { RuleAlert, RuleGroupStatus } from '../rules/rule-status.ts'
import { sampleValue } from './format-value.ts'
import type { RuleReader } from './rules.ts'
import type { RunbookCatalog } from './runbooks.ts'

/** `GET /api/fleet/v1/alerts`: all alerts, the worst and newest first, each with its rule and its runbook. */
export function registerAlerts(app: FastifyInstance, rules: RuleReader, catalog: RunbookCatalog, clock: Clock): void {
  app.get('/api/fleet/v1/alerts', { config: { access: 'viewer', speaks: 'own' } }, async (): Promise<AlertItems> => {
    const [alerts, groups] = await Promise.all([rules.alerts(), rules.groups()])
    const runbookOf = remembered((name) => {
      const found = resolveRunbook(catalog, name)
      return 'page' in found ? found.page.name : undefined
    })
    return {
      asOfMs: clock.nowMs(),
      alerts: rankInstances(alerts).map((alert) => alertItem(alert, runbookOf(alert.labels.get('alertname')))),
      failing: failingRules(groups),
    }
  })
}

/** Many alerts have one name, and a name nobody knows is compared with all that are. */
function remembered<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    if (!known.has(name)) known.set(name, find(name))
    return known.get(name) as T
  }
}

function alertItem(alert: RuleAlert, runbook: string | undefined): AlertItem {
  const alertname = alert.labels.get('alertname')
  const { group, file, expr, forMs, keepFiringForMs } = alert.rule
  return {
    fingerprint: alert.fingerprint,
    alertname,
    cluster: clusterOf(alert.labels),
    severity: severityOf(alert.labels),
    healthImpact: healthImpactOf(alert.labels),
    state: alert.state,
    activeAtMs: alert.activeAtMs,
    ...(alert.firedAtMs === undefined ? {} : { firedAtMs: alert.firedAtMs }),
    ...(alert.resolvedAtMs === undefined ? {} : { resolvedAtMs: alert.resolvedAtMs }),
    value: sampleValue(alert.value),
    labels: alert.labels.toObject(),
    annotations: { ...alert.annotations },
    rule: { group, file, expr, forMs, keepFiringForMs },
    ...(runbook === undefined ? {} : { runbook }),
  }
}

/** A rule that could not be evaluated keeps the alerts it had: the list may be incomplete, and says which rules. */
function failingRules(groups: readonly RuleGroupStatus[]): AlertItems['failing'] {
  return groups.flatMap((group) =>
    group.rules
      .filter(({ health }) => health === 'err')
      .map((rule) => ({ group: group.name, rule: rule.name, error: rule.lastError ?? 'unknown error' })),
  )
}
