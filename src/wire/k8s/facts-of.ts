import type { Condition, ObjectFacts } from '../../model/object-facts.ts'
import { listAt, present, textAt, textOr, timeMsAt, type ObjectValue } from './object-value.ts'

type Common = 'kind' | 'createdMs' | 'deletingMs'

/** The facts of an object: its kind, its times, and the fields that are not undefined. */
export function factsOf<T extends ObjectFacts>(
  kind: T['kind'],
  object: ObjectValue,
  fields: { readonly [K in Exclude<keyof T, Common>]: T[K] | undefined },
): T {
  const createdMs = timeMsAt(object, 'metadata', 'creationTimestamp')
  const deletingMs = timeMsAt(object, 'metadata', 'deletionTimestamp')
  return present<object>({ kind, createdMs, deletingMs, ...fields }) as T
}

/** `metav1.Condition` and types like it, in the order of the object; skips entries without a type. */
export function conditionsAt(value: ObjectValue, ...path: readonly string[]): readonly Condition[] {
  return (listAt(value, ...path) ?? []).flatMap((item) => {
    const type = textAt(item, 'type')
    if (type === undefined) return []
    return [
      present<Condition>({
        type,
        status: textAt(item, 'status') ?? 'Unknown',
        reason: textOr(item, 'reason'),
        message: textOr(item, 'message'),
        lastTransitionMs: timeMsAt(item, 'lastTransitionTime'),
      }),
    ]
  })
}
