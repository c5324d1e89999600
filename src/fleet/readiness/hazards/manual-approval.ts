import { quoteShellWord } from '../../../base/quoting.ts'
import { ABSENT, clientOf, evidenceNow, fix, found, installNamespaceOf, notReported, type Hazard } from '../hazard.ts'

/** Hazard 11. */
export const manualApproval: Hazard = {
  id: 'manual_approval',
  title: 'Manual approval of install plans',
  signals: 'subscriptions, or subscription_sync_total',
  consequence: 'The upgrade waits for an approval: the versions of operator and platform diverge meanwhile.',
  runbook: 'DaytwoApprovalWaiting',
  sources: ['https://olm.operatorframework.io/docs/concepts/crds/subscription/'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { subscription } = cluster.record
    if (subscription === undefined || subscription.approval === '')
      return notReported('subscriptions and subscription_sync_total')
    if (subscription.approval !== 'Manual') return ABSENT
    return found(manualApproval, target, () => ({
      text: `The Subscription (channel ${subscription.channel}) requires manual approval.`,
      evidence: [evidenceNow(cluster, `subscriptions/${subscription.package}`, 'installPlanApproval: Manual.')],
      fix: fix(
        'Approve the install plan in the maintenance window, or set the approval to Automatic.',
        `${clientOf(cluster)} get installplans -n ${quoteShellWord(installNamespaceOf(cluster))} -o custom-columns=NAME:.metadata.name,CSV:.spec.clusterServiceVersionNames,APPROVED:.spec.approved`,
      ),
    }))
  },
}
