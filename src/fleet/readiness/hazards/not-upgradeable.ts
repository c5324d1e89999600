import { quoteShellWord } from '../../../base/quoting.ts'
import {
  ABSENT,
  evidenceNow,
  evidenceOf,
  fix,
  found,
  clientOf,
  installNamespaceOf,
  notReported,
  type Hazard,
} from '../hazard.ts'

/** Upgradeable=False: OLM holds the operator back; the platform refuses minor versions, z-streams are allowed. */
export const notUpgradeable: Hazard = {
  id: 'not_upgradeable',
  title: 'Reported as not upgradeable',
  signals: 'operatorconditions or hyperconvergeds; clusterversions for the platform',
  consequence: 'The upgrade does not start while the condition Upgradeable is False.',
  runbook: 'ClusterNotUpgradeable',
  sources: ['https://github.com/openshift/cluster-version-operator/blob/main/docs/dev/clusteroperator.md'],
  verdicts: { 'kubevirt-hyperconverged': 'not_recommended', openshift: 'not_recommended' },
  byTarget: true,
  evaluate: (cluster, target) => {
    if (target.operator === 'openshift') {
      const { platformUpgradeable: upgradeable } = cluster.facts
      if (upgradeable === undefined) return notReported('clusterversions')
      const isMinor = cluster.platformMinor === undefined || target.minor > cluster.platformMinor
      const { status, reason, message } = upgradeable.value
      if (status !== 'False' || !isMinor) return ABSENT
      return found(notUpgradeable, target, () => ({
        text: `OpenShift reports Upgradeable=False (${reason}).`,
        sinceMs: upgradeable.sinceMs,
        evidence: [evidenceOf(upgradeable, message)],
        fix: fix('Fix what the message names, or upgrade within the minor version.', 'oc adm upgrade'),
      }))
    }
    const { upgradeable } = cluster.record
    if (upgradeable === undefined) return notReported('operatorconditions and hyperconvergeds')
    if (upgradeable.status !== 'False') return ABSENT
    return found(notUpgradeable, target, () => ({
      text: `The installed operator reports Upgradeable=False (${upgradeable.reason}).`,
      evidence: [evidenceNow(cluster, 'operatorconditions', upgradeable.message)],
      fix: fix(
        'Wait for the running change, or fix the component that the reason names.',
        `${clientOf(cluster)} get operatorconditions -n ${quoteShellWord(installNamespaceOf(cluster))} -o yaml`,
      ),
    }))
  },
}
