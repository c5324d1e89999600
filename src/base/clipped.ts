/** Foreign values on their way into a log line: at most so many bytes, whatever they contain. */

/** Objects inside objects, and causes of errors. */
const DEPTH_MAX = 6
/** Of a number, or of the punctuation around a value. */
const SMALL_VALUE_BYTES = 8
const ELLIPSIS = '…'

/**
 * A copy of `value` whose JSON takes some `bytesMax` bytes at most, names included; an ellipsis marks what is left out. Errors
 * become plain objects with type, message, code, stack and cause. Circles and deep nesting are cut too.
 */
export function clipped(value: object, bytesMax: number): Record<string, unknown> {
  return new Clip(bytesMax).record(value, 0)
}

class Clip {
  #left: number

  constructor(bytesMax: number) {
    this.#left = bytesMax
  }

  record(value: object, depth: number): Record<string, unknown> {
    // Without a prototype, because names are foreign too.
    const copy = Object.create(null) as Record<string, unknown>
    for (const [name, item] of Object.entries(value)) {
      if (this.#left <= 0) {
        copy[ELLIPSIS] = ELLIPSIS
        break
      }
      copy[this.#text(name)] = this.#value(item, depth)
    }
    return copy
  }

  #value(value: unknown, depth: number): unknown {
    this.#left -= SMALL_VALUE_BYTES
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'bigint') return this.#text(value.toString())
    if (typeof value !== 'object' || value === null) return value
    if (depth >= DEPTH_MAX) return ELLIPSIS
    if (value instanceof Error) return this.record(partsOf(value), depth + 1)
    return Array.isArray(value) ? this.#list(value, depth + 1) : this.record(value, depth + 1)
  }

  #list(values: readonly unknown[], depth: number): unknown[] {
    const items: unknown[] = []
    for (const value of values) {
      if (this.#left <= 0) {
        items.push(ELLIPSIS)
        break
      }
      items.push(this.#value(value, depth))
    }
    return items
  }

  #text(text: string): string {
    let shown = text.slice(0, Math.max(0, this.#left))
    // One character takes one to six bytes: `\u0000`.
    for (let bytes = bytesOf(shown); bytes > this.#left && shown !== ''; bytes = bytesOf(shown)) {
      shown = shown.slice(0, Math.floor((shown.length * Math.max(0, this.#left)) / bytes))
    }
    this.#left -= bytesOf(shown)
    return shown.length === text.length ? shown : `${shown}${ELLIPSIS}`
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

function partsOf(error: Error): object {
  const { name, message, stack = '', cause } = error
  // A stack begins with the message, which is foreign and may be long: only its places are kept.
  const at = stack.search(/\n {4}at /)
  // The places come before the foreign text, which may take all that is left.
  return {
    type: name,
    ...('code' in error ? { code: error.code } : {}),
    ...(at === -1 ? {} : { stack: stack.slice(at + 1) }),
    message,
    ...(cause === undefined ? {} : { cause }),
  }
}
