/**
 * Which clusters set which feature gate, and where: in HyperConverged, or out of band by a JSON patch, which an upgrade may
 * break. Pure.
 */
import { groupBy } from '../../base/group-by.ts'
import { ownValue } from '../../base/own-value.ts'
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import { modificationKeyOf, type FleetFactsReader, type ModificationQuery } from '../../model/fleet-facts.ts'
import { eachItem } from '../past/keyset.ts'
import type { FeatureGates, GateUse } from '../../model/gate-use.ts'

export function featureGates(records: readonly ClusterRecord[], patches: readonly Modification[]): FeatureGates {
  const versions = new Map(records.map(({ cluster, hcoVersion }) => [cluster, hcoVersion]))
  const uses = [
    ...records.flatMap(({ cluster, settings }) =>
      Object.entries(settings.featureGates).map(([gate, isOn]): Omit<GateUse, 'version'> => {
        return { cluster, gate, isOn, source: 'hyperconverged', ...ownValue(settings.featureGatesWritten ?? {}, gate) }
      }),
    ),
    ...patches.flatMap(({ cluster, component, startedMs, operations, by }) =>
      gatesOfPatch(operations ?? []).map(({ gate, isOn }): Omit<GateUse, 'version'> => {
        const written = {
          ...(startedMs === undefined ? {} : { sinceMs: startedMs }),
          ...(by === undefined ? {} : { by }),
        }
        return { cluster, gate, isOn, source: 'jsonpatch', component, ...written }
      }),
    ),
  ].map((use): GateUse => {
    const version = versions.get(use.cluster)
    return version === undefined ? use : { ...use, version }
  })
  const gates = [...groupBy(uses, ({ gate }) => gate.toLowerCase())]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => ({ gate: own[0]!.gate, uses: [...own].sort(compareUses) }))
  return { telling: records.filter(({ settings }) => settings.apiVersion !== undefined).length, gates }
}

/** @param gate this gate only, case-insensitive; `undefined`: all gates */
export function gatesNamed({ telling, gates }: FeatureGates, gate: string | undefined): FeatureGates {
  const wanted = gate?.toLowerCase()
  return {
    telling,
    gates: wanted === undefined ? gates : gates.filter((one) => one.gate.toLowerCase() === wanted),
  }
}

export function rankOfUse({ source, isOn }: GateUse): number {
  return source === 'jsonpatch' ? 0 : isOn ? 1 : 2
}

function compareUses(a: GateUse, b: GateUse): number {
  return rankOfUse(a) - rankOfUse(b) || (a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0)
}

interface PatchedGate {
  readonly gate: string
  readonly isOn: boolean
}

/**
 * Gates that a patch sets: named in a list (`.../featureGates/-`), as a field of an object (`.../featureGates/name`), or
 * within a larger value. The name of an entry that is removed by its index is unknown. Each gate once, with its last state.
 */
export function gatesOfPatch(operations: NonNullable<Modification['operations']>): readonly PatchedGate[] {
  const gates = new Map<string, boolean>()
  for (const { op, path, value } of operations) {
    if (op !== 'add' && op !== 'replace' && op !== 'remove') continue
    for (const { gate, isOn } of gatesAt(op, path.split('/').slice(1).map(unescapePointer), value)) {
      gates.set(gate, isOn)
    }
  }
  return [...gates].map(([gate, isOn]) => ({ gate, isOn }))
}

/** Whether a list of that name switches its gates on or off. */
const LISTS: ReadonlyMap<string, boolean> = new Map([
  ['featureGates', true],
  ['disabledFeatureGates', false],
])

function gatesAt(op: string, steps: readonly string[], value: unknown): readonly PatchedGate[] {
  const at = steps.findIndex((step) => LISTS.has(step))
  if (at < 0) return op === 'remove' ? [] : gatesWithin(value)
  const list = steps[at]!
  const [name, ...deeper] = steps.slice(at + 1)
  if (name === undefined) return op === 'remove' ? [] : gatesOfList(list, value)
  if (deeper.length > 0) return []
  const isPlace = name === '-' || /^\d+$/.test(name)
  if (op === 'remove') return isPlace ? [] : [{ gate: name, isOn: false }]
  return isPlace ? gatesOfList(list, [value]) : gatesOfList(list, { [name]: value })
}

/** Lists within a value, however deep; a patch is a few kilobytes at most. */
function gatesWithin(value: unknown): readonly PatchedGate[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    LISTS.has(name) ? gatesOfList(name, inner) : gatesWithin(inner),
  )
}

/** Names, objects with a name and a state, or names with true and false. */
function gatesOfList(list: string, value: unknown): readonly PatchedGate[] {
  const isOn = LISTS.get(list) ?? true
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown): PatchedGate[] => {
      if (typeof one === 'string') return [{ gate: one, isOn }]
      const { name, enabled } = (typeof one === 'object' && one !== null ? one : {}) as Readonly<
        Record<string, unknown>
      >
      return typeof name === 'string' ? [{ gate: name, isOn: isOn && enabled !== false && enabled !== 'False' }] : []
    })
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([gate, set]) =>
    typeof set === 'boolean' ? [{ gate, isOn: set === isOn }] : [],
  )
}

/** RFC 6901. */
function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

const PORTION = 1000

/** All active JSON patches, read in portions. */
export async function activePatches(
  modifications: (query: ModificationQuery) => ReturnType<FleetFactsReader['modifications']>,
): Promise<readonly Modification[]> {
  const found: Modification[] = []
  const patches = eachItem<Modification, NonNullable<ModificationQuery['after']>>(
    PORTION,
    (after) => modifications({ kind: 'jsonpatch', isOpen: true, limit: PORTION, ...after }),
    (last) => ({ key: modificationKeyOf(last), id: last.id }),
  )
  for await (const patch of patches) found.push(patch)
  return found
}
