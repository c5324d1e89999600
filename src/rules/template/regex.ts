/** RE2 patterns that search inside a text, for `match` and `reReplaceAll`. */
import { invariant } from '../../base/invariant.ts'
import { RegexError, compileAnchoredRegex } from '../../model/regex.ts'
import { TemplateError } from './value.ts'

/** A global regex: finds every match. Here, unlike in PromQL, a dot does not match a newline unless `(?s)` says so. */
export function searchRegex(pattern: string): RegExp {
  const { source, flags } = translate(pattern)
  const inner = /^\^\(\?:([^]*)\)\$$/.exec(source)?.[1]
  invariant(inner !== undefined, 'an anchored regex is its pattern between ^(?: and )$')
  const dotMatchesNewline = /^\(\?[a-z]*s/.test(pattern)
  return new RegExp(inner, `${dotMatchesNewline ? flags : flags.replace('s', '')}g`)
}

function translate(pattern: string): RegExp {
  try {
    return compileAnchoredRegex(pattern)
  } catch (thrown) {
    if (thrown instanceof RegexError) throw new TemplateError(thrown.message)
    throw thrown
  }
}

/** Go's Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`; a group that is not there is empty. `match` is what `replace` hands over. */
export function expandReplacement(template: string, match: readonly unknown[]): string {
  const last = match.at(-1)
  const named = typeof last === 'object' && last !== null ? (last as Readonly<Record<string, string | undefined>>) : {}
  const groupCount = match.findIndex((part) => typeof part === 'number')
  return template.replace(
    /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
    (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare
      if (name === undefined) return whole === '$$' ? '$' : whole
      if (!/^\d+$/.test(name)) return named[name] ?? ''
      const group = Number(name) < groupCount ? match[Number(name)] : undefined
      return typeof group === 'string' ? group : ''
    },
  )
}
