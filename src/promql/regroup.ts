import type { SyntaxNode } from '@lezer/common'
import type { BinaryOp, Expr } from './ast.ts'

/**
 * Operator precedence. The Lezer grammar lets a postfix modifier (`[5m]`, `offset`, `@`) apply to the whole expression
 * to its left, and binds the sign of `-2^2` to the number; PromQL binds modifiers tightest and signs looser than `^`.
 * So a chain of operators is read in source order, whatever its shape in the tree, and grouped again here.
 */
export type ChainItem =
  | { readonly kind: 'operand'; readonly node: SyntaxNode; readonly isUnsigned: boolean }
  | { readonly kind: 'prefix'; readonly op: '+' | '-'; readonly from: number }
  | { readonly kind: 'postfix'; readonly node: SyntaxNode }
  | { readonly kind: 'infix'; readonly op: BinaryOp; readonly opNode: SyntaxNode; readonly node: SyntaxNode }

/** Builds the result for the items of a chain. The caller builds and checks the nodes. */
interface ChainBuilder {
  operand(node: SyntaxNode, isUnsigned: boolean): Expr
  prefix(op: '+' | '-', from: number, expr: Expr): Expr
  postfix(node: SyntaxNode, expr: Expr): Expr
  infix(item: ChainItem & { readonly kind: 'infix' }, left: Expr, right: Expr): Expr
}

const INFIX_NODES: Readonly<Record<string, BinaryOp>> = {
  Pow: '^',
  Mul: '*',
  Div: '/',
  Mod: '%',
  Atan2: 'atan2',
  Add: '+',
  Sub: '-',
  Eql: '==',
  Neq: '!=',
  Gte: '>=',
  Gtr: '>',
  Lte: '<=',
  Lss: '<',
  TrimUpper: '</',
  TrimLower: '>/',
  And: 'and',
  Unless: 'unless',
  Or: 'or',
}

const POSTFIX_NODES: ReadonlySet<string> = new Set([
  'OffsetExpr',
  'StepInvariantExpr',
  'MatrixSelector',
  'SubqueryExpr',
  'AnchoredExpr',
  'SmoothedExpr',
])

/** Binding strength, loosest first; a sign binds like `*`, and `^` alone groups to the right. */
const PRECEDENCE: Readonly<Record<BinaryOp, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '>=': 3,
  '>': 3,
  '<=': 3,
  '<': 3,
  '</': 3,
  '>/': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6,
}

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
    pending.push(exprChildren(node)[0]!)
    return
  }
  const [left, right] = exprChildren(node)
  let opNode: SyntaxNode | null = left!.nextSibling
  while (opNode !== null && INFIX_NODES[opNode.name] === undefined) opNode = opNode.nextSibling
  pending.push(right!)
  pending.push({ kind: 'infix', op: INFIX_NODES[opNode!.name]!, opNode: opNode!, node })
  pending.push(left!)
}

/** The children of a chain node that are expressions: the first and, for a binary node, the last. */
function exprChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return [children[0]!, children.at(-1)!]
}

/** Groups the items by precedence climbing. */
export function regroup(items: readonly ChainItem[], build: ChainBuilder): Expr {
  let at = 0
  const operand = (): Expr => {
    const item = items[at++]!
    if (item.kind === 'prefix') return build.prefix(item.op, item.from, climb(operand(), PRECEDENCE['^']))
    let expr = build.operand(
      (item as ChainItem & { kind: 'operand' }).node,
      (item as { isUnsigned: boolean }).isUnsigned,
    )
    for (let next = items[at]; next?.kind === 'postfix'; next = items[++at]) expr = build.postfix(next.node, expr)
    return expr
  }
  const climb = (start: Expr, least: number): Expr => {
    let left = start
    for (let item = items[at]; item?.kind === 'infix' && PRECEDENCE[item.op] >= least; item = items[at]) {
      at++
      const strength = PRECEDENCE[item.op]
      const right = climb(operand(), item.op === '^' ? strength : strength + 1)
      left = build.infix(item, left, right)
    }
    return left
  }
  return climb(operand(), 0)
}
