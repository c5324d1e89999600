/**
 * RE2 patterns (what Prometheus, Alertmanager and their users write) run on JavaScript's engine. What RE2 has and we
 * cannot translate is refused with a sentence; what JavaScript has and RE2 refuses (lookaround, backreferences) is
 * refused too, so that a rule file means the same here and there.
 */
export class RegexError extends Error {
  override readonly name = 'RegexError'
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

const cache = new Map<string, RegExp>()
const CACHE_ENTRIES_MAX = 1000

/** The pattern anchored at both ends; a dot matches newlines too (Prometheus 3). Throws `RegexError`. */
export function compileAnchoredRegex(pattern: string): RegExp {
  let regex = cache.get(pattern)
  if (regex === undefined) {
    const { source, flags } = translate(pattern)
    try {
      regex = new RegExp(`^(?:${source})$`, flags)
    } catch (thrown) {
      throw new RegexError(`error parsing regexp: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
    cache.set(pattern, regex)
  }
  return regex
}

/** RE2 syntax to JavaScript syntax with the `u` flag. */
function translate(pattern: string): { readonly source: string; readonly flags: string } {
  let flags = 'su'
  let at = 0
  let source = ''
  const leading = /^\(\?([is]+)\)/.exec(pattern)
  if (leading !== null) {
    if (leading[1]!.includes('i')) flags += 'i'
    at = leading[0].length
  }
  let isInClass = false
  while (at < pattern.length) {
    const char = pattern[at]!
    if (char === '\\') {
      const step = translateEscape(pattern, at, isInClass)
      source += step.source
      at = step.next
    } else if (isInClass) {
      const posix = /^\[:(\^?)([a-z]+):\]/.exec(pattern.slice(at))
      if (posix !== null) {
        const set = POSIX_CLASSES[posix[2]!]
        if (set === undefined || posix[1] === '^') throw new RegexError(`invalid character class range: ${posix[0]}`)
        source += set
        at += posix[0].length
        continue
      }
      if (char === ']') isInClass = false
      source += char === '[' ? '\\[' : char
      at++
    } else if (char === '[') {
      isInClass = true
      const opening = /^\[\^?\]?/.exec(pattern.slice(at))![0]
      source += opening.endsWith(']') ? `${opening.slice(0, -1)}\\]` : opening
      at += opening.length
    } else if (pattern.startsWith('(?', at)) {
      const group = /^\(\?(?::|P?<([A-Za-z0-9_]+)>)/.exec(pattern.slice(at))
      if (group === null) {
        throw new RegexError(`invalid or unsupported Perl syntax: \`${pattern.slice(at, at + 3)}\``)
      }
      source += group[1] === undefined ? '(?:' : `(?<${group[1]}>`
      at += group[0].length
    } else if (char === '{' && !/^\{\d+(?:,\d*)?\}/.test(pattern.slice(at))) {
      source += '\\{'
      at++
    } else if (char === '}' && !/\{\d+(?:,\d*)?$/.test(pattern.slice(0, at))) {
      source += '\\}'
      at++
    } else if (char === ']') {
      source += '\\]'
      at++
    } else {
      source += char
      at++
    }
  }
  return { source, flags }
}

function translateEscape(
  pattern: string,
  at: number,
  isInClass: boolean,
): { readonly source: string; readonly next: number } {
  const next = pattern[at + 1]
  if (next === undefined) throw new RegexError('trailing backslash at end of expression')
  if (next === 'A' && !isInClass) return { source: '^', next: at + 2 }
  if (next === 'z' && !isInClass) return { source: '$', next: at + 2 }
  if (next === 'a') return { source: '\\x07', next: at + 2 }
  if (next === 'Q') {
    const end = pattern.indexOf('\\E', at + 2)
    const literal = end === -1 ? pattern.slice(at + 2) : pattern.slice(at + 2, end)
    return { source: escapeRegex(literal), next: end === -1 ? pattern.length : end + 2 }
  }
  const braced = /^\\x\{([0-9A-Fa-f]{1,6})\}/.exec(pattern.slice(at))
  if (braced !== null) return { source: `\\u{${braced[1]!}}`, next: at + braced[0].length }
  const property = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/.exec(pattern.slice(at))
  if (property !== null) {
    const name = property[3] ?? property[4]!
    const body = name.length <= 2 ? name : `Script=${name}`
    return { source: `\\${property[1]!}{${body}}`, next: at + property[0].length }
  }
  if (/[1-9]/.test(next)) throw new RegexError(`invalid escape sequence: \`\\${next}\``)
  if (/[dDsSwWbBnrtfv0x]/.test(next)) {
    const hex = /^\\x[0-9A-Fa-f]{2}/.exec(pattern.slice(at))
    if (next === 'x' && hex === null) throw new RegexError('invalid escape sequence: `\\x`')
    return next === 'x' ? { source: hex![0], next: at + 4 } : { source: `\\${next}`, next: at + 2 }
  }
  if (/[A-Za-z]/.test(next)) throw new RegexError(`invalid escape sequence: \`\\${next}\``)
  // Punctuation may be escaped freely in RE2; with the `u` flag JavaScript allows only syntax characters and `-` in classes.
  const needsEscape = /[\^$\\.*+?()[\]{}|/]/.test(next) || (isInClass && next === '-')
  return { source: needsEscape ? `\\${next}` : next, next: at + 2 }
}

/** A text as a pattern that matches just it. */
export function escapeRegex(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
}
