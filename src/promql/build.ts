import { ownValue } from '../base/own-value.ts'
import type { SyntaxNode } from '@lezer/common'
import { METRIC_NAME } from '../model/labels.ts'
import type { Matcher, MatchOp } from '../model/matcher.ts'
import type { RegexLimits } from '../model/regex-limits.ts'
import { RegexError, regexInstructions } from '../model/regex.ts'
import {
  AGGREGATE_OPS,
  EXPERIMENTAL_AGGREGATE_OPS,
  isSetOp,
  type AggregateOp,
  type AtTime,
  type DurationExpr,
  type Expr,
  type Extension,
  type Subquery,
  type VectorMatching,
  type VectorSelector,
} from './ast.ts'
import type { Place } from './annotations.ts'
import { buildDuration, named } from './build-duration.ts'
import { DURATION_SECONDS_MAX, durationMsOf, isOfQuery } from './durations.ts'
import { FUNCTIONS } from './functions.ts'
import { quoteGo } from '../base/go-quote.ts'
import { isDurationText, isLabelName, parseNumber, secondsToMs, unquote } from './literals.ts'
import { DEFAULT_PARSE_LIMITS, ENABLE_HINT, type ParseOptions } from './parse-options.ts'
import { formatGoFloat } from '../base/go-float.ts'
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
  readonly #patterns = new Set<string>()
  /** What the limits leave for further patterns. */
  #regexLeft: RegexLimits

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#options = options
    this.#regexLeft = (options.limits ?? DEFAULT_PARSE_LIMITS).regex
  }

  build(node: SyntaxNode): Expr {
    if (isChainNode(node, this.#text)) {
      return regroup(flattenChain(node, this.#text), {
        operand: (operand, isUnsigned) => (isUnsigned ? this.#number(operand) : this.build(operand)),
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
        return this.#number(node)
      case 'StringLiteral':
        return Object.freeze({ kind: 'string', value: this.#string(node), from, to })
      case 'VectorSelector':
        return this.#selector(node)
      case 'FunctionCall':
        return this.#call(node)
      case 'AggregateExpr':
        return this.#aggregate(node)
      default:
        return this.#refuse(node, `unsupported syntax (${node.name})`)
    }
  }

  #refuse({ from, to }: Place, message: string): never {
    refuse(this.#text, from, to, message)
  }

  #textOf(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to)
  }

  /** A literal without its sign, if it has one, which is an item of its own in a chain. */
  #number(node: SyntaxNode): Expr {
    const { to } = node
    const { literal } = this.#splitSign(node)
    const from = to - literal.length
    const value = this.#valueOf(literal, { from, to })
    const isDuration = isDurationText(literal)
    if (isDuration && value > DURATION_SECONDS_MAX) this.#refuse({ from, to }, 'duration out of range')
    return Object.freeze({ kind: 'number', value, isDuration, from, to })
  }

  #signedNumber(node: SyntaxNode): number {
    const { sign, literal } = this.#splitSign(node)
    const value = this.#valueOf(literal, node)
    return sign === '-' ? -value : value
  }

  /** A number or duration and its optional sign, separate (`- 1`) or not. */
  #splitSign(node: SyntaxNode): { readonly sign: string; readonly literal: string } {
    const [, sign, literal] = /^([+-]?)(?:\s|#[^\n]*\n)*(.*)$/s.exec(this.#textOf(node))!
    return { sign: sign!, literal: literal! }
  }

  #valueOf(literal: string, at: Place): number {
    const value = parseNumber(literal) ?? this.#refuse(at, `not a valid duration string: ${quoteGo(literal)}`)
    if (value !== Infinity || !/^[\d.]/.test(literal) || isDurationText(literal)) return value
    const reason = `strconv.ParseFloat: parsing ${quoteGo(literal)}: value out of range`
    return this.#refuse(at, `error parsing number: ${reason}`)
  }

  #string(node: SyntaxNode): string {
    return unquote(this.#textOf(node))
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
    if (matcher.op === '=~' || matcher.op === '!~') this.#checkPattern(matcher.value, node)
    return matcher
  }

  #checkPattern(pattern: string, node: SyntaxNode): void {
    if (this.#patterns.has(pattern)) return
    this.#patterns.add(pattern)
    try {
      const { lengthMax, instructionsMax } = this.#regexLeft
      const instructions = regexInstructions(pattern, this.#regexLeft)
      if (instructions === 0) return
      this.#regexLeft = { lengthMax: lengthMax - pattern.length, instructionsMax: instructionsMax - instructions }
    } catch (thrown) {
      if (!(thrown instanceof RegexError)) throw thrown
      this.#refuse(node, thrown.message)
    }
  }

  #call(node: SyntaxNode): Expr {
    const [identifier, body] = named(node)
    const func = this.#textOf(identifier!)
    const signature = ownValue(FUNCTIONS, func)
    if (signature === undefined) {
      throw new PromqlError(this.#text, unknownFunction({ text: func, from: identifier!.from, to: identifier!.to }))
    }
    const args = Object.freeze(named(body!).map((arg) => this.build(arg)))
    if (signature.isExperimental && !this.#options.experimental) {
      const message = `function ${quoteGo(func)} is not enabled: ${ENABLE_HINT}`
      return this.#refuse(identifier!, message)
    }
    return Object.freeze({ kind: 'call', func, args, from: node.from, to: node.to })
  }

  #aggregate(node: SyntaxNode): Expr {
    const { from, to } = node
    const parts = named(node)
    const op = this.#textOf(parts[0]!).toLowerCase() as AggregateOp
    const modifier = parts.find((part) => part.name === 'AggregateModifier')
    const body = named(parts.find((part) => part.name === 'FunctionCallBody')!)
    if (body.length === 0) return this.#refuse(node, 'no arguments for aggregate expression provided')
    if (EXPERIMENTAL_AGGREGATE_OPS.has(op) && !this.#options.experimental) {
      const option = '--promql.experimental'
      return this.#refuse(node, `${op}() is experimental and must be enabled with ${option}`)
    }
    const wanted = AGGREGATE_OPS[op] ? 2 : 1
    if (body.length !== wanted) {
      const got = `expected ${wanted}, got ${body.length}`
      return this.#refuse(node, `wrong number of arguments for aggregate expression provided, ${got}`)
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
          this.#refuse(label, `invalid label name for grouping: ${quoteGo(name)}`)
        }
        return name
      }),
    )
  }

  #binary({ op, node }: ChainItem & { kind: 'infix' }, left: Expr, right: Expr): Expr {
    const fill = node.getChild('FillModifier')
    if (fill !== null && !this.#options.experimental) {
      const message = `binop fill modifiers are experimental and not enabled: ${ENABLE_HINT}`
      this.#refuse({ from: left.from, to: right.to }, message)
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
    const group = parts.findIndex(({ name }) => GROUP_CARDS.has(name))
    const include = parts[group + 1]
    return Object.freeze({
      card: GROUP_CARDS.get(parts[group]?.name ?? '') ?? (isSet ? 'many-to-many' : 'one-to-one'),
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
    const at = { from: this.#text.lastIndexOf('[', bracket?.from ?? node.to), to: node.to }
    if (expr.kind !== 'vector') return this.#refuse(at, 'ranges only allowed for vector selectors')
    if (hasOffset(expr)) return this.#refuse(at, 'no offset modifiers allowed before range')
    if (expr.at !== undefined) return this.#refuse(at, 'no @ modifiers allowed before range')
    return Object.freeze({
      kind: 'matrix',
      selector: expr,
      rangeMs: range.ms,
      ...(range.expr === undefined ? {} : { rangeExpr: range.expr }),
      from: expr.from,
      to: node.to,
    })
  }

  /** The part of an expression that can have a time of its own. */
  #timed(expr: Expr, modifier: string): VectorSelector | Subquery {
    const target = expr.kind === 'matrix' ? expr.selector : expr
    if (target.kind === 'vector' || target.kind === 'subquery') return target
    const wanted = 'an instant vector selector or range vector selector or a subquery'
    return this.#refuse(expr, `${modifier} modifier must be preceded by ${wanted}`)
  }

  #offset(node: SyntaxNode, expr: Expr, offset: Span): Expr {
    if (hasOffset(this.#timed(expr, 'offset'))) this.#refuse(expr, 'offset may not be set multiple times')
    const change = { offsetMs: offset.ms, ...(offset.expr === undefined ? {} : { offsetExpr: offset.expr }) }
    return modified(expr, change, node.to)
  }

  #extended(node: SyntaxNode, expr: Expr, extension: Extension): Expr {
    if (!this.#options.experimental) {
      const message = `${extension} modifier is experimental and not enabled: ${ENABLE_HINT}`
      return this.#refuse(expr, message)
    }
    if (expr.kind === 'subquery') {
      return this.#refuse(expr, `${extension} modifier is not supported for subqueries`)
    }
    const target = expr.kind === 'matrix' ? expr.selector : expr
    // In Prometheus' words. Only selectors have samples around a window, so all other expressions are refused.
    if (target.kind !== 'vector') return this.#refuse(expr, `${extension} modifier not implemented`)
    if (target.extension !== undefined && target.extension !== extension) {
      return this.#refuse(expr, 'anchored and smoothed modifiers cannot be used together')
    }
    return modified(expr, { extension }, node.to)
  }

  #at(node: SyntaxNode, expr: Expr, at: AtTime): Expr {
    if (this.#timed(expr, '@').at !== undefined) this.#refuse(expr, '@ <timestamp> may not be set multiple times')
    return modified(expr, { at }, node.to)
  }

  #atTime(node: SyntaxNode, expr: Expr): AtTime {
    if (node.name === 'AtModifierPreprocessors') {
      return Object.freeze({ kind: node.getChild('AtEnd') === null ? 'start' : 'end' })
    }
    const seconds = this.#signedNumber(node)
    if (!Number.isFinite(seconds) || Math.abs(seconds) >= 2 ** 63) {
      return this.#refuse(expr, `timestamp out of bounds for @ modifier: ${formatFixed(seconds)}`)
    }
    return Object.freeze({ kind: 'time', timeMs: Math.round(seconds * 1000) })
  }

  /** A duration in brackets or after `offset`; only an offset may be negative. */
  #span(node: SyntaxNode, mayBeNegative: boolean): Span {
    const expr = buildDuration(node, this.#text, this.#options)
    if (expr.kind === 'literal') {
      if (expr.seconds <= 0 && !mayBeNegative) {
        this.#refuse(expr, 'duration must be greater than 0')
      }
      return { ms: secondsToMs(expr.seconds) }
    }
    return { ms: isOfQuery(expr) ? NaN : durationMsOf(expr, mayBeNegative, this.#text, NO_WINDOW), expr }
  }
}

const GROUP_CARDS: ReadonlyMap<string, VectorMatching['card']> = new Map(
  Object.entries<VectorMatching['card']>({
    GroupLeft: 'many-to-one',
    GroupRight: 'one-to-many',
  }),
)

/** For durations that do not depend on the query. */
const NO_WINDOW = { stepMs: NaN, rangeMs: NaN }

function hasOffset({ offsetMs, offsetExpr }: Pick<VectorSelector, 'offsetMs' | 'offsetExpr'>): boolean {
  return offsetMs !== 0 || offsetExpr !== undefined
}

/** As Go prints %f. */
function formatFixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(6) : formatGoFloat(value, 'f')
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
