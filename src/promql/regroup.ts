import type { SyntaxNode } from '@lezer/common'
import { invariant } from '../base/invariant.ts'
import type { BinaryOp, Expr } from './ast.ts'
import { named } from './build-duration.ts'

/**
 * Operator precedence. The Lezer grammar lets a postfix modifier (`[5m]`, `offset`, `@`) apply to the whole expression
 * to its left, and binds the sign of `-2^2` to the number; PromQL binds modifiers tightest and signs looser than `^`.
 * So a chain of operators is read in source order, whatever its shape in the tree, and grouped again here.
 */
export type ChainItem =
  | { readonly kind: 'operand'; readonly node: SyntaxNode; readonly isUnsigned: boolean }
  | { readonly kind: 'prefix'; readonly op: '+' | '-'; readonly from: number }
  | { readonly kind: 'postfix'; readonly node: SyntaxNode }
  | { readonly kind: 'infix'; readonly op: BinaryOp; readonly node: SyntaxNode }

/** Builds the result for the items of a chain. The caller builds and checks the nodes. */
interface ChainBuilder {
  operand(node: SyntaxNode, isUnsigned: boolean): Expr
  prefix(op: '+' | '-', from: number, expr: Expr): Expr
  postfix(node: SyntaxNode, expr: Expr): Expr
  infix(item: ChainItem & { readonly kind: 'infix' }, left: Expr, right: Expr): Expr
}

const POSTFIX_NODES: ReadonlySet<string> = new Set([
  'OffsetExpr',
  'StepInvariantExpr',
  'MatrixSelector',
  'SubqueryExpr',
  'AnchoredExpr',
  'SmoothedExpr',
])

/** Operators by binding strength, loosest first; a sign binds like `*`, and `^` alone groups to the right. */
const LEVELS: readonly (readonly BinaryOp[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '>=', '>', '<=', '<', '</', '>/'],
  ['+', '-'],
  ['*', '/', '%', 'atan2'],
  ['^'],
]
const PRECEDENCE = new Map(LEVELS.flatMap((ops, level) => ops.map((op) => [op, level] as const)))

export function isChainNode(node: SyntaxNode, text: string): boolean {
  return (
    node.name === 'BinaryExpr' ||
    node.name === 'UnaryExpr' ||
    POSTFIX_NODES.has(node.name) ||
    (node.name === 'NumberDurationLiteral' && /[+-]/.test(text[node.from]!))
  )
}

/** The items of a chain in source order. Iterative, because a sum of thousands of terms is a deep left-leaning tree. */
export function flattenChain(root: SyntaxNode, text: string): ChainItem[] {
  const items: ChainItem[] = []
  const pending: (ChainItem | SyntaxNode)[] = [root]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ('kind' in next) items.push(next)
    else if (!isChainNode(next, text)) items.push({ kind: 'operand', node: next, isUnsigned: false })
    else pushParts(next, text, pending)
  }
  return items
}

/** Pushes the parts of one chain node onto a stack, last part first. */
function pushParts(node: SyntaxNode, text: string, pending: (ChainItem | SyntaxNode)[]): void {
  if (node.name === 'NumberDurationLiteral') {
    pending.push({ kind: 'operand', node, isUnsigned: true })
    pending.push({ kind: 'prefix', op: text[node.from] === '-' ? '-' : '+', from: node.from })
    return
  }
  const first = node.firstChild!
  if (node.name === 'UnaryExpr') {
    pending.push(node.lastChild!)
    pending.push({ kind: 'prefix', op: text[first.from] === '-' ? '-' : '+', from: first.from })
    return
  }
  if (POSTFIX_NODES.has(node.name)) {
    pending.push({ kind: 'postfix', node })
    pending.push(named(node)[0]!)
    return
  }
  // The operands are the first and the last part; clauses of matching may be between the operator and the last.
  const parts = named(node)
  const { from, to } = parts[1]!
  pending.push(parts.at(-1)!)
  pending.push({ kind: 'infix', op: text.slice(from, to).toLowerCase() as BinaryOp, node })
  pending.push(parts[0]!)
}

function strengthOf(op: BinaryOp): number {
  return PRECEDENCE.get(op)!
}

/** Groups the items by precedence climbing. */
export function regroup(items: readonly ChainItem[], build: ChainBuilder): Expr {
  let at = 0
  const operand = (): Expr => {
    const item = items[at++]!
    if (item.kind === 'prefix') return build.prefix(item.op, item.from, climb(operand(), strengthOf('^')))
    invariant(item.kind === 'operand', 'an operator is followed by an operand')
    let expr = build.operand(item.node, item.isUnsigned)
    for (let next = items[at]; next?.kind === 'postfix'; next = items[++at]) expr = build.postfix(next.node, expr)
    return expr
  }
  const climb = (start: Expr, least: number): Expr => {
    let left = start
    for (let item = items[at]; item?.kind === 'infix' && strengthOf(item.op) >= least; item = items[at]) {
      at++
      const strength = strengthOf(item.op)
      const right = climb(operand(), item.op === '^' ? strength : strength + 1)
      left = build.infix(item, left, right)
    }
    return left
  }
  return climb(operand(), 0)
}
