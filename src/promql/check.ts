import type { Diagnostic } from '../model/diagnostic.ts'
import { METRIC_NAME } from '../model/labels.ts'
import { compileMatcher } from '../model/matcher.ts'
import { NO_REGEX_LIMITS } from '../model/regex-limits.ts'
import {
  isComparison,
  isSetOp,
  isTrim,
  unwrapParens,
  type Aggregate,
  type Binary,
  type Call,
  type Expr,
  type Extension,
  type ValueType,
  type VectorSelector,
} from './ast.ts'
import { FUNCTIONS } from './functions.ts'
import { quoteGo } from '../base/go-quote.ts'
import { isLabelName } from './literals.ts'

/**
 * Checks well-formed expressions: types, number of arguments, matchers that select everything. The rules and the
 * messages are Prometheus'. Findings come in its order: inner parts first.
 */
export function check(expr: Expr, text: string): Diagnostic[] {
  const checker = new Checker(text)
  checker.check(expr)
  return checker.found
}

/** The names of types as Prometheus shows them. */
const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
}

/** The type of an expression, from its syntax alone. */
export function typeOf(expr: Expr): ValueType {
  switch (expr.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'vector':
    case 'aggregate':
      return 'vector'
    case 'matrix':
    case 'subquery':
      return 'matrix'
    case 'call':
      return FUNCTIONS[expr.func]!.returns
    case 'unary':
    case 'paren':
      return typeOf(expr.expr)
    case 'binary':
      return typeOf(expr.left) === 'scalar' && typeOf(expr.right) === 'scalar' ? 'scalar' : 'vector'
  }
}

const EXTENDED_FUNCTIONS: Readonly<Record<Extension, readonly string[]>> = {
  anchored: ['changes', 'delta', 'increase', 'rate', 'resets'],
  smoothed: ['delta', 'increase', 'rate'],
}

class Checker {
  readonly found: Diagnostic[] = []
  /** Selectors that may match everything. */
  readonly #infoSelectors = new Set<VectorSelector>()
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  check(expr: Expr): ValueType {
    switch (expr.kind) {
      case 'number':
      case 'string':
        break
      case 'vector':
        this.#selector(expr)
        break
      case 'matrix':
        this.#selector(expr.selector)
        break
      case 'paren':
        return this.check(expr.expr)
      case 'unary': {
        const type = this.check(expr.expr)
        if (type !== 'scalar' && type !== 'vector') {
          const got = quoteGo(TYPE_NAMES[type])
          this.#find(expr, `unary expression only allowed on expressions of type scalar or instant vector, got ${got}`)
        }
        return type
      }
      case 'subquery': {
        const type = this.check(expr.expr)
        if (type !== 'vector') this.#find(expr, `subquery is only allowed on instant vector, got ${type} instead`)
        break
      }
      case 'aggregate':
        this.#aggregate(expr)
        break
      case 'call':
        this.#call(expr)
        break
      case 'binary':
        return this.#binary(expr)
    }
    return typeOf(expr)
  }

  #find({ from, to }: Pick<Diagnostic, 'from' | 'to'>, message: string): void {
    this.found.push({ severity: 'error', message, from, to })
  }

  #expect(expr: Expr, want: ValueType, context: string): void {
    const got = this.check(expr)
    if (got !== want) this.#find(expr, `expected type ${TYPE_NAMES[want]} in ${context}, got ${TYPE_NAMES[got]}`)
  }

  #aggregate(expr: Aggregate): void {
    this.#expect(expr.expr, 'vector', 'aggregation expression')
    if (expr.param !== undefined) {
      this.#expect(expr.param, expr.op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter')
      if (expr.op === 'count_values') this.#labelName(unwrapParens(expr.param))
    }
  }

  /** Checked as written: a byte that is not UTF-8 is lost when the text is decoded. */
  #labelName(param: Expr): void {
    if (param.kind !== 'string' || isLabelName(param.value)) return
    this.#find(param, `invalid label name ${this.#text.slice(param.from, param.to)}`)
  }

  #call(expr: Call): void {
    const { args, variadic } = FUNCTIONS[expr.func]!
    const got = expr.args.length
    const least = variadic === 0 ? args.length : args.length - 1
    const most = variadic === 0 ? args.length : variadic < 0 ? Infinity : least + variadic
    if (got < least || got > most) {
      const bound = variadic === 0 ? `${least}` : got < least ? `at least ${least}` : `at most ${most}`
      this.#find(expr, `expected ${bound} argument(s) in call to ${quoteGo(expr.func)}, got ${got}`)
    }
    if (expr.func === 'info') this.#infoSelector(expr)
    for (const arg of expr.args) this.#extension(expr.func, unwrapParens(arg))
    expr.args.forEach((arg, i) => {
      const want = args[Math.min(i, args.length - 1)]
      if (want !== undefined && (i < args.length || variadic !== 0)) {
        this.#expect(arg, want, `call to function ${quoteGo(expr.func)}`)
      }
    })
  }

  /** Only some functions support samples outside a window. */
  #extension(func: string, arg: Expr): void {
    if (arg.kind !== 'matrix' || arg.selector.extension === undefined) return
    const { extension } = arg.selector
    const able = EXTENDED_FUNCTIONS[extension]
    if (able.includes(func)) return
    this.#find(arg, `${extension} modifier can only be used with: ${able.join(', ')} - not with ${func}`)
  }

  /** The second argument of `info` is not evaluated; it selects the info series and labels. */
  #infoSelector({ args }: Call): void {
    const selector = args[1]
    if (selector === undefined) return
    if (selector.kind !== 'vector') this.#find(selector, 'expected label selectors only')
    else if (selector.metric !== undefined) {
      this.#find(selector, 'expected label selectors only, got vector selector instead')
    } else this.#infoSelectors.add(selector)
  }

  #binary(expr: Binary): ValueType {
    const left = this.check(expr.left)
    const right = this.check(expr.right)
    const operator = this.#operatorRange(expr)
    if (expr.isBool && !isComparison(expr.op)) {
      this.#find(operator, 'bool modifier can only be used on comparison operators')
    }
    if (isComparison(expr.op) && !expr.isBool && left === 'scalar' && right === 'scalar') {
      this.#find(operator, 'comparisons between scalars must use BOOL modifier')
    }
    const { matching } = expr
    if (matching?.isOn === true) {
      for (const label of matching.labels.filter((name) => matching.include.includes(name))) {
        this.#find(operator, `label ${quoteGo(label)} must not occur in ON and GROUP clause at once`)
      }
    }
    for (const [side, type] of [[expr.left, left] as const, [expr.right, right] as const]) {
      if (type !== 'scalar' && type !== 'vector') {
        this.#find(side, 'binary expression must contain only scalar and instant vector types')
      }
    }
    const areVectors = left === 'vector' && right === 'vector'
    const isFilled = matching?.fillLeft !== undefined || matching?.fillRight !== undefined
    if (!areVectors) {
      if ((matching?.labels.length ?? 0) > 0) {
        this.#find(expr, 'vector matching only allowed between instant vectors')
      }
      if (isFilled) this.#find(expr, 'filling in missing series only allowed between instant vectors')
    } else if (isSetOp(expr.op)) {
      if (matching?.card !== 'many-to-many') this.#find(expr, `no grouping allowed for ${quoteGo(expr.op)} operation`)
      if (isFilled) this.#find(expr, 'filling in missing series not allowed for set operators')
    }
    if (left === 'scalar' && right === 'scalar' && isTrim(expr.op)) {
      this.#find(expr, `operator ${quoteGo(expr.op)} not allowed for Scalar operations`)
    }
    if ((left === 'scalar' || right === 'scalar') && isSetOp(expr.op)) {
      this.#find(expr, `set operator ${quoteGo(expr.op)} not allowed in binary scalar expression`)
    }
    return left === 'scalar' && right === 'scalar' ? 'scalar' : 'vector'
  }

  /** The text between the operands, without the space around it. */
  #operatorRange(expr: Binary): { from: number; to: number } {
    const between = this.#text.slice(expr.left.to, expr.right.from)
    const from = expr.left.to + (between.length - between.trimStart().length)
    return { from, to: from + between.trim().length }
  }

  #selector(selector: VectorSelector): void {
    const { matchers, metric } = selector
    const names = matchers.filter((matcher) => matcher.name === METRIC_NAME)
    if (metric !== undefined && names.length > 1) {
      this.#find(selector, `metric name must not be set twice: ${quoteGo(metric)} or ${quoteGo(names[0]!.value)}`)
    }
    if (
      metric === undefined &&
      !this.#infoSelectors.has(selector) &&
      matchers.every((matcher) => compileMatcher(matcher, NO_REGEX_LIMITS)(''))
    ) {
      this.#find(selector, 'vector selector must contain at least one non-empty matcher')
    }
  }
}
