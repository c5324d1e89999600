import { labelSetOf, mayHave } from '../../rules/checks/label-set.ts'
import type { Check } from '../../rules/checks/check.ts'
import { LABELS } from '../page-values.ts'
import { onPage, rulesOf, type CatalogContent } from './catalog-content.ts'

export const placeholderUnbound: Check<CatalogContent> = {
  name: 'placeholder-unbound',
  title: 'A placeholder is never filled in for this alert',
  severity: 'warning',
  why: 'The label it is filled from is one that the alert never has: every reader sees `<name>` and has to find out what belongs there, which is what the page was to spare them.',
  mend: 'Keep the label in the rule, or write a command that finds the value.',
  example: '{{name}}                     # of an alert by (cluster, namespace)',
  run: (content) =>
    [...content.pages.values()].flatMap((page) => {
      const rules = rulesOf(content, page).filter(({ query }) => query.expr !== undefined)
      if (rules.length === 0) return []
      const sets = rules.map((rule) => ({ yielded: labelSetOf(rule.query.expr!, content.metrics), added: rule.labels }))
      const has = (label: string): boolean =>
        ALWAYS.has(label) || sets.some(({ yielded, added }) => added.has(label) || mayHave(yielded, label))
      return page.placeholders.flatMap(({ name, from, to }) => {
        const label = LABEL_OF[name] ?? ((LABELS as readonly string[]).includes(name) ? name : undefined)
        if (label === undefined || has(label)) return []
        return [
          onPage(page, { from, to }, `{{${name}}} is filled from the label ${label}, which ${page.name} never has`),
        ]
      })
    }),
}

/** Labels of every alert, and the namespace, which the inventory also has. */
const ALWAYS: ReadonlySet<string> = new Set(['alertname', 'severity', 'namespace'])

/** Placeholders that are computed from a label of another name. */
const LABEL_OF: Readonly<Record<string, string>> = {
  component_kind: 'component_name',
  component_object: 'component_name',
  annotation_operand: 'annotation_name',
}
