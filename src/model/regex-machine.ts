import { RegexError, type Assertion, type CharacterSet, type RegexNode } from './regex-parse.ts'

/**
 * A regex matcher in linear time (Thompson's simulation with Pike's captures): all ways through the pattern are
 * followed side by side, so the time is at most the length of the text times the size of the program. Of several ways
 * to match, the one a backtracking engine would find first wins.
 */
export interface Program {
  readonly instructions: readonly Instruction[]
  /** Two slots per group: where it starts and ends; group 0 is the whole match. */
  readonly slots: number
  /** The name of each group, by number. */
  readonly names: readonly (string | undefined)[]
}

type Instruction =
  | { readonly kind: 'set'; readonly matches: (point: number) => boolean; readonly next: number }
  | { readonly kind: 'assert'; readonly what: Assertion; readonly next: number }
  | { readonly kind: 'save'; readonly slot: number; readonly next: number }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  | { readonly kind: 'match' }

/** The most instructions of one pattern; beyond it the pattern is refused. */
const INSTRUCTIONS_MAX = 20_000

/** Throws `RegexError` when the pattern is too large. */
export function compileProgram(tree: RegexNode): Program {
  const instructions: Instruction[] = [{ kind: 'match' }]
  const names: (string | undefined)[] = [undefined]
  const emit = (instruction: Instruction): number => {
    if (instructions.length >= INSTRUCTIONS_MAX) throw new RegexError('error parsing regexp: expression too large')
    instructions.push(instruction)
    return instructions.length - 1
  }
  /** Compiles a node that goes on at `next`; answers where it starts. Built from the end. */
  const compile = (node: RegexNode, next: number): number => {
    switch (node.kind) {
      case 'set':
        return emit({ kind: 'set', matches: testOf(node.set), next })
      case 'assertion':
        return emit({ kind: 'assert', what: node.what, next })
      case 'group': {
        names[node.index] = node.name
        const end = emit({ kind: 'save', slot: 2 * node.index + 1, next })
        return emit({ kind: 'save', slot: 2 * node.index, next: compile(node.node, end) })
      }
      case 'sequence':
        return node.nodes.reduceRight((after, child) => compile(child, after), next)
      case 'choice':
        return node.nodes
          .slice(0, -1)
          .reduceRight(
            (second, child) => emit({ kind: 'split', first: compile(child, next), second }),
            compile(node.nodes.at(-1)!, next),
          )
      case 'repeat':
        return compileRepeat(node, next)
    }
  }
  const fork = (into: number, out: number, isLazy: boolean): Instruction =>
    isLazy ? { kind: 'split', first: out, second: into } : { kind: 'split', first: into, second: out }
  const compileRepeat = (node: RegexNode & { kind: 'repeat' }, next: number): number => {
    const { node: inner, min, max, isLazy } = node
    let start = next
    if (max === Infinity) {
      // The fork comes first, so that the body can lead back to it.
      const loop = emit({ kind: 'split', first: 0, second: 0 })
      instructions[loop] = fork(compile(inner, loop), next, isLazy)
      start = loop
    } else {
      for (let i = min; i < max; i++) start = emit(fork(compile(inner, start), next, isLazy))
    }
    for (let i = 0; i < min; i++) start = compile(inner, start)
    return start
  }
  const end = emit({ kind: 'save', slot: 1, next: 0 })
  const body = compile(tree, end)
  emit({ kind: 'save', slot: 0, next: body }) // the last instruction is where the program starts
  return { instructions, slots: names.length * 2, names: Array.from(names) }
}

function testOf({ ranges, properties, isNegated }: CharacterSet): (point: number) => boolean {
  const regexes = properties.map((property) => new RegExp(property, 'u'))
  return (point) => {
    const isIn =
      ranges.some(([low, high]) => point >= low && point <= high) ||
      regexes.some((regex) => regex.test(String.fromCodePoint(point)))
    return isIn !== isNegated
  }
}

interface Thread {
  readonly at: number
  readonly slots: Int32Array
}

/** Matches the whole text. The slots of the groups (-1: not taken part), or `undefined` for no match. */
export function runProgram(program: Program, text: string): Int32Array | undefined {
  const { instructions } = program
  const start = instructions.length - 1
  const seen = new Int32Array(instructions.length).fill(-1)
  let threads: Thread[] = []
  follow(program, { at: start, slots: new Int32Array(program.slots).fill(-1) }, text, 0, seen, threads)
  for (let at = 0; at < text.length;) {
    if (threads.length === 0) return undefined
    const point = text.codePointAt(at)!
    const next = at + (point > 0xffff ? 2 : 1)
    const advanced: Thread[] = []
    for (const { at: where, slots } of threads) {
      const instruction = instructions[where]!
      if (instruction.kind === 'set' && instruction.matches(point)) {
        follow(program, { at: instruction.next, slots }, text, next, seen, advanced)
      }
    }
    threads = advanced
    at = next
  }
  return threads.find((thread) => instructions[thread.at]!.kind === 'match')?.slots
}

/** Follows a thread to all places where it must read a character, in order of preference; each place once per offset. */
function follow(
  { instructions }: Program,
  thread: Thread,
  text: string,
  offset: number,
  seen: Int32Array,
  into: Thread[],
): void {
  const pending: Thread[] = [thread]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { at, slots } = next
    if (seen[at] === offset) continue
    seen[at] = offset
    const instruction = instructions[at]!
    switch (instruction.kind) {
      case 'set':
      case 'match':
        into.push(next)
        break
      case 'split':
        pending.push({ at: instruction.second, slots }, { at: instruction.first, slots })
        break
      case 'assert':
        if (holds(instruction.what, text, offset)) pending.push({ at: instruction.next, slots })
        break
      case 'save': {
        const saved = slots.slice()
        saved[instruction.slot] = offset
        pending.push({ at: instruction.next, slots: saved })
      }
    }
  }
}

function holds(what: Assertion, text: string, offset: number): boolean {
  switch (what) {
    case 'text start':
      return offset === 0
    case 'text end':
      return offset === text.length
    case 'line start':
      return offset === 0 || text[offset - 1] === '\n'
    case 'line end':
      return offset === text.length || text[offset] === '\n'
    case 'word boundary':
      return isWordAt(text, offset - 1) !== isWordAt(text, offset)
    case 'no word boundary':
      return isWordAt(text, offset - 1) === isWordAt(text, offset)
  }
}

function isWordAt(text: string, offset: number): boolean {
  const char = text[offset]
  return char !== undefined && /[A-Za-z0-9_]/.test(char)
}
