import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'

export const promqlInvalid: Check<RuleContent> = {
  name: 'promql-invalid',
  title: 'PromQL in a runbook or panel does not parse',
  severity: 'error',
  why: 'A live cell or a panel with such a query shows an error instead of an answer, at the moment in which it is needed.',
  mend: 'Mend the expression at the caret.',
  example: '```promql live\nmax(kubevirt_info{cluster="{{cluster}}"\n```',
  run: ({ queries }) =>
    queries
      .filter(({ source }) => source !== 'rule')
      .flatMap(({ file, subject, errors }) =>
        errors.map(({ from, to, message, help }) => {
          return { file, subject, from, to, message, ...(help === undefined ? {} : { help }) }
        }),
      ),
}
