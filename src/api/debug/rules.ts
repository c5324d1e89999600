import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { DebugRules } from '../../contract/debug.ts'
import type { RuleGroupStatus, RuleStatus } from '../../rules/rule-status.ts'
import type { RuleReader } from '../prometheus/rules.ts'

/** `GET /debug/rules`: the last evaluation of each group with its duration and errors, and the last reload. */

/** The status of the last reload. */
export type ReadReload = () => DebugRules['reload']

export function registerDebugRules(app: FastifyInstance, rules: RuleReader, reload: ReadReload, clock: Clock): void {
  app.get(
    '/debug/rules',
    { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } },
    async (): Promise<DebugRules> => {
      const groups = await rules.groups()
      return { asOfMs: clock.nowMs(), reload: reload(), groups: groups.map(groupOf) }
    },
  )
}

function groupOf({ rules, ...group }: RuleGroupStatus): DebugRules['groups'][number] {
  return { ...group, rules: rules.map(ruleOf) }
}

function ruleOf(rule: RuleStatus): DebugRules['groups'][number]['rules'][number] {
  const { name, kind, query, health, lastError, warnings, evaluationMs, lastEvaluationMs, lastSamples } = rule
  return {
    name,
    kind,
    query,
    health,
    ...(lastError === undefined ? {} : { lastError }),
    warnings: [...warnings],
    evaluationMs,
    ...(lastEvaluationMs === undefined ? {} : { lastEvaluationMs }),
    lastSamples,
    ...(rule.kind === 'alerting'
      ? { alerts: { pending: rule.alertCounts.pending, firing: rule.alertCounts.firing } }
      : {}),
  }
}
