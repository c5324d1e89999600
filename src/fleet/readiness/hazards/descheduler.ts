import {
  ABSENT,
  alertEvidence,
  alertNamed,
  evidenceNow,
  evidenceOf,
  fix,
  found,
  isReported,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Whether the descheduler is known, if only to be absent: a Collector that sends the platform also watches it. */
export function isDeschedulerKnown(cluster: Parameters<Hazard['evaluate']>[0]): boolean {
  const { record, facts } = cluster
  if (record.descheduler !== undefined || facts.isDeschedulerMisconfigured !== undefined) return true
  return record.platform?.kind === 'kubernetes' || isReported(cluster, 'clusterversions')
}

/** Hazard 14. */
export const descheduler: Hazard = {
  id: 'descheduler',
  title: 'Descheduler is misconfigured',
  signals: 'kubedeschedulers, or kubevirt_hco_misconfigured_descheduler',
  consequence: 'During the upgrade the descheduler moves VMs that are being updated: VMs migrate twice.',
  runbook: 'HCOMisconfiguredDescheduler',
  sources: ['https://github.com/kubevirt/monitoring/pull/322'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { record, facts } = cluster
    const alert = alertNamed(cluster, 'HCOMisconfiguredDescheduler', 'KubeVirtVMIExcessiveMigrations')
    const measured = facts.isDeschedulerMisconfigured
    const isMisconfigured = record.descheduler?.isMisconfigured ?? measured?.value ?? false
    if (alert === undefined && !isMisconfigured) {
      return isDeschedulerKnown(cluster)
        ? ABSENT
        : notReported('kubedeschedulers and kubevirt_hco_misconfigured_descheduler')
    }
    const profiles = record.descheduler?.profiles.join(', ')
    return found(descheduler, target, () => ({
      text: isMisconfigured
        ? `The profiles of the descheduler (${profiles === undefined || profiles === '' ? 'not reported' : profiles}) do not support VMs.`
        : 'VMs are migrated excessively.',
      ...(alert === undefined ? {} : { sinceMs: alert.firedAtMs }),
      evidence: [
        ...(record.descheduler === undefined
          ? []
          : [evidenceNow(cluster, 'kubedeschedulers/cluster', `profiles: ${profiles ?? ''}.`)]),
        ...(measured?.value === true ? [evidenceOf(measured, 'HCO reports a misconfigured descheduler.')] : []),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Set the profile KubeVirtRelieveAndMigrate, or pause the descheduler during the upgrade.',
        `oc patch kubedescheduler cluster -n openshift-kube-descheduler-operator --type merge -p '{"spec":{"profiles":["KubeVirtRelieveAndMigrate"]}}'`,
      ),
    }))
  },
}
