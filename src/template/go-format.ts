/** Go's `fmt.Sprintf` for template values, with Go's own texts for type mismatches (`%!d(float64=1.5)`). */
import { formatGoFloat } from '../base/go-float.ts'
import { quoteGo } from '../base/go-quote.ts'
import { BoundedText, TemplateError, joined, printValue, typeName, type Value } from './value.ts'

/** Widths and precisions are limited, so that a template cannot produce a gigabyte of blanks. */
const WIDTH_MAX = 10_000

interface Directive {
  readonly verb: string
  readonly flags: string
  readonly width: number
  /** -1 when not given. */
  readonly precision: number
}

export function sprintf(format: string, args: readonly Value[]): string {
  const pattern = /%([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:\.(\*|\d+)?)?(?:\[(\d+)\])?([^])?/gu
  let next = 0
  let isReordered = false
  const text = new BoundedText()
  let at = 0
  for (const match of format.matchAll(pattern)) {
    text.put(format.slice(at, match.index))
    at = match.index + match[0].length
    const [whole, flags = '', firstIndex, width, precision, secondIndex, verb] = match
    if (verb === undefined) {
      text.put('%!(NOVERB)')
      continue
    }
    if (verb === '%') {
      text.put('%')
      continue
    }
    if (width === '*' || precision === '*') throw new TemplateError(`printf: "*" is not supported in ${whole}`)
    const index = firstIndex ?? secondIndex
    if (index !== undefined) {
      isReordered = true
      next = Number(index) - 1
    }
    if (next < 0 || next >= args.length) {
      text.put(index === undefined ? `%!${verb}(MISSING)` : `%!${verb}(BADINDEX)`)
      continue
    }
    const directive = { verb, flags, width: bounded(width ?? '0'), precision: precisionOf(whole, precision) }
    text.put(formatOne(directive, args[next]!))
    next++
  }
  text.put(format.slice(at))
  if (next < args.length && !isReordered) {
    const extra = args
      .slice(next)
      .map((value) => (value === null ? '<nil>' : `${typeName(value)}=${printValue(value)}`))
    text.put(`%!(EXTRA ${joined(extra, ', ')})`)
  }
  return text.text
}

function precisionOf(directive: string, precision: string | undefined): number {
  if (precision !== undefined) return bounded(precision)
  return directive.includes('.') ? 0 : -1
}

function bounded(digits: string): number {
  const count = Number(digits)
  if (count > WIDTH_MAX) throw new TemplateError(`printf: width or precision ${digits} is above ${WIDTH_MAX}`)
  return count
}

function formatOne(directive: Directive, value: Value): string {
  const { verb, flags } = directive
  if (verb === 'T') return pad(typeName(value), directive)
  const body = verb === 'v' ? plain(directive, value) : byVerb(directive, value)
  if (body === undefined) {
    return value === null ? `%!${verb}(<nil>)` : `%!${verb}(${typeName(value)}=${printValue(value)})`
  }
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return isNumber ? padNumber(signed(body, flags, verb), directive) : pad(body, directive)
}

function plain(directive: Directive, value: Value): string {
  if (typeof value === 'number') return formatGoFloat(value, 'g', directive.precision)
  if (typeof value === 'string') return byVerb({ ...directive, verb: 's' }, value)!
  return printValue(value)
}

/** `undefined`: this verb does not support this type. */
function byVerb({ verb, flags, precision }: Directive, value: Value): string | undefined {
  switch (typeof value) {
    case 'number':
      return formatNumber(verb, value, precision)
    case 'bigint':
      return formatInteger(verb, flags, value)
    case 'boolean':
      return verb === 't' ? String(value) : undefined
    case 'string':
      return formatString(verb, flags, value, precision)
    default:
      return value !== null && verb === 's' ? printValue(value) : undefined
  }
}

function formatNumber(verb: string, value: number, precision: number): string | undefined {
  const lower = verb.toLowerCase()
  if (lower === 'g') return formatGoFloat(value, 'g', precision).replace('e', verb === 'g' ? 'e' : 'E')
  if (lower !== 'e' && lower !== 'f') return undefined
  return formatGoFloat(value, lower, precision === -1 ? 6 : precision).replace('e', verb === 'e' ? 'e' : 'E')
}

function formatInteger(verb: string, flags: string, value: bigint): string | undefined {
  const isAlternate = flags.includes('#')
  const based = (radix: number, prefix: string): string => {
    const digits = (value < 0n ? -value : value).toString(radix)
    return `${value < 0n ? '-' : ''}${isAlternate ? prefix : ''}${digits}`
  }
  switch (verb) {
    case 'd':
      return value.toString()
    case 'x':
      return based(16, '0x')
    case 'X':
      return based(16, '0x').toUpperCase()
    case 'o':
      return based(8, '0')
    case 'b':
      return based(2, '0b')
    case 'c':
      return codePoint(value)
    case 'q':
      return `'${codePoint(value)}'`
    case 'U':
      return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`
    default:
      return undefined
  }
}

function codePoint(value: bigint): string {
  return value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '\ufffd'
}

function formatString(verb: string, flags: string, value: string, precision: number): string | undefined {
  const cut = precision === -1 ? value : Array.from(value).slice(0, precision).join('')
  switch (verb) {
    case 's':
      return cut
    case 'q':
      return flags.includes('#') && !cut.includes('`') ? `\`${cut}\`` : quoteGo(cut)
    case 'x':
      return Buffer.from(cut, 'utf8').toString('hex')
    case 'X':
      return Buffer.from(cut, 'utf8').toString('hex').toUpperCase()
    default:
      return undefined
  }
}

function signed(body: string, flags: string, verb: string): string {
  if (/^[-+]/.test(body) || 'cqU'.includes(verb)) {
    // Only infinity has its own plus sign; Go shows it with %v and with the flag.
    return body
  }
  return flags.includes('+') ? `+${body}` : flags.includes(' ') ? ` ${body}` : body
}

function padNumber(body: string, directive: Directive): string {
  if (!directive.flags.includes('0') || directive.flags.includes('-') || /Inf|NaN/.test(body)) {
    return pad(body, { ...directive, flags: directive.flags.replace('0', '') })
  }
  const sign = /^[-+ ]/.exec(body)?.[0] ?? ''
  return sign + body.slice(sign.length).padStart(directive.width - sign.length, '0')
}

function pad(body: string, { flags, width }: Directive): string {
  const missing = width - Array.from(body).length
  if (missing <= 0) return body
  if (flags.includes('-')) return body + ' '.repeat(missing)
  return (flags.includes('0') ? '0' : ' ').repeat(missing) + body
}
