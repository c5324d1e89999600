import {
  ABSENT,
  evidenceNow,
  evidenceOf,
  fix,
  found,
  inVirtualization,
  notReported,
  patchHyperConverged,
  type Hazard,
} from '../hazard.ts'
import { updateMethodsOf } from './update-methods.ts'

/** Hazard 8. On purpose between two steps of an EUS upgrade, and forgotten afterwards. */
export const emptyUpdateMethods: Hazard = {
  id: 'empty_update_methods',
  title: 'Workload updates are off',
  signals: 'hyperconvergeds (workloadUpdateMethods)',
  consequence: 'No VM is updated: all continue to run the old virt-launcher, QEMU and libvirt.',
  runbook: 'OutdatedVirtualMachineInstanceWorkloads',
  sources: [
    'https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration.md#workload-update-strategy',
  ],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const methods = updateMethodsOf(cluster)
    if (methods === undefined) return notReported('HyperConverged')
    if (methods.length > 0) return ABSENT
    const { workloadUpdateMethods } = cluster.facts
    const { workloads } = cluster.record
    const vms =
      workloads === undefined
        ? 'VMs'
        : workloads.outdated === 1
          ? '1 outdated VM'
          : `${workloads.outdated} outdated VMs`
    const text = 'workloadUpdateMethods: [].'
    return found(emptyUpdateMethods, target, () => ({
      text: `workloadUpdateMethods is empty: ${vms} stay on the old virt-launcher.`,
      ...(workloadUpdateMethods === undefined ? {} : { sinceMs: workloadUpdateMethods.sinceMs }),
      evidence: [
        workloadUpdateMethods === undefined
          ? evidenceNow(cluster, 'hyperconvergeds', text)
          : evidenceOf(workloadUpdateMethods, text),
      ],
      fix: fix(
        'Restore the list, unless a planned EUS upgrade is in progress.',
        patchHyperConverged(
          cluster,
          inVirtualization(cluster, { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } }),
        ),
      ),
    }))
  },
}
