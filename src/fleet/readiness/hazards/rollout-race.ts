import {
  ABSENT,
  evidenceOf,
  fix,
  found,
  inVirtualization,
  notReported,
  patchHyperConverged,
  type Hazard,
} from '../hazard.ts'
import { updateMethodsOf } from './update-methods.ts'

/** The first minor of Kubernetes 1 with the race. */
const MINOR_MIN = 36

/** Hazard 22: on Kubernetes 1.36 the workload update may start before virt-handler is updated on all nodes. */
export const rolloutRace: Hazard = {
  id: 'rollout_race',
  title: 'Workload update races the virt-handler rollout',
  signals: 'nodes (kubelet version)',
  consequence: 'VMs may crash right after their migration, or migrations never complete and block drains.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: [
    'https://github.com/kubevirt/kubevirt/issues/18396',
    'https://github.com/kubevirt/kubevirt/issues/18670',
    'https://github.com/kubevirt/kubevirt/pull/19134',
  ],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { kubernetesVersion } = cluster.facts
    if (kubernetesVersion === undefined) return notReported('nodes')
    const [major, minor] = kubernetesVersion.value.split('.').map(Number) as [number, number]
    if (major !== 1 || minor < MINOR_MIN) return ABSENT
    const methods = updateMethodsOf(cluster)
    if (methods?.length === 0) return ABSENT
    return found(rolloutRace, target, () => ({
      text: `Kubernetes ${kubernetesVersion.value}: VMs may be migrated to nodes whose virt-handler is not updated yet.`,
      sinceMs: kubernetesVersion.sinceMs,
      evidence: [evidenceOf(kubernetesVersion, `kubelet ${kubernetesVersion.value}.`)],
      fix: fix(
        'Empty workloadUpdateMethods until virt-handler is updated on all nodes, and restore the list afterwards.',
        patchHyperConverged(
          cluster,
          inVirtualization(cluster, { workloadUpdateStrategy: { workloadUpdateMethods: [] } }),
        ),
      ),
    }))
  },
}
