import {
  alertEvidence,
  alertNamed,
  ABSENT,
  clientOf,
  crosses,
  evidenceOf,
  fix,
  found,
  NOT_APPLICABLE,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Hazard 3: HCO 1.7 (OpenShift Virtualization 4.11) no longer has the node maintenance operator. */
export const nodeMaintenanceOperator: Hazard = {
  id: 'node_maintenance_operator',
  title: 'Integrated node maintenance operator in use',
  signals: 'kubevirt_hco_nmo_in_use, or the alert NMOInUse',
  consequence: 'HCO refuses the upgrade to 1.7 (4.11) while NodeMaintenance objects exist.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/kubevirt/hyperconverged-cluster-operator/pull/1973'],
  verdicts: { 'kubevirt-hyperconverged': 'not_recommended' },
  byTarget: true,
  evaluate: (cluster, target) => {
    if (!crosses(cluster, target, 7)) return NOT_APPLICABLE
    const { nodeMaintenances } = cluster.facts
    const alert = alertNamed(cluster, 'NMOInUse')
    if (alert === undefined && (nodeMaintenances?.value ?? 0) === 0) {
      return nodeMaintenances === undefined ? notReported('kubevirt_hco_nmo_in_use (HCO 1.6.1 and later)') : ABSENT
    }
    return found(nodeMaintenanceOperator, target, () => ({
      text: 'Nodes are in maintenance by the node maintenance operator that HCO removes.',
      ...(nodeMaintenances === undefined ? {} : { sinceMs: nodeMaintenances.sinceMs }),
      evidence: [
        ...(nodeMaintenances === undefined
          ? []
          : [evidenceOf(nodeMaintenances, 'HCO reports NodeMaintenance objects.')]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'End the maintenance of all nodes, or install the standalone operator and create the objects as nodemaintenances.nodemaintenance.medik8s.io.',
        `${clientOf(cluster)} get nodemaintenances.nodemaintenance.kubevirt.io`,
      ),
    }))
  },
}
