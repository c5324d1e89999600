/** The interface of template functions, and checks of their arguments. */
import { TemplateError, typeName, type Value } from './value.ts'

/** `Context` is the data that the functions of one set use beside their arguments, such as the time. */
export interface TemplateFunction<Context = unknown> {
  /** Minimum and maximum number of arguments; `Infinity` for any number. */
  readonly arity: readonly [number, number]
  /** Throws `TemplateError`. */
  call(args: readonly Value[], context: Context): Value
}

export function fixedArity<Context = unknown>(
  count: number,
  call: TemplateFunction<Context>['call'],
): TemplateFunction<Context> {
  return { arity: [count, count], call }
}

export function wantText(value: Value | undefined): string {
  if (typeof value !== 'string') throw wrongType('string', value)
  return value
}

/** Prometheus' conversion to float64: numbers, and texts of a number. */
export function wantFloat(value: Value | undefined): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') return parseGoFloat(value)
  if (typeof value === 'object' && value?.kind === 'duration') return value.ms / 1000
  throw new TemplateError(`can't convert ${typeName(value ?? null)} to float`)
}

export function wrongType(want: string, got: Value | undefined): TemplateError {
  return new TemplateError(`wrong type for value; expected ${want}; got ${typeName(got ?? null)}`)
}

function parseGoFloat(text: string): number {
  const plain = text.replaceAll('_', '')
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(plain)
  if (/^[+-]?0[xX][\da-fA-F_]+$/.test(text)) {
    const sign = plain.startsWith('-') ? -1 : 1
    return sign * Number(plain.replace(/^[+-]/, ''))
  }
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (word !== null) return word[2]!.toLowerCase() === 'nan' ? NaN : word[1] === '-' ? -Infinity : Infinity
  throw new TemplateError(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`)
}
