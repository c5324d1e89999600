/**
 * RE2 patterns, as in Prometheus and Alertmanager, run by re2js (a port of RE2) in time linear in the text. No pattern from
 * outside reaches JavaScript's backtracking engine.
 */
import { RE2JS, RE2JSException } from 're2js'

/** A pattern that RE2 refuses; the message has the reason. */
export class RegexError extends Error {
  override readonly name = 'RegexError'
}

/** Matches whole texts only. */
export interface AnchoredRegex {
  test(text: string): boolean
  /** The whole match and the groups by number and name; `null` when the text does not match. */
  exec(text: string): RegexMatch | null
}

export interface RegexMatch extends ReadonlyArray<string | undefined> {
  readonly groups?: Readonly<Record<string, string | undefined>>
}

const cache = new Map<string, Compiled>()
const CACHE_ENTRIES_MAX = 1000

interface Compiled extends AnchoredRegex {
  readonly programSize: number
}

/** The pattern anchored at both ends; a dot matches newlines too (Prometheus 3). Throws `RegexError`. */
export function compileAnchoredRegex(pattern: string): AnchoredRegex {
  return compiled(pattern)
}

/** RE2 as it is, for searching inside a text. Throws `RegexError`. */
export function compileRegex(pattern: string): RE2JS {
  return compileWith(pattern, 0)
}

function compiled(pattern: string): Compiled {
  let regex = cache.get(pattern)
  if (regex === undefined) {
    const whole = compileWith(pattern, RE2JS.DOTALL)
    let anchored: RE2JS | undefined
    regex = {
      programSize: whole.programSize(),
      test: (text) => whole.testExact(text),
      exec: (text) => {
        anchored ??= compileWith(`\\A(?:${pattern})\\z`, RE2JS.DOTALL)
        return anchored.exec(text) as RegexMatch | null
      },
    }
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
    cache.set(pattern, regex)
  }
  return regex
}

function compileWith(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags)
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown
    // Flags are written in front of the pattern, and a message would quote them.
    if (flags !== 0) compileWith(pattern, 0)
    throw new RegexError(thrown.message, { cause: thrown })
  }
}

/** Small programs run as an automaton, which reads each character once; large ones may run instruction by instruction. */
const INSTRUCTIONS_PER_STEP = 32

/** About how often a test may read each character. Throws `RegexError`. */
export function regexStepsPerCharacter(pattern: string): number {
  return Math.ceil(compiled(pattern).programSize / INSTRUCTIONS_PER_STEP)
}

/** Go's Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`, names as long as they can be; a missing group is empty. */
export function expandGroups(template: string, match: RegexMatch): string {
  const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu
  return template.replace(reference, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare
    if (name === undefined) return '$'
    return (/^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name]) ?? ''
  })
}

/** A text as a pattern that matches just it. */
export function escapeRegex(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
}
