import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'

export const ruleFileInvalid: Check<RuleContent> = {
  name: 'rule-file-invalid',
  title: 'A rule file cannot be loaded',
  severity: 'error',
  why: 'A file with one fault is refused as a whole: none of its alerts is evaluated, by this server or by a Prometheus.',
  mend: 'Mend what the message names. `daytwo check rules FILE` says the same of one file.',
  example: 'expr: sum by (cluster) (up == 0',
  run: ({ ruleDiagnostics }) =>
    ruleDiagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ file = '', from, to, message, help }) => {
        return { file, from, to, message, ...(help === undefined ? {} : { help }) }
      }),
}
