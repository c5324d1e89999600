import type { Range } from '../../yaml/yaml-reader.ts'
import { didYouMean } from '../../base/nearest.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { Check, CheckFinding } from './check.ts'
import { labelSetOf, mayHave } from './label-set.ts'
import type { PlacedRule, RuleContent } from './rule-content.ts'

export const templateLabelUnknown: Check<RuleContent> = {
  name: 'template-label-unknown',
  title: 'A template uses a label that the expression never yields',
  severity: 'error',
  why: 'In a template an absent label is the empty text. "Virtual machine  on  is stuck" reaches somebody at night, and nothing says that a label was meant to stand there. `$labels` has the labels of the sample, without those that the rule adds.',
  mend: 'Use a label that the expression keeps, or keep the label in its `by` and `group_left`.',
  example:
    "expr: max by (cluster) (kubevirt_vmi_non_evictable)\nannotations:\n  summary: '{{ $labels.name }} cannot be evicted.'",
  run: ({ rules, metrics }) =>
    rules.flatMap((rule) => {
      if (rule.kind !== 'alerting' || rule.query.expr === undefined) return []
      const set = labelSetOf(rule.query.expr, metrics)
      return [...rule.labels.values(), ...rule.annotations.values()].flatMap((text) =>
        usesOf(text)
          .filter(({ label }) => !mayHave(set, label))
          .map(({ label, from, to }) => finding(rule, text, label, { from, to }, [...set.names])),
      )
    }),
}

function finding(rule: PlacedRule, text: YamlText, label: string, use: Range, names: string[]): CheckFinding {
  const others = names.filter((name) => name !== '__name__').sort()
  const help = didYouMean(label, names) ?? `it may yield ${others.join(', ')}`
  const message = `the expression never yields the label ${label}`
  return { file: rule.file, subject: rule.name, message, help, ...text.rangeOf(use.from, use.to) }
}

/** Uses of `$labels.name`, and of `.Labels.name` unless the template changes the dot. */
function usesOf({ text }: YamlText): (Range & { readonly label: string })[] {
  const hasOwnDot = /\{\{-?\s*(range|with|define|template|block)\b/.test(text)
  const pattern = hasOwnDot ? /\$labels\.(\w+)/g : /(?:\$labels|(?<![\w)])\.Labels)\.(\w+)/g
  return [...text.matchAll(/\{\{[\s\S]*?\}\}/g)].flatMap((action) =>
    [...action[0].matchAll(pattern)].map((use) => {
      const from = action.index + use.index
      return { label: use[1]!, from, to: from + use[0].length }
    }),
  )
}
