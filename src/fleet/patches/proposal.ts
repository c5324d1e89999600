/** What to set in HyperConverged instead of an operation, in the layout that the cluster uses. Pure. */
import { ownValue } from '../../base/own-value.ts'
import type { PatchProposal } from '../../model/patch-analysis.ts'
import { valueFaults } from './check-value.ts'
import { gateStageAt } from './feature-gates.ts'
import { isObject, merged, nested, valueAt } from './pointer.ts'
import { hyperConvergedSchema, isPlace, resolveSteps, type SchemaNode } from './schema.ts'
import { kubevirtVersionOf } from './schema-versions.ts'
import { hcoGate, SUPERSEDING_FIELDS, SUPERSEDING_GATES, type HcoApi } from './superseding.ts'
import { yamlText } from './yaml-text.ts'

/** An operation that sets a value below `spec`. */
export interface SetOperation {
  readonly component: string
  /** Below `spec`. */
  readonly steps: readonly string[]
  readonly value: unknown
  /** Gates of KubeVirt that the operation switches. */
  readonly gates: readonly { readonly gate: string; readonly isOn: boolean }[]
}

export interface Superseded {
  readonly proposal: PatchProposal
  readonly notes: readonly string[]
  readonly source: string
}

interface Part {
  readonly spec: unknown
  readonly annotations?: Readonly<Record<string, string>>
  readonly note?: string
  readonly source: string
}

/** `undefined`: HyperConverged has no field for it, in neither version. */
export function proposalFor(
  operation: SetOperation,
  api: HcoApi,
  versions: { readonly installed: string; readonly target: string },
): Superseded | undefined {
  for (const from of ['installed', 'target'] as const) {
    const schema = hyperConvergedSchema(api, versions[from])
    if (schema === undefined) continue
    const parts = partsOf(operation, api, schema, versions[from])
    const [first] = parts
    if (first === undefined) continue
    const notes = [...new Set(parts.flatMap(({ note }) => note ?? []))]
    return { proposal: proposalOf(api, from, parts), notes, source: first.source }
  }
  return undefined
}

/** All proposals of a patch as one; those for the installed version first. */
export function combinedProposal(proposals: readonly PatchProposal[]): PatchProposal | undefined {
  const [first] = proposals
  if (first === undefined) return undefined
  return proposalOf(
    first.apiVersion,
    proposals.every(({ from }) => from === 'installed') ? 'installed' : 'target',
    proposals,
  )
}

function proposalOf(
  apiVersion: string,
  from: PatchProposal['from'],
  parts: readonly Pick<Part, 'spec' | 'annotations'>[],
): PatchProposal {
  const spec = parts.reduce<unknown>((all, one) => withLists(all, one.spec), {}) as PatchProposal['spec']
  const annotations = Object.assign({}, ...parts.map((one) => one.annotations ?? {})) as Readonly<
    Record<string, string>
  >
  const hasAnnotations = Object.keys(annotations).length > 0
  const metadata = { name: 'kubevirt-hyperconverged', ...(hasAnnotations ? { annotations } : {}) }
  return {
    ...{ apiVersion, from, spec },
    ...(hasAnnotations ? { annotations } : {}),
    yaml: yamlText({ apiVersion, kind: 'HyperConverged', metadata, ...(Object.keys(spec).length > 0 ? { spec } : {}) }),
  }
}

/** As `merged`, but two lists are one after the other: gates, registries. */
function withLists(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) {
    const before: readonly unknown[] = first
    const after: readonly unknown[] = second
    const texts = new Set(before.map((one) => JSON.stringify(one)))
    return [...before, ...after.filter((one) => !texts.has(JSON.stringify(one)))]
  }
  if (!isObject(first) || !isObject(second)) return second
  return Object.entries(second).reduce<unknown>(
    (all, [name, value]) =>
      merged(all, nested([name], Object.hasOwn(first, name) ? withLists(ownValue(first, name), value) : value)),
    first,
  )
}

function partsOf(operation: SetOperation, api: HcoApi, schema: SchemaNode, version: string): readonly Part[] {
  const fields = SUPERSEDING_FIELDS.filter(({ component }) => component === operation.component).flatMap(
    (field): Part[] => {
      const found = mapped(operation, field.steps, field.convert)
      const target = field.target[api]
      if (found === undefined || target === undefined) return []
      const steps = [...target, ...found.rest]
      const place = resolveSteps(schema, steps)
      const value = place.kind === 'field' ? fitting(place.node, found.value) : undefined
      if (value === undefined) return []
      const { note, source } = field
      return [{ spec: nested(steps, value), source, ...(note === undefined ? {} : { note }) }]
    },
  )
  return [...fields, ...gateParts(operation, api, version), ...rateLimits(operation, api, schema)]
}

/** The value of a field that the operation sets, or of a field below it. */
function mapped(
  { steps, value }: SetOperation,
  field: readonly string[],
  convert: (value: unknown) => unknown,
): { readonly rest: readonly string[]; readonly value: unknown } | undefined {
  if (isPrefix(steps, field)) {
    const found = valueAt(value, field.slice(steps.length))
    const converted = found === undefined || found === null ? undefined : convert(found)
    return converted === undefined ? undefined : { rest: [], value: converted }
  }
  if (!isPrefix(field, steps)) return undefined
  const rest = steps.slice(field.length)
  // One more item of a list; the list of HyperConverged may have others.
  if (rest.at(-1) === '-') {
    const inner = rest.slice(0, -1)
    const list = inner.length === 0 ? convert([value]) : [value]
    return inner.some(isPlace) || list === undefined ? undefined : { rest: inner, value: list }
  }
  if (rest.some(isPlace)) return undefined
  // What is converted as a whole has no counterpart within.
  const probe = {}
  return convert(probe) === probe ? { rest, value } : undefined
}

function isPrefix(prefix: readonly string[], steps: readonly string[]): boolean {
  return prefix.length <= steps.length && prefix.every((step, i) => step === steps[i])
}

/** The part of a value that HyperConverged can hold; `undefined`: none. */
function fitting(node: SchemaNode, value: unknown): unknown {
  if (value === null) return undefined
  if (node.type === 'string' && typeof value === 'number') return String(value)
  if (isObject(value) && node.type === 'object' && !(node.isOpen && node.fields.size === 0)) {
    const entries = Object.entries(value).flatMap(([name, inner]) => {
      const child = node.fields.get(name) ?? node.item
      const fit = child === undefined ? undefined : fitting(child, inner)
      return fit === undefined ? [] : [[name, fit] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  return valueFaults(node, value).length === 0 ? value : undefined
}

/** Gates that HyperConverged manages. A gate without a default there is ignored, one that is generally available needs no gate. */
function gateParts({ gates }: SetOperation, api: HcoApi, version: string): readonly Part[] {
  const schema = hyperConvergedSchema('hco.kubevirt.io/v1beta1', version)
  return gates.flatMap(({ gate, isOn }): Part[] => {
    const known = SUPERSEDING_GATES.get(gate)
    if (known === undefined || schema === undefined) return []
    const place = resolveSteps(schema, ['featureGates', known.field])
    const isManaged = place.kind === 'field' && place.node.default !== undefined
    if (!isManaged || gateStageAt(gate, kubevirtVersionOf(version)) === 'ga') return []
    return [{ spec: hcoGate(api, known.field, isOn), source: known.source }]
  })
}

const LIMITED = ['apiConfiguration', 'webhookConfiguration', 'controllerConfiguration', 'handlerConfiguration']
const LIMITER = ['restClient', 'rateLimiter', 'tokenBucketRateLimiter']
const TUNING = 'hco.kubevirt.io/tuningPolicy'
const TUNING_SOURCE =
  'https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration-v1beta1-api.md'

/** Limits of API requests, which HyperConverged has in an annotation for all parts of KubeVirt alike. */
function rateLimits({ component, steps, value }: SetOperation, api: HcoApi, schema: SchemaNode): readonly Part[] {
  const field = api === 'hco.kubevirt.io/v1' ? ['virtualization', 'tuningPolicy'] : ['tuningPolicy']
  if (component !== 'kubevirt' || resolveSteps(schema, field).kind !== 'field') return []
  const whole = nested(steps, value)
  const limits = LIMITED.flatMap((name) => {
    const limit = valueAt(whole, ['configuration', name, ...LIMITER])
    return isObject(limit) && typeof limit['qps'] === 'number' && typeof limit['burst'] === 'number'
      ? [{ qps: limit['qps'], burst: limit['burst'] }]
      : []
  })
  const [first] = limits
  if (first === undefined) return []
  const isEqual = limits.every(({ qps, burst }) => qps === first.qps && burst === first.burst)
  const largest = limits.reduce((a, b) => (b.qps > a.qps ? b : a))
  return [
    {
      spec: nested(field, 'annotation'),
      annotations: { [TUNING]: JSON.stringify(largest) },
      note: isEqual
        ? 'HyperConverged sets the limit for all parts of KubeVirt.'
        : 'HyperConverged sets one limit for all parts of KubeVirt: the largest is shown.',
      source: TUNING_SOURCE,
    },
  ]
}
