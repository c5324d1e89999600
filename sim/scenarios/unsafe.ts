import type { AnnotationName } from './habits.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { windowAt } from './window.ts'

/** The patch that is in force, with the time it began. */
export function unsafePatchAt(
  plan: ClusterPlan,
  annotation: AnnotationName,
  timeMs: number,
): { readonly operations: number; readonly sinceMs: number } | undefined {
  for (const patch of plan.unsafe) {
    const window = patch.annotation === annotation ? windowAt(patch, timeMs) : undefined
    if (window !== undefined) return { operations: patch.operations, sinceMs: window.fromMs }
  }
  return undefined
}
