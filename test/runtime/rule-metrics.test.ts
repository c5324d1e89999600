import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { countEvaluation } from '../../src/runtime/rule-metrics.ts'
import type { GroupReport, RuleError } from '../../src/rules/rule-status.ts'

const NAME = 'kubevirt-control-plane'

function groupOf(errors: readonly RuleError[]): GroupReport {
  const times = { intervalMs: 30_000, timeMs: 1_787_220_000_000, evaluationMs: 5 }
  return { name: NAME, file: 'a.yaml', ...times, missed: 0, ruleCount: 2, samples: 0, errors }
}

test('a rule that failed is counted once, and alerts that could not be kept are no rule', async () => {
  const metrics = createOwnMetrics('1.2.3')
  const errorOf = (rule: string, during: RuleError['during']): RuleError => ({
    rule,
    ruleKey: rule,
    during,
    message: 'the disk is full',
  })
  const full = groupOf([errorOf('A', 'append'), errorOf('B', 'append'), errorOf('', 'persist')])
  const report = { nowMs: full.timeMs, groups: [full, groupOf([errorOf('', 'persist')])], hasTransitions: false }
  countEvaluation(report, metrics, createLog('silent'))
  const { values } = await metrics.ruleEvaluations.get()
  expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([
    ['ok', 2],
    ['failed', 2],
  ])
})
