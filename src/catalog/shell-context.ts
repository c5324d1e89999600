/**
 * The context of a placeholder in a shell command, which decides how its value is quoted. A small reader of POSIX
 * quoting: words, single and double quotes, `$( )` in both, subshells, comments. Any other syntax is `unknown`, where no value is
 * bound.
 */
import type { PlaceholderUse } from './placeholder.ts'

export type ShellContext = 'word' | 'single' | 'double' | 'comment' | 'unknown'

type Frame = 'word' | 'double'

/** The context of each use, in order. `uses` are the placeholders of `text`, in order. */
export function shellContexts(text: string, uses: readonly PlaceholderUse[]): ShellContext[] {
  const reader = new ShellReader(text)
  return uses.map((use) => {
    reader.readTo(use.from)
    const context = reader.context
    reader.skipTo(use.to)
    return context
  })
}

/** Reads forward only. Invariant: `context` is that of the character at `#at`. */
class ShellReader {
  readonly #text: string
  #at = 0
  /** Innermost last; `$(` in double quotes starts a new word context. */
  #frames: Frame[] = ['word']
  #leaf: 'single' | 'comment' | 'unknown' | undefined

  constructor(text: string) {
    this.#text = text
  }

  get context(): ShellContext {
    return this.#leaf ?? this.#frames.at(-1) ?? 'word'
  }

  readTo(end: number): void {
    while (this.#at < end) this.#step()
    // A backslash before the value would take the first character of its quoting.
    if (this.#at > end) this.#leaf = 'unknown'
  }

  /** The placeholder itself is not shell text. */
  skipTo(end: number): void {
    this.#at = end
  }

  #step(): void {
    const char = this.#text[this.#at]!
    if (this.#leaf === 'unknown') this.#at++
    else if (this.#leaf === 'single') this.#closeAt(char, "'")
    else if (this.#leaf === 'comment') this.#closeAt(char, '\n')
    else if (char === '\\') this.#at += 2
    else if (char === '`' || this.#startsUnknown()) this.#leaf = 'unknown'
    else if (this.#text.startsWith('$(', this.#at)) this.#push('word', 2)
    else if (this.#frames.at(-1) === 'double') this.#stepDouble(char)
    else this.#stepWord(char)
  }

  #stepDouble(char: string): void {
    if (char === '"') this.#frames.pop()
    this.#at++
  }

  #stepWord(char: string): void {
    if (char === '"') this.#push('double', 1)
    else if (char === "'") this.#open('single')
    else if (char === '#' && this.#startsWord()) this.#open('comment')
    else if (char === '(') this.#push('word', 1)
    else if (char === ')' && this.#frames.length > 1) {
      this.#frames.pop()
      this.#at++
    } else this.#at++
  }

  /**
   * Here-documents, `${...}`, `$'...'` and arithmetic have other quoting rules; the caller checks for backticks. In `$(...)`
   * the patterns of `case` have brackets that close nothing.
   */
  #startsUnknown(): boolean {
    const next = this.#text.slice(this.#at, this.#at + 5)
    if (/^(\$\{|\$\(\(|\$\[)/.test(next)) return true
    if (this.#frames.at(-1) === 'double') return false
    return /^(<<|\$'|\(\()/.test(next) || (this.#frames.length > 1 && /^case\s/.test(next) && this.#startsWord())
  }

  #startsWord(): boolean {
    return /^$|[\s;&|(]/.test(this.#text[this.#at - 1] ?? '')
  }

  #open(leaf: 'single' | 'comment'): void {
    this.#leaf = leaf
    this.#at++
  }

  #closeAt(char: string, close: string): void {
    if (char === close) this.#leaf = undefined
    this.#at++
  }

  #push(frame: Frame, chars: number): void {
    this.#frames.push(frame)
    this.#at += chars
  }
}
