import type { SyntaxNode } from '@lezer/common'

/** Children that mean something: comments and punctuation are left out. */
export function named(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return children
}
