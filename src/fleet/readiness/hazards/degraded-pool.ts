import { ABSENT, evidenceNow, fix, found, isReported, NOT_APPLICABLE, notReported, type Hazard } from '../hazard.ts'

export const degradedPool: Hazard = {
  id: 'degraded_pool',
  title: 'Machine config pool is degraded',
  signals: 'machineconfigpools',
  consequence: 'Nodes of the pool cannot be updated: a platform update does not complete.',
  runbook: 'ClusterOperatorDegraded',
  sources: ['https://github.com/openshift/machine-config-operator/blob/main/docs/MachineConfigController.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'not_recommended' },
  evaluate: (cluster, target) => {
    if (cluster.record.platform?.kind === 'kubernetes') return NOT_APPLICABLE
    if (!isReported(cluster, 'machineconfigpools')) return notReported('machineconfigpools')
    const degraded = cluster.record.pools.filter((pool) => pool.degraded > 0)
    if (degraded.length === 0) return ABSENT
    const shown = degraded.map((pool) => `${pool.name} (${pool.degraded} of ${pool.machines} nodes)`).join(', ')
    return found(degradedPool, target, () => ({
      text: `Degraded: ${shown}.`,
      evidence: [evidenceNow(cluster, 'machineconfigpools', shown)],
      fix: fix('Repair the nodes that the pool names.', 'oc get machineconfigpools,nodes'),
    }))
  },
}
