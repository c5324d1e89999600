import { caseFolded, NAMED_SETS, PERL_SETS, type CodeRange } from './regex-sets.ts'

/** Reads RE2's syntax into a tree. Flags are worked in: letters that match in either case have become sets. */
export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly what: Assertion }
  | { readonly kind: 'group'; readonly index: number; readonly name?: string; readonly node: RegexNode }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly RegexNode[] }
  | {
      readonly kind: 'repeat'
      readonly node: RegexNode
      readonly min: number
      /** Infinity for no bound. */
      readonly max: number
      readonly isLazy: boolean
    }

export type Assertion = 'text start' | 'text end' | 'line start' | 'line end' | 'word boundary' | 'no word boundary'

/** One character out of these. `isDefaultDot` is a dot whose meaning no flag has changed. */
export interface CharacterSet {
  readonly ranges: readonly CodeRange[]
  /** Unicode properties as JavaScript spells them: `\p{L}`. */
  readonly properties: readonly string[]
  readonly isNegated: boolean
  readonly isDefaultDot?: boolean
}

/** A pattern that RE2 refuses, in its words. */
export class RegexError extends Error {
  override readonly name = 'RegexError'
}

/** The most copies a counted repetition may ask for, and the most that nested ones may come to (RE2's limits). */
const REPEAT_MAX = 1000
const NESTING_MAX = 250

interface Flags {
  readonly fold: boolean
  readonly lines: boolean
  /** `undefined`: no flag has said. */
  readonly dotAll: boolean | undefined
  readonly swapsGreed: boolean
}

/** Throws `RegexError`. */
export function parseRegex(pattern: string): RegexNode {
  return new RegexParser(pattern).parse()
}

class RegexParser {
  readonly #pattern: string
  #at = 0
  #depth = 0
  #groups = 0
  readonly #names = new Set<string>()
  #flags: Flags = { fold: false, lines: false, dotAll: undefined, swapsGreed: false }

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  parse(): RegexNode {
    const node = this.#choice()
    if (this.#at < this.#pattern.length) this.#fail('unexpected )', this.#pattern)
    if (copiesOf(node) > REPEAT_MAX) this.#fail('invalid repeat count', this.#pattern)
    return node
  }

  #fail(what: string, where: string): never {
    throw new RegexError(`error parsing regexp: ${what}: \`${where}\``)
  }

  #choice(): RegexNode {
    if (++this.#depth > NESTING_MAX) this.#fail('expression nests too deeply', this.#pattern)
    const flags = this.#flags
    const nodes: RegexNode[] = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    this.#flags = flags
    this.#depth--
    return nodes.length === 1 ? nodes[0]! : { kind: 'choice', nodes }
  }

  #sequence(): RegexNode {
    const nodes: RegexNode[] = []
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === undefined || next === '|' || next === ')') break
      const from = this.#at
      const repeat = this.#repeatOperator()
      if (repeat === undefined) {
        nodes.push(...this.#atom())
        continue
      }
      const operator = this.#pattern.slice(from, this.#at)
      const node = nodes.pop()
      if (node === undefined) this.#fail('missing argument to repetition operator', operator)
      nodes.push({ kind: 'repeat', node, ...repeat })
      const again = this.#at
      if (this.#repeatOperator() !== undefined) {
        this.#fail('invalid nested repetition operator', operator + this.#pattern.slice(again, this.#at))
      }
    }
    return nodes.length === 1 ? nodes[0]! : { kind: 'sequence', nodes }
  }

  /** `*`, `+`, `?`, `{n,m}` with an optional `?`; `undefined` when none stands here. */
  #repeatOperator(): { min: number; max: number; isLazy: boolean } | undefined {
    const operator = /^(?:([*+?])|\{(\d+)(,(\d*))?\})(\?)?/.exec(this.#pattern.slice(this.#at))
    if (operator === null) return undefined
    const [whole, simple, least, comma, most, lazy] = operator
    const min = simple === undefined ? Number(least) : simple === '+' ? 1 : 0
    const max =
      simple !== undefined
        ? simple === '?'
          ? 1
          : Infinity
        : comma === undefined
          ? min
          : most === ''
            ? Infinity
            : Number(most)
    if (min > REPEAT_MAX || (max !== Infinity && (max > REPEAT_MAX || max < min))) {
      this.#fail('invalid repeat count', whole)
    }
    this.#at += whole.length
    return { min, max, isLazy: (lazy !== undefined) !== this.#flags.swapsGreed }
  }

  #take(char: string): boolean {
    if (this.#pattern[this.#at] !== char) return false
    this.#at++
    return true
  }

  /** One thing that can be repeated; a quoted text is several, and a change of flags none. */
  #atom(): RegexNode[] {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at)!)
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return [{ kind: 'set', set: this.#class() }]
      case '\\':
        return this.#escape()
      case '.':
        this.#at++
        return [{ kind: 'set', set: this.#dot() }]
      case '^':
        this.#at++
        return [{ kind: 'assertion', what: this.#flags.lines ? 'line start' : 'text start' }]
      case '$':
        this.#at++
        return [{ kind: 'assertion', what: this.#flags.lines ? 'line end' : 'text end' }]
      default:
        this.#at += char.length
        return [this.#literal(char.codePointAt(0)!)]
    }
  }

  #literal(point: number): RegexNode {
    return { kind: 'set', set: this.#setOf([[point, point]]) }
  }

  #setOf(ranges: readonly CodeRange[], properties: readonly string[] = [], isNegated = false): CharacterSet {
    return { ranges: this.#flags.fold ? caseFolded(ranges) : ranges, properties, isNegated }
  }

  #dot(): CharacterSet {
    const { dotAll } = this.#flags
    if (dotAll === undefined) return { ranges: [], properties: [], isNegated: true, isDefaultDot: true }
    return { ranges: dotAll ? [] : [[0x0a, 0x0a]], properties: [], isNegated: true }
  }

  #group(): RegexNode[] {
    const from = this.#at
    const rest = this.#pattern.slice(from)
    const named = /^\(\?P?<([^>]*)>/.exec(rest)
    const flags = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest)
    if (flags !== null && (flags[3] === ':' || flags[1] !== '' || flags[2] !== undefined)) {
      this.#at += flags[0].length
      const before = this.#flags
      this.#flags = withFlags(before, flags[1]!, flags[2] ?? '')
      if (flags[3] === ')') return []
      const node = this.#choice()
      this.#flags = before
      this.#close()
      return [node]
    }
    if (named === null && rest.startsWith('(?')) {
      this.#fail('invalid or unsupported Perl syntax', /^\(\?<?[=!]|^\(\?[^)]?/.exec(rest)![0])
    }
    const name = named?.[1]
    if (name !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) this.#fail('invalid named capture', named![0])
    if (name !== undefined && this.#names.has(name)) this.#fail('duplicate capture group name', name)
    if (name !== undefined) this.#names.add(name)
    this.#at += named?.[0].length ?? 1
    const index = ++this.#groups
    const node = this.#choice()
    this.#close()
    return [{ kind: 'group', index, ...(name === undefined ? {} : { name }), node }]
  }

  #close(): void {
    if (!this.#take(')')) this.#fail('missing closing )', this.#pattern)
  }

  #escape(): RegexNode[] {
    const rest = this.#pattern.slice(this.#at)
    const assertion = ASSERTIONS[rest.slice(0, 2)]
    if (assertion !== undefined) {
      this.#at += 2
      return [{ kind: 'assertion', what: assertion }]
    }
    if (rest.startsWith('\\Q')) {
      const end = rest.indexOf('\\E', 2)
      const quoted = end < 0 ? rest.slice(2) : rest.slice(2, end)
      this.#at += end < 0 ? rest.length : end + 2
      return Array.from(quoted, (char) => this.#literal(char.codePointAt(0)!))
    }
    const named = this.#namedSet()
    if (named !== undefined) return [{ kind: 'set', set: this.#setOf(named.ranges, named.properties) }]
    return [this.#literal(this.#escapedPoint())]
  }

  /** `\d`, `\pL`, `\p{Greek}`: ranges or a property. */
  #namedSet(): { ranges: readonly CodeRange[]; properties: readonly string[] } | undefined {
    const rest = this.#pattern.slice(this.#at)
    const perl = PERL_SETS[rest.slice(0, 2)]
    if (perl !== undefined) {
      this.#at += 2
      return { ranges: perl, properties: [] }
    }
    const property = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Za-z]))/.exec(rest)
    if (property === null) {
      if (/^\\[pP]/.test(rest)) this.#fail('invalid character class range', rest.slice(0, 3))
      return undefined
    }
    const [whole, letter, caret, braced, bare] = property
    const isNegated = (letter === 'P') !== (caret === '^')
    const name = braced ?? bare!
    if (name === 'Any') {
      this.#at += whole.length
      return { ranges: isNegated ? [] : [[0, 0x10ffff]], properties: [] }
    }
    const escape = `\\${isNegated ? 'P' : 'p'}{${name.length <= 2 ? name : `Script=${name}`}}`
    try {
      new RegExp(escape, 'u')
    } catch {
      this.#fail('invalid character class range', whole)
    }
    this.#at += whole.length
    return { ranges: [], properties: [escape] }
  }

  /** The character an escape stands for. */
  #escapedPoint(): number {
    const rest = this.#pattern.slice(this.#at)
    if (rest.length === 1) this.#fail('trailing backslash at end of expression', '')
    const control = CONTROLS[rest[1]!]
    if (control !== undefined) {
      this.#at += 2
      return control
    }
    const numeric = /^\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2}))/.exec(rest)
    if (numeric !== null) {
      const [whole, braced, short, octal] = numeric
      const point = octal === undefined ? Number.parseInt(braced ?? short!, 16) : Number.parseInt(octal, 8)
      if (point > 0x10ffff) this.#fail('invalid escape sequence', whole)
      this.#at += whole.length
      return point
    }
    const char = String.fromCodePoint(rest.codePointAt(1)!)
    if (/[A-Za-z0-9]/.test(char) || char > '\x7f') this.#fail('invalid escape sequence', `\\${char}`)
    this.#at += 2
    return char.codePointAt(0)!
  }

  #class(): CharacterSet {
    const from = this.#at
    this.#at++
    const isNegated = this.#take('^')
    const ranges: CodeRange[] = []
    const properties: string[] = []
    for (let isFirst = true; isFirst || this.#pattern[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#pattern.length) this.#fail('missing closing ]', this.#pattern.slice(from))
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#pattern.slice(this.#at))
      if (posix !== null) {
        const set = NAMED_SETS[posix[2]!]
        if (set === undefined) this.#fail('invalid character class range', posix[0])
        this.#at += posix[0].length
        ranges.push(...(posix[1] === '^' ? complement(set) : set))
        continue
      }
      const named = this.#pattern[this.#at] === '\\' ? this.#namedSet() : undefined
      if (named !== undefined) {
        ranges.push(...named.ranges)
        properties.push(...named.properties)
        continue
      }
      ranges.push(this.#classRange(from))
    }
    this.#at++
    return this.#setOf(ranges, properties, isNegated)
  }

  #classRange(classFrom: number): CodeRange {
    const from = this.#at
    const low = this.#classPoint(classFrom)
    if (this.#pattern[this.#at] !== '-' || (this.#pattern[this.#at + 1] ?? ']') === ']') return [low, low]
    this.#at++
    const high = this.#classPoint(classFrom)
    if (high < low) this.#fail('invalid character class range', this.#pattern.slice(from, this.#at))
    return [low, high]
  }

  #classPoint(classFrom: number): number {
    if (this.#at >= this.#pattern.length) this.#fail('missing closing ]', this.#pattern.slice(classFrom))
    if (this.#pattern[this.#at] === '\\') return this.#escapedPoint()
    const point = this.#pattern.codePointAt(this.#at)!
    this.#at += String.fromCodePoint(point).length
    return point
  }
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '\\A': 'text start',
  '\\z': 'text end',
  '\\b': 'word boundary',
  '\\B': 'no word boundary',
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

function withFlags(flags: Flags, on: string, off: string): Flags {
  const pick = <T>(letter: string, now: T): T | boolean =>
    off.includes(letter) ? false : on.includes(letter) ? true : now
  return {
    fold: pick('i', flags.fold),
    lines: pick('m', flags.lines),
    dotAll: pick('s', flags.dotAll),
    swapsGreed: pick('U', flags.swapsGreed),
  }
}

/** How many copies of its innermost part a tree asks for by counting. */
function copiesOf(node: RegexNode): number {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1
    case 'group':
      return copiesOf(node.node)
    case 'sequence':
    case 'choice':
      return Math.max(1, ...node.nodes.map(copiesOf))
    case 'repeat': {
      const times = Math.max(1, node.max === Infinity ? node.min : node.max)
      return times * copiesOf(node.node)
    }
  }
}

/** All characters but these. */
export function complement(ranges: readonly CodeRange[]): CodeRange[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const rest: CodeRange[] = []
  let next = 0
  for (const [low, high] of sorted) {
    if (low > next) rest.push([next, low - 1])
    next = Math.max(next, high + 1)
  }
  if (next <= 0x10ffff) rest.push([next, 0x10ffff])
  return rest
}
