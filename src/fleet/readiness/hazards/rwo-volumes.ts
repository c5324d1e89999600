import { ownValue } from '../../../base/own-value.ts'
import { ABSENT, clientOf, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 6. A default class without ReadWriteMany gives each new VM such a disk. */
export const rwoVolumes: Hazard = {
  id: 'rwo_volumes',
  title: 'Volumes that only one node can mount',
  signals: 'virtualmachineinstances (reason DisksNotLiveMigratable), or kubevirt_cdi_storageprofile_info',
  consequence: 'VMs with these volumes are not live-migrated: they block drains, or are shut down.',
  runbook: 'VMStorageClassWarning',
  sources: ['https://kubevirt.io/user-guide/compute/live_migration/'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { notMigratable, rwoClasses } = cluster.facts
    const vms = ownValue(notMigratable?.value ?? {}, 'DisksNotLiveMigratable') ?? 0
    const classes = rwoClasses?.value ?? []
    if (vms === 0 && classes.length === 0) {
      const isKnown = notMigratable !== undefined || rwoClasses !== undefined
      return isKnown ? ABSENT : notReported('virtualmachineinstances and kubevirt_cdi_storageprofile_info')
    }
    const parts = [
      ...(vms === 0 ? [] : [`${vms === 1 ? '1 VM has' : `${vms} VMs have`} disks that cannot be live-migrated`]),
      ...(classes.length === 0 ? [] : [`the default storage class ${classes.join(', ')} has no ReadWriteMany`]),
    ]
    const evidence = [
      ...(vms === 0 ? [] : [evidenceOf(notMigratable!, `DisksNotLiveMigratable: ${vms}.`)]),
      ...(classes.length === 0 ? [] : [evidenceOf(rwoClasses!, `Storage profile ${classes.join(', ')}: rwx="false".`)]),
    ]
    return found(rwoVolumes, target, () => ({
      text: `${parts.join('; ')}.`,
      sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)),
      evidence,
      fix: fix(
        'Set evictionStrategy None and runStrategy Always on these VMs, so that they restart on another node; or move their disks to a class with ReadWriteMany.',
        `${clientOf(cluster)} get storageprofiles -o custom-columns=NAME:.metadata.name,MODES:.status.claimPropertySets`,
      ),
    }))
  },
}
