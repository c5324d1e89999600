import { Labels, METRIC_NAME } from '../../model/labels.ts'
import { unwrapParens, type Expr } from '../ast.ts'

/**
 * The labels of a series that is not there: those which the selector asks for by equality, once. Anything but a
 * selector gives no labels.
 */
export function absentLabels(arg: Expr): Labels {
  const expr = unwrapParens(arg)
  const selector = expr.kind === 'matrix' ? expr.selector : expr
  if (selector.kind !== 'vector') return Labels.EMPTY
  const known = new Map<string, string>()
  const seen = new Set<string>()
  for (const { name, op, value } of selector.matchers) {
    if (name === METRIC_NAME) continue
    if (op === '=' && !seen.has(name)) known.set(name, value)
    else known.delete(name)
    if (op === '=') seen.add(name)
  }
  return Labels.fromPairs(known)
}
