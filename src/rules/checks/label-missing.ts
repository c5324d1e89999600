import { HEALTH_IMPACTS, SEVERITIES } from '../../model/alert.ts'
import type { Check, CheckFinding } from './check.ts'
import type { PlacedRule, RuleContent } from './rule-content.ts'

export const labelMissing: Check<RuleContent> = {
  name: 'label-missing',
  title: 'An alert lacks a label that people route by',
  severity: 'error',
  why: '`severity` says how loudly to tell somebody, `operator_health_impact` what it does to the operator: two things, and the health roll-up of a cluster reads the second. With `kubernetes_operator_part_of` and `kubernetes_operator_component` they are what routes, silences and inhibitions match.',
  mend: `Set the four labels. Severities are ${SEVERITIES.join(', ')}; impacts are ${HEALTH_IMPACTS.join(', ')}.`,
  example: '- alert: CDINotReady\n  labels:\n    severity: page',
  run: ({ rules }) =>
    rules
      .filter(({ kind }) => kind === 'alerting')
      .flatMap((rule) => [
        ...oneOf(rule, 'severity', SEVERITIES),
        ...oneOf(rule, 'operator_health_impact', HEALTH_IMPACTS),
        ...oneOf(rule, 'kubernetes_operator_part_of'),
        ...oneOf(rule, 'kubernetes_operator_component'),
      ]),
}

function oneOf(rule: PlacedRule, label: string, values?: readonly string[]): CheckFinding[] {
  const text = rule.labels.get(label)
  const place = { file: rule.file, subject: rule.name }
  if (text === undefined || text.text === '') {
    return [{ ...place, message: `${rule.name} has no label ${label}`, ...rule.nameAt }]
  }
  // The value of a template is known only when the alert fires.
  if (values === undefined || values.includes(text.text) || text.text.includes('{{')) return []
  const message = `${label} is ${JSON.stringify(text.text)}`
  return [{ ...place, message, help: `want ${values.join(', ')}`, from: text.from, to: text.to }]
}
