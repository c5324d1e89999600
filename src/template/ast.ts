/** The tree of a template. Offsets are into the template's text, `to` exclusive. */
import type { Value } from './value.ts'

export type Node = TextNode | ActionNode | BranchNode | RangeNode | TemplateNode | LoopJump

interface TextNode {
  readonly kind: 'text'
  readonly text: string
}

/** `{{ pipeline }}`; writes its value unless it declares or assigns variables. */
interface ActionNode {
  readonly kind: 'action'
  readonly pipe: Pipe
}

/** `{{ if }}` and `{{ with }}`; `with` also moves the dot. */
interface BranchNode {
  readonly kind: 'if' | 'with'
  readonly pipe: Pipe
  readonly then: readonly Node[]
  readonly otherwise: readonly Node[]
}

export interface RangeNode {
  readonly kind: 'range'
  readonly pipe: Pipe
  readonly body: readonly Node[]
  /** Used when there is nothing to iterate. */
  readonly otherwise: readonly Node[]
}

/** `{{ template "name" pipeline }}`. */
interface TemplateNode {
  readonly kind: 'template'
  readonly name: string
  readonly pipe: Pipe | undefined
  readonly from: number
  readonly to: number
}

interface LoopJump {
  readonly kind: 'break' | 'continue'
}

/** Commands joined by `|`; each passes its value as the last argument of the next. */
export interface Pipe {
  /** Variables with their `$`; two only in `range`. */
  readonly variables: readonly string[]
  /** `=` instead of `:=`. */
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
}

/** A function or value with its arguments, at least the first. */
export interface Command {
  readonly operands: readonly Operand[]
  readonly from: number
  readonly to: number
}

interface Ranged {
  readonly from: number
  readonly to: number
  /** Fields taken from the value, in turn: `.a.b`. */
  readonly fields: readonly string[]
}

export type Operand =
  | (Ranged & { readonly kind: 'literal'; readonly value: Value })
  | (Ranged & { readonly kind: 'dot' })
  | (Ranged & { readonly kind: 'variable'; readonly name: string })
  | (Ranged & { readonly kind: 'function'; readonly name: string })
  | (Ranged & { readonly kind: 'pipe'; readonly pipe: Pipe })

export interface TemplateTree {
  readonly body: readonly Node[]
  /** `{{ define "name" }}` bodies. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>
  /** Names of all functions used; they show whether a template runs queries. */
  readonly functions: ReadonlySet<string>
}
