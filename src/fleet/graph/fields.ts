/**
 * Reads values of an imported document field by field. What is not as expected is refused with its place, what was received and
 * what was expected, as FleetError `bad_request`: one bad field makes the whole import useless.
 */
import { FleetError } from '../../base/errors.ts'
import { ownValue } from '../../base/own-value.ts'

/** Where a value is, as messages name it: `catalog/a.yaml:12: entries[3].name`. */
export type PlaceOf = (path: string) => string

const SHOWN_MAX = 80

/** Names and versions; messages and expressions have limits of their own. */
export const NAME_CHARS_MAX = 300
export const MESSAGE_CHARS_MAX = 20_000

export function refused(place: string, got: string, want: string): FleetError {
  return new FleetError('bad_request', `${place}: got ${got}, want ${want}`)
}

/** A value as messages show it. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`
}

export class Fields {
  readonly #record: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #placeOf: PlaceOf

  /** Refuses a value that is no mapping. */
  constructor(value: unknown, path: string, placeOf: PlaceOf) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refused(placeOf(path), shownValue(value), 'a mapping')
    }
    this.#record = value as Readonly<Record<string, unknown>>
    this.#path = path
    this.#placeOf = placeOf
  }

  value(key: string): unknown {
    return ownValue(this.#record, key)
  }

  /** A refusal of the value of a key. */
  refusal(key: string, want: string): FleetError {
    return refused(this.#placeOf(this.#pathOf(key)), shownValue(this.value(key)), want)
  }

  text(key: string, charsMax = NAME_CHARS_MAX): string {
    const value = this.value(key)
    if (typeof value !== 'string' || value === '') throw this.refusal(key, 'a text')
    if (value.length > charsMax) throw this.refusal(key, `at most ${charsMax} characters`)
    return value
  }

  /** `undefined`: absent, null or empty. */
  optionalText(key: string, charsMax = NAME_CHARS_MAX): string | undefined {
    const value = this.value(key)
    return value === undefined || value === null || value === '' ? undefined : this.text(key, charsMax)
  }

  /** Empty when absent or null. */
  texts(key: string, itemsMax: number): readonly string[] {
    return this.#items(key, itemsMax).map((value, i) => {
      if (typeof value === 'string' && value !== '' && value.length <= NAME_CHARS_MAX) return value
      const place = this.#placeOf(this.#pathOf(`${key}[${i}]`))
      throw refused(place, shownValue(value), `a text of at most ${NAME_CHARS_MAX} characters`)
    })
  }

  /** The mappings of a list; empty when absent or null. */
  list(key: string, itemsMax: number): readonly Fields[] {
    return this.#items(key, itemsMax).map((value, i) => new Fields(value, this.#pathOf(`${key}[${i}]`), this.#placeOf))
  }

  /** `undefined`: absent or null. */
  mapping(key: string): Fields | undefined {
    const value = this.value(key)
    return value === undefined || value === null ? undefined : new Fields(value, this.#pathOf(key), this.#placeOf)
  }

  entries(): readonly (readonly [string, unknown])[] {
    return Object.entries(this.#record)
  }

  #items(key: string, itemsMax: number): readonly unknown[] {
    const value = this.value(key)
    if (value === undefined || value === null) return []
    if (!Array.isArray(value)) throw this.refusal(key, 'a list')
    if (value.length <= itemsMax) return value as readonly unknown[]
    throw refused(this.#placeOf(this.#pathOf(key)), `${value.length} items`, `at most ${itemsMax}`)
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }
}
