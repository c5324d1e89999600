/** Who wrote the present value of a part of an object, and when. */
import type { Written } from '../../model/cluster-record.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import type { ObjectHistory, ObjectState } from './cluster-history.ts'
import { isSeenFromCreation } from './present.ts'

/**
 * Of the newest state of an object: the write since which a part has had its value. Empty where the history begins with that
 * value: someone wrote it before.
 *
 * @param isSame whether the part of an earlier state equals that of the newest one
 */
export function writtenOf<F extends ObjectFacts>(
  history: ObjectHistory<F>,
  isSame: (earlier: F, newest: F) => boolean,
): Written {
  const { states } = history
  const newest = states.at(-1)!.facts
  let first = states.length - 1
  while (first > 0 && isSame(states[first - 1]!.facts, newest)) first--
  return first > 0 || isSeenFromCreation(history) ? writeOf(states[first]!) : {}
}

/** A state that etcd was restored to was written by nobody. */
export function writeOf({ atMs, manager, isRestored = false }: ObjectState): Written {
  return { sinceMs: atMs, ...(manager === undefined || isRestored ? {} : { by: manager }) }
}
