/** The numbers of a rule: its `for` and `keep_firing_for`, the windows and the literals of its expression. */
import { formatDuration } from '../../model/duration.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import type { Claim } from './claims.ts'
import type { PlacedRule } from './rule-content.ts'
import { visit } from './visit.ts'

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
    if (query.expr === undefined) continue
    visit(query.expr, (node) => {
      if (node.kind === 'matrix' || node.kind === 'subquery') windowsMs.add(node.rangeMs)
      if ((node.kind === 'vector' || node.kind === 'subquery') && node.offsetMs !== 0)
        windowsMs.add(Math.abs(node.offsetMs))
      if (node.kind === 'number') literals.add(Math.abs(node.value))
    })
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

/** Why a claim contradicts these rules; `undefined` when it does not. */
export function contradiction(claim: Claim, numbers: RuleNumbers): string | undefined {
  return claim.kind === 'duration' ? ofDuration(claim, numbers) : ofThreshold(claim, numbers)
}

function ofDuration({ value, text }: Claim, { waitsMs, windowsMs, literals }: RuleNumbers): string | undefined {
  const single = [...waitsMs, ...windowsMs]
  // "Nothing for 15 minutes" may be a window of ten minutes plus `for: 5m`.
  const together = [...waitsMs].flatMap((wait) => [...windowsMs].map((window) => wait + window))
  if ([...single, ...together].includes(value) || literals.has(value / 1000)) return undefined
  const has =
    single.length === 0
      ? 'the rule waits for nothing'
      : `the rule has ${single
          .sort((a, b) => a - b)
          .map(formatDuration)
          .join(', ')}`
  return `"${text}": ${has}`
}

function ofThreshold({ value, text, isPercent }: Claim, { literals }: RuleNumbers): string | undefined {
  const shapes = isPercent ? [value, value / 100, 100 - value, (100 - value) / 100] : [value, value - 1, value + 1]
  const fits = shapes.some((shape) => [...literals].some((literal) => Math.abs(literal - shape) < 1e-9))
  // A rule without numbers contradicts nothing.
  if (fits || literals.size === 0) return undefined
  return `"${text}": the rule compares with ${[...literals].sort((a, b) => a - b).join(', ')}`
}
