import { ABSENT, clientOf, evidenceNow, fix, found, type Hazard } from '../hazard.ts'

/** The platform and the operator are upgraded one after the other. */
export const openUpgrade: Hazard = {
  id: 'open_upgrade',
  title: 'Another upgrade is in progress',
  signals: 'upgrades derived from objects or metrics',
  consequence: 'A second upgrade waits for the first one, or drains nodes while VMs are migrated for it.',
  runbook: 'DaytwoUpgradeStuck',
  sources: ['https://github.com/openshift/cluster-version-operator/blob/main/docs/dev/upgrades.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { open, record } = cluster
    const [first] = open
    if (first === undefined && record.platform?.target === undefined) return ABSENT
    const name = first === undefined ? `openshift to ${record.platform!.target!}` : `${first.operator} to ${first.to}`
    return found(openUpgrade, target, () => ({
      text: `In progress: ${name}.`,
      ...(first?.startedMs === undefined ? {} : { sinceMs: first.startedMs }),
      evidence: [evidenceNow(cluster, 'upgrades', `Upgrade of ${name}.`)],
      fix: fix('Wait until it has ended.', `${clientOf(cluster)} get clusterserviceversions -A`),
    }))
  },
}
