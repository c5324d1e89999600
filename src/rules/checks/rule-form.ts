/** Checks of one rule beside its expression: file, identity, labels, annotations, link, name. */
import { HEALTH_IMPACTS, SEVERITIES } from '../../model/alert.ts'
import type { Check, CheckFinding } from './check.ts'
import { atRule, fromDiagnostic, type PlacedRule, type RuleContent } from './rule-content.ts'

export const ruleFileInvalid: Check<RuleContent> = {
  name: 'rule-file-invalid',
  title: 'A rule file cannot be loaded',
  severity: 'error',
  why: 'A file with one invalid rule is refused as a whole, by this server and by Prometheus: none of its alerts is evaluated.',
  fix: 'Fix the reported part. `daytwo check rules FILE` reports the same for one file.',
  example: 'expr: sum by (cluster) (up == 0',
  run: ({ ruleDiagnostics }) =>
    ruleDiagnostics
      .filter(({ severity }) => severity === 'error')
      .map((error) => fromDiagnostic(error, { file: error.file ?? '' })),
}

export const alertDuplicate: Check<RuleContent> = {
  name: 'alert-duplicate',
  title: 'Two rules have the same identity',
  severity: 'error',
  why: 'Name, severity and component identify an alert: restored state, silences and unit tests refer to them. Two rules with the same three cannot be distinguished. One name with several severities is valid.',
  fix: 'Merge the two rules with `or`, or change the name or severity of one of them.',
  example:
    '- alert: CDINotReady\n  labels: { severity: critical }\n- alert: CDINotReady\n  labels: { severity: critical }',
  *run({ rules }) {
    const first = new Map<string, PlacedRule>()
    for (const rule of rules.filter(({ kind }) => kind === 'alerting')) {
      const [severity = '', component = ''] = IDENTITY.map((label) => rule.labels.get(label)?.text)
      const key = JSON.stringify([rule.name, severity, component])
      const other = first.get(key)
      if (other === undefined) first.set(key, rule)
      else {
        const where = other.file === rule.file ? `group ${other.group}` : other.file
        yield atRule(rule, `${rule.name} with severity ${severity || 'none'} is already in ${where}`)
      }
    }
  },
}

const IDENTITY = ['severity', 'kubernetes_operator_component'] as const

export const labelMissing: Check<RuleContent> = {
  name: 'label-missing',
  title: 'An alert lacks a label for routing',
  severity: 'error',
  why: '`severity` is the urgency of a notification, `operator_health_impact` the effect on the operator; the health of a cluster is computed from the second. Routes, silences and inhibitions match these two, `kubernetes_operator_part_of` and `kubernetes_operator_component`.',
  fix: `Set the four labels. Severities are ${SEVERITIES.join(', ')}; impacts are ${HEALTH_IMPACTS.join(', ')}.`,
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
  if (text === undefined || text.text === '') return [atRule(rule, `${rule.name} has no label ${label}`)]
  // The value of a template is known only when the alert fires.
  if (values === undefined || values.includes(text.text) || text.text.includes('{{')) return []
  return [atRule(rule, `${label} is ${JSON.stringify(text.text)}`, text, `want ${values.join(', ')}`)]
}

const ANNOTATIONS = ['summary', 'description', 'runbook_url'] as const

export const annotationMissing: Check<RuleContent> = {
  name: 'annotation-missing',
  title: 'An alert lacks summary, description or runbook',
  severity: 'error',
  why: 'Every receiver uses these three: the summary is the title of the notification, the description explains the alert, and the runbook has the steps.',
  fix: 'Write `summary`, `description` and `runbook_url`.',
  example: '- alert: CDINotReady\n  annotations:\n    summary: CDI is not ready.',
  run: ({ rules }) =>
    rules
      .filter(({ kind }) => kind === 'alerting')
      .flatMap((rule) =>
        ANNOTATIONS.filter((name) => (rule.annotations.get(name)?.text.trim() ?? '') === '').map((name) =>
          atRule(rule, `${rule.name} has no ${name}`),
        ),
      ),
}

export const runbookUrl: Check<RuleContent> = {
  name: 'runbook-url',
  title: 'The runbook link names another alert',
  severity: 'error',
  why: 'Rules are often copied. An engineer who follows the link of a copied rule works with the runbook of a different alert.',
  fix: 'End the link with the name of the alert: `{{ $externalURL }}/rb/NAME` is the address on this server.',
  example: "- alert: CDINotReady\n  annotations:\n    runbook_url: '{{ $externalURL }}/rb/CDIOperatorDown'",
  *run({ rules }) {
    for (const rule of rules) {
      const url = rule.annotations.get('runbook_url')
      if (rule.kind !== 'alerting' || url === undefined) continue
      const name = /([^/#?]*?)(?:\.md)?(?:[?#].*)?$/.exec(url.text)?.[1] ?? ''
      if (name === rule.name || name.includes('{{') || url.text.trim() === '') continue
      const message = `the runbook link of ${rule.name} names ${JSON.stringify(name)}`
      yield atRule(rule, message, url, `want .../${rule.name}`)
    }
  },
}

export const recordingRuleName: Check<RuleContent> = {
  name: 'recording-rule-name',
  title: 'The name of a recorded series is not level:metric:operations',
  severity: 'warning',
  why: 'The name documents the series: the level lists the labels of the result, the operations list what was applied to the metric, newest first. A name without colons looks like a metric that a process exposes.',
  fix: 'Rename the series to `level:metric:operations`, such as `cluster:kubevirt_virt_api_up:sum`. For an old name that other queries still use, suppress the check and name these queries.',
  example: 'record: kubevirt_virt_api_up_count',
  run: ({ rules }) =>
    rules
      .filter(({ kind, name }) => kind === 'recording' && !/^[a-z_][\w]*:[a-zA-Z_]\w*:[a-z]\w*$/.test(name))
      .map((rule) => atRule(rule, `${rule.name} is not of the form level:metric:operations`)),
}
