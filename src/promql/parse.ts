import type { Tree } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { messageOf } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Expr } from './ast.ts'
import { buildExpr } from './build.ts'
import { check } from './check.ts'
import { DEPTH_MAX, NESTING_MAX, STABLE_LANGUAGE, type ParseOptions } from './parse-options.ts'
import { PromqlError, refuse } from './promql-error.ts'
import { normalise } from './normalise.ts'
import { scan, type Scan } from './scan.ts'
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
export function parseSelector(text: string): Matcher[] {
  const expr = parseExpr(text)
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
  const scanned = scan(text)
  refuseTooNested(scanned, text, options)
  const end = scanned.error?.from ?? text.length
  const tree = parseTree(normalise(text, scanned).slice(0, end))
  const error = syntaxErrorOf(scanned, typeof tree === 'number' ? tree : undefined, text)
  if (error !== undefined) throw new PromqlError(text, error)
  invariant(typeof tree !== 'number', 'a text without a syntax error has a tree')
  refuseTooDeep(tree, text, options)
  return buildExpr(tree.topNode, text, options)
}

/** Strict: the first error ends parsing. Error recovery would cost more than it helps. */
const strictParser = parser.configure({ strict: true })

/** The tree, or the offset at which the grammar failed. */
function parseTree(text: string): Tree | number {
  try {
    const parse = strictParser.startParse(text)
    for (;;) {
      const tree = parse.advance()
      if (tree !== null) return tree
      // After 300 operators to the left of another the parser ends the expression, for the sake of editors: a tree would
      // become deep. `refuseTooDeep` has a limit of its own.
      if ('bigReductionCount' in parse) parse.bigReductionCount = 0
    }
  } catch (thrown) {
    const offset = /^No parse at (\d+)$/.exec(messageOf(thrown))?.[1]
    if (offset === undefined) throw thrown
    return Number(offset)
  }
}

function refuseTooNested({ tokens }: Scan, text: string, { nestingMax = NESTING_MAX }: ParseOptions): void {
  let depth = 0
  for (const token of tokens) {
    if (token.kind === 'punctuation' && token.text === '(') depth++
    else if (token.kind === 'punctuation' && token.text === ')') depth--
    if (depth <= nestingMax) continue
    refuse(
      text,
      token.from,
      token.to,
      `expression is nested deeper than ${nestingMax} parentheses (promql_nesting_max)`,
    )
  }
}

function refuseTooDeep(tree: Tree, text: string, { depthMax = DEPTH_MAX }: ParseOptions): void {
  // Each level is at least one character.
  if (text.length <= depthMax) return
  let depth = 0
  tree.iterate({
    enter: ({ from, to }) => {
      if (++depth <= depthMax) return
      refuse(text, from, to, `expression is deeper than ${depthMax} operators and calls (promql_depth_max)`)
    },
    leave: () => {
      depth--
    },
  })
}
