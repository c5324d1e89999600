/** The current state of a cluster, as far as known: the newest state of each object. */
import { remembered } from '../../base/remembered.ts'
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import { type ClusterHistory, type FactsOf, type ObjectHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'

export interface PresentObject<K extends ObjectKind> {
  readonly name: string
  readonly namespace: string
  readonly facts: FactsOf<K>
  /** When the state began or was first observed, by the cluster's clock. */
  readonly atMs: number
}

/** The objects that exist, oldest creation first. */
export function objectsNow<K extends ObjectKind>(history: ClusterHistory, kind: K): readonly PresentObject<K>[] {
  return existing(history.of(kind)) as unknown as readonly PresentObject<K>[]
}

/** Remembered: what blocks an upgrade is looked for in each open one. */
const existing = remembered((objects: readonly ObjectHistory[]) =>
  objects.flatMap(({ name, namespace, states, gone }) => {
    const { facts, atMs } = states.at(-1)!
    return gone === undefined ? [{ name, namespace, facts, atMs }] : []
  }),
)

/** The objects that exist, by namespace and name; a newer one of the same name after an older. */
export function presentObjects<K extends ObjectKind>(history: ClusterHistory, kind: K): readonly PresentObject<K>[] {
  return objectsNow(history, kind).toSorted(
    (a, b) => compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name) || a.atMs - b.atMs,
  )
}

/** The resolution of the start of a run: the gap between the two scrapes around it, in seconds; 0: unknown. */
export function resolutionOf({ beforeMs, firstMs }: MetricRun): number {
  return beforeMs === undefined ? 0 : Math.max(1, Math.round((firstMs - beforeMs) / 1000))
}

/** The first observation of an object shows how it was created up to this long after its creation. */
const CREATION_SEEN_MS = 60_000

/** Whether the first state is the state in which the object was created. */
export function isSeenFromCreation({ createdMs, states }: ObjectHistory): boolean {
  return createdMs !== undefined && states[0]!.atMs - createdMs <= CREATION_SEEN_MS
}

export function nameKey(namespace: string, name: string): string {
  return JSON.stringify([namespace, name])
}

const newest = remembered((objects: readonly ObjectHistory[]) => {
  return new Map(objects.map((object) => [nameKey(object.namespace, object.name), object]))
})

/** By `nameKey`. @param objects oldest creation first */
export function newestByName<F extends ObjectFacts>(
  objects: readonly ObjectHistory<F>[],
): ReadonlyMap<string, ObjectHistory<F>> {
  return newest(objects) as ReadonlyMap<string, unknown> as ReadonlyMap<string, ObjectHistory<F>>
}
