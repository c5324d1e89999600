import { ABSENT, alertEvidence, alertNamed, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 19. */
export const deprecatedApis: Hazard = {
  id: 'deprecated_apis',
  title: 'Deprecated API versions are requested',
  signals: 'cluster:kubevirt_api_request_deprecated_total:sum beside cluster:kubevirt_nodes_with_kvm:count',
  consequence: 'Clients of these API versions fail when a release removes them.',
  runbook: 'KubeVirtDeprecatedAPIRequested',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/KubeVirtDeprecatedAPIRequested.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { deprecatedApis: apis } = cluster.facts
    const alert = alertNamed(cluster, 'KubeVirtDeprecatedAPIRequested')
    const named = apis?.value ?? []
    if (alert === undefined && named.length === 0) {
      return apis === undefined ? notReported('the recording rules of KubeVirt') : ABSENT
    }
    return found(deprecatedApis, target, () => ({
      text: named.length === 0 ? 'Deprecated API versions are requested.' : `Requested: ${named.join(', ')}.`,
      sinceMs: named.length === 0 ? alert!.firedAtMs : apis!.sinceMs,
      evidence: [
        ...(named.length === 0 ? [] : [evidenceOf(apis!, named.join(', '))]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Find the client in the audit log or in the request counts, and move it to the current version.',
        'oc get apirequestcounts -o custom-columns=NAME:.metadata.name,REMOVED:.status.removedInRelease,REQUESTS:.status.requestCount',
      ),
    }))
  },
}
