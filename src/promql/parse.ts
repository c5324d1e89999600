import type { Tree } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { messageOf } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Expr } from './ast.ts'
import { buildExpr } from './build.ts'
import { check } from './check.ts'
import { DEFAULT_PARSE_LIMITS, STABLE_LANGUAGE, type ParseOptions } from './parse-options.ts'
import { PromqlError, refuse } from './promql-error.ts'
import { normalise } from './normalise.ts'
import { scan } from './scan.ts'
import { syntaxErrorOf } from './syntax-error.ts'

/**
 * From text to a checked, frozen tree. The scanner finds invalid tokens, the Lezer grammar gives the shape, build.ts
 * creates the nodes, check.ts refuses well-formed but invalid expressions. Semantics of Prometheus 3.
 */

/** Throws `PromqlError` with the first error. */
export function parseExpr(text: string, options: ParseOptions = STABLE_LANGUAGE): Expr {
  const expr = parseUnchecked(text, options)
  const [first] = check(expr, text)
  if (first !== undefined) throw new PromqlError(text, first)
  return expr
}

/** The matchers of a bare series selector, as in `match[]`. Throws `PromqlError`. */
export function parseSelector(text: string, options: ParseOptions = STABLE_LANGUAGE): Matcher[] {
  const expr = parseExpr(text, options)
  if (expr.kind !== 'vector' || expr.offsetMs !== 0 || expr.at !== undefined) {
    refuse(text, expr.from, expr.to, 'expected a series selector without modifiers')
  }
  return [...expr.matchers]
}

/** All errors of an expression; empty when it can be evaluated. */
export function diagnose(text: string, options: ParseOptions = STABLE_LANGUAGE): Diagnostic[] {
  try {
    return check(parseUnchecked(text, options), text)
  } catch (thrown) {
    if (thrown instanceof PromqlError) return [thrown.diagnostic]
    throw thrown
  }
}

function parseUnchecked(text: string, options: ParseOptions): Expr {
  const { limits = DEFAULT_PARSE_LIMITS } = options
  if (text.length > limits.lengthMax) {
    const message = `expression has ${text.length} characters, promql.length-max is ${limits.lengthMax}`
    refuse(text, limits.lengthMax, text.length, message)
  }
  const scanned = scan(text, limits)
  const end = scanned.error?.from ?? text.length
  const tree = parseTree(normalise(text, scanned).slice(0, end), text)
  const error = syntaxErrorOf(scanned, typeof tree === 'number' ? tree : undefined, text)
  if (error !== undefined) throw new PromqlError(text, error)
  invariant(typeof tree !== 'number', 'a text without a syntax error has a tree')
  return buildExpr(tree.topNode, text, options)
}

/** Strict: the first error ends parsing. Error recovery would cost more than it helps. */
const strictParser = parser.configure({ strict: true })

/** The parser gives up at a stack of 8,400 numbers. Signs and brackets within the limits may together need more. */
const STACK_MAX = 8300

/** The tree, or the offset at which the grammar failed. */
function parseTree(normal: string, text: string): Tree | number {
  const parse = strictParser.startParse(normal)
  try {
    for (;;) {
      const tree = parse.advance()
      if (tree !== null) return tree
      // After 300 operators to the left of another the parser ends the expression, for the sake of editors: a tree would
      // become deep. The scanner has limits of its own.
      if ('bigReductionCount' in parse) parse.bigReductionCount = 0
      if (stackOf(parse) > STACK_MAX) {
        const at = parse.parsedPos
        refuse(text, at, at, 'signs and brackets are nested too deep (promql.nesting-max, promql.depth-max)')
      }
    }
  } catch (thrown) {
    const offset = /^No parse at (\d+)$/.exec(messageOf(thrown))?.[1]
    if (offset === undefined) throw thrown
    return Number(offset)
  }
}

/** Lezer's type does not have it. */
function stackOf(parse: object): number {
  return (
    (parse as { readonly stacks?: readonly { readonly stack: readonly number[] }[] }).stacks?.[0]?.stack.length ?? 0
  )
}
