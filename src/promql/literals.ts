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

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

const NUMERIC_ESCAPE = /^\\(?:([0-7]{3})|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/

/** The text of a quoted literal; `undefined` when it is malformed. Octal and `\x` escapes are bytes, read as UTF-8. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0]
  if (literal.length < 2 || quote === undefined || !literal.endsWith(quote)) return undefined
  const body = literal.slice(1, -1)
  if (quote === '`') return body.includes('`') ? undefined : body.replace(/\r/g, '')
  if (body.includes('\n')) return undefined
  if (!body.includes('\\')) return body.includes(quote) ? undefined : body
  return unescape(body, quote)
}

function unescape(body: string, quote: string): string | undefined {
  let text = ''
  let bytes: number[] = []
  const flush = (): void => {
    if (bytes.length > 0) text += new TextDecoder().decode(Uint8Array.from(bytes))
    bytes = []
  }
  for (let at = 0; at < body.length;) {
    const char = body[at]!
    if (char !== '\\') {
      if (char === quote) return undefined
      flush()
      text += char
      at++
      continue
    }
    const next = body[at + 1]
    if (next === undefined) return undefined
    const simple = next === quote ? quote : SIMPLE_ESCAPES[next]
    if (simple !== undefined) {
      flush()
      text += simple
      at += 2
      continue
    }
    const numeric = NUMERIC_ESCAPE.exec(body.slice(at, at + 10))
    if (numeric === null) return undefined
    const [whole, octal, hex, short, long] = numeric
    if (octal !== undefined || hex !== undefined) {
      const byte = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex!, 16)
      if (byte > 255) return undefined
      bytes.push(byte)
    } else {
      const point = Number.parseInt(short ?? long!, 16)
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined
      flush()
      text += String.fromCodePoint(point)
    }
    at += whole.length
  }
  flush()
  return text
}

/** A text as Go prints it with %q: in double quotes, with escapes. */
export function quote(text: string): string {
  let quoted = '"'
  for (const char of text) {
    const point = char.codePointAt(0)!
    if (char === '"' || char === '\\') quoted += `\\${char}`
    else if (char === '\n') quoted += '\\n'
    else if (char === '\r') quoted += '\\r'
    else if (char === '\t') quoted += '\\t'
    else if (point === 7) quoted += '\\a'
    else if (point === 8) quoted += '\\b'
    else if (point === 11) quoted += '\\v'
    else if (point === 12) quoted += '\\f'
    else if (point < 0x20 || point === 0x7f) quoted += `\\x${point.toString(16).padStart(2, '0')}`
    else quoted += char
  }
  return `${quoted}"`
}

/**
 * Whether a text is a valid label name: any text but the empty one (Prometheus 3). Bytes that are not UTF-8 were
 * decoded to U+FFFD, so a name with U+FFFD is refused.
 */
export function isLabelName(name: string): boolean {
  return name !== '' && !name.includes('\ufffd')
}
