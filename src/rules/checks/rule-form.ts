/** Checks of one rule beside its expression: file, identity, labels, annotations, link, name. */
import { HEALTH_IMPACTS, SEVERITIES } from '../../model/alert.ts'
import type { Check, CheckFinding } from './check.ts'
import { atRule, fromDiagnostic, type PlacedRule, type RuleContent } from './rule-content.ts'

export const ruleFileInvalid: Check<RuleContent> = {
  name: 'rule-file-invalid',
  title: 'A rule file cannot be loaded',
  severity: 'error',
  why: 'A file with one fault is refused as a whole: none of its alerts is evaluated, by this server or by a Prometheus.',
  mend: 'Fix the reported part. `daytwo check rules FILE` reports the same for one file.',
  example: 'expr: sum by (cluster) (up == 0',
  run: ({ ruleDiagnostics }) =>
    ruleDiagnostics
      .filter(({ severity }) => severity === 'error')
      .map((error) => fromDiagnostic(error, { file: error.file ?? '' })),
}

export const alertDuplicate: Check<RuleContent> = {
  name: 'alert-duplicate',
  title: 'Two rules have one identity',
  severity: 'error',
  why: 'An alert is known by its name, severity and component: state that is kept over a restart, silences and unit tests go by these. Two rules that share them cannot be distinguished. One name with different severities is fine, and used.',
  mend: 'Merge the two with `or`, or give one another name or severity.',
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
  why: 'The summary is what stands on a phone, the description is what a person reads next, and the runbook is what they do then. Every receiver is built on these three.',
  mend: 'Write `summary`, `description` and `runbook_url`.',
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
  title: 'The link to the runbook names another alert',
  severity: 'error',
  why: 'Rules are written by copying one. A link that leads to the page of another alert is worse than none: the reader trusts it.',
  mend: 'End the link with the name of the alert: `{{ $externalURL }}/rb/NAME` leads to this server.',
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
  title: 'A recorded series is not called level:metric:operations',
  severity: 'warning',
  why: 'The name of a recorded series is all that its readers see: the level says which labels it keeps, the operations what was done to the metric, newest first. Without colons it looks like something that a process exposes.',
  mend: 'Name it `level:metric:operations`, such as `cluster:kubevirt_virt_api_up:sum`. An old name that is kept for its readers suppresses this check and says for whom.',
  example: 'record: kubevirt_virt_api_up_count',
  run: ({ rules }) =>
    rules
      .filter(({ kind, name }) => kind === 'recording' && !/^[a-z_][\w]*:[a-zA-Z_]\w*:[a-z]\w*$/.test(name))
      .map((rule) => atRule(rule, `${rule.name} is not of the form level:metric:operations`)),
}
