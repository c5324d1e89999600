import { ABSENT, clientOf, evidenceNow, fix, found, notReported, type Hazard } from '../hazard.ts'
import { PLATFORM_MINORS_AHEAD } from '../target.ts'

/** Hazard 10: minors are upgraded one after the other, the platform and the operator alternately. */
export const eusOrder: Hazard = {
  id: 'eus_order',
  title: 'Several minor versions in one step',
  signals: 'the version of HCO (of OpenShift for a target of the platform)',
  consequence: 'A skipped minor is not supported: the update is not offered, or the versions are too far apart.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/kubevirt/kubevirt/issues/13783'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  byTarget: true,
  evaluate: (cluster, target) => {
    const { release, platformMinor, record } = cluster
    const isPlatform = target.operator === 'openshift'
    const minor = isPlatform ? platformMinor : release?.minor
    if (minor === undefined) return notReported(isPlatform ? 'the version of OpenShift' : 'the version of HCO')
    const steps = target.minor - minor
    if (steps <= 1) return ABSENT
    const between = Array.from({ length: steps - 1 }, (_, i) => nameOf(minor + i + 1, isPlatform)).join(', ')
    const current = isPlatform ? record.platform?.version : record.hcoVersion
    return found(eusOrder, target, () => ({
      text: `${steps} minor versions ahead of ${current ?? 'the installed one'}: upgrade through ${between} first.`,
      evidence: [
        evidenceNow(cluster, isPlatform ? 'clusterversions' : 'hyperconvergeds', `Installed: ${current ?? ''}.`),
      ],
      fix: fix(
        'Pause the worker pools, empty workloadUpdateMethods, upgrade the platform to the odd minor, HCO through all its z-streams, the platform to the even minor, HCO to the even minor; then restore the methods and resume the pools.',
        isPlatform
          ? 'oc adm upgrade'
          : `${clientOf(cluster)} get subscriptions.operators.coreos.com -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.spec.name,CHANNEL:.spec.channel,INSTALLED:.status.installedCSV`,
      ),
    }))
  },
}

/** As OpenShift counts, and HCO beside it: `1.17 (4.21)`. */
function nameOf(minor: number, isPlatform: boolean): string {
  return isPlatform ? `4.${minor}` : `1.${minor} (4.${minor + PLATFORM_MINORS_AHEAD})`
}
