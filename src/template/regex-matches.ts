/**
 * All matches of an RE2 pattern in a text, in time linear in the text. RE2 searches again behind each match, which is
 * quadratic: for `a.*b|a` each search of a text without `b` reads to its end.
 *
 * Two passes, after A. Frisch and L. Cardelli, "Greedy regular expression matching" (2004): backwards, which
 * instructions lead to a match from each position; then forwards along the first alternative that does.
 */
import type { RE2JS } from 're2js'
import type { RegexMatch } from '../model/regex.ts'

/** A match, and its range in the text: from inclusive, to exclusive. */
export interface PlacedMatch {
  readonly from: number
  readonly to: number
  readonly groups: RegexMatch
}

/** An instruction of re2js' compiled program. */
interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

interface Program {
  readonly inst: readonly Instruction[]
  readonly start: number
  readonly numCap: number
}

/** Numbers of re2js, which are those of Go's `regexp/syntax`. */
const ALT = 1
const ALT_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const MATCH = 6
const NOP = 7
const RUNE = 8
const RUNE_1 = 9
const RUNE_ANY = 10
const RUNE_ANY_NOT_NEWLINE = 11

const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

const NEWLINE = 10
/** Before the first and after the last character. */
const NO_RUNE = -1
const NO_INSTRUCTION = -1

/**
 * The leftmost match, of these the one that the pattern prefers, then the same behind it. After an empty match the search
 * goes on one character later.
 */
export function* allMatches(regex: RE2JS, text: string): Generator<PlacedMatch> {
  const { prog, namedGroups } = regex.re2() as { readonly prog: Program; readonly namedGroups: Record<string, number> }
  const characters = Array.from(text)
  const search = new Search(prog, characters)
  const names = Object.entries(namedGroups)
  let at = 0
  let offset = 0
  while (at <= characters.length) {
    const ends = search.matchAt(at, offset)
    if (ends !== undefined) {
      const [from, to] = [offset, ends[1]!]
      const groups = Array.from({ length: ends.length / 2 }, (_, group) =>
        ends[2 * group]! < 0 ? undefined : text.slice(ends[2 * group], ends[2 * group + 1]),
      )
      const named = Object.fromEntries(names.map(([name, group]) => [name, groups[group]]))
      yield { from, to, groups: Object.assign(groups, { groups: named }) }
      while (offset < to) offset += characters[at++]!.length
      if (from < to) continue
    }
    offset += characters[at++]?.length ?? 0
  }
}

class Search {
  readonly #program: Program
  readonly #characters: readonly string[]
  /** A bit for each position and instruction: it leads to a match. */
  readonly #leads: Uint32Array
  readonly #wordsPerPosition: number
  /** The position at which an instruction was tried last, and the captures of the match so far. */
  readonly #tried: Int32Array
  readonly #ends: number[]

  constructor(program: Program, characters: readonly string[]) {
    this.#program = program
    this.#characters = characters
    const { length } = program.inst
    this.#wordsPerPosition = Math.ceil(length / 32)
    this.#leads = new Uint32Array((characters.length + 1) * this.#wordsPerPosition)
    this.#tried = new Int32Array(length)
    this.#ends = new Array<number>(Math.max(2, program.numCap))
    this.#readBackwards()
  }

  /**
   * The offsets of the match that begins at a position, two for each group, -1 for a group that took no part;
   * `undefined` when none begins there. Valid until the next call.
   *
   * @param offset of the position in the text
   */
  matchAt(at: number, offset: number): readonly number[] | undefined {
    const { inst, start } = this.#program
    if (!this.#doesLead(at, start)) return undefined
    const ends = this.#ends
    ends.fill(-1)
    ends[0] = offset
    this.#tried.fill(-1)
    let pc = start
    for (let position = at; ; position++) {
      const next = this.#preferred(pc, position, offset)
      if (inst[next]!.op === MATCH) break
      offset += this.#characters[position]!.length
      pc = inst[next]!.out
    }
    ends[1] = offset
    return ends
  }

  /**
   * The instruction that reads the next character or ends the match, along the first alternative that leads to a match;
   * none when the alternatives were tried at this position before: an empty loop.
   */
  #preferred(from: number, position: number, offset: number): number {
    const ends = this.#ends
    for (let pc = from; ;) {
      if (!this.#doesLead(position, pc) || this.#tried[pc] === position) return NO_INSTRUCTION
      this.#tried[pc] = position
      const { op, out, arg } = this.#program.inst[pc]!
      if (op === ALT || op === ALT_MATCH) {
        const first = this.#preferred(out, position, offset)
        if (first !== NO_INSTRUCTION) return first
        pc = arg
      } else if (op === CAPTURE) {
        const before = ends[arg]!
        ends[arg] = offset
        const next = this.#preferred(out, position, offset)
        if (next === NO_INSTRUCTION) ends[arg] = before
        return next
      } else if (op === NOP || op === EMPTY_WIDTH) pc = out
      else return pc
    }
  }

  #readBackwards(): void {
    const { inst } = this.#program
    const characters = this.#characters
    const before = predecessorsOf(inst)
    const reading = [...inst.keys()].filter((pc) => inst[pc]!.op >= RUNE && inst[pc]!.op <= RUNE_ANY_NOT_NEWLINE)
    const ending = [...inst.keys()].filter((pc) => inst[pc]!.op === MATCH)
    const found: number[] = []
    let next = NO_RUNE
    for (let position = characters.length; position >= 0; position--) {
      const rune = next
      next = position === 0 ? NO_RUNE : characters[position - 1]!.codePointAt(0)!
      const conditions = conditionsBetween(next, rune)
      const add = (pc: number): void => {
        if (this.#doesLead(position, pc)) return
        this.#leads[position * this.#wordsPerPosition + (pc >>> 5)]! |= 1 << (pc & 31)
        found.push(pc)
      }
      for (const pc of ending) add(pc)
      if (rune !== NO_RUNE) {
        for (const pc of reading) if (this.#doesLead(position + 1, inst[pc]!.out) && accepts(inst[pc]!, rune)) add(pc)
      }
      for (let pc = found.pop(); pc !== undefined; pc = found.pop()) {
        for (const earlier of before[pc]!) {
          const { op, arg } = inst[earlier]!
          if (op !== EMPTY_WIDTH || (arg & ~conditions) === 0) add(earlier)
        }
      }
    }
  }

  #doesLead(position: number, pc: number): boolean {
    return (this.#leads[position * this.#wordsPerPosition + (pc >>> 5)]! & (1 << (pc & 31))) !== 0
  }
}

/** Of each instruction those that continue with it and read nothing. */
function predecessorsOf(inst: readonly Instruction[]): readonly (readonly number[])[] {
  const before: number[][] = inst.map(() => [])
  inst.forEach(({ op, out, arg }, pc) => {
    if (op === ALT || op === ALT_MATCH) before[arg]!.push(pc)
    if (op === ALT || op === ALT_MATCH || op === CAPTURE || op === EMPTY_WIDTH || op === NOP) before[out]!.push(pc)
  })
  return before
}

function accepts(instruction: Instruction, rune: number): boolean {
  switch (instruction.op) {
    case RUNE:
      return instruction.matchRune(rune)
    case RUNE_1:
      return rune === instruction.runes[0]
    case RUNE_ANY:
      return true
    default:
      return rune !== NEWLINE
  }
}

/** The assertions that hold between two characters. */
function conditionsBetween(left: number, right: number): number {
  let conditions = isWord(left) === isWord(right) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (left === NO_RUNE) conditions |= BEGIN_TEXT | BEGIN_LINE
  if (left === NEWLINE) conditions |= BEGIN_LINE
  if (right === NO_RUNE) conditions |= END_TEXT | END_LINE
  if (right === NEWLINE) conditions |= END_LINE
  return conditions
}

function isWord(rune: number): boolean {
  return rune >= 0 && /^\w$/.test(String.fromCodePoint(rune))
}
