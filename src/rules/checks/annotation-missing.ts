import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'

const ANNOTATIONS = ['summary', 'description', 'runbook_url'] as const

export const annotationMissing: Check<RuleContent> = {
  name: 'annotation-missing',
  title: 'An alert does not say what it is',
  severity: 'error',
  why: 'The summary is what stands on a phone, the description is what a person reads next, and the runbook is what they do then. Every receiver is built on these three.',
  mend: 'Write `summary`, `description` and `runbook_url`.',
  example: '- alert: CDINotReady\n  annotations:\n    summary: CDI is not ready.',
  run: ({ rules }) =>
    rules
      .filter(({ kind }) => kind === 'alerting')
      .flatMap((rule) =>
        ANNOTATIONS.filter((name) => (rule.annotations.get(name)?.text.trim() ?? '') === '').map((name) => {
          return { file: rule.file, subject: rule.name, message: `${rule.name} has no ${name}`, ...rule.nameAt }
        }),
      ),
}
