/** Checks of what a page says of its alert: durations, thresholds, severities, labels, and metrics by name. */
import { didYouMean } from '../../base/nearest.ts'
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import type { Claim } from '../../rules/checks/claims.ts'
import { labelSetOf, mayHave } from '../../rules/checks/label-set.ts'
import type { PlacedRule } from '../../rules/checks/rule-content.ts'
import { contradictions, numbersOf } from '../../rules/checks/rule-numbers.ts'
import { codeSpansOf } from '../markdown-scan.ts'
import { LABELS } from '../page-values.ts'
import type { RunbookPage } from '../runbook-page.ts'
import { onPage, proseOf, rulesOf, type CatalogContent, type Prose } from './catalog-content.ts'

export const placeholderUnbound: Check<CatalogContent> = {
  name: 'placeholder-unbound',
  title: 'A placeholder has no value for this alert',
  severity: 'warning',
  why: 'The alert never has the label of the placeholder, so every reader sees `<name>` instead of a value.',
  fix: 'Add the label to the result of the rule, or write a command that finds the value.',
  example: '{{name}}                     # of an alert by (cluster, namespace)',
  *run(content) {
    for (const page of content.pages.values()) {
      const rules = rulesOf(content, page).filter(({ query }) => query.expr !== undefined)
      if (rules.length === 0) continue
      const sets = rules.map((rule) => ({ yielded: labelSetOf(rule.query.expr!, content.metrics), added: rule.labels }))
      const has = (label: string): boolean =>
        ALWAYS.has(label) || sets.some(({ yielded, added }) => added.has(label) || mayHave(yielded, label))
      for (const use of page.placeholders) {
        const { name } = use
        const label = LABEL_OF.get(name) ?? ((LABELS as readonly string[]).includes(name) ? name : undefined)
        if (label === undefined || has(label)) continue
        yield onPage(page, use, `{{${name}}} is filled from the label ${label}, which ${page.name} never has`)
      }
    }
  },
}

/** Labels of every alert, and the namespace, which the inventory also has. */
const ALWAYS: ReadonlySet<string> = new Set(['alertname', 'severity', 'namespace'])

/** Placeholders that are computed from a label of another name. */
const LABEL_OF: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    component_kind: 'component_name',
    component_object: 'component_name',
    annotation_operand: 'annotation_name',
  }),
)

export const runbookSeverity: Check<CatalogContent> = {
  name: 'runbook-severity',
  title: 'A runbook states a severity or an impact that its alert does not have',
  severity: 'warning',
  why: 'The severity of the rule was changed and the page was not, or the page confuses severity with health impact.',
  fix: 'State the severity of the rule, or describe the effect instead of the label.',
  example: 'This is a critical alert.    # and severity: info in the rule',
  *run(content) {
    for (const page of content.pages.values()) {
      const rules = rulesOf(content, page)
      if (rules.length === 0) continue
      for (const prose of [...proseOf(page, 'Meaning'), ...proseOf(page, 'Impact')]) {
        yield* wrongLevels(page, prose, SEVERITY_CLAIMS, 'severity', rules)
        yield* wrongLevels(page, prose, IMPACT_CLAIMS, 'operator_health_impact', rules)
      }
    }
  },
}

const LEVEL = '(critical|warning|info(?:rmational)?|none)'

const SEVERITY_CLAIMS = [
  String.raw`(?<!impact )(?<!health )\bseverity(?: is| of|:)? [\x60"*]*${LEVEL}\b`,
  String.raw`\b(?:a|an|this|the) [\x60"*]*${LEVEL}[\x60"*]* alert\b`,
  String.raw`\b(?:with|of) [\x60"*]*${LEVEL}[\x60"*]* severity\b`,
].map((pattern) => new RegExp(pattern, 'gi'))

const IMPACT_CLAIMS = [
  String.raw`\bhealth[ _]impact(?: is| of|:)? [\x60"*]*${LEVEL}\b`,
  String.raw`\b(?:a|with|of) [\x60"*]*${LEVEL}[\x60"*]* (?:operator )?health impact\b`,
].map((pattern) => new RegExp(pattern, 'gi'))

function wrongLevels(
  page: RunbookPage,
  { from: offset, text }: Prose,
  patterns: readonly RegExp[],
  label: string,
  rules: readonly PlacedRule[],
): CheckFinding[] {
  const has = rules.map((rule) => rule.labels.get(label)?.text ?? 'none')
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter((match) => !has.includes(levelOf(match[1]!)) && !has.some((value) => value.includes('{{')))
    .map((match) => {
      const from = offset + match.index
      const message = `"${match[0]}": ${label} of the rule is ${[...new Set(has)].join(' or ')}`
      return onPage(page, { from, to: from + match[0].length }, message)
    })
}

function levelOf(word: string): string {
  return word.toLowerCase() === 'informational' ? 'info' : word.toLowerCase()
}

export const runbookDuration: Check<CatalogContent> = {
  name: 'runbook-duration',
  title: 'A runbook states a duration that its alert does not have',
  severity: 'warning',
  why: 'The section Meaning states how long the condition lasts before the alert fires. If the page does not match `for` and the windows of the rule, readers compute a wrong start time.',
  fix: 'State the duration of the rule. Move other durations to another section, or suppress the check and name the duration in the reason.',
  example: '## Meaning\n\nvirt-api has been down for 5 minutes.   # and for: 10m in the rule',
  run: (content) => contradictionsInPages(content, 'duration'),
}

export const runbookThreshold: Check<CatalogContent> = {
  name: 'runbook-threshold',
  title: 'A runbook states a threshold that its alert does not have',
  severity: 'warning',
  why: 'Readers compare the value of the alert with the threshold on the page.',
  fix: 'State the threshold of the rule.',
  example: '## Meaning\n\nMore than 80% of the requests fail.     # and > 0.05 in the rule',
  run: (content) => contradictionsInPages(content, 'threshold'),
}

function* contradictionsInPages(content: CatalogContent, kind: Claim['kind']): Iterable<CheckFinding> {
  for (const page of content.pages.values()) {
    const rules = rulesOf(content, page).filter(({ query }) => query.expr !== undefined)
    if (rules.length === 0) continue
    const prose = proseOf(page, 'Meaning')
    // A page may refer to another alert: "above 20 GuestVCPUQueueHighCritical fires as well".
    const words = new Set(prose.flatMap(({ text }) => text.match(/\w+/g) ?? []))
    const named = content.rules.filter(({ kind, name, query }) => {
      return kind === 'alerting' && words.has(name) && query.expr !== undefined
    })
    const numbers = numbersOf([...rules, ...named], content.rules)
    for (const { from, text } of prose) {
      for (const found of contradictions(text, kind, numbers)) {
        yield onPage(page, { from: from + found.from, to: from + found.to }, found.message)
      }
    }
  }
}

export const metricMentioned: Check<CatalogContent> = {
  name: 'metric-mentioned',
  title: 'A text mentions an unknown metric',
  severity: 'warning',
  why: 'A query for an unknown metric returns nothing, which looks like a fault of the cluster. Checked are code spans with the prefixes of KubeVirt and of this server.',
  fix: 'Correct the name. If the text is about a removed metric, suppress the check with that reason.',
  example: 'The gauge `kubevirt_hco_unsafe_modification` counts them.',
  *run({ pages, metrics }) {
    for (const page of pages.values()) {
      for (const block of page.blocks.filter(({ kind }) => kind === 'prose')) {
        for (const { from, to, text } of codeSpansOf(page.text.slice(block.from, block.to))) {
          const name = /^((?:[a-z_]+:)?(?:kubevirt|daytwo)_[\w:]*[a-z0-9])(?:$|[{[])/.exec(text)?.[1]
          if (name === undefined || metrics.find(name) !== undefined) continue
          const at = { from: block.from + from, to: block.from + to }
          yield onPage(page, at, `no metric is called ${name}`, didYouMean(name, metrics.names))
        }
      }
    }
  },
}
