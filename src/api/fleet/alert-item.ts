import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import type { AlertMarks, AlertItem } from '../../contract/alerts.ts'
import { healthImpactOf, severityOf } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import { isExternal } from '../../notify/external-alert.ts'
import { sampleValue } from '../prometheus/format-value.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import { pick } from './query.ts'
import type { RunbookCatalog } from './runbooks.ts'

/** Creates alerts of the contract's shape; the runbook of an alert name is looked up once. */
export function alertItems(
  catalog: RunbookCatalog,
  marksOf: (alert: AnyAlert) => AlertMarks,
): (alert: AnyAlert) => AlertItem {
  const runbooks = new Map<string, string | undefined>()
  const runbookOf = (name: string): string | undefined => {
    if (!runbooks.has(name)) {
      const found = resolveRunbook(catalog, name)
      runbooks.set(name, 'page' in found ? found.page.name : undefined)
    }
    return runbooks.get(name)
  }
  return (alert) => {
    const alertname = alert.labels.get('alertname')
    const { group, file, expr, forMs, keepFiringForMs } = alert.rule
    const runbook = runbookOf(alertname)
    return {
      fingerprint: alert.fingerprint,
      alertname,
      cluster: clusterOf(alert.labels),
      severity: severityOf(alert.labels),
      healthImpact: healthImpactOf(alert.labels),
      state: alert.state,
      activeAtMs: alert.activeAtMs,
      ...pick(alert, 'firedAtMs', 'resolvedAtMs'),
      value: sampleValue(alert.value),
      labels: alert.labels.toObject(),
      annotations: alert.annotations,
      rule: { group, file, expr, forMs, keepFiringForMs },
      ...(runbook === undefined ? {} : { runbook }),
      source: isExternal(alert) ? 'external' : 'rule',
      ...(isExternal(alert) && alert.external.generatorUrl !== '' ? { generatorUrl: alert.external.generatorUrl } : {}),
      marks: marksOf(alert),
    }
  }
}
