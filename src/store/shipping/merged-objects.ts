import { unpackMinutes } from '../observations/minutes-codec.ts'
import { isNewestStored, mergedSpans } from '../observations/object-states.ts'
import type { StateRow } from '../observations/object-rows.ts'
import { scopeKey, type StoredObject, type StoredObjects } from '../observations/stored-objects.ts'
import { compareText } from '../../model/labels.ts'

/**
 * What several collectors have of the objects of one cluster, as if one had received everything. What is stored of states,
 * names and listings is the least or the greatest of what was received, so the same of all collectors is that of everything.
 */

export interface CollectedObject {
  readonly kind: number
  readonly uid: Uint8Array
  readonly namespace: string
  readonly name: string
  readonly listedMinute: number
}

export interface CollectedState extends StateRow {
  readonly kind: number
  readonly uid: Uint8Array
}

export interface CollectedListing {
  readonly kind: number
  readonly namespace: string
  readonly minutes: Uint8Array
}

const MINUTE_MS = 60_000

/**
 * @param cluster of the ids of objects
 * @param completeMs listings after then may lack objects that another collector was sent: they are left out
 */
export function mergedObjects(
  cluster: number,
  collected: {
    readonly objects: readonly CollectedObject[]
    readonly states: readonly CollectedState[]
    readonly listings: readonly CollectedListing[]
  },
  completeMs: number,
): StoredObjects<string> & { readonly cutMs: number } {
  const idOf = ({ kind, uid }: Pick<CollectedObject, 'kind' | 'uid'>): string =>
    `${cluster} ${kind} ${Buffer.from(uid.buffer, uid.byteOffset, uid.byteLength).toString('hex')}`
  const objects = new Map<string, StoredObject<string>>()
  for (const object of collected.objects) {
    const id = idOf(object)
    const known = objects.get(id)
    objects.set(id, known === undefined ? { ...object, id } : mergedObject(known, object))
  }
  const states = new Map<string, StateRow[]>()
  for (const state of collected.states) {
    const id = idOf(state)
    const known = states.get(id)
    if (known === undefined) states.set(id, [state])
    else if (isNewestStored(state.kind)) known[0] = newestOf(known[0]!, state)
    else addState(known, state)
  }
  return { objects: [...objects.values()].sort(byName), states, ...listingsOf(collected.listings, completeMs) }
}

function mergedObject(known: StoredObject<string>, other: CollectedObject): StoredObject<string> {
  // Of contradictory names the lesser one; empty: only listings had it.
  const isOther = other.name !== '' && (known.name === '' || compareNames(other, known) < 0)
  const { namespace, name } = isOther ? other : known
  return { ...known, namespace, name, listedMinute: Math.max(known.listedMinute, other.listedMinute) }
}

function addState(states: StateRow[], state: StateRow): void {
  const at = states.findIndex(({ hash, isDeleted }) => hash === state.hash && isDeleted === state.isDeleted)
  if (at === -1) states.push(state)
  else states[at] = { ...state, ...mergedSpans(states[at]!, state) }
}

function newestOf(known: StateRow, state: StateRow): StateRow {
  const order = state.last.version - known.last.version || state.hash - known.hash
  return order === 0 ? { ...state, ...mergedSpans(known, state) } : order > 0 ? state : known
}

/** `cutMs`: of the first listing that is left out; Infinity: none is. */
function listingsOf(
  rows: readonly CollectedListing[],
  completeMs: number,
): { readonly listings: ReadonlyMap<string, readonly number[]>; readonly cutMs: number } {
  const minutes = new Map<string, Set<number>>()
  let cutMs = Infinity
  for (const row of rows) {
    const key = scopeKey(row)
    const known = minutes.get(key) ?? new Set<number>()
    for (const minute of unpackMinutes(row.minutes)) {
      if (minute * MINUTE_MS <= completeMs) known.add(minute)
      else cutMs = Math.min(cutMs, minute * MINUTE_MS)
    }
    minutes.set(key, known)
  }
  return { listings: new Map(Array.from(minutes, ([key, all]) => [key, [...all].sort((a, b) => a - b)])), cutMs }
}

type Named = Pick<CollectedObject, 'namespace' | 'name'>

function compareNames(a: Named, b: Named): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}

/** As SQLite orders them. */
function byName(a: StoredObject, b: StoredObject): number {
  return a.kind - b.kind || compareNames(a, b) || Buffer.compare(a.uid, b.uid)
}
