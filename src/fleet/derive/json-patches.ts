/** JSON patches (RFC 6902) of operands in HyperConverged's annotations: operations from objects, their number from metrics. */
import { ownValue } from '../../base/own-value.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import { type ClusterHistory, type ObjectHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import { groupBy } from '../../base/group-by.ts'
import { isSeenFromCreation, resolutionOf } from './present.ts'
import { writeOf } from './written.ts'
import { coverageOf } from './coverage.ts'
import type { FoundModification } from './out-of-band.ts'
import { isShallow } from '../patches/pointer.ts'

/** The patched operand, by annotation. */
const PATCHED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'kubevirt.kubevirt.io/jsonpatch': 'kubevirt',
    'containerizeddataimporter.kubevirt.io/jsonpatch': 'cdi',
    'networkaddonsconfigs.kubevirt.io/jsonpatch': 'network-addons',
    'ssp.kubevirt.io/jsonpatch': 'ssp',
  }),
)

export function jsonPatchesOf(history: ClusterHistory): readonly FoundModification[] {
  const histories = history.of('hyperconvergeds')
  const reported = histories.flatMap(patchesOfHistory)
  const firstSeenMs = histories[0]?.states[0]!.atMs ?? Infinity
  const { objectsLastMs = -Infinity } = coverageOf(history)
  // Metrics count only before and after HyperConverged is reported.
  const measured = patchesOfMetrics(history).filter((patch) => {
    const { startedMs, endedMs } = patch
    if (histories.length === 0) return true
    if ((endedMs ?? Infinity) <= firstSeenMs) return true
    return (startedMs ?? -Infinity) > objectsLastMs && !reported.some((one) => isSamePatch(one, patch))
  })
  return [...reported, ...measured]
}

/** A scrape counted the reported patch: as many operations while it was active. */
function isSamePatch(reported: FoundModification, measured: FoundModification): boolean {
  if (reported.annotation !== measured.annotation || reported.count !== measured.count) return false
  return (reported.endedMs ?? Infinity) >= (measured.startedMs ?? -Infinity)
}

/** A period in which an annotation had one text. */
interface Stretch {
  readonly annotation: string
  readonly text: string
  readonly startedMs?: number
  readonly by?: string
  endedMs?: number
}

function patchesOfHistory(history: ObjectHistory<HyperConvergedFacts>): readonly FoundModification[] {
  const names = new Set(history.states.flatMap(({ facts }) => Object.keys(facts.jsonPatches)))
  return [...names].sort(compareTexts).flatMap((annotation) => stretchesOf(history, annotation).map(modificationOf))
}

function stretchesOf(history: ObjectHistory<HyperConvergedFacts>, annotation: string): readonly Stretch[] {
  const stretches: Stretch[] = []
  let open: Stretch | undefined
  history.states.forEach((state, i) => {
    const { facts, atMs } = state
    const text = ownValue(facts.jsonPatches, annotation)
    if (text === open?.text) return
    if (open !== undefined) open.endedMs = atMs
    if (text === undefined) {
      open = undefined
      return
    }
    const isWatched = i > 0 || isSeenFromCreation(history)
    // The time in the condition is by the clock of the cluster.
    const taintedMs = open === undefined ? taintedSince(facts) : undefined
    const startedMs = taintedMs ?? (isWatched ? atMs : undefined)
    const { by } = isWatched ? writeOf(state) : {}
    open = { annotation, text, ...(startedMs === undefined ? {} : { startedMs }), ...(by === undefined ? {} : { by }) }
    stretches.push(open)
  })
  if (open !== undefined && history.gone !== undefined) open.endedMs = history.gone.atMs
  return stretches
}

/** The only annotation was added when HCO became tainted. */
function taintedSince({ conditions, jsonPatches }: HyperConvergedFacts): number | undefined {
  if (Object.keys(jsonPatches).length !== 1) return undefined
  return conditions.find(({ type, status }) => type === 'TaintedConfiguration' && status === 'True')?.lastTransitionMs
}

function modificationOf({ annotation, text: written, startedMs, endedMs, by }: Stretch): FoundModification {
  const patch = parseJsonPatch(written)
  const component = PATCHED.get(annotation) ?? annotation
  const operations = 'operations' in patch ? patch.operations : undefined
  return {
    kind: 'jsonpatch',
    component,
    ...(startedMs === undefined ? {} : { startedMs }),
    ...(endedMs === undefined ? {} : { endedMs }),
    count: operations?.length ?? 0,
    ...(operations === undefined ? {} : { operations }),
    annotation,
    ...(by === undefined ? {} : { by }),
    text:
      'fault' in patch
        ? `the annotation ${annotation} is not a JSON patch: ${patch.fault}`
        : `the annotation ${annotation} patches ${component}: ${listed(patch.operations)}`,
    resolutionSeconds: 1,
  }
}

const OPERATIONS_LISTED = 20

function listed(operations: readonly PatchOperation[]): string {
  const shown = operations.slice(0, OPERATIONS_LISTED).map(({ op, path }) => `${op} ${path}`)
  const rest = operations.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** By annotation, the periods in which HCO counted operations. */
function patchesOfMetrics(history: ClusterHistory): readonly FoundModification[] {
  const runs = history.runs('unsafe_modifications').filter(({ value }) => value > 0)
  const byAnnotation = groupBy(runs, ({ labels }) => labels['annotation_name'] ?? '')
  byAnnotation.delete('')
  return [...byAnnotation]
    .sort(([a], [b]) => compareTexts(a, b))
    .flatMap(([annotation, own]) => own.map((run) => measuredPatch(annotation, run)))
}

function measuredPatch(annotation: string, run: MetricRun): FoundModification {
  const component = PATCHED.get(annotation) ?? annotation
  const { value, firstMs, beforeMs, afterMs } = run
  return {
    kind: 'jsonpatch',
    component,
    ...(beforeMs === undefined ? {} : { startedMs: firstMs }),
    ...(afterMs === undefined ? {} : { endedMs: afterMs }),
    count: value,
    annotation,
    text: `the annotation ${annotation} patches ${component} with ${value} operation${value === 1 ? '' : 's'}, which metrics do not report`,
    resolutionSeconds: resolutionOf(run),
  }
}

type PatchOperation = NonNullable<Modification['operations']>[number]

/** What is stored of one patch. The API server accepts annotations of 256 KiB in all, so a longer text was not written by people. */
const PATCH_TEXT_MAX = 262_144
export const OPERATIONS_MAX = 1000
export const VALUE_DEPTH_MAX = 32

type JsonPatch = { readonly operations: readonly PatchOperation[] } | { readonly fault: string }

/** The operations of section 4, with their required members besides `op` and `path`. */
const OPERATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    add: ['value'],
    remove: [],
    replace: ['value'],
    move: ['from'],
    copy: ['from'],
    test: ['value'],
  }),
)

/** A JSON pointer (RFC 6901): empty, or parts that each begin with a slash; `~` stands only in `~0` and `~1`. */
const POINTER = /^(\/([^~/]|~[01])*)*$/

/** Reads a JSON patch (RFC 6902): an array of operations. */
export function parseJsonPatch(text: string): JsonPatch {
  if (text.length > PATCH_TEXT_MAX) return { fault: `it has ${text.length} characters, want ${PATCH_TEXT_MAX} at most` }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (thrown) {
    return { fault: `it is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
  if (!Array.isArray(parsed)) return { fault: `got ${nameOf(parsed)}, want an array of operations` }
  if (parsed.length > OPERATIONS_MAX) {
    return { fault: `it has ${parsed.length} operations, want ${OPERATIONS_MAX} at most` }
  }
  const operations: PatchOperation[] = []
  for (const [i, item] of parsed.entries()) {
    const fault = faultOf(item)
    if (fault !== undefined) return { fault: `operation ${i + 1}: ${fault}` }
    const { op, path, value, from } = item as PatchOperation
    if (!isShallow(value, VALUE_DEPTH_MAX))
      return { fault: `operation ${i + 1}: the value has more than ${VALUE_DEPTH_MAX} levels` }
    const source = op === 'move' || op === 'copy' ? { from } : {}
    operations.push({ op, path, ...(value === undefined ? {} : { value }), ...source } as PatchOperation)
  }
  return { operations }
}

function faultOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return `got ${nameOf(item)}, want an object`
  const operation = item as Readonly<Record<string, unknown>>
  const { op, path, from } = operation
  const needed = typeof op === 'string' ? OPERATIONS.get(op) : undefined
  if (needed === undefined) return `got op ${JSON.stringify(op)}, want one of ${[...OPERATIONS.keys()].join(', ')}`
  if (typeof path !== 'string' || !POINTER.test(path)) return `got path ${JSON.stringify(path)}, want a JSON pointer`
  const missing = needed.find((name) => !Object.hasOwn(operation, name))
  if (missing !== undefined) return `${String(op)} has no ${missing}`
  if (needed.includes('from') && (typeof from !== 'string' || !POINTER.test(from))) {
    return `got from ${JSON.stringify(from)}, want a JSON pointer`
  }
  return undefined
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
