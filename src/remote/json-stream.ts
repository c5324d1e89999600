/**
 * JSON (RFC 8259) as events, chunk by chunk, so that an answer is never in memory as text. It accepts what `JSON.parse`
 * accepts, up to `DEPTH_MAX`. Also documents one after the other, and with `hasBareNumbers` the `NaN`, `+Inf` and `-Inf` that
 * VictoriaMetrics exports.
 */

/** Called in the order of the text. A token is valid during its call only. */
export interface JsonEvents {
  /** `[` or `{`. */
  open(isList: boolean): void
  /** Of what was opened last. */
  close(): void
  key(token: JsonToken): void
  text(token: JsonToken): void
  number(value: number): void
  literal(value: boolean | null): void
}

/** A text of the input that was not converted yet. */
export interface JsonToken {
  /** Without quotes and escapes. */
  text(): string
  /** The number that it is as PromQL prints it (`1e-07`, `NaN`, `+Inf`); `undefined`: none. */
  sample(): number | undefined
}

/** The input is not JSON, or beyond a limit. */
export class JsonStreamError extends Error {
  override readonly name = 'JsonStreamError'
}

export const DEPTH_MAX = 100
/** Of one text. Label values are far shorter, and an error message, too. */
export const TEXT_BYTES_MAX = 4 * 1024 * 1024

type Expected = 'value' | 'item' | 'first-key' | 'key' | 'colon' | 'comma' | 'end'

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON] = [0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a]
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d]
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LITERALS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const BARE_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['+Inf', Infinity],
  ['-Inf', -Infinity],
])

export interface JsonStreamOptions {
  readonly hasBareNumbers?: boolean
  /** Documents one after the other, as in NDJSON. */
  readonly hasMany?: boolean
}

export class JsonStream {
  readonly #events: JsonEvents
  readonly #options: JsonStreamOptions
  readonly #lists: boolean[] = []
  readonly #token = new Token()
  #expected: Expected = 'value'
  /** The start of a token whose end is in a later chunk. */
  #rest: Uint8Array = new Uint8Array(0)
  #documents = 0

  constructor(events: JsonEvents, options: JsonStreamOptions = {}) {
    this.#events = events
    this.#options = options
  }

  /** Reads a chunk, of any size, which is not needed afterwards. Throws `JsonStreamError`. */
  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk)
    this.#rest = bytes.slice(this.#read(bytes, false))
    if (this.#rest.length > TEXT_BYTES_MAX) throw new JsonStreamError(`a text is longer than ${TEXT_BYTES_MAX} bytes`)
  }

  /** Throws `JsonStreamError` when the input is incomplete. */
  end(): void {
    const at = this.#read(this.#rest, true)
    const isComplete =
      this.#options.hasMany === true ? this.#expected === 'value' || this.#expected === 'end' : this.#expected === 'end'
    if (at < this.#rest.length || this.#lists.length > 0 || !isComplete) {
      throw new JsonStreamError(this.#documents === 0 ? 'it is empty or ends early' : 'it ends early')
    }
  }

  /** HOT. Reads all complete tokens and returns where the first incomplete one starts. */
  #read(bytes: Uint8Array, isLast: boolean): number {
    let at = 0
    while (at < bytes.length) {
      const byte = bytes[at]!
      if (byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB) {
        at++
        continue
      }
      if (byte === QUOTE) {
        const end = this.#scanText(bytes, at + 1)
        if (end < 0) {
          if (isLast) throw new JsonStreamError('a text does not end')
          return at
        }
        this.#takeText()
        at = end + 1
        continue
      }
      if (isOfWord(byte)) {
        let end = at + 1
        while (end < bytes.length && isOfWord(bytes[end]!)) end++
        if (end === bytes.length && !isLast) return at
        this.#takeWord(bytes, at, end)
        at = end
        continue
      }
      this.#takeMark(byte)
      at++
    }
    return at
  }

  /** HOT. The place of the closing quote, or -1; sets the token. */
  #scanText(bytes: Uint8Array, from: number): number {
    let isPlain = true
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (byte === QUOTE) {
        this.#token.set(bytes, from, i, isPlain)
        return i
      }
      if (byte === BACKSLASH) {
        isPlain = false
        i++
      } else if (byte >= 0x80) isPlain = false
      else if (byte < SPACE) throw new JsonStreamError('a text has a control character')
    }
    return -1
  }

  #takeText(): void {
    switch (this.#expected) {
      case 'first-key':
      case 'key':
        this.#expected = 'colon'
        this.#events.key(this.#token)
        return
      case 'value':
      case 'item':
        this.#endValue()
        this.#events.text(this.#token)
        return
      case 'end':
        this.#startNext()
        this.#takeText()
        return
      default:
        throw unexpected('a text', this.#expected)
    }
  }

  /** A number or a literal. */
  #takeWord(bytes: Uint8Array, from: number, to: number): void {
    if (this.#expected === 'end') this.#startNext()
    if (this.#expected !== 'value' && this.#expected !== 'item') throw unexpected('a number or a word', this.#expected)
    this.#endValue()
    const quick = decimalOf(bytes, from, to)
    if (quick !== undefined && !hasLeadingZero(bytes, from, to)) {
      this.#events.number(quick)
      return
    }
    const word = latin1(bytes, from, to)
    const literal = LITERALS.get(word)
    if (literal !== undefined) this.#events.literal(literal)
    else if (NUMBER.test(word)) this.#events.number(Number(word))
    else {
      const bare = this.#options.hasBareNumbers === true ? BARE_NUMBERS.get(word) : undefined
      if (bare === undefined) throw new JsonStreamError(`it has ${JSON.stringify(word.slice(0, 20))}`)
      this.#events.number(bare)
    }
  }

  #takeMark(byte: number): void {
    switch (byte) {
      case COMMA:
        if (this.#expected !== 'comma') throw unexpected('a comma', this.#expected)
        this.#expected = this.#lists.at(-1) === true ? 'value' : 'key'
        return
      case COLON:
        if (this.#expected !== 'colon') throw unexpected('a colon', this.#expected)
        this.#expected = 'value'
        return
      case OPEN_LIST:
      case OPEN_OBJECT: {
        if (this.#expected === 'end') this.#startNext()
        if (this.#expected !== 'value' && this.#expected !== 'item') throw unexpected('a bracket', this.#expected)
        if (this.#lists.length === DEPTH_MAX) throw new JsonStreamError(`it is nested deeper than ${DEPTH_MAX}`)
        const isList = byte === OPEN_LIST
        this.#lists.push(isList)
        this.#expected = isList ? 'item' : 'first-key'
        this.#events.open(isList)
        return
      }
      case CLOSE_LIST:
      case CLOSE_OBJECT: {
        const isList = byte === CLOSE_LIST
        const isPossible = this.#expected === 'comma' || this.#expected === (isList ? 'item' : 'first-key')
        if (!isPossible || this.#lists.at(-1) !== isList) throw unexpected('a closing bracket', this.#expected)
        this.#lists.pop()
        this.#endValue()
        this.#events.close()
        return
      }
      default:
        throw new JsonStreamError(`it has the byte 0x${byte.toString(16)} between its values`)
    }
  }

  #endValue(): void {
    this.#expected = this.#lists.length > 0 ? 'comma' : 'end'
    if (this.#lists.length === 0) this.#documents++
  }

  /** Another document, where several are expected. */
  #startNext(): void {
    if (this.#options.hasMany !== true) throw new JsonStreamError('it continues after its end')
    this.#expected = 'value'
  }
}

function unexpected(got: string, expected: Expected): JsonStreamError {
  return new JsonStreamError(`it has ${got} in place of ${expected === 'end' ? 'its end' : `a ${expected}`}`)
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** Digits, letters, `+`, `-` and `.`. */
function isOfWord(byte: number): boolean {
  return (
    (byte >= ZERO && byte <= NINE) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === MINUS ||
    byte === DOT ||
    byte === PLUS
  )
}

class Token implements JsonToken {
  #bytes: Uint8Array = new Uint8Array(0)
  #from = 0
  #to = 0
  #isPlain = true

  set(bytes: Uint8Array, from: number, to: number, isPlain: boolean): void {
    this.#bytes = bytes
    this.#from = from
    this.#to = to
    this.#isPlain = isPlain
  }

  text(): string {
    if (this.#isPlain) return latin1(this.#bytes, this.#from, this.#to)
    const text = UTF8.decode(this.#bytes.subarray(this.#from, this.#to))
    if (!text.includes('\\')) return text
    try {
      return JSON.parse(`"${text}"`) as string
    } catch {
      throw new JsonStreamError('a text has an invalid escape')
    }
  }

  sample(): number | undefined {
    const quick = decimalOf(this.#bytes, this.#from, this.#to)
    return quick ?? sampleOf(this.text())
  }
}

const SAMPLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

function sampleOf(text: string): number | undefined {
  if (SAMPLE.test(text)) return Number(text)
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (word === null) return undefined
  if (word[2]!.toLowerCase() === 'nan') return NaN
  return word[1] === '-' ? -Infinity : Infinity
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
}

/** Digits that a float has for certain, and the powers of ten that it represents exactly. */
const DIGITS_MAX = 15
const POWERS = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, i) => 10 ** i)

/**
 * HOT. The value of digits with an optional sign and point; `undefined`: more digits than are exact, or another form.
 * A quotient of two exact numbers is rounded once, so the value is the nearest one.
 */
function decimalOf(bytes: Uint8Array, from: number, to: number): number | undefined {
  const isNegative = bytes[from] === MINUS
  const first = isNegative ? from + 1 : from
  if (to - first > DIGITS_MAX || to === first) return undefined
  let mantissa = 0
  let point = -1
  for (let i = first; i < to; i++) {
    const byte = bytes[i]!
    if (byte >= ZERO && byte <= NINE) mantissa = mantissa * 10 + byte - ZERO
    else if (byte === DOT && point < 0 && i > first && i < to - 1) point = i
    else return undefined
  }
  const value = point < 0 ? mantissa : mantissa / POWERS[to - point - 1]!
  return isNegative ? -value : value
}

/** JSON has no `01`. */
function hasLeadingZero(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from] === MINUS ? from + 1 : from
  const next = bytes[first + 1]
  return bytes[first] === ZERO && first + 1 < to && next !== DOT
}
