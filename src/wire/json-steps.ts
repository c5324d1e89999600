import type { Steps } from '../base/thread-slices.ts'

/**
 * `JSON.parse` in steps, for bodies of many megabytes: the brackets and commas of the outer levels are found, and what is
 * between them goes to `JSON.parse` piece by piece. Equal to `JSON.parse` for every text, but for the words of its errors.
 */

/** About a millisecond of work. */
const PIECE_CHARS = 128 * 1024
/** Lists and objects inside others that are divided into pieces: the points of OTLP metrics are at level 10. */
const LEVELS_MAX = 10

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const [LIST_OPEN, LIST_CLOSE] = [0x5b, 0x5d]
const [OBJECT_OPEN, OBJECT_CLOSE] = [0x7b, 0x7d]

/** @throws SyntaxError */
export function* parseJsonInSteps(text: string): Steps<unknown> {
  const start = afterSpace(text, 0)
  const first = text.charCodeAt(start)
  if (text.length <= PIECE_CHARS || (first !== LIST_OPEN && first !== OBJECT_OPEN)) return JSON.parse(text) as unknown
  const open: Container[] = []
  let level = 0
  let yieldedAt = 0
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = afterText(text, at)
        if (level <= LEVELS_MAX) open.at(-1)!.text(at, end)
        at = end - 1
        break
      }
      case LIST_OPEN:
      case OBJECT_OPEN:
        if (++level <= LEVELS_MAX) open.push(new Container(text, at))
        break
      case COMMA:
        if (level <= LEVELS_MAX) open.at(-1)!.comma(at)
        break
      case LIST_CLOSE:
      case OBJECT_CLOSE: {
        if (level-- > LEVELS_MAX) break
        const closed = open.pop()!
        closed.close(at)
        const parent = open.at(-1)
        if (parent !== undefined) {
          if (closed.value !== undefined) parent.child(closed, at + 1)
          break
        }
        expect(afterSpace(text, at + 1) === text.length)
        return closed.value ?? (JSON.parse(text) as unknown)
      }
    }
    if (at - yieldedAt < PIECE_CHARS) continue
    yieldedAt = at
    yield false
  }
  throw new SyntaxError('Unexpected end of JSON input')
}

/** A list or an object that is not closed yet. */
class Container {
  /** What was parsed; undefined as long as it may be parsed as part of its parent. */
  value: unknown[] | Record<string, unknown> | undefined
  readonly #text: string
  readonly #at: number
  readonly #isList: boolean
  /** Everything from here on is not parsed yet. */
  #from: number
  /** The last item was a divided one: a comma or the end has to follow. */
  #isAfterChild = false
  /** Of the last text of this level: a divided item of an object has its key here. */
  #textAt = -1
  #textEnd = -1

  constructor(text: string, at: number) {
    this.#text = text
    this.#at = at
    this.#isList = text.charCodeAt(at) === LIST_OPEN
    this.#from = at + 1
  }

  text(at: number, end: number): void {
    this.#textAt = at
    this.#textEnd = end
  }

  comma(at: number): void {
    if (this.#isAfterChild) {
      expect(afterSpace(this.#text, this.#from) === at)
      this.#isAfterChild = false
    } else if (at - this.#from < PIECE_CHARS) return
    else this.#parse(at)
    this.#from = at + 1
  }

  close(at: number): void {
    expect(this.#text.charCodeAt(at) === (this.#isList ? LIST_CLOSE : OBJECT_CLOSE))
    if (this.value === undefined) return
    if (this.#isAfterChild) expect(afterSpace(this.#text, this.#from) === at)
    else this.#parse(at)
  }

  /** An item of this one that was divided itself. */
  child(child: Container, end: number): void {
    const text = this.#text
    expect(!this.#isAfterChild)
    const itemAt = this.#isList ? child.#at : this.#textAt
    if (!this.#isList) {
      const colon = afterSpace(text, this.#textEnd)
      expect(itemAt >= this.#from && text.charCodeAt(colon) === COLON && afterSpace(text, colon + 1) === child.#at)
    }
    const before = beforeSpace(text, this.#from, itemAt)
    if (before > this.#from) {
      expect(text.charCodeAt(before - 1) === COMMA)
      this.#parse(before - 1)
    }
    const value = (this.value ??= this.#isList ? [] : {})
    if (Array.isArray(value)) value.push(child.value)
    else put(value, JSON.parse(text.slice(itemAt, this.#textEnd)) as string, child.value)
    this.#from = end
    this.#isAfterChild = true
  }

  /** One item or more, up to `end`. */
  #parse(end: number): void {
    const piece = this.#text.slice(this.#from, end)
    if (this.#isList) {
      const items = JSON.parse(`[${piece}]`) as unknown[]
      expect(items.length > 0)
      const list = (this.value ??= []) as unknown[]
      for (const item of items) list.push(item)
    } else {
      const entries = Object.entries(JSON.parse(`{${piece}}`) as object)
      expect(entries.length > 0)
      const object = (this.value ??= {}) as Record<string, unknown>
      for (const [key, item] of entries) put(object, key, item)
    }
  }
}

function put(object: Record<string, unknown>, key: string, value: unknown): void {
  // As `JSON.parse` does: `__proto__` is a key like any other.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

function expect(isValid: boolean): void {
  if (!isValid) throw new SyntaxError('Unexpected brackets, commas or colons in JSON')
}

/** @param at of the quote that begins it */
function afterText(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--
    if ((end - escapes) % 2 === 0) return end + 1
  }
  throw new SyntaxError('Unterminated string in JSON')
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function beforeSpace(text: string, from: number, end: number): number {
  let at = end
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--
  return at
}
