/**
 * The operand as HCO makes it before it applies a patch: what the code of HCO always sets (`../data/operand-defaults.json`), the defaults of
 * HyperConverged, and those of the operand's own schema, of one version. The operands of a cluster are not stored.
 */
import defaults from '../data/operand-defaults.json' with { type: 'json' }
import { isObject, merged, nested, valueAt } from './pointer.ts'
import { hyperConvergedSchema, operandSchema, resolveSteps, type SchemaNode } from './schema.ts'
import { SCHEMA_VERSIONS, schemaVersionAt } from './schema-versions.ts'
import { SUPERSEDING_FIELDS } from './superseding.ts'

interface StoredOperand {
  readonly source: string
  readonly spec: Readonly<Record<string, unknown>>
  /** Fields that HCO sets on some clusters only, or with a content that differs. */
  readonly conditional: readonly string[]
}

const OPERANDS: ReadonlyMap<string, StoredOperand> = new Map(Object.entries(defaults))

export interface OperandBase {
  /** With `spec`. Not to be changed: others read it. */
  readonly object: Readonly<Record<string, unknown>>
  /** Whether a field below `spec` depends on the settings of the cluster. */
  readonly isConditional: (steps: readonly string[]) => boolean
  readonly source: string
}

const built = new Map<string, OperandBase | undefined>()

/** `undefined`: no schema is known. */
export function operandBase(component: string, version: string): OperandBase | undefined {
  const at = schemaVersionAt(version)
  if (at === undefined) return undefined
  const key = `${component} ${SCHEMA_VERSIONS[at]!}`
  if (!built.has(key)) built.set(key, baseOf(component, version))
  return built.get(key)
}

function baseOf(component: string, version: string): OperandBase | undefined {
  const schema = operandSchema(component, version)
  const stored = OPERANDS.get(component)
  if (schema === undefined || stored === undefined) return undefined
  const spec = merged(
    merged(defaultsOf(schema, false), ofHyperConverged(component, version)),
    pruned(stored.spec, schema),
  )
  const conditional = stored.conditional.map((path) => path.split('.'))
  return {
    object: { spec },
    isConditional: (steps) => conditional.some((prefix) => prefix.every((step, i) => step === steps[i])),
    source: stored.source,
  }
}

/** What HyperConverged passes on without being set. */
function ofHyperConverged(component: string, version: string): unknown {
  const hco = hyperConvergedSchema('hco.kubevirt.io/v1beta1', version)
  let spec: unknown = {}
  for (const { component: own, steps, target } of SUPERSEDING_FIELDS) {
    const from = target['hco.kubevirt.io/v1beta1']
    if (own !== component || from === undefined || hco === undefined) continue
    const field = resolveSteps(hco, from)
    const value = field.kind === 'field' ? defaultsOf(field.node, true) : undefined
    // False is the absence of an option that KubeVirt has as an object.
    if (value !== undefined && value !== false) spec = merged(spec, nested(steps, value))
  }
  return isObject(spec) ? pruned(spec, operandSchema(component, version)!) : {}
}

/** @param isOwn the object itself may be left out */
function defaultsOf(node: SchemaNode, isOwn: boolean): unknown {
  if (node.default !== undefined) return node.default
  const entries = [...node.fields].flatMap(([name, child]) => {
    const value = defaultsOf(child, true)
    return value === undefined ? [] : [[name, value] as const]
  })
  return entries.length === 0 && isOwn ? undefined : Object.fromEntries(entries)
}

/** Without the fields that the version does not have. */
function pruned(spec: Readonly<Record<string, unknown>>, schema: SchemaNode): unknown {
  const entries = Object.entries(spec).flatMap(([name, value]) => {
    const child = schema.fields.get(name) ?? schema.item
    if (child === undefined) return schema.isOpen ? [[name, value] as const] : []
    return [[name, isObject(value) ? pruned(value, child) : value] as const]
  })
  return Object.fromEntries(entries)
}

/** Whether HCO itself sets a feature gate of the operand. */
export function hasGate(base: OperandBase, steps: readonly string[], gate: string): boolean {
  const list = valueAt(base.object, ['spec', ...steps])
  return Array.isArray(list) && list.includes(gate)
}
