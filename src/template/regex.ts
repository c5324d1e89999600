/** RE2 patterns that search a text, for `match` and `reReplaceAll`. A dot does not match a newline without `(?s)`. */
import type { RE2JS } from 're2js'
import { RegexError, compileRegex, expandGroups } from '../model/regex.ts'
import { BoundedText, TemplateError } from './value.ts'

/** Searching again after each match can take quadratic time. */
const TEXT_CHARS_MAX = 10_000

/** Whether the pattern matches anywhere in the text. Throws `TemplateError`. */
export function searches(pattern: string, text: string): boolean {
  return compile(pattern).test(bounded(text))
}

/** Go's ReplaceAllString: each match becomes the replacement, in which `$1`, `${name}` refer to groups. */
export function replaceAll(pattern: string, replacement: string, text: string): string {
  const result = new BoundedText()
  let lastEnd = 0
  for (const match of compile(pattern).matchAll(bounded(text)) as Iterable<RegExpExecArray>) {
    const end = match.index + match[0].length
    // No empty match directly after another match.
    if (end === lastEnd && end > 0) continue
    result.put(text.slice(lastEnd, match.index) + expandGroups(replacement, match))
    lastEnd = end
  }
  result.put(text.slice(lastEnd))
  return result.text
}

function compile(pattern: string): RE2JS {
  try {
    return compileRegex(pattern)
  } catch (thrown) {
    if (thrown instanceof RegexError) throw new TemplateError(thrown.message)
    throw thrown
  }
}

function bounded(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text
  throw new TemplateError(`text of ${text.length} characters; want at most ${TEXT_CHARS_MAX}`)
}
