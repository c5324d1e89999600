/** Checks of labels that the series of an expression do not have, in PromQL and in templates. */
import { didYouMean } from '../../base/nearest.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { Aggregate, Binary, Expr } from '../../promql/ast.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { Check, CheckFinding } from './check.ts'
import { labelSetOf, labelSetOfSelector, mayHave, type LabelSet } from './label-set.ts'
import { atRule, type PlacedQuery, type RuleContent } from './rule-content.ts'
import { at, nodesOf } from './visit.ts'

export const labelUnknown: Check<RuleContent> = {
  name: 'label-unknown',
  title: 'The series do not have this label',
  severity: 'error',
  why: 'A matcher on an unknown label selects no series (with `!=`, all series); in `by`, `on` and `group_left` an unknown label has no effect. Known are the labels of the metric catalogue, those that a scrape adds, and those that identify the cluster.',
  fix: 'Correct the label. If an inner aggregation or join drops the label, add the label there.',
  example: 'expr: sum by (cluster, component) (kubevirt_hco_out_of_band_modifications_total)',
  *run({ queries, metrics }) {
    for (const { query, node } of nodesOf(queries)) {
      if (node.kind === 'vector') {
        const set = labelSetOfSelector(node, metrics)
        for (const { name, value } of node.matchers) {
          if (name === METRIC_NAME || value === '' || mayHave(set, name)) continue
          yield at(query, node, `the metric has no label ${name}`, helpFor(name, set))
        }
      }
      if (node.kind === 'aggregate' && !node.isWithout) {
        yield* ofAggregate(query, node, labelSetOf(node.expr, metrics))
      }
      if (node.kind === 'binary') yield* ofBinary(query, node, (expr) => labelSetOf(expr, metrics))
    }
  },
}

function ofAggregate(query: PlacedQuery, node: Aggregate, set: LabelSet): CheckFinding[] {
  return node.grouping
    .filter((label) => !mayHave(set, label))
    .map((label) =>
      at(query, clause(node), `${node.op} by ${label}: the series have no label ${label}`, helpFor(label, set)),
    )
}

function ofBinary(query: PlacedQuery, node: Binary, setOf: (expr: Expr) => LabelSet): CheckFinding[] {
  const { matching, left, right } = node
  if (matching === undefined) return []
  const sides = [setOf(left), setOf(right)]
  const at2 = { from: left.to, to: right.from }
  // Labels that neither side has. With a label of one side only, `on` distinguishes absent from present labels.
  const joined = (matching.isOn ? matching.labels : [])
    .filter((label) => sides.every((set) => !mayHave(set, label)))
    .map((label) => at(query, at2, `on ${label}: neither side has the label ${label}`, helpFor(label, sides[0]!)))
  const one = matching.card === 'one-to-many' ? sides[0]! : sides[1]!
  const copied = matching.include
    .filter((label) => !mayHave(one, label))
    .map((label) =>
      at(query, at2, `${label} cannot be copied: the other side has no label ${label}`, helpFor(label, one)),
    )
  return [...joined, ...copied]
}

/** The range of `sum by (...)` before the operand; the whole expression when the clause follows the operand. */
function clause(node: Aggregate): Range {
  return { from: node.from, to: node.expr.from > node.from ? node.expr.from - 1 : node.to }
}

function helpFor(label: string, set: LabelSet): string | undefined {
  if (set.isOpen) return undefined
  const names = [...set.names].filter((name) => name !== METRIC_NAME)
  const fallback = names.length === 0 ? 'they have no labels at all' : `they may have ${names.sort().join(', ')}`
  return didYouMean(label, names) ?? fallback
}

export const templateLabelUnknown: Check<RuleContent> = {
  name: 'template-label-unknown',
  title: 'A template uses a label that the result does not have',
  severity: 'error',
  why: 'A missing label is an empty text in a template: the notification reads "VM  on  is stuck". `$labels` has the labels of the sample, without those that the rule adds.',
  fix: 'Use a label of the result, or add the label to `by` and `group_left`.',
  example:
    "expr: max by (cluster) (kubevirt_vmi_non_evictable)\nannotations:\n  summary: '{{ $labels.name }} cannot be evicted.'",
  *run({ rules, metrics }) {
    for (const rule of rules) {
      if (rule.kind !== 'alerting' || rule.query.expr === undefined) continue
      const set = labelSetOf(rule.query.expr, metrics)
      const others = [...set.names].filter((name) => name !== METRIC_NAME).sort()
      for (const text of [...rule.labels.values(), ...rule.annotations.values()]) {
        for (const { label, from, to } of usesOf(text)) {
          if (mayHave(set, label)) continue
          const help = didYouMean(label, set.names) ?? `it may yield ${others.join(', ')}`
          yield atRule(rule, `the expression never yields the label ${label}`, text.rangeOf(from, to), help)
        }
      }
    }
  },
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
