import type { Condition } from '../../model/object-facts.ts'
import { listAt, present, textAt, textOr, timeMsAt, type ObjectValue } from './object-value.ts'

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
