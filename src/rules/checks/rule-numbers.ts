/** The numbers a rule really has: how long it waits and looks back, and what it compares with. */
import { formatDuration } from '../../model/duration.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import type { Claim } from './claims.ts'
import type { PlacedRule } from './rule-content.ts'
import { visit } from './visit.ts'

export interface RuleNumbers {
  readonly waitsMs: ReadonlySet<number>
  readonly windowsMs: ReadonlySet<number>
  readonly literals: ReadonlySet<number>
}

/**
 * Of all rules of one name together: a page and a text are for each of them. What they read may be recorded by rules of
 * `all`, and then the numbers of those are theirs too.
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
  // A set that grows while it is walked: what is added is walked too.
  for (const { query } of found) {
    const read = new Set(query.expr === undefined ? [] : metricNamesOf(query.expr))
    for (const rule of all) if (rule.kind === 'recording' && read.has(rule.name)) found.add(rule)
  }
  return found
}

/** Why a claim cannot be about these rules; `undefined` when it can. */
export function contradiction(claim: Claim, numbers: RuleNumbers): string | undefined {
  return claim.kind === 'duration' ? ofDuration(claim, numbers) : ofThreshold(claim, numbers)
}

function ofDuration({ value, text }: Claim, { waitsMs, windowsMs, literals }: RuleNumbers): string | undefined {
  const single = [...waitsMs, ...windowsMs]
  // "Nothing for 15 minutes" may be ten minutes of window and five of waiting.
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
  // Without a number in the rule there is nothing to contradict.
  if (fits || literals.size === 0) return undefined
  return `"${text}": the rule compares with ${[...literals].sort((a, b) => a - b).join(', ')}`
}
