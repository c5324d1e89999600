import {
  ABSENT,
  alertEvidence,
  alertNamed,
  clientOf,
  evidenceNow,
  fix,
  found,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Hazard 25. */
export const goldenImages: Hazard = {
  id: 'golden_images',
  title: 'Golden images are outdated',
  signals: 'dataimportcrons, or the alert CDIDataImportCronOutdated',
  consequence: 'VMs that are created after the upgrade start from old images.',
  runbook: 'CDIDataImportCronOutdated',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/CDIDataImportCronOutdated.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { goldenImages: images } = cluster.record
    const alert = alertNamed(cluster, 'CDIDataImportCronOutdated')
    if (alert === undefined && (images?.outdated ?? 0) === 0) {
      return images === undefined ? notReported('dataimportcrons') : ABSENT
    }
    return found(goldenImages, target, () => ({
      text:
        images === undefined || images.outdated === 0
          ? 'Imports of golden images are outdated.'
          : `${images.outdated} of ${images.crons} imports are not up to date.`,
      ...(alert === undefined ? {} : { sinceMs: alert.firedAtMs }),
      evidence: [
        ...(images === undefined
          ? []
          : [evidenceNow(cluster, 'dataimportcrons', `UpToDate=False: ${images.outdated}.`)]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Fix the default storage class or the access to the registry.',
        `${clientOf(cluster)} get dataimportcrons -A`,
      ),
    }))
  },
}
