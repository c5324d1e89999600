import { ABSENT, evidenceNow, fix, found, NOT_APPLICABLE, notReported, type Hazard } from '../hazard.ts'
import { PLATFORM_MINORS_AHEAD } from '../target.ts'

/**
 * Hazard 12, for OpenShift Virtualization, which is released for one minor of the platform. For an operator target the platform
 * has to be there first; for a platform target the operator must not be behind already.
 */
export const versionSkew: Hazard = {
  id: 'version_skew',
  title: 'Operator and platform versions differ',
  signals: 'clusterversions or cluster_version, and the version of HCO',
  consequence: 'The combination is not supported, and updates of the operator may be missing.',
  runbook: 'DaytwoVersionSkew',
  sources: ['https://access.redhat.com/support/policy/updates/openshift_operators'],
  verdicts: { 'kubevirt-hyperconverged': 'not_recommended', openshift: 'not_recommended' },
  byTarget: true,
  evaluate: (cluster, target) => {
    const { release, platformMinor, record } = cluster
    if (release?.flavour === 'community') return NOT_APPLICABLE
    if (release === undefined || platformMinor === undefined) return notReported('the versions of HCO and of OpenShift')
    const paired = release.minor + PLATFORM_MINORS_AHEAD
    const wanted = target.operator === 'openshift' ? platformMinor : target.minor + PLATFORM_MINORS_AHEAD
    const isSkewed = target.operator === 'openshift' ? paired < platformMinor : wanted > platformMinor
    if (!isSkewed) return ABSENT
    const lagging = target.operator === 'openshift' ? 'OpenShift Virtualization' : 'OpenShift'
    return found(versionSkew, target, () => ({
      text:
        target.operator === 'openshift'
          ? `OpenShift Virtualization is at 4.${paired}, behind OpenShift 4.${platformMinor}.`
          : `OpenShift Virtualization 4.${wanted} needs OpenShift 4.${wanted}; the platform is at 4.${platformMinor}.`,
      evidence: [
        evidenceNow(cluster, 'clusterversions', `OpenShift ${record.platform?.version ?? ''}.`),
        evidenceNow(cluster, 'clusterserviceversions', `OpenShift Virtualization ${record.hcoVersion ?? ''}.`),
      ],
      fix: fix(`Upgrade ${lagging} first.`, target.operator === 'openshift' ? undefined : 'oc adm upgrade'),
    }))
  },
}
