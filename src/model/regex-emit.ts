import type { Assertion, CharacterSet, RegexNode } from './regex-parse.ts'
import type { CodeRange } from './regex-sets.ts'

/** A tree as JavaScript source for the flags `su`. */
export function emitRegex(node: RegexNode): string {
  switch (node.kind) {
    case 'set':
      return emitSet(node.set)
    case 'assertion':
      return ASSERTIONS[node.what]
    case 'group':
      return `(${node.name === undefined ? '' : `?<${node.name}>`}${emitRegex(node.node)})`
    case 'sequence':
      return node.nodes
        .map((child) => (child.kind === 'choice' ? `(?:${emitRegex(child)})` : emitRegex(child)))
        .join('')
    case 'choice':
      return node.nodes.map(emitRegex).join('|')
    case 'repeat': {
      const { node: inner, min, max, isLazy } = node
      // An assertion cannot be repeated in JavaScript unless it stands in a group.
      const body = inner.kind === 'set' || inner.kind === 'group' ? emitRegex(inner) : `(?:${emitRegex(inner)})`
      return `${body}{${min},${max === Infinity ? '' : max}}${isLazy ? '?' : ''}`
    }
  }
}

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  'text start': '^',
  'text end': '$',
  'line start': '(?<![^\\n])',
  'line end': '(?![^\\n])',
  'word boundary': '\\b',
  'no word boundary': '\\B',
}

function emitSet({ ranges, properties, isNegated, isDefaultDot }: CharacterSet): string {
  if (isDefaultDot === true) return '.'
  const [first] = ranges
  const isSingle = !isNegated && ranges.length === 1 && properties.length === 0 && first![0] === first![1]
  if (isSingle) return emitPoint(first![0])
  return `[${isNegated ? '^' : ''}${ranges.map(emitRange).join('')}${properties.join('')}]`
}

function emitRange([low, high]: CodeRange): string {
  return low === high ? emitPoint(low) : `${emitPoint(low)}-${emitPoint(high)}`
}

/** Letters, digits and a few harmless signs as they are, all else by number. */
function emitPoint(point: number): string {
  const char = String.fromCodePoint(point)
  return /[A-Za-z0-9_ ,:;=@%&#~"'<>!]/.test(char) ? char : `\\u{${point.toString(16)}}`
}
