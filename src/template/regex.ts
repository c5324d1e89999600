/**
 * RE2 patterns that search inside a text, for `match` and `reReplaceAll`. Built from anchored patterns, so that whatever
 * keeps those from running away keeps these too. Unlike in PromQL, a dot matches no newline unless `(?s)` says so.
 */
import { RegexError, compileAnchoredRegex } from '../model/regex.ts'
import { TemplateError } from './value.ts'

/** Searching again after each match takes time by the square of the text. */
const TEXT_CHARS_MAX = 10_000

/** Whether the pattern matches somewhere in the text. Throws `TemplateError`. */
export function searches(pattern: string, text: string): boolean {
  return compile(pattern, '*').test(bounded(text))
}

/** Go's ReplaceAllString: each match becomes the replacement, in which `$1`, `${name}` stand for groups. */
export function replaceAll(pattern: string, replacement: string, text: string): string {
  const atStart = compile(pattern, '*')
  // Later searches see the character before them, so that `^` and `\b` mean what they mean in the whole text.
  const further = compile(pattern, '+')
  let result = ''
  let lastEnd = 0
  let at = 0
  while (at <= bounded(text).length) {
    const from = at === 0 ? 0 : previousAt(text, at)
    const match = (at === 0 ? atStart : further).exec(text.slice(from))
    if (match === null) break
    const start = from + match[1]!.length
    const end = start + match[2]!.length
    result += text.slice(lastEnd, start)
    // No empty match right behind another match.
    if (end > lastEnd || start === 0) result += expand(replacement, match)
    lastEnd = end
    at = end > at ? end : nextAt(text, at)
  }
  return result + text.slice(lastEnd)
}

/** Group 1 is what stands before the match, group 2 the match; the pattern's own groups follow. */
function compile(pattern: string, before: '*' | '+'): RegExp {
  try {
    compileAnchoredRegex(pattern) // alone, so that an error is about what was written
    return compileAnchoredRegex(`(?s:(.${before}?))((?-s:${pattern}))(?s:.*)`)
  } catch (thrown) {
    if (thrown instanceof RegexError) throw new TemplateError(thrown.message)
    throw thrown
  }
}

/** Go's Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`; a group that is not there is empty. */
function expand(replacement: string, match: RegExpExecArray): string {
  const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu
  return replacement.replace(reference, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare
    if (name === undefined) return '$'
    return (/^\d+$/.test(name) ? match[Number(name) + 2] : match.groups?.[name]) ?? ''
  })
}

function bounded(text: string): string {
  if (text.length > TEXT_CHARS_MAX)
    throw new TemplateError(`text of ${text.length} characters; want at most ${TEXT_CHARS_MAX}`)
  return text
}

function previousAt(text: string, at: number): number {
  return at >= 2 && text.codePointAt(at - 2)! > 0xffff ? at - 2 : at - 1
}

function nextAt(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}
