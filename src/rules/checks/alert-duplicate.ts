import type { Check, CheckFinding } from './check.ts'
import type { PlacedRule, RuleContent } from './rule-content.ts'

export const alertDuplicate: Check<RuleContent> = {
  name: 'alert-duplicate',
  title: 'Two rules have one identity',
  severity: 'error',
  why: 'An alert is known by its name, severity and component: state that is kept over a restart, silences and unit tests go by these. Of two rules that share them nobody can say which one fired. One name with different severities is fine, and used.',
  mend: 'Merge the two with `or`, or give one another name or severity.',
  example:
    '- alert: CDINotReady\n  labels: { severity: critical }\n- alert: CDINotReady\n  labels: { severity: critical }',
  run({ rules }) {
    const first = new Map<string, PlacedRule>()
    const found: CheckFinding[] = []
    for (const rule of rules.filter(({ kind }) => kind === 'alerting')) {
      const [severity = '', component = ''] = IDENTITY.map((label) => rule.labels.get(label)?.text)
      const key = JSON.stringify([rule.name, severity, component])
      const other = first.get(key)
      if (other === undefined) first.set(key, rule)
      else {
        const where = other.file === rule.file ? `group ${other.group}` : other.file
        const message = `${rule.name} with severity ${severity || 'none'} is already in ${where}`
        found.push({ file: rule.file, subject: rule.name, message, ...rule.nameAt })
      }
    }
    return found
  },
}

const IDENTITY = ['severity', 'kubernetes_operator_component'] as const
