/**
 * Looks at objects become histories: the states of each object in the order in which the cluster had them, whatever
 * order they arrived in. The first step of every derivation from objects; a function of the set alone.
 */
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import type { ClusterObservations, ObjectAbsence, ObjectObservation } from '../../model/observation.ts'

/** The facts a kind has; some kinds share theirs. */
export type FactsOf<K extends ObjectKind> = ObjectFacts extends infer F
  ? F extends { readonly kind: infer Kinds }
    ? K extends Kinds
      ? F
      : never
    : never
  : never

export interface ObjectState<F extends ObjectFacts = ObjectFacts> {
  readonly facts: F
  /** It was so no later than this: the earliest look at this state or at any later one. */
  readonly seenMs: number
  /** Somebody watched the change as it happened; otherwise it was found so later. */
  readonly isWatched: boolean
}

export interface ObjectHistory<F extends ObjectFacts = ObjectFacts> {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  /** Oldest first, by resource version; at least one. The last may be what was told with the deletion. */
  readonly states: readonly ObjectState<F>[]
  /** When it was gone; absent: it is still there as far as is known. */
  readonly goneMs?: number
}

/** How long after its creation the first look at an object still shows how it was created. */
const CREATION_SEEN_MS = 60_000

/** Of each object of these kinds, oldest first by their first state, then by uid. */
export function objectHistories<K extends ObjectKind>(
  observations: ClusterObservations,
  ...kinds: readonly K[]
): readonly ObjectHistory<FactsOf<K>>[] {
  const byUid = new Map<string, ObjectObservation[]>()
  for (const observation of observations.objects) {
    if (!(kinds as readonly string[]).includes(observation.facts.kind)) continue
    const own = byUid.get(observation.uid)
    if (own === undefined) byUid.set(observation.uid, [observation])
    else own.push(observation)
  }
  const absences = new Map<string, ObjectAbsence[]>()
  for (const absence of observations.absences) {
    if (byUid.has(absence.uid)) absences.set(absence.uid, [...(absences.get(absence.uid) ?? []), absence])
  }
  const histories = [...byUid].map(([uid, looks]) =>
    historyOf(looks as (ObjectObservation & { readonly facts: FactsOf<K> })[], absences.get(uid) ?? []),
  )
  return histories.sort((a, b) => a.states[0]!.seenMs - b.states[0]!.seenMs || compareTexts(a.uid, b.uid))
}

/** The present state of each object that is still there. */
export function presentObjects<K extends ObjectKind>(
  observations: ClusterObservations,
  ...kinds: readonly K[]
): readonly {
  readonly name: string
  readonly namespace: string
  readonly facts: FactsOf<K>
  readonly seenMs: number
}[] {
  return objectHistories(observations, ...kinds)
    .filter((history) => history.goneMs === undefined)
    .map(({ name, namespace, states }) => {
      const { facts, seenMs } = states.at(-1)!
      return { name, namespace, facts, seenMs }
    })
    .sort((a, b) => compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name) || a.seenMs - b.seenMs)
}

/** Whether the first state is how the object came into being, rather than how it was found. */
export function isSeenFromCreation({ states }: ObjectHistory): boolean {
  const { facts, seenMs } = states[0]!
  return facts.createdMs !== undefined && seenMs - facts.createdMs <= CREATION_SEEN_MS
}

function historyOf<F extends ObjectFacts>(
  looks: readonly (ObjectObservation & { readonly facts: F })[],
  absences: readonly ObjectAbsence[],
): ObjectHistory<F> {
  const ordered = [...looks].sort(compareLooks)
  const states: { facts: F; seenMs: number; isWatched: boolean; resourceVersion: string }[] = []
  let deletedMs: number | undefined
  for (const { facts, observedMs, change, resourceVersion } of ordered) {
    if (change === 'deleted') deletedMs = Math.min(deletedMs ?? Infinity, observedMs)
    const isWatched = change === 'modified' || change === 'deleted'
    const last = states.at(-1)
    if (last?.resourceVersion === resourceVersion) {
      last.isWatched ||= isWatched
      last.seenMs = Math.min(last.seenMs, observedMs)
    } else states.push({ facts, seenMs: observedMs, isWatched, resourceVersion })
  }
  // A state was there before the next one was, whenever its own look came in.
  for (let i = states.length - 2; i >= 0; i--) states[i]!.seenMs = Math.min(states[i]!.seenMs, states[i + 1]!.seenMs)
  const { uid, name, namespace } = ordered.at(-1)!
  const lastLookMs = Math.max(...ordered.map(({ observedMs }) => observedMs))
  const absentMs = absences.map((absence) => absence.absentMs).filter((timeMs) => timeMs > lastLookMs)
  const goneMs = deletedMs ?? (absentMs.length === 0 ? undefined : Math.min(...absentMs))
  return {
    uid,
    name,
    namespace,
    states: states.map(({ facts, seenMs, isWatched }) => ({ facts, seenMs, isWatched })),
    ...(goneMs === undefined ? {} : { goneMs }),
  }
}

/** By resource version, which the cluster counts upwards; what is no number stands before all that are. */
function compareLooks(a: ObjectObservation, b: ObjectObservation): number {
  return (
    compareNumbers(numberOf(a.resourceVersion), numberOf(b.resourceVersion)) ||
    compareTexts(a.resourceVersion, b.resourceVersion) ||
    a.observedMs - b.observedMs ||
    compareTexts(a.change, b.change) ||
    compareTexts(JSON.stringify(a.facts), JSON.stringify(b.facts))
  )
}

function numberOf(resourceVersion: string): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code unit: the same on every machine, unlike `localeCompare`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
