import {
  ABSENT,
  alertEvidence,
  alertNamed,
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

/** Hazard 7: a hazard where some VMs cannot be migrated, which is no hazard where all can. */
export const liveMigrateOnly: Hazard = {
  id: 'live_migrate_only',
  title: 'LiveMigrate is the only update method',
  signals: 'hyperconvergeds (workloadUpdateMethods) and kubevirt_vmi_non_evictable or virtualmachineinstances',
  consequence: 'VMs that cannot be migrated continue to run the old QEMU and libvirt after the upgrade.',
  runbook: 'OutdatedVirtualMachineInstanceWorkloads',
  sources: [
    'https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/OutdatedVirtualMachineInstanceWorkloads.md',
    'https://github.com/kubevirt/kubevirt/pull/4686',
  ],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const methods = updateMethodsOf(cluster)
    if (methods === undefined) return notReported('HyperConverged')
    if (methods.length === 0 || methods.includes('Evict')) return ABSENT
    const { nonEvictable, notMigratable, workloadUpdateMethods } = cluster.facts
    const alert = alertNamed(cluster, 'OutdatedVirtualMachineInstanceWorkloads')
    const blocked = Math.max(
      nonEvictable?.value ?? 0,
      Object.values(notMigratable?.value ?? {}).reduce((sum, vms) => sum + vms, 0),
    )
    if (alert === undefined && blocked === 0) {
      const isKnown = nonEvictable !== undefined || notMigratable !== undefined
      return isKnown
        ? ABSENT
        : notReported('whether VMs can be migrated (kubevirt_vmi_non_evictable, virtualmachineinstances)')
    }
    const text = `workloadUpdateMethods: ${methods.join(', ')}.`
    const vms = nonEvictable !== undefined && nonEvictable.value > 0 ? nonEvictable : notMigratable
    return found(liveMigrateOnly, target, () => ({
      text: `VMs are updated by live migration only, and ${blocked === 0 ? 'some' : blocked} cannot be migrated.`,
      ...(vms === undefined ? {} : { sinceMs: vms.sinceMs }),
      evidence: [
        workloadUpdateMethods === undefined
          ? evidenceNow(cluster, 'hyperconvergeds', `${text} (default)`)
          : evidenceOf(workloadUpdateMethods, text),
        ...(vms === undefined || blocked === 0 ? [] : [evidenceOf(vms, `${blocked} VMs cannot be migrated.`)]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Add Evict, or restart the VMs manually after the upgrade. Evict shuts VMs down that cannot be migrated.',
        patchHyperConverged(
          cluster,
          inVirtualization(cluster, { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate', 'Evict'] } }),
        ),
      ),
    }))
  },
}
