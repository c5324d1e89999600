/** A patch applied to the operand as HCO makes it in one version, operation by operation: which fail, and what they replace. Pure. */
import jsonPatch, { type Operation } from 'fast-json-patch'
import { ownValue } from '../../base/own-value.ts'
import type { Modification } from '../../model/cluster-record.ts'
import { valueFaults } from './check-value.ts'
import { operandBase, type OperandBase } from './operand-base.ts'
import { canonicalText, isObject, pointerOf, stepsOf, valueAt } from './pointer.ts'
import { operandSchema, resolveSteps, type SchemaNode } from './schema.ts'

export type PatchOperation = NonNullable<Modification['operations']>[number]

export interface OperationOutcome {
  /** Why the operation fails or has no effect. */
  readonly broken?: string
  /** Whether it applies depends on the settings of the cluster. */
  readonly isConditional?: true
  /** The value is the default. */
  readonly isRedundant?: true
  /** What HCO sets there and the new value lacks, as pointers below the object. */
  readonly lost?: readonly string[]
  /** Nothing is known of the path. */
  readonly isOpen?: true
}

export interface AppliedPatch {
  readonly outcomes: readonly OperationOutcome[]
  readonly before: unknown
  /** Without the operations that fail. */
  readonly after: unknown
}

/** `undefined`: no schema is known. */
export function applyPatch(
  component: string,
  operations: readonly PatchOperation[],
  version: string,
): AppliedPatch | undefined {
  const schema = operandSchema(component, version)
  const base = operandBase(component, version)
  if (schema === undefined || base === undefined) return undefined
  let document: unknown = structuredClone(base.object)
  const outcomes = operations.map((operation): OperationOutcome => {
    const { outcome, after } = applied(operation, document, base, schema)
    document = after
    return outcome
  })
  return { outcomes, before: base.object, after: document }
}

interface Step {
  readonly outcome: OperationOutcome
  readonly after: unknown
}

function applied(operation: PatchOperation, document: unknown, base: OperandBase, schema: SchemaNode): Step {
  const { op, path } = operation
  const fault = pathFault(operation, schema)
  if (fault?.broken !== undefined) return { outcome: fault, after: document }
  const before = valueAt(document, stepsOf(path))
  let after: unknown
  try {
    // The document is this function's own; `value` is not, so that it must not be shared with it.
    after = jsonPatch.applyOperation(document, structuredClone(operation) as Operation, true, true, true).newDocument
  } catch (thrown) {
    const steps = stepsOf(path).slice(1)
    const isConditional = base.isConditional(steps) || base.isConditional(stepsOf(operation.from ?? '').slice(1))
    return {
      outcome: isConditional ? { ...fault, isConditional: true } : { broken: faultText(operation, thrown) },
      after: document,
    }
  }
  const sets = op === 'add' || op === 'replace'
  const isRedundant = sets && isDefault(operation, before, base, schema)
  const lost = sets ? lostFields(operation, before) : op === 'remove' && before !== undefined ? [path] : []
  return {
    outcome: {
      ...fault,
      ...(isRedundant ? { isRedundant: true } : {}),
      ...(lost.length > 0 ? { lost } : {}),
    },
    after,
  }
}

/** By the schema alone. */
function pathFault({ op, path, value }: PatchOperation, schema: SchemaNode): OperationOutcome | undefined {
  if (!path.startsWith('/spec/')) return { broken: 'HCO refuses the patch: it may change fields below /spec/ only.' }
  const place = resolveSteps(schema, stepsOf(path).slice(1))
  if (place.kind === 'missing') return { broken: 'There is no such field.' }
  if (place.kind === 'open') return { isOpen: true }
  if (op !== 'add' && op !== 'replace') return undefined
  if (value === undefined) return { broken: 'The operation has no value.' }
  const [fault] = valueFaults(place.node, value)
  if (fault === undefined) return undefined
  const within = fault.steps.length === 0 ? 'The value' : pointerOf(fault.steps)
  const text: Readonly<Record<typeof fault.kind, string>> = {
    unknown: `${within} of the value is not a field: HCO drops it.`,
    enum: `${within}: ${fault.text}. The API server refuses it.`,
    type: `${within}: ${fault.text}. HCO cannot read it.`,
  }
  return { broken: text[fault.kind] }
}

function faultText({ op, path }: PatchOperation, thrown: unknown): string {
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'TEST_OPERATION_FAILED') return `The test of ${path} fails, and with it the patch.`
  if (op === 'add') return `Nothing can be added at ${path}: its parent is not there.`
  return `HCO does not set ${path}, so that ${op} fails, and with it the patch.`
}

/** Whether HCO sets the value without the patch. What depends on the settings of the cluster is not known. */
function isDefault({ path, value }: PatchOperation, before: unknown, base: OperandBase, schema: SchemaNode): boolean {
  const steps = stepsOf(path).slice(1)
  if (steps.at(-1) === '-') {
    const list = valueAt(base.object, ['spec', ...steps.slice(0, -1)])
    return Array.isArray(list) && list.some((one) => canonicalText(one) === canonicalText(value))
  }
  const place = resolveSteps(schema, steps)
  const byDefault = place.kind === 'field' ? place.node.default : undefined
  if (byDefault !== undefined && canonicalText(byDefault) === canonicalText(value)) return true
  return before !== undefined && !base.isConditional(steps) && canonicalText(before) === canonicalText(value)
}

const LOST_MAX = 20

function lostFields({ path, value }: PatchOperation, before: unknown): readonly string[] {
  const lost: string[] = []
  collectLost(stepsOf(path), before, value, lost)
  return lost
}

function collectLost(steps: readonly string[], before: unknown, after: unknown, lost: string[]): void {
  if (lost.length >= LOST_MAX || before === undefined) return
  if (Array.isArray(before)) {
    const kept = Array.isArray(after) ? new Set(after.map(canonicalText)) : new Set<string>()
    if (before.some((one) => !kept.has(canonicalText(one)))) lost.push(pointerOf(steps))
    return
  }
  if (!isObject(before)) {
    if (after === undefined) lost.push(pointerOf(steps))
    return
  }
  // An option that is an empty object.
  if (Object.keys(before).length === 0 && (after === undefined || after === null)) lost.push(pointerOf(steps))
  for (const [name, value] of Object.entries(before)) {
    collectLost([...steps, name], value, isObject(after) ? ownValue(after, name) : undefined, lost)
  }
}
