/**
 * The context of a placeholder in a PromQL expression: a sender's value is safe only inside a quoted label value, and
 * after `=~` it must not act as a pattern either.
 */
import type { PlaceholderUse } from './placeholder.ts'

/** `outside`: not in a string in double quotes; nothing is bound there. */
export type PromqlContext = 'string' | 'regex' | 'outside'

/** The context of each use, in order. `uses` are the placeholders of `text`, in order. */
export function promqlContexts(text: string, uses: readonly PlaceholderUse[]): PromqlContext[] {
  const strings = stringsOf(text)
  return uses.map((use) => {
    const around = strings.find((string) => string.from < use.from && use.to < string.to)
    return around?.context ?? 'outside'
  })
}

interface StringLiteral {
  readonly from: number
  /** One past the closing quote. */
  readonly to: number
  readonly context: PromqlContext
}

/** Comments and strings. Only double quotes count: a backquoted string has no escapes, a single-quoted one has others. */
const TOKEN = /#[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`[^`]*`/g

function stringsOf(text: string): StringLiteral[] {
  return [...text.matchAll(TOKEN)]
    .filter(([token]) => token.startsWith('"'))
    .map((match) => ({
      from: match.index,
      to: match.index + match[0].length,
      context: /[=!]~\s*$/.test(text.slice(0, match.index)) ? 'regex' : 'string',
    }))
}
