/**
 * The numbers of a rule (`for`, `keep_firing_for`, the windows and the literals of its expression), and texts that
 * contradict them: annotations here, pages in `catalog/checks`.
 */
import { formatDuration } from '../../model/duration.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { Check, CheckFinding } from './check.ts'
import { claimsIn, type Claim } from './claims.ts'
import { atRule, type PlacedRule, type RuleContent } from './rule-content.ts'
import { nodesOf } from './visit.ts'

export const textDuration: Check<RuleContent> = {
  name: 'text-duration',
  title: 'An annotation states a duration that the rule does not have',
  severity: 'warning',
  why: 'The text states for example "for 10 minutes" and the rule has `for: 5m`: one of the two was changed. Readers compute a wrong start time.',
  fix: 'State `for`, `keep_firing_for`, a window of the expression, or their sum.',
  example: 'for: 5m\nannotations:\n  description: It has been down for 10 minutes.',
  run: (content) => contradictionsInTexts(content, 'duration'),
}

export const textThreshold: Check<RuleContent> = {
  name: 'text-threshold',
  title: 'An annotation states a threshold that the rule does not have',
  severity: 'warning',
  why: 'The text states a threshold that differs from the expression.',
  fix: 'State the threshold of the expression, or print `$value`.',
  example:
    'expr: max by (cluster) (kubevirt_vmi_number_of_outdated) > 20\nannotations:\n  summary: More than 50 VMs are outdated.',
  run: (content) => contradictionsInTexts(content, 'threshold'),
}

function* contradictionsInTexts({ rules }: RuleContent, kind: Claim['kind']): Iterable<CheckFinding> {
  for (const rule of rules) {
    if (rule.kind !== 'alerting' || rule.query.expr === undefined) continue
    const numbers = numbersOf([rule], rules)
    for (const text of [rule.annotations.get('summary'), rule.annotations.get('description')]) {
      for (const { message, from, to } of text === undefined ? [] : contradictions(text.text, kind, numbers)) {
        yield atRule(rule, message, text!.rangeOf(from, to))
      }
    }
  }
}

interface RuleNumbers {
  readonly waitsMs: ReadonlySet<number>
  readonly windowsMs: ReadonlySet<number>
  readonly literals: ReadonlySet<number>
}

/**
 * The numbers of all rules with one name together, because a page describes each of them. Includes the numbers of the rules
 * of `all` that record what they read.
 */
export function numbersOf(rules: readonly PlacedRule[], all: readonly PlacedRule[]): RuleNumbers {
  const [waitsMs, windowsMs, literals] = [new Set<number>(), new Set<number>(), new Set<number>()]
  for (const { query, forMs, keepFiringForMs } of withRecorded(rules, all)) {
    for (const wait of [forMs, keepFiringForMs]) if (wait > 0) waitsMs.add(wait)
    for (const { node } of nodesOf([query])) {
      if (node.kind === 'matrix' || node.kind === 'subquery') windowsMs.add(node.rangeMs)
      if ((node.kind === 'vector' || node.kind === 'subquery') && node.offsetMs !== 0)
        windowsMs.add(Math.abs(node.offsetMs))
      if (node.kind === 'number') literals.add(Math.abs(node.value))
    }
  }
  return { waitsMs, windowsMs, literals }
}

function withRecorded(rules: readonly PlacedRule[], all: readonly PlacedRule[]): ReadonlySet<PlacedRule> {
  const found = new Set(rules)
  // Iterating a Set also visits the entries added during the iteration.
  for (const { query } of found) {
    const read = new Set(query.expr === undefined ? [] : metricNamesOf(query.expr))
    for (const rule of all) if (rule.kind === 'recording' && read.has(rule.name)) found.add(rule)
  }
  return found
}

/** The claims of a text that contradict these rules. Offsets are into the text. */
export function contradictions(
  text: string,
  kind: Claim['kind'],
  numbers: RuleNumbers,
): (Range & { readonly message: string })[] {
  const why = kind === 'duration' ? ofDuration : ofThreshold
  return claimsIn(text)
    .filter((claim) => claim.kind === kind)
    .flatMap((claim) => {
      const message = why(claim, numbers)
      return message === undefined ? [] : [{ message, from: claim.from, to: claim.to }]
    })
}

function ofDuration({ value, text }: Claim, { waitsMs, windowsMs, literals }: RuleNumbers): string | undefined {
  const single = [...waitsMs, ...windowsMs]
  // "Nothing for 15 minutes" may be a window of ten minutes plus `for: 5m`.
  const together = [...waitsMs].flatMap((wait) => [...windowsMs].map((window) => wait + window))
  if ([...single, ...together].includes(value) || literals.has(value / 1000)) return undefined
  if (single.length === 0) return `"${text}": the rule waits for nothing`
  const durations = single.sort((a, b) => a - b).map(formatDuration)
  return `"${text}": the rule has ${durations.join(', ')}`
}

function ofThreshold({ value, text, isPercent }: Claim, { literals }: RuleNumbers): string | undefined {
  const shapes = isPercent ? [value, value / 100, 100 - value, (100 - value) / 100] : [value, value - 1, value + 1]
  const fits = shapes.some((shape) => [...literals].some((literal) => Math.abs(literal - shape) < 1e-9))
  // A rule without numbers contradicts nothing.
  if (fits || literals.size === 0) return undefined
  return `"${text}": the rule compares with ${[...literals].sort((a, b) => a - b).join(', ')}`
}
