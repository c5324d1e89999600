import { GO_ESCAPES } from '../base/go-quote.ts'
import { parseDuration } from '../model/duration.ts'

/**
 * The values of PromQL literals. Numbers and durations are interchangeable since Prometheus 3: `5m` is 300, and `[300]`
 * is five minutes. Strings follow Go's rules: escapes in single and double quotes, none between backquotes.
 */

/** The number of a literal without sign; `undefined` when it is invalid. */
export function parseNumber(text: string): number | undefined {
  const lower = text.toLowerCase()
  if (lower === 'inf') return Infinity
  if (lower === 'nan') return NaN
  const digits = lower.replace(/_/g, '')
  if (/^0x[0-9a-f]+$/.test(digits)) return Number(digits)
  // A leading zero means octal, as in Go; `089` is decimal there too.
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8)
  if (/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(digits)) return Number(digits)
  const durationMs = parseDuration(lower === text ? text : '')
  return durationMs === undefined ? undefined : durationMs / 1000
}

/** Whether a number literal was written with units. */
export function isDurationText(text: string): boolean {
  return /^[0-9]/.test(text) && !/^0[xX]/.test(text) && /[smhdwy]$/.test(text)
}

/** Seconds in whole milliseconds, truncated as in Prometheus (through nanoseconds). */
export function secondsToMs(seconds: number): number {
  return Math.trunc(Math.round(seconds * 1e9) / 1e6)
}

/** One escape, or adjacent bytes. */
const ESCAPES = /(?:\\(?:[0-7]{3}|x[\dA-Fa-f]{2}))+|\\u[\dA-Fa-f]{4}|\\U[\dA-Fa-f]{8}|\\./g

/** The text of a quoted literal that the scanner accepted. Octal and `\x` escapes are bytes, read as UTF-8. */
export function unquote(literal: string): string {
  const body = literal.slice(1, -1)
  if (literal.startsWith('`')) return body.replace(/\r/g, '')
  return body.replace(ESCAPES, (escape) => {
    const kind = escape[1]!
    if (kind === 'u' || kind === 'U') return String.fromCodePoint(Number.parseInt(escape.slice(2), 16))
    if (!/[0-7x]/.test(kind)) return GO_ESCAPES.get(kind) ?? kind
    const codes = escape.slice(1).split('\\')
    const bytes = codes.map((code) => Number.parseInt(code.replace('x', ''), code.startsWith('x') ? 16 : 8))
    return new TextDecoder().decode(Uint8Array.from(bytes))
  })
}

/**
 * Whether a text is a valid label name: any text but the empty one (Prometheus 3). Bytes that are not UTF-8 were
 * decoded to U+FFFD, so a name with U+FFFD is refused.
 */
export function isLabelName(name: string): boolean {
  return name !== '' && !name.includes('\ufffd')
}
