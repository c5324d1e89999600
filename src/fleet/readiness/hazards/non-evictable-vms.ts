import {
  ABSENT,
  alertEvidence,
  alertNamed,
  clientOf,
  evidenceOf,
  fix,
  found,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Hazard 5. */
export const nonEvictableVms: Hazard = {
  id: 'non_evictable_vms',
  title: 'VMs that cannot be evicted',
  signals: 'kubevirt_vmi_non_evictable, or virtualmachineinstances (condition LiveMigratable)',
  consequence: 'The drain of their nodes is blocked, and a platform update stops at the machine config pool.',
  runbook: 'VMCannotBeEvicted',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/VMCannotBeEvicted.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'not_recommended' },
  evaluate: (cluster, target) => {
    const { nonEvictable, notMigratable } = cluster.facts
    const alert = alertNamed(cluster, 'VMCannotBeEvicted')
    const count = nonEvictable?.value ?? 0
    if (alert === undefined && count === 0) {
      return nonEvictable === undefined ? notReported('kubevirt_vmi_non_evictable and virtualmachineinstances') : ABSENT
    }
    const reasons = Object.entries(notMigratable?.value ?? {}).map(([reason, vms]) => `${reason} (${vms})`)
    return found(nonEvictableVms, target, () => ({
      text: `${count === 0 ? 'VMs' : count === 1 ? '1 VM' : `${count} VMs`} must be live-migrated before eviction, and cannot be${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}.`,
      sinceMs: nonEvictable === undefined || count === 0 ? alert!.firedAtMs : nonEvictable.sinceMs,
      evidence: [
        ...(nonEvictable === undefined ? [] : [evidenceOf(nonEvictable, `${count} VMs are not evictable.`)]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Power the VMs off for the upgrade, set evictionStrategy LiveMigrateIfPossible or None, or make their disks ReadWriteMany.',
        `${clientOf(cluster)} get vmi -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODE:.status.nodeName,EVICTION:.spec.evictionStrategy,REASON:'.status.conditions[?(@.type=="LiveMigratable")].reason'`,
      ),
    }))
  },
}
