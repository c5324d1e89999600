import type { SyntaxNode } from '@lezer/common'
import { METRIC_NAME } from '../model/labels.ts'
import type { Matcher, MatchOp } from '../model/matcher.ts'
import {
  AGGREGATE_OPS,
  isSetOp,
  type AggregateOp,
  type AtTime,
  type Expr,
  type VectorMatching,
  type VectorSelector,
} from './ast.ts'
import { FUNCTIONS } from './functions.ts'
import { isDurationText, parseNumber, quote, secondsToMs, unquote } from './literals.ts'
import { PromqlError, refuse } from './promql-error.ts'
import { flattenChain, isChainNode, regroup, type ChainItem } from './regroup.ts'
import { unknownFunction } from './syntax-error.ts'

/** The tree of an expression from the grammar's tree, which must be free of errors. Throws `PromqlError`. */
export function buildExpr(top: SyntaxNode, text: string): Expr {
  return new Builder(text).build(named(top)[0]!)
}

/** Longest duration that Prometheus can hold: 2^63 nanoseconds. */
const SECONDS_MAX = 2 ** 63 / 1e9

class Builder {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
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
    if (value === undefined) return refuse(this.#text, from, to, `bad number or duration syntax: ${quote(literal)}`)
    return Object.freeze({ kind: 'number', value, isDuration: isDurationText(literal), from, to })
  }

  /** The number of a signed literal without its sign, which may stand apart from it (`- 1`). */
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
    return { name, op: this.#textOf(op!) as MatchOp, value: this.#string(value!) }
  }

  #call(node: SyntaxNode): Expr {
    const [identifier, body] = named(node)
    const func = this.#textOf(identifier!)
    if (!Object.hasOwn(FUNCTIONS, func)) {
      throw new PromqlError(this.#text, unknownFunction({ text: func, from: identifier!.from, to: identifier!.to }))
    }
    const args = Object.freeze(named(body!).map((arg) => this.build(arg)))
    return Object.freeze({ kind: 'call', func, args, from: node.from, to: node.to })
  }

  #aggregate(node: SyntaxNode): Expr {
    const { from, to } = node
    const parts = named(node)
    const op = this.#textOf(parts[0]!).toLowerCase()
    if (!Object.hasOwn(AGGREGATE_OPS, op)) {
      return refuse(this.#text, from, to, `${op}() is not supported: experimental`)
    }
    const modifier = parts.find((part) => part.name === 'AggregateModifier')
    const body = named(parts.find((part) => part.name === 'FunctionCallBody')!)
    if (body.length === 0) return refuse(this.#text, from, to, 'no arguments for aggregate expression provided')
    const wanted = AGGREGATE_OPS[op as AggregateOp] ? 2 : 1
    if (body.length !== wanted) {
      const got = `expected ${wanted}, got ${body.length}`
      return refuse(this.#text, from, to, `wrong number of arguments for aggregate expression provided, ${got}`)
    }
    const args = body.map((arg) => this.build(arg))
    const [clause, labels] = modifier === undefined ? [] : named(modifier)
    return Object.freeze({
      kind: 'aggregate',
      op: op as AggregateOp,
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
      named(node).map((label) =>
        label.name === 'QuotedLabelName' ? this.#string(named(label)[0]!) : this.#textOf(label),
      ),
    )
  }

  #binary({ op, opNode, node }: ChainItem & { kind: 'infix' }, left: Expr, right: Expr): Expr {
    if (opNode.name.startsWith('Trim')) {
      const operator = this.#textOf(opNode)
      refuse(this.#text, opNode.from, opNode.to, `operator ${quote(operator)} is not supported: native histograms`)
    }
    const fill = node.getChild('FillModifier')
    if (fill !== null) refuse(this.#text, fill.from, fill.to, 'fill modifiers are not supported: experimental')
    const clause = node.getChild('MatchingModifierClause')
    return Object.freeze({
      kind: 'binary',
      op,
      left,
      right,
      isBool: node.getChild('BoolModifier') !== null,
      matching: this.#matching(clause, isSetOp(op)),
      from: left.from,
      to: right.to,
    })
  }

  #matching(clause: SyntaxNode | null, isSet: boolean): VectorMatching {
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
    })
  }

  #postfix(node: SyntaxNode, expr: Expr): Expr {
    const parts = named(node)
    switch (node.name) {
      case 'OffsetExpr':
        return this.#offset(node, expr, this.#durationMs(parts.at(-1)!))
      case 'StepInvariantExpr':
        return this.#at(node, expr, this.#atTime(parts.at(-1)!, expr))
      case 'MatrixSelector':
        return this.#range(node, expr, this.#positiveDurationMs(parts[1]!))
      case 'SubqueryExpr':
        return Object.freeze({
          kind: 'subquery',
          expr,
          rangeMs: this.#positiveDurationMs(parts[1]!),
          ...(parts[2] === undefined ? {} : { stepMs: this.#positiveDurationMs(parts[2]) }),
          offsetMs: 0,
          from: expr.from,
          to: node.to,
        })
      default: {
        const word = node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed'
        return refuse(this.#text, expr.from, node.to, `${word} modifier is not supported: experimental`)
      }
    }
  }

  #range(node: SyntaxNode, expr: Expr, rangeMs: number): Expr {
    const bracket = node.firstChild!.nextSibling
    const from = this.#text.lastIndexOf('[', bracket?.from ?? node.to)
    if (expr.kind !== 'vector') return refuse(this.#text, from, node.to, 'ranges only allowed for vector selectors')
    if (expr.offsetMs !== 0) return refuse(this.#text, from, node.to, 'no offset modifiers allowed before range')
    if (expr.at !== undefined) return refuse(this.#text, from, node.to, 'no @ modifiers allowed before range')
    return Object.freeze({ kind: 'matrix', selector: expr, rangeMs, from: expr.from, to: node.to })
  }

  #offset(node: SyntaxNode, expr: Expr, offsetMs: number): Expr {
    const target = expr.kind === 'matrix' ? expr.selector : expr
    if (target.kind !== 'vector' && target.kind !== 'subquery') {
      const wanted = 'an instant vector selector or range vector selector or a subquery'
      return refuse(this.#text, expr.from, expr.to, `offset modifier must be preceded by ${wanted}`)
    }
    if (target.offsetMs !== 0) return refuse(this.#text, expr.from, expr.to, 'offset may not be set multiple times')
    return modified(expr, { offsetMs }, node.to)
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
    const [, sign, literal] = /^([+-]?)(?:\s|#[^\n]*\n)*(.*)$/s.exec(this.#textOf(node))!
    const seconds = (parseNumber(literal!) ?? NaN) * (sign === '-' ? -1 : 1)
    if (!Number.isFinite(seconds) || Math.abs(seconds) >= 2 ** 63) {
      return refuse(this.#text, expr.from, expr.to, `timestamp out of bounds for @ modifier: ${seconds.toFixed(6)}`)
    }
    return Object.freeze({ kind: 'time', timeMs: Math.round(seconds * 1000) })
  }

  #positiveDurationMs(node: SyntaxNode): number {
    const durationMs = this.#durationMs(node)
    if (durationMs <= 0) refuse(this.#text, node.from, node.to, 'duration must be greater than 0')
    return durationMs
  }

  /** A duration in brackets or after `offset`. Arithmetic on durations is an experiment of Prometheus. */
  #durationMs(node: SyntaxNode): number {
    const parts = named(node)
    const [first, second] = parts
    if (first?.name === 'UnaryOp' && second !== undefined && parts.length === 2) {
      return this.#durationMs(second) * (this.#textOf(first) === '-' ? -1 : 1)
    }
    if (parts.length !== 1 || first?.name !== 'NumberDurationLiteralInDurationContext') {
      return refuse(this.#text, node.from, node.to, 'duration expressions are not supported: experimental')
    }
    const seconds = parseNumber(this.#textOf(first))
    if (seconds === undefined) {
      return refuse(this.#text, first.from, first.to, `not a valid duration string: ${quote(this.#textOf(first))}`)
    }
    if (!(seconds <= SECONDS_MAX)) return refuse(this.#text, first.from, first.to, 'duration out of range')
    return secondsToMs(seconds)
  }
}

/** Children that mean something: comments and punctuation are left out. */
function named(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return children
}

/** `-1` is a number; a sign before anything else is an operation. */
function signed(op: '+' | '-', from: number, expr: Expr): Expr {
  if (expr.kind === 'number') return Object.freeze({ ...expr, value: op === '-' ? -expr.value : expr.value, from })
  return Object.freeze({ kind: 'unary', op, expr, from, to: expr.to })
}

function modified(expr: Expr, change: { offsetMs: number } | { at: AtTime }, to: number): Expr {
  if (expr.kind === 'matrix') {
    return Object.freeze({ ...expr, selector: Object.freeze({ ...expr.selector, ...change }), to })
  }
  return Object.freeze({ ...expr, ...change, to })
}
