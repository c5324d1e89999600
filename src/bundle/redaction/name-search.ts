/**
 * Finds names in texts, all in one pass: of two that start at one place the longer one. Letter case of ASCII is ignored. A name
 * is found as it is, and as it is written in addresses, JSON and PromQL. Time is linear in the text for names of bounded length.
 */
import { escapeRegex as escapePattern } from '../../base/quoting.ts'
import { escapeRegex } from '../../model/regex.ts'

/** A longer text is no name of a cluster, node or user. */
const NAME_CHARS_MAX = 253
/** Names of so many characters that are not only letters are found inside of words too. */
const DISTINCT_CHARS_MIN = 6

export interface FoundName<V> {
  readonly from: number
  readonly to: number
  readonly value: V
}

interface Node<V> {
  readonly next: Map<number, Node<V>>
  found?: { readonly value: V; readonly isWord: boolean }
}

export class NameSearch<V> {
  readonly #root: Node<V> = { next: new Map() }

  /** The first value of a name counts. */
  add(name: string, value: V): void {
    if (name === '' || name.length > NAME_CHARS_MAX) return
    for (const written of writtenForms(name)) this.#insert(written, value)
  }

  #insert(text: string, value: V): void {
    let node = this.#root
    for (let i = 0; i < text.length; i++) {
      const code = folded(text.charCodeAt(i))
      let next = node.next.get(code)
      if (next === undefined) node.next.set(code, (next = { next: new Map() }))
      node = next
    }
    const isDistinct = text.length >= DISTINCT_CHARS_MIN && /[^A-Za-z]/.test(text)
    node.found ??= { value, isWord: !isDistinct }
  }

  *in(text: string): Generator<FoundName<V>> {
    for (let from = 0; from < text.length; from++) {
      const found = this.#longestAt(text, from)
      if (found === undefined) continue
      yield found
      from = found.to - 1
    }
  }

  #longestAt(text: string, from: number): FoundName<V> | undefined {
    let longest: FoundName<V> | undefined
    const startsWord = from === 0 || !isWordPart(text.charCodeAt(from - 1))
    let node = this.#root.next.get(folded(text.charCodeAt(from)))
    for (let to = from + 1; node !== undefined; to++) {
      const { found } = node
      if (found !== undefined) {
        const isWord = startsWord && (to === text.length || !isWordPart(text.charCodeAt(to)))
        if (isWord || !found.isWord) longest = { from, to, value: found.value }
      }
      if (to >= text.length) break
      node = node.next.get(folded(text.charCodeAt(to)))
    }
    return longest
  }
}

/** The name, and what it is in an address, in JSON (also inside a text of JSON), and in a pattern of PromQL. */
function writtenForms(name: string): ReadonlySet<string> {
  const patterns = [name, escapeRegex(name), escapePattern(name)]
  const forms = new Set(patterns.flatMap((form) => [form, quoted(form), quoted(quoted(form))]))
  try {
    forms.add(encodeURIComponent(name))
  } catch {
    // Half of a surrogate pair has no address.
  }
  return forms
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

function isWordPart(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}
