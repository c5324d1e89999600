import type { SyntaxNode } from '@lezer/common'
import type { DurationExpr, DurationLiteral, DurationOp } from './ast.ts'
import { DURATION_SECONDS_MAX } from './durations.ts'
import { quoteGo } from '../base/go-quote.ts'
import { isDurationText, parseNumber } from './literals.ts'
import { ENABLE_HINT, type ParseOptions } from './parse-options.ts'
import { refuse } from './promql-error.ts'

/**
 * Builds the durations in brackets and after `offset`: a literal with an optional sign, or arithmetic, which is
 * experimental in Prometheus. Errors come in the order of Prometheus' parser: inner parts first.
 */
export function buildDuration(node: SyntaxNode, text: string, options: ParseOptions): DurationExpr {
  const isOffset = node.name === 'OffsetDurationExpr'
  const experimental = <T extends DurationExpr>(expr: T, at: DurationExpr = expr): T => {
    if (!options.experimental) {
      refuse(text, at.from, at.to, `experimental duration expression is not enabled: ${ENABLE_HINT}`)
    }
    return expr
  }
  const build = (one: SyntaxNode): DurationExpr => {
    const [first, second, third] = named(one)
    const { from, to } = one
    switch (first!.name) {
      case 'NumberDurationLiteralInDurationContext':
        return literal(first!, text)
      case 'DurationStep':
      case 'DurationRange':
        return experimental(Object.freeze({ kind: first!.name === 'DurationStep' ? 'step' : 'range', from, to }))
      case 'DurationMinOf':
      case 'DurationMaxOf': {
        const op = first!.name === 'DurationMinOf' ? 'min_of' : 'max_of'
        return experimental(arithmetic(op, build(second!), build(third!), from, to))
      }
      case 'UnaryOp': {
        const inner = named(second!)[0]!
        if (isOffset && inner.name === 'UnaryOp') {
          const op = text.slice(inner.from, inner.to)
          refuse(text, inner.from, inner.to, `unexpected <op:${op}> in offset, expected ${DURATION_START}`)
        }
        return signed(text.slice(first!.from, first!.to), build(second!), from)
      }
    }
    if (third === undefined) {
      const expr = build(first!)
      return experimental(Object.freeze({ kind: 'paren', expr, from, to }), expr)
    }
    const op = text.slice(second!.from, second!.to) as DurationOp
    const [left, right] = [build(first!), build(third)]
    experimental(left)
    if ((op === '/' || op === '%') && right.kind === 'literal' && right.seconds === 0) {
      refuse(text, second!.from, second!.to, op === '/' ? 'division by zero' : 'modulo by zero')
    }
    return arithmetic(op, left, right, left.from, right.to)
  }
  return build(node)
}

/** The valid first tokens of a duration, as error messages name them. */
export const DURATION_START = 'number, duration, step(), or range()'

function arithmetic(op: DurationOp, left: DurationExpr, right: DurationExpr, from: number, to: number): DurationExpr {
  return Object.freeze({ kind: 'arithmetic', op, left, right, from, to })
}

/** `-5m` is a literal; a minus before any other operand is an operation, and a plus has no effect. */
function signed(op: string, expr: DurationExpr, from: number): DurationExpr {
  if (expr.kind === 'literal')
    return Object.freeze({ ...expr, seconds: op === '-' ? -expr.seconds : expr.seconds, from })
  return op === '-' ? Object.freeze({ kind: 'negation', expr, from, to: expr.to }) : expr
}

function literal({ from, to }: SyntaxNode, text: string): DurationLiteral {
  const written = text.slice(from, to)
  const seconds = parseNumber(written)
  if (seconds === undefined) return refuse(text, from, to, `not a valid duration string: ${quoteGo(written)}`)
  if (!(seconds <= DURATION_SECONDS_MAX)) return refuse(text, from, to, 'duration out of range')
  return Object.freeze({ kind: 'literal', seconds, isDuration: isDurationText(written), from, to })
}

/** The named children of a node, without comments and punctuation. */
export function named(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return children
}
