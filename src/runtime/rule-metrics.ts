/** Daytwo's own metrics of its rule groups. */
import type { Gauge } from 'prom-client'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { EvaluationSummary, GroupReport } from '../rules/rule-status.ts'

/** Resets the gauges of all groups, because a reload may have removed some; counters continue. */
export function forgetGroups(metrics: OwnMetrics): void {
  for (const gauge of groupGauges(metrics)) gauge.reset()
}

function groupGauges(metrics: OwnMetrics): readonly Gauge<'group'>[] {
  const { ruleGroupSeconds, ruleGroupIntervalSeconds, ruleGroupLastSeconds, ruleGroupRules, ruleGroupSamples } = metrics
  return [ruleGroupSeconds, ruleGroupIntervalSeconds, ruleGroupLastSeconds, ruleGroupRules, ruleGroupSamples]
}

/** Counts one evaluation of all groups, and logs the rules that failed. */
export function countEvaluation(report: EvaluationSummary, metrics: OwnMetrics, log: Log): void {
  for (const group of report.groups) {
    const { name, errors } = group
    const failed = failedRules(group)
    metrics.ruleEvaluations.inc({ group: name, outcome: 'ok' }, group.ruleCount - failed)
    metrics.ruleEvaluations.inc({ group: name, outcome: 'failed' }, failed)
    metrics.ruleMissed.inc({ group: name }, group.missed)
    metrics.ruleIterations.inc({ group: name }, group.missed + 1)
    metrics.ruleGroupSeconds.set({ group: name }, group.evaluationMs / 1000)
    metrics.ruleGroupIntervalSeconds.set({ group: name }, group.intervalMs / 1000)
    metrics.ruleGroupLastSeconds.set({ group: name }, group.timeMs / 1000)
    metrics.ruleGroupRules.set({ group: name }, group.ruleCount)
    metrics.ruleGroupSamples.set({ group: name }, group.samples)
    for (const { rule, during, message } of errors)
      log.warn({ group: name, rule, during, error: message }, 'rule failed')
  }
}

/** Alerts that could not be stored for a restart are an error of the group; its rules were evaluated. */
export function failedRules({ errors }: Pick<GroupReport, 'errors'>): number {
  return new Set(errors.filter(({ during }) => during !== 'persist').map(({ ruleKey }) => ruleKey)).size
}
