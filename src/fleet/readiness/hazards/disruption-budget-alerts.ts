import { ABSENT, alertEvidence, alertNamed, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 24: HCO silences these alerts in the Alertmanager of its cluster; another Alertmanager gets one for each VM. */
export const disruptionBudgetAlerts: Hazard = {
  id: 'disruption_budget_alerts',
  title: 'PodDisruptionBudgetAtLimit fires',
  signals: 'alerts of the cluster: metrics for the rules of Daytwo, or alerts that the cluster sends',
  consequence: 'A disruption budget without room blocks drains; the alerts of VMs hide the others.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/openshift/cluster-version-operator/blob/main/docs/dev/upgrades.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    if (cluster.alerts === undefined) return notReported('alerts')
    const alert = alertNamed(cluster, 'PodDisruptionBudgetAtLimit')
    if (alert === undefined) return ABSENT
    return found(disruptionBudgetAlerts, target, () => ({
      text: 'PodDisruptionBudgetAtLimit fires.',
      sinceMs: alert.firedAtMs,
      evidence: [alertEvidence(alert)],
      fix: fix(
        'Silence the alert for poddisruptionbudget=~"kubevirt-disruption-budget-.*" as HCO does, and fix the other budgets.',
        'kubectl get pdb -A',
      ),
    }))
  },
}
