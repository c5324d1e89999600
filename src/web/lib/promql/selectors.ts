import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

/** A selector of an expression and its position, by the grammar in the browser. Pure. */
export interface SelectorPart {
  /** Empty when the selector names no metric. */
  readonly metric: string
  readonly matchers: readonly MatcherPart[]
  /** Its text in the expression, without range and offset. */
  readonly text: string
  readonly from: number
  readonly to: number
}

export interface MatcherPart {
  readonly name: string
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

/** In the order of the text; with syntax errors those that can be parsed. */
export function selectorsIn(expr: string): readonly SelectorPart[] {
  const found: SelectorPart[] = []
  parser.parse(expr).iterate({
    enter: ({ name, node }) => {
      if (name === 'VectorSelector') found.push(selectorOfNode(node, expr))
    },
  })
  return found
}

/** Each once. */
export function metricsIn(expr: string): readonly string[] {
  return [...new Set(selectorsIn(expr).flatMap(({ metric }) => (metric === '' ? [] : [metric])))]
}

/** The first syntax error, if any. */
export function syntaxFaultOf(expr: string): { readonly from: number; readonly to: number } | undefined {
  let fault: { readonly from: number; readonly to: number } | undefined
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) fault ??= { from, to }
    },
  })
  return fault
}

export function selectorOfNode(node: SyntaxNode, expr: string): SelectorPart {
  const textOf = (part: SyntaxNode): string => expr.slice(part.from, part.to)
  const matchers: MatcherPart[] = []
  const name = node.getChild('Identifier')
  let metric = name === null ? '' : textOf(name)
  for (let part = node.getChild('LabelMatchers')?.firstChild; part != null; part = part.nextSibling) {
    if (part.name === 'QuotedLabelName') metric = unquoted(textOf(part))
    const label = part.getChild('LabelName') ?? part.getChild('QuotedLabelName')
    const [operator, value] = [part.getChild('MatchOp'), part.getChild('StringLiteral')]
    if (label === null || operator === null || value === null) continue
    const matcher = { name: unquoted(textOf(label)), operator: textOf(operator), value: unquoted(textOf(value)) }
    if (!isOperator(matcher.operator)) continue
    if (matcher.name === '__name__' && matcher.operator === '=') metric = matcher.value
    else matchers.push({ ...matcher, operator: matcher.operator })
  }
  return { metric, matchers, text: textOf(node), from: node.from, to: node.to }
}

function isOperator(text: string): text is MatcherPart['operator'] {
  return ['=', '!=', '=~', '!~'].includes(text)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** The value of a literal, or of an unquoted name. */
function unquoted(text: string): string {
  const [first = ''] = text
  if (!['"', "'", '`'].includes(first)) return text
  const inside = text.slice(1, -1)
  return first === '`' ? inside : inside.replace(/\\(.)/gs, (_all, sign: string) => ESCAPES[sign] ?? sign)
}
