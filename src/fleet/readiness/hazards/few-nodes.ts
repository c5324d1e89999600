import { ABSENT, clientOf, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 16. */
export const fewNodes: Hazard = {
  id: 'few_nodes',
  title: 'No second node for VMs',
  signals: 'nodes, cluster:kubevirt_nodes_with_kvm:count, or hyperconvergeds (infrastructureHighlyAvailable)',
  consequence: 'Live migrations have no target: VMs must be shut down for the update of their node.',
  runbook: 'LowKVMNodesCount',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/LowKVMNodesCount.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { kvmNodes, isHighlyAvailable } = cluster.facts
    if (kvmNodes === undefined && isHighlyAvailable === undefined) return notReported('nodes and HyperConverged')
    const isFew = kvmNodes === undefined ? !isHighlyAvailable!.value : kvmNodes.value < 2
    if (!isFew) return ABSENT
    return found(fewNodes, target, () => ({
      text:
        kvmNodes === undefined ? 'The cluster is not highly available.' : `Nodes that can run VMs: ${kvmNodes.value}.`,
      sinceMs: (kvmNodes ?? isHighlyAvailable!).sinceMs,
      evidence: [
        ...(kvmNodes === undefined ? [] : [evidenceOf(kvmNodes, `${kvmNodes.value} nodes with KVM.`)]),
        ...(isHighlyAvailable === undefined
          ? []
          : [evidenceOf(isHighlyAvailable, `infrastructureHighlyAvailable: ${isHighlyAvailable.value}.`)]),
      ],
      fix: fix('Plan a downtime of the VMs.', `${clientOf(cluster)} get vmi -A -o wide`),
    }))
  },
}
