/**
 * Fields of the operands and of HyperConverged, by release of HCO: `../data/schemas/`, made by `scripts/make-schemas.ts` from the CRDs of
 * each release. A tree per API and release is built when it is first needed.
 */
import cdi from '../data/schemas/cdi-v1beta1.json' with { type: 'json' }
import hyperconvergedV1 from '../data/schemas/hyperconverged-v1.json' with { type: 'json' }
import hyperconvergedV1beta1 from '../data/schemas/hyperconverged-v1beta1.json' with { type: 'json' }
import kubevirt from '../data/schemas/kubevirt-v1.json' with { type: 'json' }
import networkAddons from '../data/schemas/network-addons-v1.json' with { type: 'json' }
import sspV1beta1 from '../data/schemas/ssp-v1beta1.json' with { type: 'json' }
import sspV1beta2 from '../data/schemas/ssp-v1beta2.json' with { type: 'json' }
import sspV1beta3 from '../data/schemas/ssp-v1beta3.json' with { type: 'json' }
import { SCHEMA_VERSIONS, schemaVersionAt } from './schema-versions.ts'

export interface SchemaNode {
  /** `object`, `array`, `string`, `integer`, `number`, `boolean`, `int-or-string`. */
  readonly type: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  /** Unknown fields are stored: a missing path is no proof. */
  readonly isOpen: boolean
  readonly fields: ReadonlyMap<string, SchemaNode>
  /** Of an array, or the value of a map. */
  readonly item?: SchemaNode
}

/** As in the files. */
interface StoredNode {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly open?: boolean
  /** Absent: as of the parent. */
  readonly in?: readonly string[]
}
interface StoredTree {
  readonly is: StoredNode | readonly StoredNode[]
  readonly fields?: Readonly<Record<string, StoredTree>>
}

/** By operand as `Modification.component` names it; the newest API last. HCO writes the newest that its release has. */
const OPERANDS = new Map<string, readonly StoredTree[]>([
  ['kubevirt', [kubevirt]],
  ['cdi', [cdi]],
  ['network-addons', [networkAddons]],
  ['ssp', [sspV1beta1, sspV1beta2, sspV1beta3]],
])

const HYPERCONVERGED = new Map<string, StoredTree>([
  ['hco.kubevirt.io/v1beta1', hyperconvergedV1beta1],
  ['hco.kubevirt.io/v1', hyperconvergedV1],
])

/** The `spec` of an operand in a version of HCO; `undefined`: no schema is known. */
export function operandSchema(component: string, version: string): SchemaNode | undefined {
  const at = schemaVersionAt(version)
  if (at === undefined) return undefined
  return OPERANDS.get(component)?.reduceRight<SchemaNode | undefined>(
    (found, tree) => found ?? treeAt(tree, at),
    undefined,
  )
}

/** The `spec` of HyperConverged in a version of HCO; `undefined`: this API is not served, or no schema is known. */
export function hyperConvergedSchema(apiVersion: string, version: string): SchemaNode | undefined {
  const at = schemaVersionAt(version)
  const tree = HYPERCONVERGED.get(apiVersion)
  return at === undefined || tree === undefined ? undefined : treeAt(tree, at)
}

const built = new Map<StoredTree, Map<number, SchemaNode | undefined>>()

function treeAt(tree: StoredTree, at: number): SchemaNode | undefined {
  let byVersion = built.get(tree)
  if (byVersion === undefined) built.set(tree, (byVersion = new Map<number, SchemaNode | undefined>()))
  if (!byVersion.has(at)) byVersion.set(at, nodeAt(tree, at))
  return byVersion.get(at)
}

/** `undefined`: the version does not have the field. */
function nodeAt({ is, fields = {} }: StoredTree, at: number): SchemaNode | undefined {
  const own = [is].flat().find((one) => one.in === undefined || one.in.some((range) => isWithin(range, at)))
  if (own === undefined) return undefined
  const children = new Map<string, SchemaNode>()
  for (const [name, child] of Object.entries(fields)) {
    const node = nodeAt(child, at)
    if (node !== undefined) children.set(name, node)
  }
  const item = children.get('[]') ?? children.get('*')
  children.delete('[]')
  children.delete('*')
  const { type = 'object', open = false } = own
  return {
    type,
    // The items of an array may be left out of the source.
    isOpen: open || (type === 'array' && item === undefined),
    fields: children,
    ...(own.default === undefined ? {} : { default: own.default }),
    ...(own.enum === undefined ? {} : { enum: own.enum }),
    ...(item === undefined ? {} : { item }),
  }
}

function isWithin(range: string, at: number): boolean {
  const [first, last = first] = range.split('..') as [string, string?]
  return SCHEMA_VERSIONS.indexOf(first) <= at && at <= SCHEMA_VERSIONS.indexOf(last)
}

/** `open`: from there on nothing is known. */
export type Resolved =
  { readonly kind: 'field'; readonly node: SchemaNode } | { readonly kind: 'open' } | { readonly kind: 'missing' }

/** Follows the steps of a pointer below `spec`. */
export function resolveSteps(spec: SchemaNode, steps: readonly string[]): Resolved {
  let node = spec
  for (const step of steps) {
    const next = node.fields.get(step) ?? (isItem(node, step) ? node.item : undefined)
    if (next === undefined) return node.isOpen ? { kind: 'open' } : { kind: 'missing' }
    node = next
  }
  return { kind: 'field', node }
}

function isItem({ type }: SchemaNode, step: string): boolean {
  return type === 'object' || (type === 'array' && isPlace(step))
}

/** A place in a list: an index, or `-` for its end. */
export function isPlace(step: string): boolean {
  return step === '-' || /^\d+$/.test(step)
}
