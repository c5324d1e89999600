/**
 * JSON patches that HyperConverged's annotations apply to operands past its API (RFC 6902). Objects tell the operations;
 * metrics tell how many there are.
 */
import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import { compareTexts, type ClusterHistory, type ObjectHistory } from './cluster-history.ts'
import { isSeenFromCreation, resolutionOf } from './present.ts'
import { coverageOf } from './coverage.ts'
import type { FoundModification } from './out-of-band.ts'

/** Which operand an annotation patches. */
const PATCHED: Readonly<Record<string, string>> = {
  'kubevirt.kubevirt.io/jsonpatch': 'kubevirt',
  'containerizeddataimporter.kubevirt.io/jsonpatch': 'cdi',
  'networkaddonsconfigs.kubevirt.io/jsonpatch': 'network-addons',
  'ssp.kubevirt.io/jsonpatch': 'ssp',
}

export function jsonPatchesOf(history: ClusterHistory): readonly FoundModification[] {
  const histories = history.of('hyperconvergeds')
  const reported = histories.flatMap(patchesOfHistory)
  const firstLookMs = histories[0]?.states[0]!.atMs ?? Infinity
  const { objectsLastMs = -Infinity } = coverageOf(history)
  // Where HyperConverged is told, it is told what stands in it: metrics count before and after that only.
  const measured = patchesOfMetrics(history).filter((patch) => {
    const { startedMs, endedMs } = patch
    if (histories.length === 0) return true
    if ((endedMs ?? Infinity) <= firstLookMs) return true
    return (startedMs ?? -Infinity) > objectsLastMs && !reported.some((one) => isSamePatch(one, patch))
  })
  return [...reported, ...measured]
}

/** The object told it, and a scrape counted it afterwards: as many operations while it stood. */
function isSamePatch(reported: FoundModification, measured: FoundModification): boolean {
  if (reported.annotation !== measured.annotation || reported.count !== measured.count) return false
  return (reported.endedMs ?? Infinity) >= (measured.startedMs ?? -Infinity)
}

/** A stretch over which an annotation held one text. */
interface Stretch {
  readonly annotation: string
  readonly text: string
  readonly startedMs?: number
  endedMs?: number
}

function patchesOfHistory(history: ObjectHistory<HyperConvergedFacts>): readonly FoundModification[] {
  const names = new Set(history.states.flatMap(({ facts }) => Object.keys(facts.jsonPatches)))
  return [...names].sort(compareTexts).flatMap((annotation) => stretchesOf(history, annotation).map(modificationOf))
}

function stretchesOf(history: ObjectHistory<HyperConvergedFacts>, annotation: string): readonly Stretch[] {
  const stretches: Stretch[] = []
  let open: Stretch | undefined
  history.states.forEach(({ facts, atMs }, i) => {
    const text = facts.jsonPatches[annotation]
    if (text === open?.text) return
    if (open !== undefined) open.endedMs = atMs
    if (text === undefined) {
      open = undefined
      return
    }
    const startedMs = i > 0 || isSeenFromCreation(history) ? atMs : taintedSince(facts)
    open = { annotation, text, ...(startedMs === undefined ? {} : { startedMs }) }
    stretches.push(open)
  })
  if (open !== undefined && history.gone !== undefined) open.endedMs = history.gone.atMs
  return stretches
}

/** An annotation that was there at the first look made HCO tainted when it came, if it is the only one. */
function taintedSince({ conditions, jsonPatches }: HyperConvergedFacts): number | undefined {
  if (Object.keys(jsonPatches).length !== 1) return undefined
  return conditions.find(({ type, status }) => type === 'TaintedConfiguration' && status === 'True')?.lastTransitionMs
}

function modificationOf({ annotation, text: written, startedMs, endedMs }: Stretch): FoundModification {
  const patch = parseJsonPatch(written)
  const component = PATCHED[annotation] ?? annotation
  const operations = 'operations' in patch ? patch.operations : undefined
  return {
    kind: 'jsonpatch',
    component,
    ...(startedMs === undefined ? {} : { startedMs }),
    ...(endedMs === undefined ? {} : { endedMs }),
    count: operations?.length ?? 0,
    ...(operations === undefined ? {} : { operations }),
    annotation,
    text:
      'fault' in patch
        ? `the annotation ${annotation} is no JSON patch: ${patch.fault}`
        : `the annotation ${annotation} patches ${component}: ${patch.operations.map(({ op, path }) => `${op} ${path}`).join(', ')}`,
    resolutionSeconds: 1,
  }
}

/** By annotation, the stretches over which HCO counted operations in it. */
function patchesOfMetrics(history: ClusterHistory): readonly FoundModification[] {
  const byAnnotation = new Map<string, MetricRun[]>()
  for (const run of history.runs('unsafe_modifications')) {
    const annotation = run.labels['annotation_name'] ?? ''
    if (annotation === '') continue
    const own = byAnnotation.get(annotation)
    if (own === undefined) byAnnotation.set(annotation, [run])
    else own.push(run)
  }
  return [...byAnnotation]
    .sort(([a], [b]) => compareTexts(a, b))
    .flatMap(([annotation, runs]) => runs.filter(({ value }) => value > 0).map((run) => measuredPatch(annotation, run)))
}

function measuredPatch(annotation: string, run: MetricRun): FoundModification {
  const component = PATCHED[annotation] ?? annotation
  const { value, firstMs, beforeMs, afterMs } = run
  return {
    kind: 'jsonpatch',
    component,
    ...(beforeMs === undefined ? {} : { startedMs: firstMs }),
    ...(afterMs === undefined ? {} : { endedMs: afterMs }),
    count: value,
    annotation,
    text: `the annotation ${annotation} patches ${component} with ${value} operation${value === 1 ? '' : 's'}, which metrics do not tell`,
    resolutionSeconds: resolutionOf(run),
  }
}

interface PatchOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

type JsonPatch = { readonly operations: readonly PatchOperation[] } | { readonly fault: string }

/** Each operation of section 4, with the members it must have beside `op` and `path`. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  add: ['value'],
  remove: [],
  replace: ['value'],
  move: ['from'],
  copy: ['from'],
  test: ['value'],
}

/** A JSON pointer (RFC 6901): empty, or parts that each begin with a slash; `~` stands only in `~0` and `~1`. */
const POINTER = /^(\/([^~/]|~[01])*)*$/

/** Reads a JSON patch (RFC 6902): an array of operations. */
export function parseJsonPatch(text: string): JsonPatch {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (thrown) {
    return { fault: `it is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
  if (!Array.isArray(parsed)) return { fault: `got ${nameOf(parsed)}, want an array of operations` }
  const operations: PatchOperation[] = []
  for (const [i, item] of parsed.entries()) {
    const fault = faultOf(item)
    if (fault !== undefined) return { fault: `operation ${i + 1}: ${fault}` }
    const { op, path, value } = item as PatchOperation
    operations.push({ op, path, ...(value === undefined ? {} : { value }) })
  }
  return { operations }
}

function faultOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return `got ${nameOf(item)}, want an object`
  const operation = item as Readonly<Record<string, unknown>>
  const { op, path, from } = operation
  const needed = typeof op === 'string' && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined
  if (needed === undefined) return `got op ${JSON.stringify(op)}, want one of ${Object.keys(OPERATIONS).join(', ')}`
  if (typeof path !== 'string' || !POINTER.test(path)) return `got path ${JSON.stringify(path)}, want a JSON pointer`
  const missing = needed.find((name) => !(name in operation))
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
