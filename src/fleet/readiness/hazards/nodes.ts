import { ABSENT, clientOf, evidenceNow, fix, found, notReported, type Hazard } from '../hazard.ts'

export const nodes: Hazard = {
  id: 'nodes',
  title: 'Nodes are not ready, or run several versions',
  signals: 'nodes',
  consequence: 'virt-handler is not rolled out on a node that is not ready; VMs may fail to migrate between versions.',
  runbook: 'VirtHandlerDaemonSetRolloutFailing',
  sources: ['https://kubernetes.io/releases/version-skew-policy/'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { nodes: of } = cluster.record
    if (of === undefined) return notReported('nodes')
    const texts = [
      ...(of.ready < of.count ? [`${of.ready} of ${of.count} nodes ready`] : []),
      ...(of.kubeletVersions.length > 1 ? [`kubelet ${of.kubeletVersions.join(', ')}`] : []),
    ]
    if (texts.length === 0) return ABSENT
    return found(nodes, target, () => ({
      text: `${texts.join('; ')}.`,
      evidence: [evidenceNow(cluster, 'nodes', texts.join('; '))],
      fix: fix('Repair the nodes, and complete the update of the platform first.', `${clientOf(cluster)} get nodes`),
    }))
  },
}
