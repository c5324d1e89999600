import { nearest } from '../../base/nearest.ts'
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

function finding(
  rule: PlacedRule,
  text: YamlText,
  label: string,
  use: { from: number; to: number },
  names: string[],
): CheckFinding {
  const [near] = nearest(label, names, 1)
  const help =
    near === undefined
      ? `it may yield ${names
          .filter((name) => name !== '__name__')
          .sort()
          .join(', ')}`
      : `did you mean ${near}?`
  const message = `the expression never yields the label ${label}`
  return { file: rule.file, subject: rule.name, message, help, ...text.rangeOf(use.from, use.to) }
}

/** `$labels.name`; `.Labels.name` too, unless the dot may be something else. */
function usesOf({ text }: YamlText): { readonly label: string; readonly from: number; readonly to: number }[] {
  const hasOwnDot = /\{\{-?\s*(range|with|define|template|block)\b/.test(text)
  const pattern = hasOwnDot ? /\$labels\.(\w+)/g : /(?:\$labels|(?<![\w)])\.Labels)\.(\w+)/g
  return [...text.matchAll(/\{\{[\s\S]*?\}\}/g)].flatMap((action) =>
    [...action[0].matchAll(pattern)].map((use) => {
      const from = action.index + use.index
      return { label: use[1]!, from, to: from + use[0].length }
    }),
  )
}
