import { quoteShellWord } from '../../../base/quoting.ts'
import { ABSENT, clientOf, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 23. */
export const failForward: Hazard = {
  id: 'fail_forward',
  title: 'Unsafe fail-forward is on',
  signals: 'operatorgroups (upgradeStrategy)',
  consequence: 'OLM leaves a failed version for the next one: steps are skipped while the operator is broken.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://olm.operatorframework.io/docs/advanced-tasks/unsafe-fail-forward-upgrades/'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { operatorGroupStrategy: strategy } = cluster.facts
    if (strategy === undefined) return notReported('operatorgroups')
    if (strategy.value !== 'TechPreviewUnsafeFailForward') return ABSENT
    const [, namespace = '', name = ''] = strategy.ref.split('/')
    return found(failForward, target, () => ({
      text: `The OperatorGroup ${name} has upgradeStrategy TechPreviewUnsafeFailForward.`,
      sinceMs: strategy.sinceMs,
      evidence: [evidenceOf(strategy, `upgradeStrategy: ${strategy.value}.`)],
      fix: fix(
        'Remove the strategy after the one upgrade that needed it.',
        `${clientOf(cluster)} patch operatorgroup ${quoteShellWord(name)} -n ${quoteShellWord(namespace)} --type merge -p '{"spec":{"upgradeStrategy":"Default"}}'`,
      ),
    }))
  },
}
