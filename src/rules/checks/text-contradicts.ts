/** Compares annotations with their rule. `catalog/checks` compares pages in the same way. */
import type { Check, CheckFinding } from './check.ts'
import { claimsIn, type Claim } from './claims.ts'
import { contradiction, numbersOf } from './rule-numbers.ts'
import type { RuleContent } from './rule-content.ts'

export const textDuration: Check<RuleContent> = {
  name: 'text-duration',
  title: 'An annotation names a duration that the rule does not have',
  severity: 'warning',
  why: '"For 10 minutes" in the text and `for: 5m` in the rule: one of them was changed and the other was not. Whoever reads the message counts back to the wrong moment.',
  mend: 'Say what `for`, `keep_firing_for` and the windows of the expression say, or their sum.',
  example: 'for: 5m\nannotations:\n  description: It has been down for 10 minutes.',
  run: (content) => contradictions(content, 'duration'),
}

export const textThreshold: Check<RuleContent> = {
  name: 'text-threshold',
  title: 'An annotation names a threshold that the rule does not have',
  severity: 'warning',
  why: 'The text says what is too much, and the expression compares with something else.',
  mend: 'Say the number of the expression, or print `$value`.',
  example:
    'expr: max by (cluster) (kubevirt_vmi_number_of_outdated) > 20\nannotations:\n  summary: More than 50 machines are outdated.',
  run: (content) => contradictions(content, 'threshold'),
}

function contradictions({ rules }: RuleContent, kind: Claim['kind']): CheckFinding[] {
  return rules.flatMap((rule) => {
    if (rule.kind !== 'alerting' || rule.query.expr === undefined) return []
    const numbers = numbersOf([rule], rules)
    return ['summary', 'description'].flatMap((name) => {
      const text = rule.annotations.get(name)
      return (text === undefined ? [] : claimsIn(text.text)).flatMap((claim): CheckFinding[] => {
        const message = claim.kind === kind ? contradiction(claim, numbers) : undefined
        return message === undefined
          ? []
          : [{ file: rule.file, subject: rule.name, message, ...text!.rangeOf(claim.from, claim.to) }]
      })
    })
  })
}
