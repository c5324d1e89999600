/**
 * Evaluates a template's tree. Synchronous: a function without its result yet throws, and the caller evaluates again
 * once it has the result (rules/template.ts does this with queries). Nothing here has side effects, so a second run is
 * safe.
 */
import type { Command, Node, Operand, Pipe, RangeNode, TemplateTree } from './ast.ts'
import { fieldOf } from './fields.ts'
import type { TemplateFunction } from './function.ts'
import { TemplateError, isTruthy, printValue, sortedEntries, typeName, type RootValue, type Value } from './value.ts'

/** Maximum commands and loop iterations of one run, and maximum characters of its output. */
const STEPS_MAX = 100_000
const OUTPUT_CHARS_MAX = 65_536
const CALL_DEPTH_MAX = 50
/** Characters of the texts, and items of the lists, that a function reads and makes in one step. */
const SIZE_PER_STEP = 100

export interface Run<Context> {
  readonly tree: TemplateTree
  readonly functions: Readonly<Record<string, TemplateFunction<Context>>>
  /** Passed to every function. */
  readonly context: Context
  readonly root: RootValue
  /** Names with their `$`. */
  readonly variables: Readonly<Record<string, Value>>
  /** Applied to every written value, with the end of the text before it; HTML values are written unchanged. */
  readonly escape?: (text: string, before: string) => string
  /** Maximum output characters and steps; by default those of an annotation. */
  readonly limits?: { readonly outputChars: number; readonly steps: number }
}

/** Length of the text before a value that `escape` receives. */
const BEFORE_CHARS = 64

/** Returns the text. Throws `TemplateError`. */
export function evaluateTemplate<Context>(run: Run<Context>): string {
  const evaluator = new Evaluator(run)
  evaluator.block(run.tree.body, run.root)
  return evaluator.text
}

interface Variable {
  readonly name: string
  value: Value
}

/** The effect of a block on the loop around it. */
type Flow = 'on' | 'break' | 'continue'

class Evaluator<Context> {
  readonly #run: Run<Context>
  #variables: Variable[]
  #steps = 0
  #depth = 0
  readonly #limits: { readonly outputChars: number; readonly steps: number }
  #tail = ''
  text = ''

  constructor(run: Run<Context>) {
    this.#run = run
    this.#limits = run.limits ?? { outputChars: OUTPUT_CHARS_MAX, steps: STEPS_MAX }
    this.#variables = Object.entries({ $: run.root, ...run.variables }).map(([name, value]) => ({ name, value }))
  }

  block(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
      const flow = this.#node(node, dot)
      if (flow !== 'on') return flow
    }
    return 'on'
  }

  #node(node: Node, dot: Value): Flow {
    this.#step()
    switch (node.kind) {
      case 'text':
        this.#write(node.text)
        return 'on'
      case 'action': {
        const value = this.#pipe(node.pipe, dot)
        if (node.pipe.variables.length === 0) this.#writeValue(value)
        return 'on'
      }
      case 'if':
      case 'with':
        return this.#scoped(() => {
          const value = this.#pipe(node.pipe, dot)
          if (!isTruthy(value)) return this.block(node.otherwise, dot)
          return this.block(node.then, node.kind === 'with' ? value : dot)
        })
      case 'range':
        return this.#scoped(() => this.#range(node, dot))
      case 'template':
        this.#call(node.name, node.pipe === undefined ? null : this.#pipe(node.pipe, dot))
        return 'on'
      case 'break':
      case 'continue':
        return node.kind
    }
  }

  #range(node: RangeNode, dot: Value): Flow {
    const over = this.#pipe({ ...node.pipe, variables: [] }, dot)
    const entries = entriesOf(over)
    if (entries.length === 0) return this.block(node.otherwise, dot)
    const { variables, isAssignment } = node.pipe
    for (const [key, item] of entries) {
      const flow = this.#scoped(() => {
        this.#step()
        const values = variables.length === 2 ? [key, item] : [item]
        variables.forEach((name, i) => {
          this.#bind(name, values[i]!, isAssignment)
        })
        return this.block(node.body, item)
      })
      if (flow === 'break') break
    }
    return 'on'
  }

  /** A named template has its own variables; `$` is its argument. */
  #call(name: string, dot: Value): void {
    const body = this.#run.tree.definitions.get(name)
    if (body === undefined) throw new TemplateError(`template "${name}" not defined`)
    if (++this.#depth > CALL_DEPTH_MAX) throw new TemplateError('exceeded maximum template depth')
    const outer = this.#variables
    this.#variables = [{ name: '$', value: dot }]
    this.block(body, dot)
    this.#variables = outer
    this.#depth--
  }

  #pipe(pipe: Pipe, dot: Value): Value {
    let value: Value = null
    pipe.commands.forEach((command, i) => {
      value = this.#command(command, dot, i === 0 ? [] : [value])
    })
    // A range binds its variables itself, once per iteration.
    for (const name of pipe.variables) this.#bind(name, value, pipe.isAssignment)
    return value
  }

  /** `piped` is the value of the previous command, if any: the last argument. */
  #command(command: Command, dot: Value, piped: readonly Value[]): Value {
    this.#step()
    const head = command.operands[0]!
    const rest = command.operands.slice(1)
    if (head.kind === 'function' && head.fields.length === 0) return this.#function(head.name, rest, dot, piped)
    const isMethodCall = head.fields.length > 0
    if (!isMethodCall && (rest.length > 0 || piped.length > 0)) {
      throw new TemplateError("can't give argument to non-function")
    }
    const args = [...rest.map((operand) => this.#operand(operand, dot)), ...piped]
    return this.#fields(this.#base(head, dot), head.fields, args)
  }

  #operand(operand: Operand, dot: Value): Value {
    return this.#fields(this.#base(operand, dot), operand.fields, [])
  }

  #base(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case 'literal':
        return operand.value
      case 'dot':
        return dot
      case 'variable':
        return this.#variable(operand.name).value
      case 'function':
        return this.#function(operand.name, [], dot, [])
      case 'pipe':
        return this.#scoped(() => this.#pipe(operand.pipe, dot))
    }
  }

  /** Reads fields in turn; arguments belong to the last one, which must be a method then. */
  #fields(base: Value, fields: readonly string[], args: readonly Value[]): Value {
    return fields.reduce((value, name, i) => fieldOf(value, name, i === fields.length - 1 ? args : []), base)
  }

  #function(name: string, operands: readonly Operand[], dot: Value, piped: readonly Value[]): Value {
    const callee = this.#run.functions[name]!
    const { arity } = callee
    const count = operands.length + piped.length
    if (count < arity[0] || count > arity[1]) {
      const want =
        arity[0] === arity[1] ? `${arity[0]}` : count < arity[0] ? `at least ${arity[0]}` : `at most ${arity[1]}`
      throw new TemplateError(`wrong number of args for ${name}: want ${want} got ${count}`)
    }
    // `and` and `or` stop at the deciding argument, so that `and $x (index $x 0)` is safe.
    const stopsAt = name === 'and' ? false : name === 'or' ? true : undefined
    const args: Value[] = []
    for (const operand of operands) {
      const value = this.#operand(operand, dot)
      if (stopsAt !== undefined && isTruthy(value) === stopsAt) return value
      args.push(value)
    }
    args.push(...piped)
    let result: Value
    try {
      result = callee.call(args, this.#run.context)
    } catch (thrown) {
      // Other errors pass: a pending query, a bug.
      if (thrown instanceof TemplateError) throw new TemplateError(`error calling ${name}: ${thrown.message}`)
      throw thrown
    }
    const size = args.reduce<number>((sum, arg) => sum + sizeOf(arg), sizeOf(result))
    this.#step(Math.floor(size / SIZE_PER_STEP))
    return result
  }

  #variable(name: string): Variable {
    const found = this.#variables.findLast((variable) => variable.name === name)
    if (found === undefined) throw new TemplateError(`undefined variable: ${name}`)
    return found
  }

  #bind(name: string, value: Value, isAssignment: boolean): void {
    if (isAssignment) this.#variable(name).value = value
    else this.#variables.push({ name, value })
  }

  #scoped<T>(run: () => T): T {
    const { length } = this.#variables
    const result = run()
    this.#variables.length = length
    return result
  }

  #writeValue(value: Value): void {
    const text = value === null ? '<no value>' : printValue(value)
    const { escape } = this.#run
    const isHtml = typeof value === 'object' && value?.kind === 'html'
    this.#write(escape === undefined || isHtml ? text : escape(text, this.#tail))
  }

  #write(text: string): void {
    this.text += text
    if (this.#run.escape !== undefined) this.#tail = (this.#tail + text).slice(-BEFORE_CHARS)
    const { outputChars } = this.#limits
    if (this.text.length > outputChars) throw new TemplateError(`text longer than ${outputChars} characters`)
  }

  #step(count = 1): void {
    const { steps } = this.#limits
    this.#steps += count
    if (this.#steps > steps) throw new TemplateError(`more than ${steps} steps`)
  }
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value?.kind === 'list' ? value.items.length : 0
}

/** The iterations of `range`: items by number, or map entries by key. */
function entriesOf(value: Value): readonly (readonly [Value, Value])[] {
  if (value === null) return []
  if (typeof value === 'object' && value.kind === 'map') return sortedEntries(value)
  if (typeof value === 'object' && value.kind === 'list') return value.items.map((item, i) => [BigInt(i), item])
  if (typeof value === 'bigint') {
    if (value > BigInt(STEPS_MAX)) throw new TemplateError(`more than ${STEPS_MAX} steps`)
    return Array.from({ length: Math.max(0, Number(value)) }, (_, i) => [BigInt(i), BigInt(i)])
  }
  throw new TemplateError(`range can't iterate over ${printValue(value)} (${typeName(value)})`)
}
