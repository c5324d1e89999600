/**
 * Quotes a value from a sender for text that a person reads, runs or pastes. One function per context: POSIX shell,
 * PromQL strings, Markdown, links. Tests verify each with the actual reader of that text: `sh`, the PromQL parser, the
 * Markdown lexer.
 */

/** A POSIX shell word that evaluates to `value`, for all characters except NUL, which no argument can contain. */
export function quoteShellWord(value: string): string {
  return isPlainWord(value) ? value : `'${escapeShellSingle(value)}'`
}

/** For use between single quotes: the quote is closed, escaped and opened again. */
export function escapeShellSingle(value: string): string {
  return value.replaceAll("'", `'\\''`)
}

/**
 * For use between double quotes. `!` is unchanged: history expansion is off in scripts, and a backslash would be
 * printed.
 */
export function escapeShellDouble(value: string): string {
  return value.replace(/[\\"$`]/g, '\\$&')
}

/** Needs no shell quoting: the characters of names, paths and images, without `~`, `=` and a leading `-`. */
function isPlainWord(value: string): boolean {
  return /^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,-]*$/.test(value)
}

/** For use in a PromQL string in double quotes. Go's escapes: an escaped single quote would be an error there. */
export function escapePromqlString(value: string): string {
  return value.replace(/[\\"\n\r\t\0]/g, (char) => PROMQL_ESCAPES.get(char) ?? char)
}

const PROMQL_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '\\': '\\\\',
    '"': '\\"',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\0': '\\x00',
  }),
)

/** A regular expression (RE2) that matches exactly `value`; not yet escaped for its string. */
export function escapeRegex(value: string): string {
  return value.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}

/**
 * Markdown (CommonMark and GFM) that shows `value` literally, on one line: every character that could start a construct
 * gets a backslash. White space and control characters become one space, so that the value cannot start a line.
 */
export function escapeMarkdown(value: string): string {
  return (
    oneLine(value)
      .replace(/[\\`*_{}[\]<>#|~&!():@+="'$^%;?]/g, '\\$&')
      // List markers also count after spaces.
      .replace(/^( ?)-/, '$1\\-')
      .replace(/^( ?\d+)\./, '$1\\.')
      .replace(/www\./gi, (www) => `${www.slice(0, 3)}\\.`)
  )
}

/** A code span that shows `value`: the fence is one backtick longer than any run inside. */
export function codeSpan(value: string): string {
  const text = oneLine(value)
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  // CommonMark removes one space from both ends when both have one, so one more is added where the text has its own.
  const isPadded = /^`|`$/.test(text) || /^ .*[^ ].* $/.test(text)
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** For use inside the destination of a link: percent-encoded, brackets and quotes too. */
export function escapeLink(value: string): string {
  // A lone surrogate cannot be encoded.
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\ufffd')
  return encodeURIComponent(wellFormed).replace(
    /[()'*!~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function oneLine(value: string): string {
  return value.replace(/[\s\p{Cc}]+/gu, ' ')
}

/** Longer values are not put into commands or texts. */
const BOUND_VALUE_CHARS_MAX = 1000

/**
 * Why a value is not put into a page, or `undefined` when it may be. Quoting protects the shell, but not the terminal
 * that a command is pasted into, the reader, or a program that takes the value for an option.
 */
export function whyNotBindable(value: string): string | undefined {
  if (value === '') return 'empty'
  if (value.length > BOUND_VALUE_CHARS_MAX) return 'too long'
  if (/[\p{Cc}\u2028\u2029]/u.test(value)) return 'holds control characters'
  if (/\p{Bidi_Control}/u.test(value)) return 'holds characters that change the order of the text'
  if (value.startsWith('-')) return 'would be taken for an option'
  return undefined
}
