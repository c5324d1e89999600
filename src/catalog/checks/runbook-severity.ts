import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import type { PlacedRule } from '../../rules/checks/rule-content.ts'
import type { RunbookPage } from '../runbook-page.ts'
import { onPage, proseOf, rulesOf, type CatalogContent } from './catalog-content.ts'

export const runbookSeverity: Check<CatalogContent> = {
  name: 'runbook-severity',
  title: 'A runbook names a severity or an impact that its alert does not have',
  severity: 'warning',
  why: 'Severities are changed in rules, and the page goes on calling an information critical. Severity and health impact are two things; a text that mixes them up is found here too.',
  mend: 'Say what the rule says, or say what happens instead of how it is labelled.',
  example: 'This is a critical alert.    # and severity: info in the rule',
  run: (content) =>
    [...content.pages.values()].flatMap((page) => {
      const rules = rulesOf(content, page)
      if (rules.length === 0) return []
      return SECTIONS.flatMap((section) => proseOf(page, section)).flatMap(({ from, text }) => [
        ...contradictions(page, from, text, SEVERITY_CLAIMS, 'severity', rules),
        ...contradictions(page, from, text, IMPACT_CLAIMS, 'operator_health_impact', rules),
      ])
    }),
}

const SECTIONS = ['Meaning', 'Impact']
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

function contradictions(
  page: RunbookPage,
  offset: number,
  text: string,
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
      return onPage(
        page,
        { from, to: from + match[0].length },
        `"${match[0]}": ${label} of the rule is ${[...new Set(has)].join(' or ')}`,
      )
    })
}

function levelOf(word: string): string {
  return word.toLowerCase() === 'informational' ? 'info' : word.toLowerCase()
}
