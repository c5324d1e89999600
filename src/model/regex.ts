import { emitRegex } from './regex-emit.ts'
import { compileProgram, runProgram, type Program } from './regex-machine.ts'
import { parseRegex, type RegexNode } from './regex-parse.ts'

/**
 * RE2 patterns (what Prometheus, Alertmanager and their users write). They are read by RE2's rules, and what RE2
 * refuses (lookaround, backreferences) is refused with its words, so that a rule file means the same here and there.
 *
 * RE2 promises linear time; JavaScript's engine backtracks. So a pattern runs on JavaScript's engine only when it
 * cannot make it backtrack by more than the square of the text's length, and on a linear machine otherwise.
 */
export { RegexError } from './regex-parse.ts'

const cache = new Map<string, RegExp>()
const CACHE_ENTRIES_MAX = 1000

/** Loops that may stand one after the other before backtracking gets worse than quadratic. */
const LOOPS_MAX = 2

/** The pattern anchored at both ends; a dot matches newlines too (Prometheus 3). Throws `RegexError`. */
export function compileAnchoredRegex(pattern: string): RegExp {
  let regex = cache.get(pattern)
  if (regex === undefined) {
    const tree = parseRegex(pattern)
    const source = `^(?:${emitRegex(tree)})$`
    regex = mayBacktrack(tree) ? new LinearRegex(source, compileProgram(tree)) : new RegExp(source, 'su')
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
    cache.set(pattern, regex)
  }
  return regex
}

/**
 * How often a test may look at one character of its text, about: for patterns on JavaScript's engine once, on the linear
 * machine once for each of its instructions. Throws `RegexError`.
 */
export function regexStepsPerCharacter(pattern: string): number {
  const regex = compileAnchoredRegex(pattern)
  return regex instanceof LinearRegex ? regex.instructionCount : 1
}

/** A text as a pattern that matches just it. */
export function escapeRegex(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
}

/** A regex whose matching takes time linear in the text. `source` is its translation, for showing. */
class LinearRegex extends RegExp {
  readonly #program: Program

  constructor(source: string, program: Program) {
    super(source, 'su')
    this.#program = program
  }

  get instructionCount(): number {
    return this.#program.instructions.length
  }

  override exec(text: string): RegExpExecArray | null {
    const slots = runProgram(this.#program, text)
    if (slots === undefined) return null
    const texts = Array.from({ length: slots.length / 2 }, (_, i) =>
      slots[2 * i + 1]! < 0 ? undefined : text.slice(slots[2 * i], slots[2 * i + 1]),
    )
    const groups: Record<string, string | undefined> = {}
    this.#program.names.forEach((name, i) => {
      if (name !== undefined) groups[name] = texts[i]
    })
    return Object.assign(texts, { index: 0, input: text, groups }) as unknown as RegExpExecArray
  }

  override test(text: string): boolean {
    return runProgram(this.#program, text) !== undefined
  }
}

/** Whether JavaScript's engine could need more than quadratic time: loops in loops, choices in loops, many loops. */
function mayBacktrack(tree: RegexNode): boolean {
  let loops = 0
  const visit = (node: RegexNode, isInLoop: boolean): boolean => {
    switch (node.kind) {
      case 'set':
      case 'assertion':
        return false
      case 'group':
        return visit(node.node, isInLoop)
      case 'sequence':
        return node.nodes.some((child) => visit(child, isInLoop))
      case 'choice':
        return isInLoop || node.nodes.some((child) => visit(child, isInLoop))
      case 'repeat': {
        if (node.min === node.max) return visit(node.node, isInLoop || node.max > 1)
        loops++
        return isInLoop || loops > LOOPS_MAX || visit(node.node, node.max > 1)
      }
    }
  }
  return visit(tree, false)
}
