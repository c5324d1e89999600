/**
 * The functions of every Go template: comparison, logic, printing, indexing. evaluate.ts has `and` and `or`, which stop
 * early.
 */
import { fixedArity, wrongType, wantText, type TemplateFunction } from './function.ts'
import { sprintf } from './go-format.ts'
import { BoundedText, TemplateError, isTruthy, joined, printValue, typeName, type Value } from './value.ts'

const atLeast = (count: number, call: TemplateFunction['call']): TemplateFunction => ({
  arity: [count, Infinity],
  call,
})

export const GO_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  and: atLeast(1, (args) => args.find((arg) => !isTruthy(arg)) ?? args.at(-1)!),
  or: atLeast(1, (args) => args.find(isTruthy) ?? args.at(-1)!),
  not: fixedArity(1, ([arg]) => !isTruthy(arg!)),
  eq: atLeast(2, ([first, ...others]) => others.some((other) => isEqual(first!, other))),
  ne: fixedArity(2, ([a, b]) => !isEqual(a!, b!)),
  lt: fixedArity(2, ([a, b]) => isLess(a!, b!)),
  le: fixedArity(2, ([a, b]) => isLess(a!, b!) || isEqual(a!, b!)),
  gt: fixedArity(2, ([a, b]) => !isLess(a!, b!) && !isEqual(a!, b!)),
  ge: fixedArity(2, ([a, b]) => !isLess(a!, b!)),
  len: fixedArity(1, ([arg]) => lengthOf(arg!)),
  index: atLeast(1, ([from, ...keys]) => keys.reduce((value, key) => indexInto(value, key), from!)),
  slice: { arity: [1, 4], call: ([from, ...bounds]) => sliceOf(from!, bounds) },
  print: atLeast(0, (args) => printAll(args)),
  println: atLeast(0, (args) => `${joined(args.map(printValue), ' ')}\n`),
  printf: atLeast(1, ([format, ...args]) => sprintf(wantText(format), args)),
  html: atLeast(0, (args) => escapeHtml(printAll(args))),
  js: atLeast(0, (args) => escapeScript(printAll(args))),
  urlquery: atLeast(0, (args) => escapeQuery(printAll(args))),
  call: atLeast(1, ([callee]) => {
    throw new TemplateError(`non-function of type ${typeName(callee!)}`)
  }),
}

/** Go's QueryEscape: a blank becomes a plus, as in forms. */
export function escapeQuery(text: string): string {
  // Converted through bytes, because encodeURIComponent throws on a lone surrogate.
  const escaped = encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'))
  return escaped
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Go's name of a basic type, or of nil; other values cannot be compared. */
function basicType(value: Value): string {
  if (value === null || typeof value !== 'object') return typeName(value)
  throw new TemplateError(`invalid type for comparison: ${typeName(value)}`)
}

function isEqual(a: Value, b: Value): boolean {
  const [typeA, typeB] = [basicType(a), basicType(b)]
  if (typeA !== typeB && a !== null && b !== null) throw incompatible(a, b)
  return a === b
}

function isLess(a: Value, b: Value): boolean {
  if (basicType(a) !== basicType(b)) throw incompatible(a, b)
  if (a === null || typeof a === 'boolean') throw new TemplateError(`invalid type for comparison: ${typeName(a)}`)
  return (a as string | number | bigint) < (b as string | number | bigint)
}

function incompatible(a: Value, b: Value): TemplateError {
  const isMixedNumber = typeof a !== typeof b && [a, b].every((x) => typeof x === 'number' || typeof x === 'bigint')
  const hint = isMixedNumber ? ': write the number with a point, like 10.0' : ''
  return new TemplateError(`incompatible types for comparison (${typeName(a)} and ${typeName(b)})${hint}`)
}

function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value, 'utf8'))
  if (typeof value === 'object' && value?.kind === 'map') return BigInt(value.entries.size)
  if (typeof value === 'object' && value?.kind === 'list') return BigInt(value.items.length)
  throw new TemplateError(`len of type ${typeName(value)}`)
}

function indexInto(value: Value, key: Value): Value {
  if (typeof value === 'object' && value?.kind === 'map') {
    return value.entries.get(wantText(key)) ?? (value.element === 'string' ? '' : null)
  }
  if (typeof key !== 'bigint') throw new TemplateError(`cannot index slice/array with type ${typeName(key)}`)
  const item = itemsOf(value, 'index')[Number(key)]
  if (item === undefined) throw new TemplateError(`index out of range: ${key.toString()}`)
  return item
}

function sliceOf(value: Value, bounds: readonly Value[]): Value {
  const items = itemsOf(value, 'slice')
  const [from = 0n, to = BigInt(items.length), ...rest] = bounds
  if (typeof from !== 'bigint' || typeof to !== 'bigint') throw wrongType('int', typeof from === 'bigint' ? to : from)
  if (rest.length > 0) throw new TemplateError('cannot 3-index slice a string')
  if (from < 0n || to < from || to > BigInt(items.length)) {
    throw new TemplateError(`index out of range: ${from.toString()}:${to.toString()}`)
  }
  if (typeof value === 'string') return Buffer.from(value, 'utf8').subarray(Number(from), Number(to)).toString('utf8')
  return { kind: 'list', items: items.slice(Number(from), Number(to)) }
}

/** Items of a list; bytes of a string, as Go sees it. */
function itemsOf(value: Value, verb: 'index' | 'slice'): readonly Value[] {
  if (typeof value === 'string') return Array.from(Buffer.from(value, 'utf8'), BigInt)
  if (typeof value === 'object' && value?.kind === 'list') return value.items
  throw new TemplateError(`can't ${verb} item of type ${typeName(value)}`)
}

/** Go's Sprint: a blank between two operands when neither is a string. */
function printAll(args: readonly Value[]): string {
  const text = new BoundedText()
  args.forEach((arg, i) => {
    if (i > 0 && typeof arg !== 'string' && typeof args[i - 1] !== 'string') text.put(' ')
    text.put(printValue(arg))
  })
  return text.text
}

const HTML: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '\0': '\ufffd',
    '"': '&#34;',
    "'": '&#39;',
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
  }),
)

export function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/g, (char) => HTML.get(char)!)
}

const SCRIPT: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '\\': '\\\\',
    "'": "\\'",
    '"': '\\"',
    '<': '\\u003C',
    '>': '\\u003E',
    '&': '\\u0026',
    '=': '\\u003D',
  }),
)

function escapeScript(text: string): string {
  return text.replace(/[\\'"<>&=]|(?! )[\p{C}\p{Z}]/gu, (char) => {
    return SCRIPT.get(char) ?? `\\u${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  })
}
