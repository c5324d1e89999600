import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'

export const runbookUrl: Check<RuleContent> = {
  name: 'runbook-url',
  title: 'The link to the runbook names another alert',
  severity: 'error',
  why: 'Rules are written by copying one. A link that leads to the page of another alert is worse than none: the reader trusts it.',
  mend: 'End the link with the name of the alert: `{{ $externalURL }}/rb/NAME` leads to this server.',
  example: "- alert: CDINotReady\n  annotations:\n    runbook_url: '{{ $externalURL }}/rb/CDIOperatorDown'",
  run: ({ rules }) =>
    rules.flatMap((rule) => {
      const url = rule.annotations.get('runbook_url')
      if (rule.kind !== 'alerting' || url === undefined) return []
      const last = /([^/#?]*?)(?:\.md)?(?:[?#].*)?$/.exec(url.text)
      const name = last?.[1] ?? ''
      if (name === rule.name || name.includes('{{') || url.text.trim() === '') return []
      const message = `the runbook of ${rule.name} is said to be ${JSON.stringify(name)}`
      return [
        { file: rule.file, subject: rule.name, message, help: `want .../${rule.name}`, from: url.from, to: url.to },
      ]
    }),
}
