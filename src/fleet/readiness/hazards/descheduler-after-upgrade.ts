import { isDeschedulerMisconfigured } from '../../derive/hco-release.ts'
import { ABSENT, evidenceNow, fix, found, notReported, type Hazard } from '../hazard.ts'
import { isDeschedulerKnown } from './descheduler.ts'

/** Hazard 15: which profiles HCO accepts depends on its version, so an upgrade alone raises a critical alert. */
export const deschedulerAfterUpgrade: Hazard = {
  id: 'descheduler_after_upgrade',
  title: 'Descheduler is misconfigured after the upgrade',
  signals: 'kubedeschedulers',
  consequence: 'HCOMisconfiguredDescheduler, a critical alert, starts to fire with the new version.',
  runbook: 'HCOMisconfiguredDescheduler',
  sources: ['https://github.com/kubevirt/hyperconverged-cluster-operator/issues/3876'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  byTarget: true,
  evaluate: (cluster, target) => {
    const { descheduler } = cluster.record
    if (descheduler === undefined) return isDeschedulerKnown(cluster) ? ABSENT : notReported('kubedeschedulers')
    if (descheduler.isMisconfigured === true) return ABSENT
    // Up to 1.14 HCO checked another field, which is right where HCO is content with it now.
    const evictsInBackground = cluster.release !== undefined && cluster.release.minor <= 14
    const after = isDeschedulerMisconfigured(
      { flavour: 'community', minor: target.minor, patch: target.patch },
      { profiles: descheduler.profiles, evictsInBackground },
    )
    if (after !== true) return ABSENT
    return found(deschedulerAfterUpgrade, target, () => ({
      text: `HCO ${target.version} does not accept the profiles ${descheduler.profiles.join(', ') || '(none)'}.`,
      evidence: [evidenceNow(cluster, 'kubedeschedulers/cluster', `profiles: ${descheduler.profiles.join(', ')}.`)],
      fix: fix(
        'Set the profile that the new version accepts before the upgrade.',
        `oc patch kubedescheduler cluster -n openshift-kube-descheduler-operator --type merge -p '{"spec":{"profiles":["KubeVirtRelieveAndMigrate"]}}'`,
      ),
    }))
  },
}
