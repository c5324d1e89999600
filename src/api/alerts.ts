import type { FastifyInstance } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { rankInstances } from '../catalog/rank-instances.ts'
import type { AlertItem, AlertItems } from '../contract/alerts.ts'
import { healthImpactOf, severityOf } from '../model/alert.ts'
import { clusterOf } from '../model/cluster-identity.ts'
import type { RuleAlert, RuleGroupStatus } from '../rules/rule-status.ts'
import type { RuleReader } from './rules.ts'
import type { RunbookCatalog } from './runbooks.ts'

/** `GET /api/fleet/v1/alerts`: all alerts, the worst and newest first, each with its rule and its runbook. */
export function registerAlerts(app: FastifyInstance, rules: RuleReader, catalog: RunbookCatalog, clock: Clock): void {
  app.get('/api/fleet/v1/alerts', { config: { access: 'viewer', speaks: 'own' } }, async (): Promise<AlertItems> => {
    const [alerts, groups] = await Promise.all([rules.alerts(), rules.groups()])
    return {
      asOfMs: clock.nowMs(),
      alerts: rankInstances(alerts).map((alert) => alertItem(alert, catalog)),
      failing: failingRules(groups),
    }
  })
}

function alertItem(alert: RuleAlert, catalog: RunbookCatalog): AlertItem {
  const alertname = alert.labels.get('alertname')
  const found = catalog.resolveRunbook(alertname)
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
    value: alert.value,
    labels: alert.labels.toObject(),
    annotations: { ...alert.annotations },
    rule: { group, file, expr, forMs, keepFiringForMs },
    ...('page' in found ? { runbook: found.page.name } : {}),
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
