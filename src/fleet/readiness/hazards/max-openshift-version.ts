import { openshiftMinorOf } from '../../platform-minor.ts'
import { ABSENT, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 17: OLM reports the platform as not upgradeable beyond what an installed operator allows. */
export const maxOpenShiftVersion: Hazard = {
  id: 'max_openshift_version',
  title: 'Installed operator limits the OpenShift version',
  signals: 'clusterserviceversions (olm.maxOpenShiftVersion) or clusterversions (condition Upgradeable)',
  consequence: 'The cluster version operator refuses the next minor version of OpenShift.',
  runbook: 'ClusterNotUpgradeable',
  sources: ['https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/'],
  verdicts: { openshift: 'not_recommended' },
  byTarget: true,
  evaluate: (cluster, target) => {
    const { maxOpenShiftVersion: max, platformUpgradeable: upgradeable } = cluster.facts
    if (max === undefined && upgradeable === undefined) return notReported('clusterserviceversions and clusterversions')
    const limit = max === undefined || max.value === '' ? undefined : openshiftMinorOf(max.value)
    const isMinor = cluster.platformMinor === undefined || target.minor > cluster.platformMinor
    const isRefused =
      isMinor &&
      upgradeable?.value.status === 'False' &&
      /IncompatibleOperatorsInstalled/.test(upgradeable.value.reason)
    const isLimited = limit !== undefined && target.minor > limit
    if (!isRefused && !isLimited) return ABSENT
    return found(maxOpenShiftVersion, target, () => ({
      text: isLimited
        ? `The installed bundle of HCO supports OpenShift up to ${max!.value}.`
        : 'OLM reports installed operators that are incompatible with the next minor version.',
      sinceMs: (isLimited ? max! : upgradeable!).sinceMs,
      evidence: [
        ...(isLimited ? [evidenceOf(max!, `olm.maxOpenShiftVersion: ${max!.value}.`)] : []),
        ...(isRefused ? [evidenceOf(upgradeable, `Upgradeable=False: ${upgradeable.value.message}`)] : []),
      ],
      fix: fix('Upgrade the operator first.', 'oc get clusterversion version -o yaml'),
    }))
  },
}
