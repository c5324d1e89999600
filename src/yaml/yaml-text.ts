/**
 * A text of a YAML file with the offset of each of its characters in the file. A PromQL error in a folded block or a quoted
 * string is then shown at its own line and column, not at the start of the value.
 */

export interface YamlText {
  readonly text: string
  /** Range of the value in the file, quotes and block header included; `to` exclusive. */
  readonly from: number
  readonly to: number
  /** Maps a range of `text` to the file. */
  rangeOf(from: number, to: number): { readonly from: number; readonly to: number }
}

/** `source` is the whole file; `[from, to)` is the scalar in it, `text` its value. */
export function yamlText(source: string, from: number, to: number, text: string): YamlText {
  // Most texts need no ranges, so the offsets are computed on demand.
  let offsets: Int32Array | undefined
  return {
    text,
    from,
    to,
    rangeOf(first, end) {
      offsets ??= align(source, from, to, text)
      const textEnd = text.trimEnd().length
      if (first >= textEnd && textEnd > 0) {
        // The end of the text, not the empty lines after it.
        const after = offsets[textEnd - 1]! + 1
        return { from: after, to: after + 1 }
      }
      const start = offsets[Math.max(0, Math.min(first, text.length))]!
      const last = offsets[Math.max(0, Math.min(end, text.length) - 1)]!
      return { from: start, to: Math.max(end > first ? last + 1 : start, start + 1) }
    },
  }
}

/**
 * The offset in the file of each character of the value, and of its end. Except for escapes, characters that are not blank
 * are equal and in the same order in both; blanks may be folded, indented or trimmed, and are placed between them.
 */
function align(source: string, from: number, to: number, text: string): Int32Array {
  const offsets = new Int32Array(text.length + 1)
  const style = source[from]
  const isBlock = style === '|' || style === '>'
  const lineEnd = source.indexOf('\n', from)
  let at = isBlock ? (lineEnd === -1 ? to : lineEnd + 1) : style === '"' || style === "'" ? from + 1 : from
  const isQuoted = style === '"'
  for (let i = 0; i < text.length; i++) {
    if (isBlank(text[i]!)) {
      offsets[i] = Math.min(at, to - 1)
      at += Math.min(blankLength(source, at, isQuoted), to - at)
      continue
    }
    for (let length = 1; length > 0 && at < to; at += length) length = blankLength(source, at, isQuoted)
    offsets[i] = Math.min(at, to - 1)
    if (isQuoted && source[at] === '\\') {
      at += escapeLength(source, at)
      // One escape may be two characters here: both halves of a surrogate pair.
      if (/[\ud800-\udbff]/.test(text[i]!) && source[at] !== '\\' && source[at] !== text[i + 1])
        offsets[++i] = offsets[i - 1]!
    } else at += style === "'" && source[at] === "'" ? 2 : 1
  }
  offsets[text.length] = Math.min(at, to)
  return offsets
}

/** Length of the blank, escaped blank or line-joining backslash at `at`; 0 when there is none. */

function blankLength(source: string, at: number, isQuoted: boolean): number {
  if (isBlank(source[at] ?? '')) return 1
  if (!isQuoted || source[at] !== '\\') return 0
  const next = source[at + 1] ?? ''
  if (isBlank(next)) return 2
  const hex = /^(?:x(..)|u(....)|U(.{8}))/.exec(source.slice(at + 1, at + 10))
  const isEscaped =
    hex === null ? 'ntr'.includes(next) : isBlank(String.fromCharCode(parseInt(hex[1] ?? hex[2] ?? hex[3]!, 16)))
  return isEscaped ? escapeLength(source, at) : 0
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === '\r'
}

function escapeLength(source: string, at: number): number {
  const digits = { x: 2, u: 4, U: 8 }[source[at + 1] ?? '']
  return digits === undefined ? 2 : 2 + digits
}
