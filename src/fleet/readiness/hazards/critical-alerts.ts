import { ABSENT, alertEvidence, fix, found, notReported, type Hazard } from '../hazard.ts'
import { SIGNAL_ALERTS } from '../risk-alerts.ts'

const SHOWN_MAX = 5

/** What the cluster version operator counts as a risk of an update: critical alerts, and those that are labelled for it. */
export const criticalAlerts: Hazard = {
  id: 'critical_alerts',
  title: 'Critical alerts fire',
  signals: 'alerts of the cluster: metrics for the rules of Daytwo, or alerts that the cluster sends',
  consequence: 'The upgrade starts from a broken state, and its own faults are hidden by the others.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/openshift/cluster-version-operator/blob/main/docs/dev/upgrades.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    if (cluster.alerts === undefined) return notReported('alerts')
    const firing = cluster.alerts.filter(({ alertname }) => !SIGNAL_ALERTS.has(alertname))
    if (firing.length === 0) return ABSENT
    const names = [...new Set(firing.map(({ alertname }) => alertname))].sort()
    return found(criticalAlerts, target, () => ({
      text: `Firing: ${names.slice(0, SHOWN_MAX).join(', ')}${names.length > SHOWN_MAX ? ', …' : ''}.`,
      sinceMs: Math.min(...firing.map(({ firedAtMs }) => firedAtMs)),
      evidence: firing.slice(0, SHOWN_MAX).map(alertEvidence),
      fix: fix('Resolve the alerts by their runbooks before the upgrade.'),
    }))
  },
}
