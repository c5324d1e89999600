import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'

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
      .map((rule) => {
        const message = `${rule.name} is not of the form level:metric:operations`
        return { file: rule.file, subject: rule.name, message, ...rule.nameAt }
      }),
}
