/**
 * Matchers as Alertmanager's users write them: in its configuration, in `filter=` of its API, in amtool. Two syntaxes:
 * the classic one (names as Prometheus allows them, values bare or quoted, tolerant of stray backslashes) and the one
 * of Alertmanager 0.27 (any UTF-8, quoted where it has reserved characters). What the classic one can read means what
 * it meant there; only what it cannot read is read by the newer one.
 */
import type { Labels } from './labels.ts'
import { compileMatcher, type MatchOp, type Matcher } from './matcher.ts'
import { RegexError } from './regex.ts'

export class MatcherTextError extends Error {
  override readonly name = 'MatcherTextError'
}

/** One or several matchers, `a="b"` or `{a="b", c=~"d|e"}`; none for `{}`. Throws `MatcherTextError`. */
export function parseMatchers(text: string): readonly Matcher[] {
  const classic = parseClassic(text)
  const matchers = 'fault' in classic ? parseUtf8(text) : classic.matchers
  for (const matcher of matchers) checkPattern(matcher)
  return matchers
}

/** By name, then value, then operator: the order in which Alertmanager writes them. */
export function sortMatchers(matchers: readonly Matcher[]): readonly Matcher[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return [...matchers].sort(
    (a, b) => compare(a.name, b.name) || compare(a.value, b.value) || OPS.indexOf(a.op) - OPS.indexOf(b.op),
  )
}

/** `{a="b",c=~"d"}`, as Alertmanager writes them in group keys. */
export function formatMatchers(matchers: readonly Matcher[]): string {
  return `{${matchers.map(formatMatcherText).join(',')}}`
}

/** `a="b"`; a name with reserved characters is quoted too. */
export function formatMatcherText({ name, op, value }: Matcher): string {
  const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
  return RESERVED.test(name) ? `${JSON.stringify(name)}${op}${JSON.stringify(value)}` : `${name}${op}"${escaped}"`
}

/** Whether all of them match; none match everything. The patterns are checked ones. */
export function compileMatchers(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => [matcher.name, compileMatcher(matcher)] as const)
  return (labels) => tests.every(([name, test]) => test(labels.get(name)))
}

const OPS: readonly MatchOp[] = ['=', '!=', '=~', '!~']
const RESERVED = /[\s{}!=~,\\"'`]/
const CLASSIC = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*(.*?)\s*$/s

function checkPattern(matcher: Matcher): void {
  try {
    compileMatcher(matcher)
  } catch (thrown) {
    if (!(thrown instanceof RegexError)) throw thrown
    throw new MatcherTextError(`bad pattern in ${formatMatcherText(matcher)}: ${thrown.message}`)
  }
}

type Classic = { readonly matchers: readonly Matcher[] } | { readonly fault: string }

function parseClassic(text: string): Classic {
  const matchers: Matcher[] = []
  for (const token of splitClassic(text.replace(/^\{/, '').replace(/\}$/, ''))) {
    const parts = CLASSIC.exec(token)
    const value = parts === null ? undefined : classicValue(parts[3]!)
    if (parts === null || value === undefined) return { fault: token }
    matchers.push({ name: parts[1]!, op: parts[2] as MatchOp, value })
  }
  return { matchers }
}

/** At commas outside of quotes; an empty last one is no token. */
function splitClassic(text: string): readonly string[] {
  const tokens: string[] = []
  let token = ''
  let isQuoted = false
  let isEscaped = false
  for (const char of text) {
    if (char === ',' && !isQuoted) {
      tokens.push(token)
      token = ''
      continue
    }
    if (char === '"' && !isEscaped) isQuoted = !isQuoted
    isEscaped = char === '\\' && !isEscaped
    token += char
  }
  return token.trim() === '' ? tokens : [...tokens, token]
}

/** `undefined` for an unterminated quote. A backslash before another character is literal. */
function classicValue(raw: string): string | undefined {
  const isQuoted = raw.startsWith('"')
  if (isQuoted && !/^"(?:[^"\\]|\\.)*"$/s.test(raw)) return undefined
  const inner = isQuoted ? raw.slice(1, -1) : raw
  if (/(?:^|[^\\])(?:\\\\)*"/.test(inner)) return undefined
  return inner.replace(/\\([n"\\])/g, (_, char: string) => (char === 'n' ? '\n' : char))
}

type Token = { readonly kind: 'open' | 'close' | 'comma' | 'op' | 'word' | 'quoted'; readonly text: string }

const UTF8_TOKENS: readonly (readonly [RegExp, Token['kind']])[] = [
  [/\{/y, 'open'],
  [/\}/y, 'close'],
  [/,/y, 'comma'],
  [/=~|!~|!=|=/y, 'op'],
  [/"(?:[^"\\\n]|\\.)*"/y, 'quoted'],
  [/[^\s{}!=~,\\"'`]+/y, 'word'],
]

function tokenise(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const blank = /\s*/y
  for (;;) {
    blank.lastIndex = at
    blank.exec(text)
    at = blank.lastIndex
    if (at >= text.length) return tokens
    const found = UTF8_TOKENS.find(([pattern]) => {
      pattern.lastIndex = at
      return pattern.test(text)
    })
    if (found === undefined) throw new MatcherTextError(`unexpected ${JSON.stringify(text.slice(at, at + 10))}`)
    const end = found[0].lastIndex
    tokens.push({ kind: found[1], text: text.slice(at, end) })
    at = end
  }
}

function parseUtf8(text: string): readonly Matcher[] {
  const tokens = [...tokenise(text)]
  if (tokens[0]?.kind === 'open') {
    if (tokens.at(-1)?.kind !== 'close' || tokens.length < 2) throw new MatcherTextError('the brace is not closed')
    tokens.pop()
    tokens.shift()
  }
  const matchers: Matcher[] = []
  for (let i = 0; i < tokens.length; i += 4) {
    const [name, op, value, comma] = tokens.slice(i, i + 4)
    if (name === undefined || !isText(name)) throw new MatcherTextError(`got ${shown(name)}, want a label name`)
    if (op?.kind !== 'op') throw new MatcherTextError(`got ${shown(op)} after ${name.text}, want =, !=, =~ or !~`)
    if (value === undefined || !isText(value))
      throw new MatcherTextError(`got ${shown(value)} after ${op.text}, want a value`)
    if (comma !== undefined && comma.kind !== 'comma') {
      throw new MatcherTextError(`got ${shown(comma)} after ${value.text}, want a comma`)
    }
    if (textOf(name) === '') throw new MatcherTextError('a label name is empty')
    matchers.push({ name: textOf(name), op: op.text as MatchOp, value: textOf(value) })
  }
  return matchers
}

function isText({ kind }: Token): boolean {
  return kind === 'word' || kind === 'quoted'
}

function shown(token: Token | undefined): string {
  return token === undefined ? 'the end' : JSON.stringify(token.text)
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', "'": "'" }),
)

function textOf({ kind, text }: Token): string {
  if (kind === 'word') return text
  return text.slice(1, -1).replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gis, (all, byte, point, char: string) => {
    const hex = (byte ?? point) as string | undefined
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
    const plain = ESCAPES.get(char)
    if (plain === undefined) throw new MatcherTextError(`${all} is not an escape sequence`)
    return plain
  })
}
