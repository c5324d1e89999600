/**
 * RE2 patterns, as in Prometheus and Alertmanager, run by re2js (a port of RE2) in time linear in the text. No pattern from
 * outside reaches JavaScript's backtracking engine.
 */
import { ownValue } from '../base/own-value.ts'
import { RE2JS, RE2JSException } from 're2js'
import { DEFAULT_REGEX_LIMITS, type RegexLimits, type RegexWork } from './regex-limits.ts'

/** A pattern that RE2 refuses, or that is beyond a limit; the message has the reason. */
export class RegexError extends Error {
  override readonly name: string = 'RegexError'
}

/** A pattern that is beyond a limit; the message names the limit. */
export class RegexLimitError extends RegexError {
  override readonly name = 'RegexLimitError'
}

/** Matches whole texts only. Both throw FleetError `query_limit` when the work is beyond its limit. */
export interface AnchoredRegex {
  test(text: string, work?: RegexWork): boolean
  /**
   * The whole match and the groups by number and name, up to group `groups` (by default all); `null` when the text does
   * not match.
   */
  exec(text: string, work?: RegexWork, groups?: number): RegexMatch | null
  /** The number of each named group. */
  readonly groupNames: Readonly<Record<string, number>>
}

export interface RegexMatch extends ReadonlyArray<string | undefined> {
  readonly groups?: Readonly<Record<string, string | undefined>>
}

const cache = new Map<string, Compiled>()
const CACHE_ENTRIES_MAX = 1000

interface Compiled extends AnchoredRegex {
  /** 0 for a list of texts, which has no limit. */
  readonly instructions: number
}

/** The pattern anchored at both ends; a dot matches newlines too (Prometheus 3). Throws `RegexError`. */
export function compileAnchoredRegex(pattern: string, limits: RegexLimits = DEFAULT_REGEX_LIMITS): AnchoredRegex {
  return compiled(pattern, limits)
}

/** How large the pattern is; 0 for a list of texts, which has no limit. Throws `RegexError`. */
export function regexInstructions(pattern: string, limits: RegexLimits): number {
  return compiled(pattern, limits).instructions
}

/** RE2 as it is, for searching inside a text. Throws `RegexError`. */
export function compileRegex(pattern: string): RE2JS {
  return compileWith(pattern, 0, DEFAULT_REGEX_LIMITS)
}

function compiled(pattern: string, limits: RegexLimits): Compiled {
  let regex = cache.get(pattern)
  if (regex === undefined) {
    regex = compiledList(pattern) ?? compiledProgram(pattern, limits)
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
    cache.set(pattern, regex)
  } else if (regex.instructions > 0) {
    // It may have been compiled for other limits.
    refuseTooLong(pattern, limits)
    refuseTooMany(regex.instructions, limits)
  }
  return regex
}

/** Bytes of the states of one automaton. re2js takes 8 MiB, in which a hostile pattern fills states for 700 ms. */
const STATE_BYTES_MAX = 2 ** 20
/** Steps that a state of the automaton costs per byte of it, and that a test costs beside its characters. */
const STEPS_PER_STATE_BYTE = 4
const TEST_STEPS = 5
/** The automaton reads characters faster than instructions run. */
const CHARACTERS_PER_STEP = 4
/** A group costs a copy of two positions in each thread of the machine. */
const GROUPS_PER_STEP = 8
/** Steps before the first character: the machine is as large for short texts. */
const START_CHARACTERS = 16
/** re2js' mark of a match of the whole text. */
const ANCHOR_BOTH = 2

function compiledProgram(pattern: string, limits: RegexLimits): Compiled {
  const whole = compileWith(pattern, RE2JS.DOTALL, limits)
  const instructions = whole.programSize()
  const re2 = whole.re2()
  let isMetered = false
  let working: RegexWork | undefined
  const test = (text: string, work?: RegexWork): boolean => {
    if (!isMetered) meter(re2, (steps) => working?.spend(steps, pattern))
    isMetered = true
    working = work
    work?.spend(TEST_STEPS + Math.ceil(text.length / CHARACTERS_PER_STEP), pattern)
    return whole.testExact(text)
  }
  return {
    instructions,
    groupNames: re2.namedGroups,
    test,
    exec: (text, work, groups = whole.groupCount()) => {
      if (!test(text, work)) return null
      const count = 1 + Math.min(groups, whole.groupCount())
      const perCharacter = instructions * (1 + count / GROUPS_PER_STEP)
      work?.spend(Math.ceil(perCharacter * (text.length + START_CHARACTERS)), pattern)
      const [, ends] = re2.matchWithGroup(text, 0, text.length, ANCHOR_BOTH, count) as [boolean, readonly number[]]
      return matchOf(text, ends, re2.namedGroups)
    },
  }
}

/** Reports the steps that the automaton takes beside reading characters, and those of the machine before it runs. */
function meter(re2: ReturnType<RE2JS['re2']>, spend: (steps: number) => void): void {
  const { dfa } = re2
  dfa.stateBudget = dfa.memBudget = STATE_BYTES_MAX
  const match = dfa.match.bind(dfa)
  dfa.match = (input: { endPos(): number }, pos, anchor) => {
    const before = dfa.memBudget
    const found = match(input, pos, anchor) as boolean | null
    // The automaton drops its states when their memory is full.
    const bytes = dfa.memBudget <= before ? before - dfa.memBudget : STATE_BYTES_MAX
    spend(bytes * STEPS_PER_STATE_BYTE)
    // It gave up, and the machine that runs instruction by instruction goes on.
    if (found === null) spend(re2.numberOfInstructions() * (input.endPos() + 1))
    return found
  }
}

/** @param ends where each group begins and ends; -1 for a group that took no part */
function matchOf(text: string, ends: readonly number[], names: Readonly<Record<string, number>>): RegexMatch {
  const match = Array.from({ length: ends.length / 2 }, (_, group) =>
    ends[2 * group]! < 0 ? undefined : text.slice(ends[2 * group], ends[2 * group + 1]),
  )
  const named = Object.entries(names)
  if (named.length === 0) return match
  return Object.assign(match, { groups: Object.fromEntries(named.map(([name, group]) => [name, match[group]])) })
}

/** Texts separated by `|`, in a group or not: what dashboards send for a selection of many values. */
const LIST = /^(?<open>\((?:\?:)?)?(?<texts>(?:[^\\.+*?()[\]{}^$]|\\[!-/:-@[-`{-~])*)(?<close>\))?$/s

/** A list of texts of any length is a set, without RE2. */
function compiledList(pattern: string): Compiled | undefined {
  const { open, texts, close } = LIST.exec(pattern)?.groups ?? {}
  if (texts === undefined || (open === undefined) !== (close === undefined)) return undefined
  const known = new Set(splitList(texts))
  return {
    instructions: 0,
    groupNames: {},
    test: (text, work) => {
      work?.spend(TEST_STEPS, pattern)
      return known.has(text)
    },
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

function compileWith(pattern: string, flags: number, limits: RegexLimits): RE2JS {
  refuseTooLong(pattern, limits)
  refuseTooMany(expandedSize(pattern), limits)
  const regex = parsedWith(pattern, flags)
  refuseTooMany(regex.programSize(), limits)
  return regex
}

function refuseTooLong(pattern: string, { lengthMax }: RegexLimits): void {
  if (pattern.length <= lengthMax) return
  const reason = `it has ${pattern.length} characters, promql.regex-length-max is ${lengthMax}`
  throw new RegexLimitError(`regular expression too long: ${reason}`)
}

function refuseTooMany(instructions: number, { instructionsMax }: RegexLimits): void {
  if (instructions <= instructionsMax) return
  const reason = `it needs ${instructions} instructions, promql.regex-instructions-max is ${instructionsMax}`
  throw new RegexLimitError(`regular expression too large: ${reason}`)
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

const REFERENCE = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu

/** Go's Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`, names as long as they can be; a missing group is empty. */
export function expandGroups(template: string, match: RegexMatch): string {
  return template.replace(REFERENCE, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare
    if (name === undefined) return '$'
    return (/^\d+$/.test(name) ? match[Number(name)] : ownValue(match.groups ?? {}, name)) ?? ''
  })
}

/** The largest number of a group that `expandGroups` reads. */
export function largestGroup(template: string, { groupNames }: AnchoredRegex): number {
  const groups = Array.from(template.matchAll(REFERENCE), ([, braced, bare]) => {
    const name = braced ?? bare ?? '0'
    return /^\d+$/.test(name) ? Number(name) : (ownValue(groupNames, name) ?? 0)
  })
  return Math.max(0, ...groups)
}

/** A text as a pattern that matches just it. */
export function escapeRegex(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
}
