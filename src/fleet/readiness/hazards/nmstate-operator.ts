import {
  ABSENT,
  alertEvidence,
  alertNamed,
  clientOf,
  crosses,
  evidenceOf,
  fix,
  found,
  NOT_APPLICABLE,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Hazard 4: the network addons operator no longer deploys NMState from HCO 1.7 (4.11) on. */
export const nmstateOperator: Hazard = {
  id: 'nmstate_operator',
  title: 'NMState operator is not installed',
  signals: 'networkaddonsconfigs (conditions), or the alert CnaoNmstateMigration',
  consequence: 'The network configuration of nodes has no controller after the upgrade to 1.7 (4.11).',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/nmstate/kubernetes-nmstate'],
  verdicts: { 'kubevirt-hyperconverged': 'not_recommended' },
  byTarget: true,
  evaluate: (cluster, target) => {
    if (!crosses(cluster, target, 7)) return NOT_APPLICABLE
    const { nmstateCondition } = cluster.facts
    const alert = alertNamed(cluster, 'CnaoNmstateMigration')
    if (alert === undefined && (nmstateCondition?.value ?? '') === '') {
      return nmstateCondition === undefined ? notReported('conditions of NetworkAddonsConfig') : ABSENT
    }
    return found(nmstateOperator, target, () => ({
      text: 'The network addons operator still deploys NMState, and removes it with the upgrade.',
      ...(nmstateCondition === undefined ? {} : { sinceMs: nmstateCondition.sinceMs }),
      evidence: [
        ...(nmstateCondition === undefined || nmstateCondition.value === ''
          ? []
          : [evidenceOf(nmstateCondition, nmstateCondition.value)]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Install the Kubernetes NMState operator before the upgrade.',
        `${clientOf(cluster)} get nmstates.nmstate.io,subscriptions.operators.coreos.com -A`,
      ),
    }))
  },
}
