/**
 * RE2 patterns, as in Prometheus and Alertmanager, run by re2js (a port of RE2) in time linear in the text. No pattern from
 * outside reaches JavaScript's backtracking engine.
 */
import { RE2JS, RE2JSException } from 're2js'

/** Maximum characters of a pattern; lists of texts (`a|b|c`) are exempt. RE2 compiles 10,000 in some 100 ms. */
const REGEX_LENGTH_MAX = 10_000
/** Maximum instructions of a compiled pattern: repetitions such as `(a{1,30}){1,30}` are many in few characters. */
const REGEX_INSTRUCTIONS_MAX = 10_000

/** A pattern that RE2 refuses, or that is beyond a limit; the message has the reason. */
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
    regex = compiledList(pattern) ?? compiledProgram(pattern)
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
    cache.set(pattern, regex)
  }
  return regex
}

function compiledProgram(pattern: string): Compiled {
  const whole = compileWith(pattern, RE2JS.DOTALL)
  let anchored: RE2JS | undefined
  return {
    programSize: whole.programSize(),
    test: (text) => whole.testExact(text),
    exec: (text) => {
      anchored ??= compileWith(`\\A(?:${pattern})\\z`, RE2JS.DOTALL)
      return anchored.exec(text) as RegexMatch | null
    },
  }
}

/** Texts separated by `|`, in a group or not: what dashboards send for a selection of many values. */
const LIST = /^(?<open>\((?:\?:)?)?(?<texts>(?:[^\\.+*?()[\]{}^$]|\\[!-/:-@[-`{-~])*)(?<close>\))?$/s

/** A list of texts of any length is a set, without RE2. */
function compiledList(pattern: string): Compiled | undefined {
  const { open, texts, close } = LIST.exec(pattern)?.groups ?? {}
  if (texts === undefined || (open === undefined) !== (close === undefined)) return undefined
  const known = new Set(splitList(texts))
  return {
    programSize: 1,
    test: (text) => known.has(text),
    exec: (text) => (known.has(text) ? (open === '(' ? [text, text] : [text]) : null),
  }
}

function splitList(texts: string): string[] {
  const parts = texts.match(/(?:[^\\|]|\\.)+|\|/g) ?? []
  const list = ['']
  for (const part of parts) {
    if (part === '|') list.push('')
    else list[list.length - 1] = part.replace(/\\(.)/g, '$1')
  }
  return list
}

function compileWith(pattern: string, flags: number): RE2JS {
  refuseTooLarge(pattern)
  const regex = parsedWith(pattern, flags)
  refuseTooMany(regex.programSize())
  return regex
}

function refuseTooLarge(pattern: string): void {
  if (pattern.length > REGEX_LENGTH_MAX) {
    const reason = `it has ${pattern.length} characters, regex_length_max is ${REGEX_LENGTH_MAX}`
    throw new RegexError(`regular expression too long: ${reason}`)
  }
  refuseTooMany(expandedSize(pattern))
}

function refuseTooMany(instructions: number): void {
  if (instructions <= REGEX_INSTRUCTIONS_MAX) return
  const reason = `it needs ${instructions} instructions, regex_instructions_max is ${REGEX_INSTRUCTIONS_MAX}`
  throw new RegexError(`regular expression too large: ${reason}`)
}

/** `\\x{1F600}` and `\\p{Greek}` have braces that repeat nothing. */
const ESCAPE = /\\(?:[xpP]\{[^}]*\}|.)/sy
const CLASS = /\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]/sy
const REPETITION = /\{(\d+)(?:,(\d*))?\}/y

/** About how many instructions a pattern needs, without compiling it: repetitions multiply what they repeat. */
function expandedSize(pattern: string): number {
  const outer: number[] = []
  let sum = 0
  /** Size of the last atom, which a repetition repeats. */
  let atom = 0
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!
    const match = (syntax: RegExp): RegExpExecArray | null => {
      syntax.lastIndex = at
      return syntax.exec(pattern)
    }
    const repetition = char === '{' ? match(REPETITION) : null
    if (repetition !== null) {
      sum += atom * (Math.max(1, Number(repetition[1]), Number(repetition[2] ?? 0)) - 1)
      atom *= Math.max(1, Number(repetition[1]), Number(repetition[2] ?? 0))
      at += repetition[0].length
      continue
    }
    if (char === '(') {
      outer.push(sum)
      sum = atom = 0
    } else if (char === ')' && outer.length > 0) {
      atom = sum
      sum += outer.pop()!
    } else sum += atom = 1
    const syntax = char === '\\' ? ESCAPE : char === '[' ? CLASS : undefined
    at += (syntax === undefined ? undefined : match(syntax)?.[0].length) ?? 1
  }
  return outer.reduce((total, size) => total + size, sum)
}

function parsedWith(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags)
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown
    // Flags are written in front of the pattern, and a message would quote them.
    if (flags !== 0) parsedWith(pattern, 0)
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
