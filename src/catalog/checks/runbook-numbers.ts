/** Compares the numbers of runbooks with their rules, using the claims of rules/checks/claims.ts. */
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import { claimsIn, type Claim } from '../../rules/checks/claims.ts'
import { contradiction, numbersOf } from '../../rules/checks/rule-numbers.ts'
import { onPage, proseOf, rulesOf, type CatalogContent } from './catalog-content.ts'

export const runbookDuration: Check<CatalogContent> = {
  name: 'runbook-duration',
  title: 'A runbook names a duration that its alert does not have',
  severity: 'warning',
  why: 'Meaning says for how long something must be so before the alert fires. When `for` or a window is changed, the page has to follow, or its reader counts back to the wrong moment.',
  mend: 'Say what the rule says. A duration of something else belongs into another section, or suppresses the check with what it is.',
  example: '## Meaning\n\nvirt-api has been down for 5 minutes.   # and for: 10m in the rule',
  run: (content) => contradictions(content, 'duration'),
}

export const runbookThreshold: Check<CatalogContent> = {
  name: 'runbook-threshold',
  title: 'A runbook names a threshold that its alert does not have',
  severity: 'warning',
  why: 'Whoever compares the value in the alert with the page must find the number that the rule compares with.',
  mend: 'Say the number of the rule.',
  example: '## Meaning\n\nMore than 80% of the requests fail.     # and > 0.05 in the rule',
  run: (content) => contradictions(content, 'threshold'),
}

function contradictions(content: CatalogContent, kind: Claim['kind']): CheckFinding[] {
  return [...content.pages.values()].flatMap((page) => {
    const rules = rulesOf(content, page).filter(({ query }) => query.expr !== undefined)
    if (rules.length === 0) return []
    const prose = proseOf(page, 'Meaning')
    // A page may refer to another alert: "above 20 GuestVCPUQueueHighCritical fires as well".
    const words = new Set(prose.flatMap(({ text }) => text.match(/\w+/g) ?? []))
    const named = content.rules.filter(({ kind, name, query }) => {
      return kind === 'alerting' && words.has(name) && query.expr !== undefined
    })
    const numbers = numbersOf([...rules, ...named], content.rules)
    return prose.flatMap(({ from, text }) =>
      claimsIn(text).flatMap((claim) => {
        const message = claim.kind === kind ? contradiction(claim, numbers) : undefined
        return message === undefined ? [] : [onPage(page, { from: from + claim.from, to: from + claim.to }, message)]
      }),
    )
  })
}
