/** What is wrong with a value for a field: HCO reads it into typed fields, and the API server checks enums. */
import { isObject } from './pointer.ts'
import type { SchemaNode } from './schema.ts'

export interface ValueFault {
  /** Below the value. */
  readonly steps: readonly string[]
  /** `unknown`: HCO drops the field; the others make HCO fail, or the API server refuse the operand. */
  readonly kind: 'type' | 'enum' | 'unknown'
  readonly text: string
}

/** Each fault is worth a look, a hundred are not. */
const FAULTS_MAX = 10

/** `null` is the absence of a field. The value is at most as deep as the schema, or is not followed. */
export function valueFaults(node: SchemaNode, value: unknown, steps: readonly string[] = []): readonly ValueFault[] {
  if (value === null) return []
  if (!isOfType(node.type, value)) {
    return [{ steps, kind: 'type', text: `got ${nameOf(value)}, want ${wanted(node.type)}` }]
  }
  if (node.enum !== undefined && !node.enum.includes(value)) {
    return [
      { steps, kind: 'enum', text: `got ${JSON.stringify(value)}, want one of ${node.enum.map(String).join(', ')}` },
    ]
  }
  if (Array.isArray(value)) {
    const { item } = node
    return item === undefined ? [] : limited(value.map((one, i) => valueFaults(item, one, [...steps, String(i)])))
  }
  if (!isObject(value)) return []
  return limited(
    Object.entries(value).map(([name, inner]): readonly ValueFault[] => {
      const child = node.fields.get(name) ?? node.item
      if (child !== undefined) return valueFaults(child, inner, [...steps, name])
      return node.isOpen ? [] : [{ steps: [...steps, name], kind: 'unknown', text: 'no such field' }]
    }),
  )
}

function limited(faults: readonly (readonly ValueFault[])[]): readonly ValueFault[] {
  return faults.flat().slice(0, FAULTS_MAX)
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number'
    default:
      return true
  }
}

function wanted(type: string): string {
  if (type === 'int-or-string') return 'a number or a text'
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : `the ${typeof value} ${JSON.stringify(value).slice(0, 40)}`
}
