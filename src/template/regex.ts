/** RE2 patterns that search a text, for `match` and `reReplaceAll`. A dot does not match a newline without `(?s)`. */
import type { RE2JS } from 're2js'
import { REGEX_STEPS_MAX } from '../model/regex-limits.ts'
import { RegexError, compileRegex, expandGroups } from '../model/regex.ts'
import { allMatches } from './regex-matches.ts'
import { BoundedText, TemplateError } from './value.ts'

const TEXT_CHARS_MAX = 10_000

/** Whether the pattern matches anywhere in the text. Throws `TemplateError`. */
export function searches(pattern: string, text: string): boolean {
  return compile(pattern).test(bounded(text))
}

/** Go's ReplaceAllString: each match becomes the replacement, in which `$1`, `${name}` refer to groups. */
export function replaceAll(pattern: string, replacement: string, text: string): string {
  const result = new BoundedText()
  let lastEnd = 0
  const searched = bounded(text)
  for (const { from, to, groups } of allMatches(affordable(compile(pattern), searched), searched)) {
    // No empty match directly after another match.
    if (to === lastEnd && to > 0) continue
    result.put(text.slice(lastEnd, from) + expandGroups(replacement, groups))
    lastEnd = to
  }
  result.put(text.slice(lastEnd))
  return result.text
}

/** Each character is tried on each instruction. */
function affordable(regex: RE2JS, text: string): RE2JS {
  const steps = regex.programSize() * text.length
  if (steps <= REGEX_STEPS_MAX) return regex
  const size = `${regex.programSize()} instructions on ${text.length} characters`
  throw new TemplateError(`regular expression of ${size}: ${steps} steps; want at most ${REGEX_STEPS_MAX}`)
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
