import type { ClusterPlan } from '../cluster-plan.ts'
import { GOLDEN_IMAGES } from '../scenarios/golden-images.ts'
import { isFaulty } from '../scenarios/operand-faults.ts'
import type { OperandMetric } from './operand-metric.ts'

/** What CDI's operator says: of itself, of storage classes and of golden images. */
export function cdiMetrics(plan: ClusterPlan): readonly OperandMetric[] {
  const isOutdated = (timeMs: number): number => Number(isFaulty(plan, 'image_outdated', timeMs))
  return [
    // Less than nothing is what it says before there is a CDI object.
    ['kubevirt_cdi_cr_ready', {}, () => (plan.isInstalled ? 1 : -1)],
    ['kubevirt_cdi_datavolume_pending', {}, () => 0],
    ['kubevirt_cdi_storageprofile_info', STORAGE_PROFILE, () => 1],
    ...(plan.isInstalled
      ? [
          [
            'kubevirt_cdi_dataimportcron_outdated',
            { cron_name: OUTDATED_CRON, pending: 'false', namespace: imagesNamespace(plan) },
            isOutdated,
          ] as const,
        ]
      : []),
  ]
}

/** The cron whose image is outdated where one is. */
export const OUTDATED_CRON = GOLDEN_IMAGES[0]!.cron

export function imagesNamespace(plan: ClusterPlan): string {
  return plan.profile.flavour === 'openshift' ? 'openshift-virtualization-os-images' : 'kubevirt-os-images'
}

const STORAGE_PROFILE = {
  storageclass: 'ocs-storagecluster-ceph-rbd-virtualization',
  provisioner: 'openshift-storage.rbd.csi.ceph.com',
  complete: 'true',
  default: 'true',
  virtdefault: 'true',
  rwx: 'true',
  smartclone: 'true',
  degraded: 'false',
}
