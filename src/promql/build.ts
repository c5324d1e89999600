import type { SyntaxNode } from '@lezer/common'
import { METRIC_NAME } from '../model/labels.ts'
import { compileMatcher, type Matcher, type MatchOp } from '../model/matcher.ts'
import { RegexError } from '../model/regex.ts'
import {
  AGGREGATE_OPS,
  EXPERIMENTAL_AGGREGATE_OPS,
  isSetOp,
  type AggregateOp,
  type AtTime,
  type DurationExpr,
  type Expr,
  type Extension,
  type VectorMatching,
  type VectorSelector,
} from './ast.ts'
import { buildDuration, named } from './build-duration.ts'
import { DURATION_SECONDS_MAX, durationMsOf, isOfQuery } from './durations.ts'
import { FUNCTIONS } from './functions.ts'
import { isDurationText, isLabelName, parseNumber, quote, secondsToMs, unquote } from './literals.ts'
import { ENABLE_HINT, type ParseOptions } from './parse-options.ts'
import { formatPlain } from './number-format.ts'
import { PromqlError, refuse } from './promql-error.ts'
import { flattenChain, isChainNode, regroup, type ChainItem } from './regroup.ts'
import { unknownFunction } from './syntax-error.ts'

/** The tree of an expression from the grammar's tree, which must be free of errors. Throws `PromqlError`. */
export function buildExpr(top: SyntaxNode, text: string, options: ParseOptions): Expr {
  return new Builder(text, options).build(named(top)[0]!)
}

/** A duration in milliseconds, with its expression when it was written as more than a number. */
interface Span {
  /** NaN until the query is known, when the arithmetic depends on it. */
  readonly ms: number
  readonly expr?: DurationExpr
}

class Builder {
  readonly #text: string
  readonly #options: ParseOptions

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#options = options
  }

  build(node: SyntaxNode): Expr {
    if (isChainNode(node, this.#text)) {
      return regroup(flattenChain(node, this.#text), {
        operand: (operand, isUnsigned) => (isUnsigned ? this.#unsignedNumber(operand) : this.build(operand)),
        prefix: (op, from, expr) => signed(op, from, expr),
        postfix: (postfix, expr) => this.#postfix(postfix, expr),
        infix: (item, left, right) => this.#binary(item, left, right),
      })
    }
    const { from, to } = node
    switch (node.name) {
      case 'ParenExpr':
        return Object.freeze({ kind: 'paren', expr: this.build(named(node)[0]!), from, to })
      case 'NumberDurationLiteral':
        return this.#number(this.#textOf(node), from, to)
      case 'StringLiteral':
        return Object.freeze({ kind: 'string', value: this.#string(node), from, to })
      case 'VectorSelector':
        return this.#selector(node)
      case 'FunctionCall':
        return this.#call(node)
      case 'AggregateExpr':
        return this.#aggregate(node)
      default:
        return refuse(this.#text, from, to, `unsupported syntax (${node.name})`)
    }
  }

  #textOf(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to)
  }

  #number(literal: string, from: number, to: number): Expr {
    const value = parseNumber(literal)
    if (value === undefined) return refuse(this.#text, from, to, `not a valid duration string: ${quote(literal)}`)
    const isDuration = isDurationText(literal)
    if (isDuration && value > DURATION_SECONDS_MAX) refuse(this.#text, from, to, 'duration out of range')
    return Object.freeze({ kind: 'number', value, isDuration, from, to })
  }

  /** The number of a signed literal without its sign, which may be separate (`- 1`). */
  #unsignedNumber(node: SyntaxNode): Expr {
    const literal = /^[+-](?:\s|#[^\n]*\n)*/.exec(this.#textOf(node))!
    const from = node.from + literal[0].length
    return this.#number(this.#text.slice(from, node.to), from, node.to)
  }

  #string(node: SyntaxNode): string {
    const literal = this.#textOf(node)
    const value = unquote(literal)
    if (value === undefined) return refuse(this.#text, node.from, node.to, `error unquoting string ${quote(literal)}`)
    return value
  }

  #selector(node: SyntaxNode): VectorSelector {
    const matchers: Matcher[] = []
    let metric: string | undefined
    for (const child of named(node)) {
      if (child.name === 'Identifier') metric = this.#textOf(child)
      else for (const part of named(child)) matchers.push(this.#matcher(part))
    }
    if (metric !== undefined) matchers.push({ name: METRIC_NAME, op: '=', value: metric })
    return Object.freeze({
      kind: 'vector',
      ...(metric === undefined ? {} : { metric }),
      matchers: Object.freeze(matchers.map((matcher) => Object.freeze(matcher))),
      offsetMs: 0,
      from: node.from,
      to: node.to,
    })
  }

  #matcher(node: SyntaxNode): Matcher {
    const [first, op, value] = named(node)
    if (node.name === 'QuotedLabelName') return { name: METRIC_NAME, op: '=', value: this.#string(first!) }
    const name = first!.name === 'QuotedLabelName' ? this.#string(named(first!)[0]!) : this.#textOf(first!)
    const matcher: Matcher = { name, op: this.#textOf(op!) as MatchOp, value: this.#string(value!) }
    try {
      compileMatcher(matcher)
    } catch (thrown) {
      if (!(thrown instanceof RegexError)) throw thrown
      refuse(this.#text, node.from, node.to, thrown.message)
    }
    return matcher
  }

  #call(node: SyntaxNode): Expr {
    const [identifier, body] = named(node)
    const func = this.#textOf(identifier!)
    if (!Object.hasOwn(FUNCTIONS, func)) {
      throw new PromqlError(this.#text, unknownFunction({ text: func, from: identifier!.from, to: identifier!.to }))
    }
    const args = Object.freeze(named(body!).map((arg) => this.build(arg)))
    if (FUNCTIONS[func]!.isExperimental && !this.#options.experimental) {
      const message = `function ${quote(func)} is not enabled: ${ENABLE_HINT}`
      return refuse(this.#text, identifier!.from, identifier!.to, message)
    }
    return Object.freeze({ kind: 'call', func, args, from: node.from, to: node.to })
  }

  #aggregate(node: SyntaxNode): Expr {
    const { from, to } = node
    const parts = named(node)
    const op = this.#textOf(parts[0]!).toLowerCase() as AggregateOp
    const modifier = parts.find((part) => part.name === 'AggregateModifier')
    const body = named(parts.find((part) => part.name === 'FunctionCallBody')!)
    if (body.length === 0) return refuse(this.#text, from, to, 'no arguments for aggregate expression provided')
    if (EXPERIMENTAL_AGGREGATE_OPS.has(op) && !this.#options.experimental) {
      const option = '--promql.experimental'
      return refuse(this.#text, from, to, `${op}() is experimental and must be enabled with ${option}`)
    }
    const wanted = AGGREGATE_OPS[op] ? 2 : 1
    if (body.length !== wanted) {
      const got = `expected ${wanted}, got ${body.length}`
      return refuse(this.#text, from, to, `wrong number of arguments for aggregate expression provided, ${got}`)
    }
    const args = body.map((arg) => this.build(arg))
    const [clause, labels] = modifier === undefined ? [] : named(modifier)
    return Object.freeze({
      kind: 'aggregate',
      op,
      ...(wanted === 2 ? { param: args[0]! } : {}),
      expr: args[wanted - 1]!,
      grouping: labels === undefined ? Object.freeze([]) : this.#labelList(labels),
      isWithout: clause?.name === 'Without',
      from,
      to,
    })
  }

  #labelList(node: SyntaxNode): readonly string[] {
    return Object.freeze(
      named(node).map((label) => {
        if (label.name !== 'QuotedLabelName') return this.#textOf(label)
        const name = this.#string(named(label)[0]!)
        if (!isLabelName(name)) {
          refuse(this.#text, label.from, label.to, `invalid label name for grouping: ${quote(name)}`)
        }
        return name
      }),
    )
  }

  #binary({ op, node }: ChainItem & { kind: 'infix' }, left: Expr, right: Expr): Expr {
    const fill = node.getChild('FillModifier')
    if (fill !== null && !this.#options.experimental) {
      const message = `binop fill modifiers are experimental and not enabled: ${ENABLE_HINT}`
      refuse(this.#text, left.from, right.to, message)
    }
    const clause = node.getChild('MatchingModifierClause')
    return Object.freeze({
      kind: 'binary',
      op,
      left,
      right,
      isBool: node.getChild('BoolModifier') !== null,
      matching: this.#matching(clause, fill, isSetOp(op)),
      from: left.from,
      to: right.to,
    })
  }

  #matching(clause: SyntaxNode | null, fill: SyntaxNode | null, isSet: boolean): VectorMatching {
    const parts = clause === null ? [] : named(clause)
    const group = parts.findIndex((part) => part.name === 'GroupLeft' || part.name === 'GroupRight')
    const side = parts[group]?.name
    const include = parts[group + 1]
    return Object.freeze({
      card:
        side === 'GroupLeft'
          ? 'many-to-one'
          : side === 'GroupRight'
            ? 'one-to-many'
            : isSet
              ? 'many-to-many'
              : 'one-to-one',
      isOn: parts[0]?.name === 'On',
      labels: parts[1] === undefined ? Object.freeze([]) : this.#labelList(parts[1]),
      include: group < 0 || include === undefined ? Object.freeze([]) : this.#labelList(include),
      ...this.#fills(fill),
    })
  }

  #fills(modifier: SyntaxNode | null): Pick<VectorMatching, 'fillLeft' | 'fillRight'> {
    const fills: { fillLeft?: number; fillRight?: number } = {}
    for (const clause of modifier === null ? [] : named(modifier)) {
      const value = this.#signedNumber(named(clause).at(-1)!)
      if (clause.name !== 'FillRightClause') fills.fillLeft = value
      if (clause.name !== 'FillLeftClause') fills.fillRight = value
    }
    return fills
  }

  /** The value of a number or duration with an optional sign, separate or not. */
  #signedNumber(node: SyntaxNode): number {
    const [, sign, literal] = /^([+-]?)(?:\s|#[^\n]*\n)*(.*)$/s.exec(this.#textOf(node))!
    const value = parseNumber(literal!)
    if (value === undefined) {
      return refuse(this.#text, node.from, node.to, `not a valid duration string: ${quote(literal!)}`)
    }
    return sign === '-' ? -value : value
  }

  #postfix(node: SyntaxNode, expr: Expr): Expr {
    const parts = named(node)
    switch (node.name) {
      case 'OffsetExpr':
        return this.#offset(node, expr, this.#span(parts.at(-1)!, true))
      case 'StepInvariantExpr':
        return this.#at(node, expr, this.#atTime(parts.at(-1)!, expr))
      case 'MatrixSelector':
        return this.#range(node, expr, this.#span(parts[1]!, false))
      case 'SubqueryExpr': {
        const range = this.#span(parts[1]!, false)
        const step = parts[2] === undefined ? undefined : this.#span(parts[2], false)
        return Object.freeze({
          kind: 'subquery',
          expr,
          rangeMs: range.ms,
          ...(range.expr === undefined ? {} : { rangeExpr: range.expr }),
          ...(step === undefined ? {} : { stepMs: step.ms }),
          ...(step?.expr === undefined ? {} : { stepExpr: step.expr }),
          offsetMs: 0,
          from: expr.from,
          to: node.to,
        })
      }
      default:
        return this.#extended(node, expr, node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed')
    }
  }

  #range(node: SyntaxNode, expr: Expr, range: Span): Expr {
    const bracket = node.firstChild!.nextSibling
    const from = this.#text.lastIndexOf('[', bracket?.from ?? node.to)
    if (expr.kind !== 'vector') return refuse(this.#text, from, node.to, 'ranges only allowed for vector selectors')
    if (hasOffset(expr)) return refuse(this.#text, from, node.to, 'no offset modifiers allowed before range')
    if (expr.at !== undefined) return refuse(this.#text, from, node.to, 'no @ modifiers allowed before range')
    return Object.freeze({
      kind: 'matrix',
      selector: expr,
      rangeMs: range.ms,
      ...(range.expr === undefined ? {} : { rangeExpr: range.expr }),
      from: expr.from,
      to: node.to,
    })
  }

  #offset(node: SyntaxNode, expr: Expr, offset: Span): Expr {
    const target = expr.kind === 'matrix' ? expr.selector : expr
    if (target.kind !== 'vector' && target.kind !== 'subquery') {
      const wanted = 'an instant vector selector or range vector selector or a subquery'
      return refuse(this.#text, expr.from, expr.to, `offset modifier must be preceded by ${wanted}`)
    }
    if (hasOffset(target)) return refuse(this.#text, expr.from, expr.to, 'offset may not be set multiple times')
    const change = { offsetMs: offset.ms, ...(offset.expr === undefined ? {} : { offsetExpr: offset.expr }) }
    return modified(expr, change, node.to)
  }

  #extended(node: SyntaxNode, expr: Expr, extension: Extension): Expr {
    if (!this.#options.experimental) {
      const message = `${extension} modifier is experimental and not enabled: ${ENABLE_HINT}`
      return refuse(this.#text, expr.from, expr.to, message)
    }
    if (expr.kind === 'subquery') {
      return refuse(this.#text, expr.from, expr.to, `${extension} modifier is not supported for subqueries`)
    }
    const target = expr.kind === 'matrix' ? expr.selector : expr
    // In Prometheus' words. Only selectors have samples around a window, so all other expressions are refused.
    if (target.kind !== 'vector') return refuse(this.#text, expr.from, expr.to, `${extension} modifier not implemented`)
    if (target.extension !== undefined && target.extension !== extension) {
      return refuse(this.#text, expr.from, expr.to, 'anchored and smoothed modifiers cannot be used together')
    }
    return modified(expr, { extension }, node.to)
  }

  #at(node: SyntaxNode, expr: Expr, at: AtTime): Expr {
    const target = expr.kind === 'matrix' ? expr.selector : expr
    if (target.kind !== 'vector' && target.kind !== 'subquery') {
      const wanted = 'an instant vector selector or range vector selector or a subquery'
      return refuse(this.#text, expr.from, expr.to, `@ modifier must be preceded by ${wanted}`)
    }
    if (target.at !== undefined) {
      return refuse(this.#text, expr.from, expr.to, '@ <timestamp> may not be set multiple times')
    }
    return modified(expr, { at }, node.to)
  }

  #atTime(node: SyntaxNode, expr: Expr): AtTime {
    if (node.name === 'AtModifierPreprocessors') {
      return Object.freeze({ kind: node.getChild('AtEnd') === null ? 'start' : 'end' })
    }
    const seconds = this.#signedNumber(node)
    if (!Number.isFinite(seconds) || Math.abs(seconds) >= 2 ** 63) {
      return refuse(this.#text, expr.from, expr.to, `timestamp out of bounds for @ modifier: ${formatFixed(seconds)}`)
    }
    return Object.freeze({ kind: 'time', timeMs: Math.round(seconds * 1000) })
  }

  /** A duration in brackets or after `offset`; only an offset may be negative. */
  #span(node: SyntaxNode, mayBeNegative: boolean): Span {
    const expr = buildDuration(node, this.#text, this.#options)
    if (expr.kind === 'literal') {
      if (expr.seconds <= 0 && !mayBeNegative) {
        refuse(this.#text, expr.from, expr.to, 'duration must be greater than 0')
      }
      return { ms: secondsToMs(expr.seconds) }
    }
    return { ms: isOfQuery(expr) ? NaN : durationMsOf(expr, mayBeNegative, this.#text, NO_WINDOW), expr }
  }
}

/** For durations that do not depend on the query. */
const NO_WINDOW = { stepMs: NaN, rangeMs: NaN }

function hasOffset({
  offsetMs,
  offsetExpr,
}: {
  readonly offsetMs: number
  readonly offsetExpr?: DurationExpr
}): boolean {
  return offsetMs !== 0 || offsetExpr !== undefined
}

/** As Go prints %f. */
function formatFixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(6) : formatPlain(value)
}

/** `-1` is a number; a sign before anything else is an operation. */
function signed(op: '+' | '-', from: number, expr: Expr): Expr {
  if (expr.kind === 'number') return Object.freeze({ ...expr, value: op === '-' ? -expr.value : expr.value, from })
  return Object.freeze({ kind: 'unary', op, expr, from, to: expr.to })
}

/** A selector, or an expression with a selector, with another time or extension. */
function modified(expr: Expr, change: Partial<VectorSelector>, to: number): Expr {
  if (expr.kind === 'matrix') {
    return Object.freeze({ ...expr, selector: Object.freeze({ ...expr.selector, ...change }), to })
  }
  return Object.freeze({ ...expr, ...change, to }) as Expr
}
