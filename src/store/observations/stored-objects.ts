import type { ChangesRange } from '../../model/fleet-facts.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import type {
  ClusterObservations,
  ObjectAbsence,
  ObjectObservation,
  ObjectTransition,
} from '../../model/observation.ts'
import { absenceOf } from './listing-rows.ts'
import { changeOf, EVENTS, HYPERCONVERGEDS, kindOf, managerOf, uidOf, unpackFacts } from './object-codec.ts'
import type { StateRow } from './object-rows.ts'
import { statesOf } from './object-states.ts'

/** From stored rows of objects to observations of them. The result is a function of the rows. */

/** An object: `id` distinguishes it from all others of the store. */
export interface StoredObject<Id extends number | string = number | string> {
  readonly id: Id
  readonly uid: Uint8Array
  readonly kind: number
  readonly namespace: string
  readonly name: string
  readonly listedMinute: number
}

/** What is stored of the objects of one cluster. */
export interface StoredObjects<Id extends number | string = number | string> {
  /** By kind, namespace, name and uid. */
  readonly objects: readonly StoredObject<Id>[]
  readonly states: ReadonlyMap<Id, readonly StateRow[]>
  /** Minutes of listings by their scope (`scopeKey`), rising. */
  readonly listings: ReadonlyMap<string, readonly number[]>
}

export function scopeKey({ kind, namespace }: Pick<StoredObject, 'kind' | 'namespace'>): string {
  return `${kind} ${namespace}`
}

export interface StoredTransition {
  readonly atMs: number
  readonly version: number
  readonly transition: ObjectTransition
}

/** Limit for cached facts of states: a cluster is read again when one of its objects changed. */
const FACTS_KNOWN_MAX = 20_000

export class ObjectObservations {
  readonly #facts = new Map<string, ObjectFacts>()

  /** Of a cluster, as of the name `cluster`. */
  read(cluster: string, stored: StoredObjects): Pick<ClusterObservations, 'objects' | 'absences'> {
    const { objects, states } = stored
    return {
      objects: objects.flatMap((object) => this.#observationsOf(cluster, object, states.get(object.id) ?? [])),
      absences: absencesOf(cluster, stored),
    }
  }

  /** In no order, without the limit. */
  transitions(
    cluster: string,
    { objects, states }: Omit<StoredObjects, 'listings'>,
    { fromMs, toMs, uid }: Omit<ChangesRange, 'limit'>,
  ): readonly StoredTransition[] {
    return objects
      .filter((object) => uid === undefined || uidOf(object.uid) === uid)
      .flatMap((object) => {
        const all = statesOf(object.kind, states.get(object.id) ?? [])
        return all.map((start, i) => ({ object, start, before: all[i - 1] }))
      })
      .filter(({ start }) => start.ms >= fromMs && start.ms <= toMs)
      .map(({ object, start, before }) => {
        const manager = managerOf(start.manager)
        const transition = {
          after: this.#observationOf(cluster, object, start),
          ...(before === undefined ? {} : { before: this.#factsOf(object.id, before.state) }),
          ...(manager === undefined ? {} : { manager }),
        }
        return { atMs: start.ms, version: start.version, transition }
      })
  }

  #observationsOf(cluster: string, object: StoredObject, states: readonly StateRow[]): ObjectObservation[] {
    return statesOf(object.kind, states).map((start) => {
      const manager = object.kind === HYPERCONVERGEDS ? managerOf(start.manager) : undefined
      const observation = this.#observationOf(cluster, object, start)
      return manager === undefined ? observation : { ...observation, manager }
    })
  }

  #observationOf(
    cluster: string,
    { id, uid, name, namespace }: StoredObject,
    { version, ms, change, state }: ReturnType<typeof statesOf<StateRow>>[number],
  ): ObjectObservation {
    return {
      cluster,
      uid: uidOf(uid),
      name,
      namespace,
      resourceVersion: String(version),
      change: changeOf(change),
      observedMs: ms,
      facts: this.#factsOf(id, state),
    }
  }

  #factsOf(object: number | string, { hash, facts }: StateRow): ObjectFacts {
    const key = `${object} ${hash}`
    const known = this.#facts.get(key)
    if (known !== undefined) return known
    const unpacked = unpackFacts(facts)
    if (this.#facts.size >= FACTS_KNOWN_MAX) this.#facts.clear()
    this.#facts.set(key, unpacked)
    return unpacked
  }
}

/** The newest first. */
export function newestTransitions(all: readonly StoredTransition[], limit: number): readonly ObjectTransition[] {
  return all
    .toSorted((a, b) => b.atMs - a.atMs || b.version - a.version)
    .slice(0, limit)
    .map(({ transition }) => transition)
}

function absencesOf(cluster: string, { objects, states, listings }: StoredObjects): ObjectAbsence[] {
  if (listings.size === 0) return []
  return objects.flatMap((object) => {
    const minutes = listings.get(scopeKey(object))
    const seen = states.get(object.id) ?? []
    // Events expire by themselves; a deletion that was observed is not an absence.
    if (minutes === undefined || seen.length === 0 || object.kind === EVENTS || seen.some(({ isDeleted }) => isDeleted))
      return []
    const seenMs = seen.reduce((newest, { last }) => Math.max(newest, last.ms), 0)
    const absence = absenceOf(minutes, object.listedMinute, seenMs)
    return absence === undefined ? [] : [{ cluster, kind: kindOf(object.kind), uid: uidOf(object.uid), ...absence }]
  })
}
